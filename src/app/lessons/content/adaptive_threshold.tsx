import { lessonScenario, shareOf, waits, type Lesson } from '../lesson.js';
import { DocsLink } from '../../ui/docs_link.js';

const tcp = { kind: 'tcp', name: 'download', congestion_control: 'cubic', start_s: 20 };

const lesson: Lesson = {
  id: 'adaptive-threshold',
  title: 'Why TCP starves a call: static versus adaptive threshold',
  prediction: {
    ask: 'A TCP download joins the call in the same queue. GCC signals overuse when its delay signal T exceeds a threshold γ. Here γ is fixed at 10 ms. What happens to the call?',
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
        TCP fills the queue, loses packets, slows down, and fills the queue again. With a low fixed threshold,
        GCC signals overuse each time the queue fills, and cuts its rate until little is left. With a high
        one, GCC hardly reacts to a queue, whoever has built it. The adaptive threshold rises with the peaks
        of T that the download causes. T then seldom exceeds it, and the loss-based controller has more
        influence (ToN, section VI-B): it holds the rate at losses of 2 to 10 %, and cuts it at more. This
        keeps the call from starving, but the shares still depend on chance: with the seeds 1 to 5 in the Lab,
        the call gets 44, 26, 35, 28 and 86 % of the link.
      </p>
      <p>
        This lesson runs the paper’s GCC, with what the deployed code adds to it (preset <code>gcc</code>). A
        live call in ccscope uses the preset <code>gcc-live</code>, which has{' '}
        <DocsLink to="wasm/cc/gcc/gcc.html#in-a-call" isInNewTab isText>
          a rule of its own for TCP
        </DocsLink>
        : while another flow keeps the queue filled, it reacts to losses alone.
      </p>
      <h3>The mathematics</h3>
      <p>
        In the chart of the overuse detector, each point d_m is the change of the delay from one group of
        packets to the next, m is the filtered change, T is m times a number of groups (at most 60), and
        overuse is signalled while T stays above γ. A TCP flow can make the delay grow with a gradient of up
        to m₂ = T_q / RTT_min, where T_q is the time that the full queue takes to drain (ToN, eq. 27). The
        call’s own largest gradient (ToN, eq. 24) is much smaller. A fixed threshold below TCP’s gradient lets
        TCP starve the call, and one above the call’s own gradient never reacts to the queue that the call
        itself builds (ToN, eq. 18). Both limits depend on the queue and the path, so no fixed value suits all
        of them: 20 ms would do on this link, but would let the call starve behind a queue of 700 ms. The
        adaptive threshold is <i>γ ← γ + Δt · k · (|T| − γ)</i> (ToN, eq. 11 and 12, with m in place of T),
        where k is k_u while |T| is above γ and k_d while it is below. Since k_u is larger than k_d, γ rises
        quickly and falls slowly. The deployed code leaves γ alone while |T| is more than 15 ms above it: when
        the download begins, T jumps above 100 ms while γ stands still, and γ rises to about 45 ms once T is
        near it again. Later γ is between 11 and 19 ms most of the time, near the peaks of T, which exceeds it
        in only 4 % of all groups. T exceeds the fixed γ of 10 ms in a third of all groups.
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
        The adaptive γ rises when TCP fills the queue, so GCC no longer takes TCP’s delay for its own. It
        falls again slowly. Choose “fixed at 50 ms” to see the opposite case: the download starves.
      </>
    ),
  },
};
export default lesson;
