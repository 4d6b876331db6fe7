import { lessonScenario, utilisation, waits, type Lesson } from '../lesson.js';

const lesson: Lesson = {
  id: 'm-t-and-gamma',
  title: 'm, T and γ: what is compared with what',
  prediction: {
    ask: 'GCC signals overuse, and cuts its rate, when its delay signal exceeds a threshold γ, which starts at 12.5 ms. m, the growth of the delay per group, is usually a few hundredths of a millisecond. If m itself is compared with γ, …',
    options: [
      'congestion is noticed at once',
      'congestion is noticed only when the queue is already long',
      'nothing changes except the units',
    ],
    right: 1,
    because: (
      <>
        If a queue grows by 0.2 ms per group and there are 30 groups a second, it reaches 300 ms within a
        minute. All that time m stays at 0.2 ms, far below γ. Only extremely steep growth would ever cross the
        threshold.
      </>
    ),
  },
  scenario: lessonScenario('m-t-and-gamma', {
    title: 'GCC over 1 Mbps; T is m times a number of groups',
    duration_s: 60,
    forward: { capacity: '1mbps', queue: 'droptail:1000ms', bottleneck: 'serial' },
    flows: [{ kind: 'media', name: 'video', preset: 'gcc' }],
    choose: 'Largest factor between m and T',
    from: [
      ['60', '60, as deployed', {}],
      ['10', '10', { 'flows.video.parameters.detector_gain_groups': 10 }],
      ['1', '1 (m itself)', { 'flows.video.parameters.detector_gain_groups': 1 }],
    ],
  }),
  charts: ['rates', 'delays', 'detector'],
  readings: [utilisation, waits('p95', '95th-percentile wait')],
  text: (
    <>
      <p>
        In the text of the paper, overuse is signalled while m is above the threshold γ (ToN, section III-A).
        The code deployed in WebRTC compares <i>T = min(n, 60) · m</i> instead, where n counts the groups
        since the start. T is the amount by which the delay would grow over sixty groups at the present slope;
        sixty groups take about a third of a second or more. T is therefore of the same order of magnitude as
        γ, while m is not.
      </p>
      <p>
        The threshold follows the value that is compared with it: |m| in the paper (ToN, eq. 11 and 12), |T|
        here. It rises quickly, with the gain k_u, while |T| is above it, and falls slowly, with the gain k_d,
        while |T| is below it. The deployed code leaves it alone while |T| is more than 15 ms above it. The
        chart shows T together with γ and −γ. The deployed code signals overuse once T has been above γ for
        more than 10 ms and in at least two groups, provided that m is not falling.
      </p>
    </>
  ),
  cites: ['ToN'],
  task: {
    ask: 'Find the factor with which 5 % of all packets wait for more than half a second.',
    isSolved: ({ measured }) => measured.forward.queueDelayUs.p95 > 500e3,
    solution: '1',
    because: (
      <>m hardly ever reaches γ, so the delay-based controller sees no overuse, and the queue fills.</>
    ),
  },
};
export default lesson;
