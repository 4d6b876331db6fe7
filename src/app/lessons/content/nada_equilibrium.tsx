import { lessonScenario, utilisation, waits, type Lesson } from '../lesson.js';

const lesson: Lesson = {
  id: 'nada-equilibrium',
  title: 'NADA’s equilibrium',
  prediction: {
    ask: 'The capacity is halved. In the new equilibrium, NADA’s queuing delay is …',
    options: ['the same', 'half as long', 'twice as long'],
    right: 2,
    because: (
      <>
        In equilibrium, the congestion signal is XREF · RMAX / r (at priority 1), so at half the rate r it is
        twice as large. Without losses, the signal is simply the queuing delay. Choose 0.5 Mbps to see it.
      </>
    ),
  },
  scenario: lessonScenario('nada-equilibrium', {
    title: 'NADA (RFC 8698) over a constant capacity',
    duration_s: 90,
    forward: { capacity: '1mbps', queue: 'droptail:500ms', bottleneck: 'serial' },
    flows: [
      {
        kind: 'media',
        name: 'video',
        preset: 'nada-rfc8698',
        source: { noise_sd: 0, encoder_lag_ms: 0 },
      },
    ],
    choose: 'Capacity',
    from: [
      ['1mbps', '1 Mbps', {}],
      ['0.5mbps', '0.5 Mbps', { 'forward.capacity': '0.5mbps' }],
      ['2mbps', '2 Mbps', { 'forward.capacity': '2mbps' }],
    ],
  }),
  charts: ['rates', 'delays', 'nada', 'states'],
  readings: [utilisation, waits('p50', 'Median wait')],
  text: (
    <>
      <p>
        NADA’s receiver adds up everything that indicates congestion, in milliseconds: the queuing delay, plus
        penalties for losses and ECN marks (RFC 8698, section 4.2). The sender changes its rate r according to
        how far this signal x is from a reference, and according to how x changes (RFC 8698, section 4.3, eq.
        5 to 7). The rate is steady where x = PRIO · XREF · RMAX / r. With PRIO = 1, XREF = 10 ms and, in
        these runs, RMAX = 2.5 Mbps, x is 25 ms at 1 Mbps.
      </p>
      <p>
        Flows that share a queue see the same x, so their rates end up in proportion to PRIO · RMAX. This is
        how NADA shares a link (CMP, eq. 9). The price is a standing queue, which is longest where capacity is
        scarcest. While no queue builds up and nothing is lost, NADA ramps up quickly instead: it raises its
        rate above the received rate by a certain share (RFC 8698, section 4.3, eq. 3 and 4).
      </p>
    </>
  ),
  cites: ['CMP'],
  task: {
    ask: 'Find the capacity at which half of all packets wait for less than 15 ms.',
    isSolved: ({ measured }) => measured.forward.queueDelayUs.p50 < 15e3,
    solution: '2mbps',
    because: (
      <>
        XREF · RMAX / r is 10 ms · 2.5 Mbps / 2 Mbps = 12.5 ms. The chart of the congestion signal shows this
        value.
      </>
    ),
  },
};
export default lesson;
