import { lessonScenario, lossOf, utilisation, waits, type Lesson } from '../lesson.js';

const lesson: Lesson = {
  id: 'delay-before-loss',
  title: 'Why delay grows before packets are lost',
  prediction: {
    ask: 'The sending rate rises above the capacity of the link. What does the receiver notice first?',
    options: ['Lost packets', 'A growing delay', 'Both at the same moment'],
    right: 1,
    because: (
      <>
        What does not fit waits in the queue in front of the link. While the queue has room, nothing is lost;
        each packet only waits a little longer than the one before it.
      </>
    ),
  },
  scenario: lessonScenario('delay-before-loss', {
    title: 'A source that ignores all feedback and grows exponentially, over 1 Mbps',
    duration_s: 60,
    forward: { capacity: '1mbps', queue: 'droptail:300ms', bottleneck: 'serial' },
    flows: [
      {
        kind: 'media',
        name: 'video',
        source: {
          ramp_time_constant_s: 20,
          min_bitrate_bps: 100e3,
          max_bitrate_bps: 1.2e6,
          noise_sd: 0,
        },
      },
    ],
    choose: 'Length of the queue',
    from: [
      ['100ms', '100 ms', { 'forward.queue': 'droptail:100ms' }],
      ['300ms', '300 ms', { 'forward.queue': 'droptail:300ms' }],
      ['1000ms', '1000 ms', { 'forward.queue': 'droptail:1000ms' }],
    ],
  }),
  charts: ['rates', 'delays', 'losses'],
  readings: [waits('max', 'Longest wait'), lossOf('video'), utilisation],
  text: (
    <>
      <p>
        A queue acts as an integrator: while traffic arrives faster than the capacity <i>C</i> can carry it
        away, the queue grows by the difference (ToN, eq. 1 and 2), and each packet that arrives waits for all
        the data in front of it. Packets are dropped only when the queue is full. A growing delay therefore
        reveals congestion earlier than a loss does: earlier by the time that the queue takes to fill.
      </p>
      <p>
        This is why Google Congestion Control (GCC), NADA and LCC all watch the delay. GCC’s receiver
        estimates how the queuing delay changes from one group of packets to the next (ToN, section III-A).
        GCC’s sender also reacts to losses (ToN, section III-B), because the delay alone does not always tell
        enough: if the queue is very short, for instance, it can overflow before the delay has grown much.
      </p>
    </>
  ),
  cites: ['ToN'],
  task: {
    ask: 'Find the queue in which packets wait for more than 0.9 s before the first one is lost.',
    isSolved: ({ measured }) => measured.forward.queueDelayUs.max > 900e3,
    solution: '1000ms',
    because: (
      <>
        A drop-tail queue drops nothing until it is full, so the longest wait equals the length of the queue
        in time. A long queue hides congestion from every sender that waits for losses.
      </>
    ),
  },
};
export default lesson;
