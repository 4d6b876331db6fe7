import { lessonScenario, lossOf, utilisation, waits, type Lesson } from '../lesson.js';

const lesson: Lesson = {
  id: 'lcc-density',
  title: 'LCC’s density',
  prediction: {
    ask: '10 % of all packets are lost at random. LCC looks only at delays. Compared with GCC, it will use …',
    options: ['less of the link', 'about as much', 'far more'],
    right: 2,
    because: (
      <>
        Random losses build no queue, so nothing tells LCC to slow down, while GCC’s loss-based controller
        holds or cuts its rate. On a path where losses do mean congestion, ignoring them would be a mistake.
      </>
    ),
  },
  scenario: lessonScenario('lcc-density', {
    title: 'LCC or GCC over 1 Mbps, with random loss',
    duration_s: 100,
    forward: { capacity: '1mbps', queue: 'droptail:1000ms', bottleneck: 'serial', loss_ratio: 0.1 },
    flows: [{ kind: 'media', name: 'video', preset: 'lcc' }],
    choose: 'Controller',
    from: [
      ['lcc', 'LCC', {}],
      ['gcc', 'GCC', { 'flows.video.preset': 'gcc' }],
    ],
  }),
  charts: ['rates', 'delays', 'lcc', 'control', 'losses'],
  readings: [utilisation, waits('p50', 'Median wait'), lossOf('video')],
  text: (
    <>
      <p>
        LCC keeps the last N pairs of a sending rate and the delay that followed, and fits a probability
        density to them, with normal kernels and more weight on newer pairs (LCC, section II-B). It then asks
        which rate to expect at a certain delay T_c: <i>S = E[S | D = T_c]</i> (LCC, eq. 7). T_c rises while
        the average delay is below a target, which is 25 ms above the lowest delay seen, and falls while the
        average is above it (LCC, eq. 5). If the delay exceeds the target by more than a tenth, LCC cuts the
        rate by a tenth (LCC, eq. 8; the paper does not publish these two values, so they are ours).
      </p>
      <p>
        So LCC fits no model of the link; it only uses what it has seen lately. The paper does not say how LCC
        finds rates that it has not tried yet, so the exploration in these runs is ours as well. In the
        paper’s comparison under random loss (LCC, Table I), LCC uses 61.6 % of the link at 10 % loss, and GCC
        14.6 %.
      </p>
    </>
  ),
  cites: ['LCC', 'ToN'],
  task: {
    ask: 'Find the controller that uses less than a third of the link here.',
    isSolved: ({ measured }) => measured.forward.utilisation < 1 / 3,
    solution: 'gcc',
    because: (
      <>
        At 10 % loss, each report either holds A_s or cuts it, and hardly any report lets it grow (ToN, eq.
        14).
      </>
    ),
  },
};
export default lesson;
