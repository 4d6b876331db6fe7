import { lessonScenario, lossOf, shareOf, waits, type Lesson } from '../lesson.js';

const queue = (text: string) => ({ 'forward.queue': text });

const lesson: Lesson = {
  id: 'aqm',
  title: 'Queue management versus end-to-end control',
  prediction: {
    ask: 'A call and a download share a queue, which CoDel keeps short by dropping packets. The call …',
    options: ['gets its fair share without losses', 'waits less but loses more packets', 'gets everything'],
    right: 1,
    because: (
      <>
        CoDel drops packets from the one shared queue, no matter who filled it. TCP sends lost data again; a
        call has to live with a gap, or with a retransmission that comes late. Choose CoDel to see both.
      </>
    ),
  },
  scenario: lessonScenario('aqm', {
    title: 'GCC and one TCP download over 2 Mbps, with different queues',
    duration_s: 120,
    measuredFromS: 20,
    forward: { capacity: '2mbps', queue: 'droptail:300ms', bottleneck: 'serial' },
    flows: [
      { kind: 'media', name: 'call', preset: 'gcc' },
      { kind: 'tcp', name: 'download', congestion_control: 'cubic', start_s: 20 },
    ],
    choose: 'Queue',
    from: [
      ['droptail', 'drop-tail, 300 ms', queue('droptail:300ms')],
      ['codel', 'CoDel', queue('codel')],
      ['pie', 'PIE', queue('pie')],
      ['fq_codel', 'FQ-CoDel', queue('fq_codel')],
    ],
  }),
  charts: ['rates', 'delays', 'losses'],
  readings: [
    shareOf('call', 'Call’s share'),
    waits('p95', '95th-percentile wait'),
    lossOf('call', 'Call’s losses'),
  ],
  text: (
    <>
      <p>
        CoDel starts to drop packets when even the shortest wait within 100 ms was above 5 ms, and drops more
        and more often while that lasts (RFC 8289). PIE drops at random, with a probability that it raises
        while the wait is above a target (RFC 8033). Both keep the queue short even beside TCP, but both make
        every flow pay with losses. A delay-based call on its own needs neither: with a plain drop-tail queue
        it loses nothing (AQM, section 4.1).
      </p>
      <p>
        Flow queuing gives each flow a queue of its own and serves the queues in turn. SFQ (McKenney, 1990)
        does just that; FQ-CoDel also runs CoDel in each queue (RFC 8290). The download then fills only its
        own queue, and the call keeps its short delay and its share of the link. AQM, section 4.2, finds that
        flow queuing works best beside TCP, and that SFQ loses fewer packets than FQ-CoDel.
      </p>
    </>
  ),
  cites: ['AQM'],
  task: {
    ask: 'Find the queue with which the call gets at least 40 % of the link and 95 % of all packets wait for less than 60 ms.',
    isSolved: ({ measured }) =>
      shareOf('call').of(measured) >= 0.4 && measured.forward.queueDelayUs.p95 < 60e3,
    solution: 'fq_codel',
    because: (
      <>
        In these runs, only isolation gives the call both: its own share and a short queue. In the paper, the
        call kept about its fair share behind CoDel and PIE, too, but lost more packets (AQM, section 4.2).
      </>
    ),
  },
};
export default lesson;
