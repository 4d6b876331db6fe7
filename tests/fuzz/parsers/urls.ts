/** The state of pages in their addresses: parsing never throws, and a state that is written can be read back. */
import { parseLab, serialiseLab } from '../../../src/app/lab/state.js';
import { bitratesInOrder, parseState, serialiseState } from '../../../src/app/state.js';
import { parseQueue } from '../../../src/link/queue_text.js';
import { parseSchedule } from '../../../src/link/capacity_text.js';
import type { StateProblem } from '../../../src/app/url_fields.js';
import { check, same, textOf } from '../oracles.js';
import type { FuzzTarget } from '../target.js';

function checkProblems(problems: readonly StateProblem[]): void {
  for (const { expected } of problems)
    check(expected !== '', () => 'a problem that does not say what was expected');
}

const state: FuzzTarget = {
  name: 'url state',
  seeds: [
    '',
    'capacity=1.5mbps,0.6mbps@20s&queue=codel:target=13ms&rtt_ms=80&loss=0.01&jitter_ms=3&seed=7',
    'controller=nada&preset=nada-live&shadow=gcc,lcc:k=2,own:mine.js&mode=observe&set.k_u=0.02',
    'min_bps=1e5&start_bps=3e5&max_bps=2.5e6&outage=100ms/20ms&cross_traffic=cubic:2&role=send&room=a-b_c&hide=a,b',
    'controller=own:my%20own.js&autostart=1&paused=1&from_s=-3&window_s=60&theme=dark&preset=gcc-live&set.alpha=0.9',
  ],
  words: [
    '&',
    '=',
    'set.',
    'shadow=',
    'controller=',
    'preset=',
    'gcc',
    'nada',
    'native',
    'own:',
    '%2C',
    '%',
    '+',
    '-0',
  ],
  run(input) {
    const { state: read, problems } = parseState(textOf(input));
    checkProblems(problems);
    check(bitratesInOrder(read), () => 'bitrates out of order');
    parseSchedule(read.capacity);
    parseQueue(read.queue);
    const again = parseState(serialiseState(read));
    check(
      again.problems.length === 0,
      () => `written, it has the problem ${JSON.stringify(again.problems[0])}`,
    );
    check(same(again.state, read), () => 'written, it is another state');
  },
};

const lab: FuzzTarget = {
  name: 'lab url',
  seeds: [
    '',
    'scenario=rmcat-5.1&cell.n=2&cell.queue=long&controller=gcc&seed=9&run=1&draw=a,b&packets=1&window_s=5',
  ],
  words: ['&', '=', 'cell.', 'scenario=', 'seed=', 'draw=', 'hide=', '%2C', '__proto__'],
  run(input) {
    const { state: read, problems } = parseLab(textOf(input));
    checkProblems(problems);
    const again = parseLab(serialiseLab(read));
    check(
      again.problems.length === 0,
      () => `written, it has the problem ${JSON.stringify(again.problems[0])}`,
    );
    check(same(again.state, read), () => 'written, it is another state');
  },
};

export default [state, lab];
