import { lessonScenario, shareOf, waits, type Lesson } from '../lesson.js';
import { DocsLink } from '../../ui/docs_link.js';

const tcp = { kind: 'tcp', name: 'download', congestion_control: 'cubic', start_s: 20 };

const lesson: Lesson = {
  id: 'adaptive-threshold',
  title: 'Static versus adaptive threshold',
  prediction: {
    ask: 'A TCP download joins the call in the same queue. The threshold γ is fixed at 10 ms. What happens to the call?',
    options: [
      'Both get a fair share',
      'The call gets less and less',
      'The download gives way, because its packets are lost',
    ],
    right: 1,
    because: (
      <>
        TCP fills the queue until packets are dropped, backs off, and fills it again. Whenever the queue
        fills, the delay grows. GCC thinks that it has caused this growth itself: it signals overuse and cuts
        its rate, while TCP slows down only when packets are lost.
      </>
    ),
  },
  scenario: lessonScenario('adaptive-threshold', {
    title: 'GCC and one TCP download over 2 Mbps',
    duration_s: 120,
    measuredFromS: 20,
    forward: { capacity: '2mbps', queue: 'droptail:300ms', bottleneck: 'serial' },
    flows: [{ kind: 'media', name: 'call', preset: 'gcc' }, tcp],
    choose: 'Threshold γ',
    from: [
      [
        'static',
        'fixed at 10 ms',
        { 'flows.call.preset': 'static-threshold', 'flows.call.parameters.gamma_init_ms': 10 },
      ],
      [
        'static-50',
        'fixed at 50 ms',
        { 'flows.call.preset': 'static-threshold', 'flows.call.parameters.gamma_init_ms': 50 },
      ],
      ['adaptive', 'adaptive', {}],
    ],
  }),
  charts: ['rates', 'delays', 'detector', 'states'],
  readings: [
    shareOf('call', 'Call’s share'),
    shareOf('download', 'Download’s share'),
    waits('p95', '95th-percentile wait'),
  ],
  text: (
    <>
      <p>
        In the chart of the overuse detector, each point d_m is the change of the delay from one group of
        packets to the next, m is the filtered change, T is m times a number of groups (at most 60), and ±γ is
        the threshold: overuse is signalled while T stays above γ. The longer the queue is compared with the
        round trip, the steeper the growth that a TCP flow can cause: its largest gradient is m₂ = T_q /
        RTT_min, where T_q is the time that the full queue takes to drain (ToN, eq. 27). The call’s own
        largest gradient (ToN, eq. 24) is much smaller. A fixed threshold below TCP’s gradient lets TCP starve
        the call, and one above the call’s own gradient never reacts to the queue that the call itself builds
        (ToN, eq. 18). No fixed value avoids both.
      </p>
      <p>
        So the threshold adapts: <i>γ ← γ + Δt · k · (|T| − γ)</i> (ToN, eq. 11 and 12, with m in place of T),
        where k is k_u while |T| is above γ and k_d while it is below. Since k_u is larger than k_d, γ rises
        quickly and falls slowly. When the download begins, T jumps above 100 ms, and γ rises to about 45 ms.
        Then γ falls until the next peaks of T reach it and raise it again. What counts is how high γ is when
        T peaks. The fixed γ of 10 ms lies far below TCP’s peaks of 20 to 29 ms, so T is above it in a third
        of all groups. Beside a call that keeps its rate, the peaks are lower. The adaptive γ stays near them:
        it is between 11 and 19 ms most of the time. T is above it in only 4 % of the groups, and the
        loss-based controller, which reacts to losses as TCP does, has more influence (ToN, section VI-B).
      </p>
      <p>
        The shares are not equal, and they depend on chance: with the seeds 1 to 5 in the Lab, the call gets
        from a quarter to more than eight tenths of the link. These runs use the paper’s GCC. Live calls in
        ccscope use the preset <code>gcc-live</code>, which has{' '}
        <DocsLink to="wasm/cc/gcc/gcc.html#in-a-call" isInNewTab isText>
          a rule of its own for TCP
        </DocsLink>
        : while another flow keeps the queue filled, losses alone decide.
      </p>
    </>
  ),
  cites: ['ToN'],
  task: {
    ask: 'Find the threshold with which neither starves: the call and the download each get at least a quarter of the link.',
    isSolved: ({ measured }) =>
      shareOf('call').of(measured) >= 0.25 && shareOf('download').of(measured) >= 0.25,
    solution: 'adaptive',
    because: (
      <>
        Fixed at 10 ms, the call starves; fixed at 50 ms, it pushes the download aside. In this run, only the
        adaptive threshold shares.
      </>
    ),
  },
};
export default lesson;
