import { lessonScenario, lossOf, utilisation, waits, type Lesson } from '../lesson.js';

const loss = (ratio: number) => ({ 'forward.loss_ratio': ratio });

const lesson: Lesson = {
  id: 'loss-based-control',
  title: 'Loss-based control',
  prediction: {
    ask: '5 % of all packets are lost at random. GCC’s loss-based rate A_s will …',
    options: ['fall', 'stay about the same', 'grow as if nothing were lost'],
    right: 1,
    because: (
      <>
        Between 2 and 10 %, A_s stays as it is (ToN, eq. 14): the loss is too high to be sure that there is
        room, and too low to be sure that there is congestion. After the start, A_s moves only when a report
        falls outside this range by chance. A report covers few packets, so one below 2 % is more likely than
        one above 10 %, and the curve creeps upwards, far more slowly than without losses.
      </>
    ),
  },
  scenario: lessonScenario('loss-based-control', {
    title: 'GCC over 2 Mbps that loses packets at random',
    duration_s: 60,
    forward: { capacity: '2mbps', queue: 'droptail:300ms', bottleneck: 'serial' },
    flows: [{ kind: 'media', name: 'video', preset: 'gcc' }],
    choose: 'Random loss',
    from: [
      ['5', '5 %', loss(0.05)],
      ['0', 'none', loss(0)],
      ['1', '1 %', loss(0.01)],
      ['20', '20 %', loss(0.2)],
    ],
  }),
  charts: ['rates', 'control', 'losses'],
  readings: [utilisation, lossOf('video'), waits('p95', '95th-percentile wait')],
  text: (
    <>
      <p>
        About once a second, the sender learns the fraction f_l of packets that were lost. It multiplies A_s
        by 1 − 0.5 f_l if f_l is above 10 %, multiplies it by 1.05 if f_l is below 2 %, and leaves it
        unchanged otherwise (ToN, eq. 14). In these runs, A_s is also never above the receiver’s A_r (CMP,
        section II-B), and follows it at the start, so A_s falls with A_r even where nothing is lost. The
        target rate is the smaller of A_s and A_r (ToN, section III).
      </p>
      <p>
        The two thresholds are a compromise. Losses of a few per cent are common on wireless paths and say
        nothing about a queue. A sender that halves its rate at every loss, as classic TCP does (RFC 5681),
        leaves much of such a path unused, and the more, the longer the round trip is: alone on this link,
        NewReno uses about half of it at 2 %. But when GCC shares a queue with TCP, its adaptive threshold
        makes it less sensitive to delay, so it also needs the losses to tell it when to slow down (ToN,
        section VI-B).
      </p>
    </>
  ),
  cites: ['ToN', 'CMP'],
  task: {
    ask: 'Find a loss ratio with which the call falls to its lowest rate: it uses less than a fifth of the link.',
    isSolved: ({ measured }) => measured.forward.utilisation < 0.2,
    solution: '20',
    because: <>Above 10 %, each report cuts A_s. With 20 % loss, each cut is about 10 %, once a second.</>,
  },
};
export default lesson;
