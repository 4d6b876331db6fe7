import { lessonScenario, utilisation, waits, type Lesson } from '../lesson.js';

const lesson: Lesson = {
  id: 'delay-variation',
  title: 'One-way delay variation',
  prediction: {
    ask: 'The receiver’s clock is one hour ahead of the sender’s. How does this affect GCC’s delay filter?',
    options: ['All delays seem an hour too long', 'Not at all', 'The delay seems to grow steadily'],
    right: 1,
    because: (
      <>
        The filter works with differences of differences: <i>d_m</i> is the time between the arrivals of two
        groups minus the time between their departures. A constant offset is part of both arrival times, so it
        cancels out.
      </>
    ),
  },
  scenario: lessonScenario('delay-variation', {
    title: 'GCC over 1 Mbps, with random jitter',
    duration_s: 60,
    forward: { capacity: '1mbps', queue: 'droptail:300ms', bottleneck: 'serial' },
    flows: [{ kind: 'media', name: 'video', preset: 'gcc' }],
    choose: 'Jitter σ',
    from: [
      ['none', 'none', {}],
      ['5ms', '5 ms', { 'forward.jitter_ms': 5 }],
      ['20ms', '20 ms', { 'forward.jitter_ms': 20 }],
      ['60ms', '60 ms', { 'forward.jitter_ms': 60 }],
    ],
  }),
  charts: ['rates', 'delays', 'detector'],
  readings: [utilisation, waits('p95', '95th-percentile wait')],
  text: (
    <>
      <p>
        Take the groups <i>i − 1</i> and <i>i</i>, with send times <i>T</i> and arrival times <i>t</i>. Their
        one-way delay variation is <i>d_m(t_i) = (t_i − t_i−1) − (T_i − T_i−1)</i> (ToN, eq. 3). Only the
        drift between the two clocks remains, typically some tens of microseconds per second. Apart from
        noise, the variation is positive while a queue grows, negative while it drains, and zero while its
        length does not change, however long it is.
      </p>
      <p>
        The price is noise. If a wireless link, a busy computer or a burst delays one group, the extra delay
        appears in two consecutive variations, with opposite signs. A single value therefore says little, and
        a filter has to find the trend. In the overuse detector’s chart, the points are d_m, and the line m is
        what the filter makes of them. T is m times a number of groups; GCC signals overuse, and cuts its
        rate, when T exceeds the threshold γ. In these runs, jitter delays each packet by |N(0, σ)|, but by no
        more than 3 σ, and never changes their order (CMP, section III, uses σ = 5 ms).
      </p>
    </>
  ),
  cites: ['ToN', 'CMP'],
  task: {
    ask: 'Jitter alone can cost bandwidth. Find a jitter with which less than 83 % of the link is used.',
    isSolved: ({ measured }) => measured.forward.utilisation < 0.83,
    solution: '60ms',
    because: (
      <>
        With this much noise, the trend also crosses the threshold while the link is not full, and the rate
        recovers slowly from each cut. Jitter that keeps the order of packets also bunches them, so that they
        wait longer.
      </>
    ),
  },
};
export default lesson;
