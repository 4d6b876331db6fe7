/**
 * Explains LCC's target. LCC learns which delay each rate causes on the path, and chooses its target in one of
 * three ways:
 * - `expectation`: the rate at which LCC expects the desired delay;
 * - `cut`: a lower rate, since the delay is far too high;
 * - `exploration`: a higher rate, whose delay LCC has not learnt yet.
 */
import { NOT_BEGUN, reasonOf, UNKNOWN, type Reason } from './change.js';
import { outerReason, type Explainer, type Flow } from './explainer.js';
import { ofFlow, Rows, valueOf } from './rows.js';
import type { Segment } from './segments.js';
import { comparedText } from './words.js';
import { msText, rateText } from '../judge/text.js';
import type { TraceData } from '../trace/index.js';

const COLUMNS = [
  'average_delay_us',
  'target_delay_us',
  'control_delay_us',
  'expected_rate_bps',
  'next_rate_bps',
  'action',
  'bound_bps',
];
const ACTIONS = ['expectation', 'cut', 'exploration'] as const;
const [EXPECTATION, CUT, EXPLORATION] = ACTIONS.map((name) => valueOf('lcc', 'action', name));
/** LCC varies each rate by a random factor with a standard deviation of 2 %. This is three standard deviations. */
const SCATTER = 0.06;

export class LccExplainer implements Explainer {
  readonly #lcc: Rows;

  constructor(
    trace: TraceData,
    private readonly flow: Flow,
  ) {
    this.#lcc = new Rows(trace, 'lcc', COLUMNS, ofFlow(flow.number));
  }

  isExact = (): boolean => false;
  scatter = (): number => SCATTER;
  isDecision = (): boolean => false;

  explain(segment: Segment): Reason {
    const { shape, from, to } = segment;
    const { timeUs } = this.flow.rate;
    const [first, end] = this.#lcc.between(timeUs[from] ?? NaN, timeUs[to] ?? NaN);
    if (this.#lcc.lastAt(timeUs[to] ?? NaN) < 0) return NOT_BEGUN;
    const outer = outerReason(this.flow, segment, this.#lcc, [first, end]);
    if (outer !== null) return outer;
    if (first === end) return UNKNOWN;
    const cut = this.#lcc.lastWith('action', CUT ?? NaN, first, end);
    if (shape === 'fall') return cut < 0 ? this.#expected(end - 1, end) : this.#cut(cut);
    if (shape === 'decline' && this.#lcc.share('action', CUT ?? NaN, first, end) >= 0.5)
      return this.#cut(cut);
    const explores = this.#lcc.share('action', EXPLORATION ?? NaN, first, end);
    return explores >= 0.5 ? this.#exploration(first, end) : this.#expected(first, end);
  }

  #cut(row: number): Reason {
    const delayMs = this.#lcc.at('average_delay_us', row) / 1e3;
    const targetMs = this.#lcc.at('target_delay_us', row) / 1e3;
    const detail = comparedText(['delay', delayMs], ['target', targetMs]);
    const evidence = {
      time_us: this.#lcc.timeUs[row] ?? NaN,
      average_delay_ms: delayMs,
      target_delay_ms: targetMs,
    };
    return reasonOf('cut', detail, evidence);
  }

  #expected(first: number, end: number): Reason {
    const expected = this.#lcc.mean('expected_rate_bps', first, end);
    const delayMs = this.#lcc.mean('control_delay_us', first, end) / 1e3;
    const isExploring = this.#lcc.share('action', EXPECTATION ?? NaN, first, end) < 0.5;
    const kind = isExploring ? 'exploration' : 'expectation';
    const detail = `${rateText(expected)} is expected to go with a delay of ${msText(delayMs)}`;
    return reasonOf(kind, detail, { expected_rate_bps: expected, control_delay_ms: delayMs });
  }

  #exploration(first: number, end: number): Reason {
    const delayMs = this.#lcc.mean('average_delay_us', first, end) / 1e3;
    const targetMs = this.#lcc.mean('target_delay_us', first, end) / 1e3;
    const detail = `${comparedText(['delay', delayMs], ['target', targetMs])} on average`;
    const evidence = { average_delay_ms: delayMs, target_delay_ms: targetMs };
    return reasonOf('exploration', detail, evidence);
  }
}
