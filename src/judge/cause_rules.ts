/**
 * Explanations of what is wrong with a call. Each explanation returns a cause if the facts support it. The
 * symptom determines which explanations are tried, and in which order. facts.ts gathers the facts.
 */
import { distortion, FIX, isOverloaded, OVERLOADED_SHARE, worstText } from '../machine/index.js';
import { pageName } from '../calls/record/names.js';
import type { Cause, Symptom } from './cause_kinds.js';
import { COMPETITION } from './competition.js';
import type { Facts } from './facts.js';
import { LOSS_DECREASES, LOSS_HOLDS } from './loss_thresholds.js';
import { LEAST_OUTSIDE_RATIO, type Routing } from './routing.js';
import { capitalised, msText, rateText, secondsText, sentence, shareText } from './text.js';

type Explanation = (facts: Facts, symptom: Symptom) => Cause | null;

/** An encoder that sends less than this fraction of its target rate is not limited by the network. */
const FILLED = 0.75;
/** A rate of at least this fraction of a cap counts as limited by the cap. */
const AT_CAP = 0.8;
/**
 * A cap may explain a low rate only if the cap is below this multiple of the needed rate. The multiple is above
 * 1, since an encoder at its cap may send a little less than the cap.
 */
const CAP_MARGIN = 1.1;
const SHORT_QUEUE_MS = 50;
const LEAST_OUTAGE_US = 200_000;
const LARGEST_PACKET_BYTES = 1500;
/** A rate is growing when it is at least this multiple of the rate two seconds earlier. */
const GROWS = 1.1;

const needed = (symptom: Symptom): number => (symptom.kind === 'rate-low' ? symptom.neededBps : 0);

const pageEnded: Explanation = ({ endedPage }) =>
  endedPage && {
    kind: 'page-ended',
    evidence: `${capitalised(pageName(endedPage.id))} (${endedPage.url}) ${endedPage.why} at ${secondsText(endedPage.timeUs)}.`,
    fix:
      endedPage.why === 'crashed'
        ? 'Find out why it crashed; the browser may have run out of memory.'
        : 'Keep the page open until the assertions have finished.',
  };

const toldByNotice: Explanation = ({ errorNotice }) =>
  errorNotice && { kind: 'not-connected', evidence: errorNotice.message, fix: errorNotice.fix };

const notConnected: Explanation = ({ connected, endpoints, stateText }) => {
  if (connected) return null;
  const evidence =
    endpoints === 0
      ? 'No page under test has made a peer connection.'
      : `None of the judged peer connections is connected. States of all ${endpoints}: ${stateText}.`;
  const fix =
    endpoints === 0
      ? 'Start the call before asserting. Pages opened before the `call` fixture starts, and your own contexts without `call.observe(context)`, are not observed.'
      : 'Make sure that both sides exchange descriptions and candidates; the states above show how far they got.';
  return { kind: 'not-connected', evidence, fix };
};

/**
 * The cause `not-routed`. The reason and the fix come from a notice of the endpoint with the most bytes outside the
 * link.
 */
export function notRoutedCause({ endpoints, outsideRatio }: Routing): Cause {
  const astray = endpoints.filter(({ outsideBytes }) => outsideBytes > 0);
  const [worst] = astray.sort((a, b) => b.outsideBytes - a.outsideBytes);
  const notice = worst?.endpoint.notices.find(({ code }) => code === 'not-routed');
  const page =
    worst === undefined
      ? ''
      : `, ${kilobytes(worst.outsideBytes)} of them at ${pageName(worst.endpoint.page)}`;
  const evidence = `${shareText(outsideRatio)} of the call's bytes bypassed the link${page}: the link has no effect on them.`;
  return {
    kind: 'not-routed',
    evidence: notice === undefined ? evidence : `${evidence} ${notice.message}`,
    fix:
      notice === undefined
        ? "Read the link's notices in the evidence: they may say why these packets did not pass the link."
        : sentence(notice.fix),
  };
}

const kilobytes = (bytes: number): string => `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB`;

const notRouted: Explanation = ({ routing }) =>
  routing === null || routing.outsideRatio <= LEAST_OUTSIDE_RATIO ? null : notRoutedCause(routing);

const machineOverloaded: Explanation = ({ machine }) =>
  isOverloaded(machine)
    ? {
        kind: 'machine-overloaded',
        evidence: `For ${shareText(machine.share)} of the time, the machine was too busy for the call: ${worstText(machine)}; so ${distortion(machine.everBy)}.`,
        fix: sentence(FIX),
      }
    : null;

const sourceStopped: Explanation = ({ sourceStopped: stopped, metrics }) =>
  stopped
    ? {
        kind: 'application-limited',
        evidence: `The sender's video source delivered no frames; the send rate was ${rateText(metrics.sentBps)}.`,
        fix: 'Keep the track live: not paused or muted, with a canvas or camera that still delivers frames.',
      }
    : null;

const noMedia: Explanation = ({ metrics, hasVideo, hadVideo, hasMedia, sendersUnderTest }, symptom) => {
  if (sendersUnderTest === 0)
    return hasMedia
      ? null
      : {
          kind: 'no-media',
          evidence: `The far side, which is not under test, sent neither media nor data, only ${rateText(metrics.receivedBps)} of connectivity checks and RTCP.`,
          fix: 'Make sure that the server forwards what the page has subscribed to; look at its log.',
        };
  // A call of audio or data alone needs no video, unless the picture is judged.
  if (symptom.kind !== 'frozen' && hasMedia && !hadVideo) return null;
  if (hasVideo === null || (hasVideo && (metrics.sentBps ?? 0) > 0)) return null;
  const sent = metrics.sentBps ?? 0;
  const other = sent > 0 ? `, only ${rateText(sent)} of other traffic` : '';
  const evidence = hasVideo
    ? 'The sender sent nothing, although it has a video stream.'
    : `The sender has no video stream${other}.`;
  return {
    kind: 'no-media',
    evidence,
    fix: 'Add a live video track to the connection, enabled and not muted.',
  };
};

const capacity: Explanation = ({ metrics: { capacityBps } }, symptom) => {
  if (symptom.kind === 'rate-high') {
    if (capacityBps !== null && capacityBps <= symptom.limitBps) return null;
    const limit = rateText(symptom.limitBps);
    const evidence =
      capacityBps === null
        ? `Nothing limited the rate, not even the allowed maximum of ${limit}; the capacity of the path is unknown.`
        : `Nothing limited the rate: the link can carry ${rateText(capacityBps)}, more than the ${limit} allowed.`;
    return { kind: 'capacity', evidence, fix: 'Lower the capacity of the link, or cap the encoder.' };
  }
  if (capacityBps === null || capacityBps >= needed(symptom)) return null;
  return {
    kind: 'capacity',
    evidence: `The link can carry ${rateText(capacityBps)}, less than the ${rateText(needed(symptom))} needed.`,
    fix: 'Expect no more than the link can carry, or raise its capacity.',
  };
};

const outage: Explanation = ({ stalls, drops, resentBytes, metrics: { capacityBps } }) => {
  // On a slow link, a pause of LEAST_OUTAGE_US may be the transmission of a single packet.
  const packetUs = capacityBps ? (LARGEST_PACKET_BYTES * 8e6) / capacityBps : 0;
  if (stalls.longestUs < Math.max(LEAST_OUTAGE_US, 2 * packetUs)) return null;
  return {
    kind: 'outage',
    evidence: `The link delivered nothing while packets waited: for ${secondsText(stalls.totalUs)} in total, up to ${msText(stalls.longestUs / 1e3)} at a time${costText(drops, resentBytes)}.`,
    fix: 'Allow for the outage in the assertion, or let the link recover first.',
  };
};

/** The cost of an outage: the packets that the link's queue dropped, and the bytes that were retransmitted. */
function costText(drops: Facts['drops'], resentBytes: number): string {
  const lost = drops === null ? 0 : drops.full + drops.aqm;
  const costs = [
    ...(lost > 0 ? [`${lost} packets were dropped at the queue`] : []),
    ...(resentBytes > 0 ? [`${kilobytes(resentBytes)} were sent again`] : []),
  ];
  return costs.length === 0 ? '' : `; ${costs.join(', ')}`;
}

const waitingForKeyFrame: Explanation = ({ keyFrameWait: wait }) =>
  wait && {
    kind: 'waiting-for-key-frame',
    evidence: `The receiver got ${wait.packetsReceived} packets but decoded no frame for ${secondsText(wait.lastedUs)}, although it requested a key frame ${wait.requests} times (PLI).`,
    fix: 'Make sure that key frames are sent when they are requested: a server must forward PLI to the sender, and new subscribers need a key frame.',
  };

const cap: Explanation = ({ metrics, capBps }, symptom) => {
  if (capBps === null || capBps >= needed(symptom) * CAP_MARGIN) return null;
  const reached = Math.max(metrics.encoderTargetBps ?? 0, metrics.sentBps ?? 0);
  if (reached < AT_CAP * capBps) return null;
  return {
    kind: 'cap',
    evidence: `The sender is capped at ${rateText(capBps)} (maxBitrate), and its encoder is at that limit (target ${rateText(metrics.encoderTargetBps)}).`,
    fix: 'Raise maxBitrate in setParameters or sendEncodings (or b=AS in the description), or expect a lower rate.',
  };
};

const cpu: Explanation = ({ cpuLimitedShare }) =>
  cpuLimitedShare < 0.5
    ? null
    : {
        kind: 'cpu-limited',
        evidence: `The CPU limited the encoder (qualityLimitationReason cpu) in ${shareText(cpuLimitedShare)} of the samples.`,
        fix: 'Run fewer test workers at once, or send a smaller picture.',
      };

const applicationLimited: Explanation = ({ metrics, bandwidthLimitedShare }, symptom) => {
  const { sentBps, encoderTargetBps: target, availableOutgoingBps: available } = metrics;
  if (sentBps === null || bandwidthLimitedShare >= 0.5) return null;
  if (target !== null && sentBps < FILLED * target) {
    const evidence = `The encoder was asked for ${rateText(target)}, but it sent only ${rateText(sentBps)}.`;
    const fix = 'Send a picture with enough detail and motion: a static picture cannot fill a link.';
    return { kind: 'application-limited', evidence, fix };
  }
  if (available === null || sentBps >= FILLED * available || needed(symptom) > available) return null;
  return {
    kind: 'application-limited',
    evidence: `The browser's estimate was ${rateText(available)}, but the application sent only ${rateText(sentBps)} (encoder target ${rateText(target)}).`,
    fix: 'Send a larger picture or more streams: at this size, the encoder needs no more.',
  };
};

const lossAbove =
  (limit: number, effect: string): Explanation =>
  ({ metrics: { lossRatio }, drops }) => {
    if (lossRatio === null || lossRatio <= limit) return null;
    const by =
      drops === null
        ? ''
        : ` (${drops.random} packets by chance, ${drops.aqm} by the queue's AQM, ${drops.full} because the queue was full)`;
    return {
      kind: 'loss',
      evidence: `${shareText(lossRatio)} of the traffic was lost${by}; ${effect}.`,
      fix: 'Lower the loss of the link, or expect a lower rate.',
    };
  };

const heavyLoss = lossAbove(LOSS_DECREASES, 'above 10 % loss a sender lowers its rate');
const someLoss = lossAbove(LOSS_HOLDS, 'above 2 % loss a sender does not raise its rate');

const crossTraffic: Explanation = (
  { metrics: { utilisation, pathUtilisation, queueDelayP95Ms } },
  symptom,
) => {
  // The utilisation of the link includes other traffic, which therefore cannot be why it is low.
  if (symptom.kind === 'rate-low' && symptom.isOfLink === true) return null;
  if (utilisation === null || pathUtilisation === null) return null;
  const others = pathUtilisation - utilisation;
  if (others < COMPETITION) return null;
  return {
    kind: 'cross-traffic',
    evidence: `Other traffic took ${shareText(others)} of the capacity, the call ${shareText(utilisation)}; queuing delay p95 ${msText(queueDelayP95Ms)}.`,
    fix: 'Expect only a share of the link, or use a queue that isolates flows (fq_codel, sfq).',
  };
};

const overuse: Explanation = ({ metrics, drops, excess, detector }) => {
  const { queueDelayP95Ms: p95, queueDelayMaxMs: max, availableOutgoingBps: available } = metrics;
  if (p95 === null || (p95 < SHORT_QUEUE_MS && excess === null)) return null;
  const isSeen = excess !== null || (drops !== null && drops.full + drops.aqm > 0);
  // If the detector never signalled overuse, a long queue alone does not prove overuse: an excess rate or drops by
  // the queue must confirm it.
  if (detector?.overuseShare === 0 && !isSeen) return null;
  const sends = excess
    ? `The call sent ${rateText(excess.sentBps)} into ${rateText(excess.capacityBps)} for ${secondsText(excess.durationUs)}: `
    : '';
  const lost = drops && drops.full > 0 ? `, ${drops.full} packets lost at the full queue` : '';
  const signals =
    detector && detector.overuseShare > 0
      ? `the overuse detector beside the call (γ up to ${msText(detector.gammaMs)}) signalled overuse in ${shareText(detector.overuseShare)} of ${detector.groups} groups; `
      : '';
  return {
    kind: 'overuse',
    evidence: `${sends}${sends ? 'q' : 'Q'}ueuing delay p95 ${msText(p95)}, at most ${msText(max)}${lost}; ${signals}the sender's estimate was ${rateText(available)}.`,
    fix: 'The sender overused the link and backs off: give it more time, or lower the capacity in smaller steps.',
  };
};

/** Applies if the queue dropped most of what was lost. Its drops prove overuse, even if packets hardly waited. */
const overuseByDrops: Explanation = (facts, symptom) => {
  const { drops, metrics } = facts;
  const { lossRatio } = metrics;
  if (drops === null || lossRatio === null || drops.full + drops.aqm <= drops.random) return null;
  return (
    overuse({ ...facts, metrics: { ...metrics, queueDelayP95Ms: metrics.queueDelayMaxMs } }, symptom) ?? {
      kind: 'overuse',
      evidence: `${shareText(lossRatio)} of the traffic was lost (${drops.random} packets by chance, ${drops.aqm} by the queue's AQM, ${drops.full} because the queue was full); packets waited for at most ${msText(metrics.queueDelayMaxMs)}.`,
      fix: 'The sender overused the link and backs off: give it more time, lower the capacity in smaller steps, or use a queue that drops later.',
    }
  );
};

/**
 * Applies if the sender is not under test and sent less than the link could carry or, for a freeze, paused.
 */
const farSideLimited: Explanation = ({ metrics, sendersUnderTest, drops, pausedUs }, symptom) => {
  if (sendersUnderTest > 0 || (drops !== null && drops.full + drops.aqm + drops.random > 0)) return null;
  const { sentBps, capacityBps, queueDelayP95Ms: p95 } = metrics;
  if (sentBps === null || capacityBps === null || (p95 ?? 0) >= SHORT_QUEUE_MS) return null;
  if (symptom.kind === 'frozen' ? pausedUs < LEAST_OUTAGE_US : sentBps >= FILLED * capacityBps) return null;
  const paused = pausedUs < LEAST_OUTAGE_US ? '' : `, with a pause of ${secondsText(pausedUs)}`;
  return {
    kind: 'far-side-limited',
    evidence: `The far side, which is not under test, sent only ${rateText(sentBps)}${paused}: the link had room for ${rateText(capacityBps)}, its queue was short (p95 ${msText(p95)}), and it dropped nothing.`,
    fix: 'Check what the server forwards: which simulcast or SVC layer it has chosen, whether it paused the stream, and what its own bandwidth estimate is.',
  };
};

const rampingUp: Explanation = ({ growth }) =>
  growth === null || growth.nowBps < GROWS * growth.beforeBps
    ? null
    : {
        kind: 'ramping-up',
        evidence: `The rate was still rising: from ${rateText(growth.beforeBps)} to ${rateText(growth.nowBps)} within two seconds.`,
        fix: 'Allow more time (`within`), or start closer to the expected rate.',
      };

/**
 * Applies if the machine had many late seconds, but too far apart to count as an overload. Used only if no
 * other explanation applies.
 */
export const machineLate: Explanation = ({ lateSeconds: { bad, all, worstMs } }) =>
  bad < OVERLOADED_SHARE * all || bad === 0
    ? null
    : {
        kind: 'machine-overloaded',
        evidence: `Nothing else explains the result, but packets or callbacks were late in ${bad} of ${all} seconds, by up to ${msText(worstMs)}.`,
        fix: sentence(FIX),
      };

/** Explanations that may apply to any symptom. They are tried first. */
const ALIVE = [pageEnded, toldByNotice, notConnected, notRouted, machineOverloaded];
const EXPLANATIONS: Readonly<Record<Symptom['kind'], readonly Explanation[]>> = {
  'rate-low': [
    ...ALIVE,
    noMedia,
    sourceStopped,
    capacity,
    outage,
    cap,
    cpu,
    heavyLoss,
    applicationLimited,
    crossTraffic,
    farSideLimited,
    rampingUp,
    overuse,
    someLoss,
  ],
  'rate-high': [...ALIVE, capacity],
  'delay-high': [...ALIVE, outage, crossTraffic, overuse],
  'loss-high': [...ALIVE, crossTraffic, overuseByDrops, lossAbove(0, 'the call did not cause it')],
  frozen: [
    ...ALIVE,
    noMedia,
    sourceStopped,
    outage,
    waitingForKeyFrame,
    cpu,
    heavyLoss,
    crossTraffic,
    overuse,
    someLoss,
    farSideLimited,
  ],
};

/** Explains a symptom. Returns the first cause that the facts support; null if there is none. */
export const explain = (facts: Facts, symptom: Symptom): Cause | null => {
  for (const explanation of EXPLANATIONS[symptom.kind]) {
    const cause = explanation(facts, symptom);
    if (cause !== null) return cause;
  }
  return null;
};
