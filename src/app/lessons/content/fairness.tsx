import { jain, lessonScenario, shareOf, utilisation, waits, type Lesson } from '../lesson.js';

const NAMES = ['first', 'second', 'third'];
const all = (preset: string) => Object.fromEntries(NAMES.map((name) => [`flows.${name}.preset`, preset]));

const lesson: Lesson = {
  id: 'fairness',
  title: 'Fairness and latecomers',
  prediction: {
    ask: 'A controller steers to a fixed queuing delay, which it measures against the lowest delay that it has seen. What can go wrong for the call that came first?',
    options: [
      'Nothing: all calls see the same queue',
      'The newcomer takes the standing queue for part of the empty path and sends more than the others',
      'The newcomer starves',
    ],
    right: 1,
    because: (
      <>
        This is the latecomer effect (ToN, section II-B). If there is always a standing queue, the newcomer’s
        lowest delay already includes it, and the newcomer builds its own queue on top. The earlier calls see
        both queues and give way.
      </>
    ),
  },
  scenario: lessonScenario('fairness', {
    title: 'Three calls over 3 Mbps, each starting 30 s after the one before',
    duration_s: 150,
    forward: { capacity: '3mbps', queue: 'droptail:300ms', bottleneck: 'serial' },
    flows: NAMES.map((name, index) => ({ kind: 'media', name, preset: 'gcc', start_s: 30 * index })),
    choose: 'Controller of all three calls',
    from: [
      ['nada', 'NADA', all('nada-rfc8698')],
      ['lcc', 'LCC', all('lcc')],
      ['gcc', 'GCC', {}],
    ],
  }),
  charts: ['rates', 'delays'],
  readings: [jain, shareOf('first'), shareOf('third'), waits('p95', '95th-percentile wait'), utilisation],
  text: (
    <>
      <p>
        Jain’s index is (Σx)² / (n Σx²): it is 1 if all flows get the same, and 1/n if one flow gets
        everything (CMP, section III). Here x is a call’s mean rate while it runs. The earlier calls share the
        link with fewer others for a while, so even perfect sharing gives slightly less than 1.
      </p>
      <p>
        GCC reacts to changes of the delay, not to the delay itself. All flows see the same growth, so all cut
        by the same factor, and the larger ones lose more (CMP, section IV-B, eq. 8). NADA’s flows all see the
        same congestion signal. In equilibrium, it gives each flow a rate in proportion to its priority and
        its highest rate (RFC 8698, section 4.3; CMP, eq. 9), provided that all flows have found the same
        lowest delay. LCC also measures against the lowest delay (LCC, section II-C). In the papers’ own runs,
        all three shared well (CMP, section IV-B; LCC, section III-D).
      </p>
    </>
  ),
  task: {
    ask: 'Find the controller with which packets wait least: 95 % of them wait for less than 50 ms.',
    isSolved: ({ measured }) => measured.forward.queueDelayUs.p95 < 50e3,
    solution: 'gcc',
    because: (
      <>
        Compare the waits: a controller that steers to a certain delay keeps a standing queue, while one that
        steers to zero growth does not need one.
      </>
    ),
  },
};
export default lesson;
