import { lessonScenario, utilisation, waits, type Lesson } from '../lesson.js';

const lesson: Lesson = {
  id: 'rate-controller',
  title: 'The states of the rate controller',
  prediction: {
    ask: 'A cut sets the rate to α times the rate that was received. With α = 0.5 instead of 0.85, the call …',
    options: [
      'uses less of the link',
      'uses more of the link, because the queue drains faster',
      'behaves the same',
    ],
    right: 0,
    because: (
      <>
        The queue is short either way. But after each cut, half of the link is unused, and from there the rate
        grows only slowly, by about half a packet per response time (the round trip plus 100 ms).
      </>
    ),
  },
  scenario: lessonScenario('rate-controller', {
    title: 'GCC over 1 Mbps',
    duration_s: 90,
    forward: { capacity: '1mbps', queue: 'droptail:300ms', bottleneck: 'serial' },
    flows: [{ kind: 'media', name: 'video', preset: 'gcc' }],
    choose: 'α, the factor of a cut',
    from: [
      ['0.85', '0.85, as in the paper', {}],
      ['0.95', '0.95', { 'flows.video.parameters.alpha': 0.95 }],
      ['0.5', '0.5', { 'flows.video.parameters.alpha': 0.5 }],
    ],
  }),
  charts: ['rates', 'delays', 'control', 'states'],
  readings: [utilisation, waits('p50', 'Median wait'), waits('p95', '95th-percentile wait')],
  text: (
    <>
      <p>
        The rate A_r is set by a state machine with three states (ToN, Fig. 4). <b>Increase</b>: no congestion
        is seen, and the rate grows: here by about 40 % a second until the first overuse, as fast as what is
        received allows. Then it grows by about half a packet per response time near the known maximum, or by
        8 % a second once that maximum is no longer valid (draft-ietf-rmcat-gcc-02, section 5.5; ToN, eq. 13,
        has only the addition). <b>Decrease</b>: on overuse, A_r ← α R_r with α = 0.85 (ToN, eq. 13), where
        R_r is the rate that the receiver measured. <b>Hold</b>: after a cut, and while the queue drains
        (underuse), the rate stays the same.{' '}
      </p>{' '}
      <p>
        {' '}
        Hold is meant to keep the delay low. If the rate grows again before the queue is empty, a standing
        queue can remain, and a detector of <i>changes</i> cannot see a standing queue (ToN, section III-A).
        But with α = 0.85, the trend never falls below −γ in this run. Without an underuse, the next normal
        signal leads from Hold to Increase at once, and the queue drains only because the cut sets the rate
        below what is received. In the strip below the charts, the upper row shows the signal and the lower
        row shows the state; Hold is seen there only with the other two values of α, and only for moments.
      </p>
    </>
  ),
  cites: ['ToN'],
  task: {
    ask: 'Find the α with which less than 80 % of the link is used.',
    isSolved: ({ measured }) => measured.forward.utilisation < 0.8,
    solution: '0.5',
    because: <>Each cut takes away half of the rate, and recovering takes a long time.</>,
  },
};
export default lesson;
