import { lessonScenario, utilisation, waits, type Lesson } from '../lesson.js';

const lesson: Lesson = {
  id: 'kalman-filter',
  title: 'The Kalman filter, step by step',
  prediction: {
    ask: 'We tell the filter that the delay gradient itself changes a lot from group to group (a large Q). What happens?',
    options: [
      'm follows the measurements, noise included',
      'm becomes smoother',
      'Nothing: only the noise of the measurements matters',
    ],
    right: 0,
    because: (
      <>
        The gain K is the share of the prediction error (the innovation) that the filter believes. For a
        single state it is <i>K = P / (P + σ²)</i>, where P, the uncertainty of m, includes Q, and σ² is the
        variance of the noise (ToN, eq. 7). A large Q keeps P large, so K is larger (here about 0.2 instead of
        0.006), and m follows the noise.
      </>
    ),
  },
  scenario: lessonScenario('kalman-filter', {
    title: 'GCC over a capacity that falls from 1 to 0.6 Mbps, with jitter',
    duration_s: 60,
    forward: { capacity: '1mbps,0.6mbps@30s', queue: 'droptail:500ms', bottleneck: 'serial', jitter_ms: 5 },
    flows: [{ kind: 'media', name: 'video', preset: 'gcc' }],
    choose: 'State noise Q of m, ms²',
    from: [
      ['1e-3', '0.001, as in the paper', { 'flows.video.parameters.q_m': 1e-3 }],
      ['1e-6', '0.000 001', { 'flows.video.parameters.q_m': 1e-6 }],
      ['1', '1', { 'flows.video.parameters.q_m': 1 }],
    ],
  }),
  charts: ['rates', 'delays', 'detector'],
  readings: [utilisation, waits('p95', '95th-percentile wait')],
  text: (
    <>
      <p>
        The filter’s state has two parts (ToN, eq. 4): 1/C, the time that one byte takes at the bottleneck,
        and m, the growth of the queuing delay from one group to the next. The measurement is modelled as{' '}
        <i>d_m = ΔL/C + m + n</i> (ToN, section III-A), where ΔL is the difference in size between the two
        groups and n is noise. A group that is larger than the one before it takes longer to transmit, and
        that is not congestion, so the filter subtracts ΔL/C (ToN, eq. 9).
      </p>
      <p>
        The filter takes three steps for each group. First, it predicts d_m from its state; the difference
        between the measurement and this prediction is the <b>innovation</b> z (ToN, eq. 6). Second, it weighs
        the innovation with the <b>gain</b> K and corrects its state: m ← m + K z (ToN, eq. 7 to 9). The gain
        is large when the state is uncertain (P) and small when the measurements are noisy (σ²). Third, it
        learns σ² from the innovations themselves (ToN, eq. 10).
      </p>
    </>
  ),
  cites: ['ToN'],
  task: {
    ask: 'Make the filter so nervous that noise alone costs bandwidth: find a Q with which less than three quarters of the link is used.',
    isSolved: ({ measured }) => measured.forward.utilisation < 0.75,
    solution: '1',
    because: (
      <>
        With a large Q, m follows the noise. The detector then signals an overuse although no queue grows.
        Such a cut begins at a rate that is already below the capacity, and the rate recovers slowly.
      </>
    ),
  },
};
export default lesson;
