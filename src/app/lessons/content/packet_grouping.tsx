import { lessonScenario, utilisation, waits, type Lesson } from '../lesson.js';

const lesson: Lesson = {
  id: 'packet-grouping',
  title: 'Packet grouping on Wi-Fi',
  prediction: {
    ask: 'Packets that waited during a pause arrive in a burst. What do the delay variations look like?',
    options: [
      'One large value, then many below zero',
      'They grow steadily',
      'The same as before: only the mean counts',
    ],
    right: 0,
    because: (
      <>
        The first packet after the pause is late by almost the whole pause. The packets behind it were sent
        later but arrive at almost the same time, so each is less late than the one before.
      </>
    ),
  },
  scenario: lessonScenario('packet-grouping', {
    title: 'GCC over 3 Mbps, with pauses in the channel',
    duration_s: 90,
    forward: { capacity: '3mbps', queue: 'droptail:300ms', bottleneck: 'serial', outage: '100ms/30ms' },
    flows: [{ kind: 'media', name: 'video', preset: 'gcc' }],
    choose: 'Packets that arrive in a burst',
    from: [
      ['off', 'stay in separate groups', { 'flows.video.parameters.pre_filter': 0 }],
      ['grp', 'are merged into one group', { 'flows.video.parameters.pre_filter': 1 }],
    ],
  }),
  charts: ['rates', 'delays', 'detector'],
  readings: [utilisation, waits('p95', '95th-percentile wait')],
  text: (
    <>
      <p>
        Wi-Fi often delivers packets in bursts: while other stations hold the channel or a frame is being
        repeated, packets wait in the radio, and then they arrive within a few milliseconds of each other. To
        the delay variation (ToN, eq. 3), this looks like a queue that grows and drains. The values also do
        not follow the Gaussian noise that the filter expects; GRP finds a mixture of three distributions
        instead.
      </p>
      <p>
        So packets that arrive in a burst are merged into one group (GRP, back-up slide): a packet joins the
        group if it arrives within 5 ms of the previous packet and their distance has shrunk on the way. Only
        the last packet of a group counts. It hardly had to wait for the pause to end, so the variation
        between groups is close to zero again. In GRP’s measurements, merging raised the mean throughput by
        about 20 % and left the median delay unchanged.
      </p>
    </>
  ),
  cites: ['ToN', 'GRP'],
  task: {
    ask: 'Find out which of the two uses more of the link, and leave it selected.',
    isSolved: ({ value }) => value === 'grp',
    solution: 'grp',
    because: (
      <>
        Merging causes fewer false overuse signals, so the rate is cut less often. In this run, the price is a
        longer wait.
      </>
    ),
  },
};
export default lesson;
