import { jain, lessonScenario, shareOf, utilisation, waits, type Lesson } from '../lesson.js';

const NAMES = ['first', 'second', 'third'];
const each = (option: string, value: unknown) =>
  Object.fromEntries(NAMES.map((name) => [`flows.${name}.${option}`, value]));

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
    measuredFromS: 60,
    forward: { capacity: '3mbps', queue: 'droptail:300ms', bottleneck: 'serial' },
    flows: NAMES.map((name, index) => ({ kind: 'media', name, preset: 'gcc', start_s: 30 * index })),
    choose: 'Controller of all three calls',
    from: [
      [
        'nada-steady',
        'NADA, steady video',
        {
          ...each('preset', 'nada-rfc8698'),
          ...each('source', { noise_sd: 0, encoder_lag_ms: 0 }),
        },
      ],
      ['nada', 'NADA', each('preset', 'nada-rfc8698')],
      ['lcc', 'LCC', each('preset', 'lcc')],
      ['gcc', 'GCC', {}],
    ],
  }),
  charts: ['rates', 'delays'],
  readings: [jain, ...NAMES.map((name) => shareOf(name)), waits('p50', 'Median wait'), utilisation],
  text: (
    <>
      <p>
        Jain’s index is (Σx)² / (n Σx²): it is 1 if all flows get the same, and 1/n if one flow gets
        everything (CMP, section III). Here x is a call’s mean rate while all three run.
      </p>
      <p>
        NADA’s flows all see the same congestion signal. In equilibrium, it gives each flow a rate in
        proportion to its priority and its highest rate (RFC 8698, section 4.3; CMP, eq. 9), provided that all
        flows have found the same lowest delay. If the video has a steady rate, they do not: the first two
        calls keep a queue that never empties, so the third takes more than they do. The rate of real video
        varies, so the queue is empty now and then, and the third call finds the same lowest delay as the
        others. LCC also measures against the lowest delay (LCC, section II-C), but its queue empties often.
      </p>
      <p>
        GCC reacts to changes of the delay, not to the delay itself, and keeps the shortest queue. All flows
        see the same growth, so all cut by the same factor, and the larger ones lose more (CMP, section IV-B,
        eq. 8). In the papers’ own runs, all three controllers shared well (CMP, section IV-B; LCC, section
        III-D).
      </p>
    </>
  ),
  cites: ['ToN', 'CMP', 'LCC'],
  task: {
    ask: 'Find the controller with which the calls share best and waste nothing: Jain’s index is at least 0.98, and at least 97 % of the link is used.',
    isSolved: ({ measured }) => measured.jain >= 0.98 && measured.forward.utilisation >= 0.97,
    solution: 'nada',
    because: (
      <>
        All three calls have found the same lowest delay, so they see the same signal. The price is waiting:
        NADA keeps a standing queue, while GCC, which steers to zero growth, does not need one.
      </>
    ),
  },
};
export default lesson;
