/**
 * Why a stream's rate fell, its delay rose or its picture froze, each cause with the numbers that bear it out. An
 * incident is a change, so a rule compares what was usual with what was around its beginning. The order matters: what
 * somebody did comes before what the network did, and what explains everything before what explains a part.
 */
import { distortion, FIX, isOverloaded, worstText } from '../../machine/index.js';
import type { Cause } from '../cause_kinds.js';
import { keyFrameWait } from '../key_frames.js';
import { msText, percentText, rateText, secondsText } from '../text.js';
import { cap, capByDrive } from './bound_causes.js';
import { greatest, least, rttMs, targetBps, usualOf, LOSS_DECREASES, type Evidence } from './evidence.js';
import { heavyLoss, losesMore, someLoss } from './loss_causes.js';
import { isSwitchedOffByUs, RELEASE_FIX } from './own_actions.js';
import { knowsNoQueue, LEAST_QUEUE_MS, LONG_QUEUE_MS, queuedMs, rttGrowthMs } from './queue.js';
import { AT_BOUND, cause, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

/** A queue that is full is rarely shorter. */
const FULL_QUEUE_MS = 50;
/** The first report of heavy loss may cover a time in which nothing was lost yet, so it tells of less. */
const FIRST_LOSSES = LOSS_DECREASES / 2;
/** One that drops packets does so at its longest. */
const OF_FULL_QUEUE = 0.6;
/** The estimate is one that fell. */
const ESTIMATE_FELL = 0.9;
/** An encoder that uses less of its target is not held back by it. */
const FILLED = 0.8;
/** RTCP reports of a video stream come about once a second, at most half as seldom (RFC 3550, 6.2 and 6.3.1). */
const REPORT_US = 1.5e6;
const SILENT_US = 3.5e6;
/** So long after a route changed what it does not carry may show: a sender knows by reports, and is slow to believe them. */
const ROUTE_LEAD_US = 6e6;
/** A value that does not change in this many looks, half a second each, stands still. */
const STILL_LOOKS = 4;
const LAYER_SHRANK = 0.8;
/** A codec that takes so much longer for a frame, and so long, has too little of the processor. */
const SLOWER = 2;
const SLOW_MS = 12;
/** The least share of the packet groups around the beginning that must signal overuse: a single one may be an accident. */
const LEAST_OVERUSE = 0.05;

const machineOverloaded: Rule = ({ machine }) =>
  isOverloaded(machine)
    ? cause(
        'machine-overloaded',
        `The machine was too busy for the call: ${worstText(machine)}; so ${distortion(machine.everBy)}.`,
        `${FIX.charAt(0).toUpperCase()}${FIX.slice(1)}.`,
      )
    : null;

const PAUSED_FIX = 'Resume the track or the encoding when the picture is wanted again.';

/** How a sender that stopped can be told, for people; null while it sends. */
function pausedText({ sent }: Look, usual: readonly Look[]): string | null {
  if (sent.length === 0) return 'its transceiver does not send any more';
  if (sent.every(({ active }) => !active)) return 'all its encodings are switched off (active: false)';
  const { trackState, trackPaused, sourceFrames } = sent[0] ?? {};
  if (trackState === 'none') return 'it has no track any more (replaceTrack)';
  if (trackState === 'ended') return 'its track has ended';
  if (trackPaused === 'disabled') return 'its track was disabled';
  if (trackPaused === 'muted') return 'its track is muted by its source';
  const before = usual.at(-1)?.sent[0]?.sourceFrames ?? NaN;
  return sourceFrames === before ? 'its source gives no frames' : null;
}

const senderPaused: Rule = (evidence) => {
  const last = evidence.since.at(-1);
  const text = last === undefined ? null : pausedText(last, evidence.usual);
  if (text === null || last === undefined) return null;
  const isOurs = last.sent.some(({ active }) => !active) && isSwitchedOffByUs(evidence);
  const told = isOurs ? '; ccscope was told to switch an encoding off' : '';
  return cause(
    'sender-paused',
    `The sender was paused: ${text}; ${rateText(last.rateBps)} were sent then${told}.`,
    isOurs ? RELEASE_FIX : PAUSED_FIX,
  );
};

/** The looks before and after the latest change of the route that may be the cause; null where it did not change. */
function routeStep({ recent, fromUs }: Evidence): [Look, Look] | null {
  for (let i = recent.length - 1; i > 0; i--) {
    const [old, fresh] = [recent[i - 1], recent[i]];
    if (old === undefined || fresh === undefined || fresh.timeUs <= fromUs - ROUTE_LEAD_US) return null;
    const changes = fresh.sample.routeChanges - old.sample.routeChanges;
    const [from, to] = [old.sample.route, fresh.sample.route];
    if (changes > 0 || (from !== to && from !== '' && to !== '')) return [old, fresh];
  }
  return null;
}

const routeChange: Rule = (evidence) => {
  const step = routeStep(evidence);
  const now = evidence.around.at(-1);
  if (step === null || now === undefined) return null;
  const [old, fresh] = step;
  const agoUs = evidence.fromUs - fresh.timeUs;
  const ago = agoUs > 0 ? ` ${secondsText(agoUs)} before` : '';
  return cause(
    'route-change',
    `The connection changed its route from ${old.sample.route} to ${fresh.sample.route}${ago}; the round trip was ${msText(usualOf(evidence.usual, rttMs))} before and is ${msText(rttMs(now))} now.`,
    'See which network interface or TURN server the connection uses now, and why the old route failed.',
  );
};

/** Checks of a quiet connection come every two and a half seconds or so (RFC 7675, 5.1): longer without an answer, it is away. */
const UNANSWERED_US = 2.9e6;

/**
 * Looks in which nothing came in although something had to: feedback on what was sent, or what is received. They are
 * the longest that follow one another, since pauses of a tenth of a second between reports are usual.
 */
function silence({ around, stream }: Evidence): Look[] {
  let longest: Look[] = [];
  let current: Look[] = [];
  for (const look of around) {
    const mustHear = stream.direction === 'receive' || look.packets > LEAST_PACKETS;
    current = look.bytesIn === 0 && mustHear ? [...current, look] : [];
    if (current.length > longest.length) longest = current;
  }
  return longest;
}

const LEAST_PACKETS = 5;

/**
 * Whether a silence was an outage: checks were not answered, or more packets than usual were lost in it. A sender that
 * pauses, or has little to send, is as silent.
 */
function isAway(evidence: Evidence, silent: readonly Look[]): boolean {
  const [first] = silent;
  const last = silent.at(-1);
  if (first === undefined || last === undefined) return false;
  if (silent.some(({ checksAnswered }) => checksAnswered > 0)) return false;
  const later = evidence.around.filter(({ timeUs }) => timeUs > last.timeUs);
  const comesAgain = later.some(({ packets, bytesIn }) => packets > 0 && bytesIn > 0);
  if (evidence.stream.direction === 'send') return last.timeUs - first.fromUs > 0.9e6;
  return comesAgain ? losesMore(later, evidence) : last.timeUs - first.fromUs > UNANSWERED_US;
}

const outage: Rule = (evidence) => {
  const { usual, endpoint, fromUs, untilUs } = evidence;
  const wasHeard = usual.filter(({ bytesIn }) => bytesIn > 0).length > usual.length / 2;
  const silent = silence(evidence);
  const lost = endpoint.states.find(
    ({ timeUs, state }) =>
      timeUs <= untilUs &&
      Math.abs(timeUs - fromUs) < 8e6 &&
      (state === 'disconnected' || state === 'failed'),
  );
  if (!wasHeard || !(isAway(evidence, silent) || lost !== undefined)) return null;
  const us = silent.reduce((sum, look) => sum + look.timeUs - look.fromUs, 0);
  const told = lost === undefined ? '' : `; the connection was ${lost.state} at ${secondsText(lost.timeUs)}`;
  return cause(
    'outage',
    `Nothing came in from the far side for about ${secondsText(us)}, neither media nor feedback nor answers to connectivity checks${told}.`,
    'See whether the network was away (a handover, a sleeping radio, a VPN), or the far side.',
  );
};

const feedbackMissing: Rule = ({ around, usual }) => {
  const last = around.at(-1);
  const had = usual.some(({ sent }) => sent.some(({ reportTimeUs }) => Number.isFinite(reportTimeUs)));
  if (last === undefined || !had) return null;
  const newest = Math.max(...last.sent.map(({ reportTimeUs }) => reportTimeUs).filter(Number.isFinite));
  const ageUs = last.timeUs - newest;
  // A check that was answered before the next report was due says nothing of why that did not come, and what is heard
  // again behind a silence comes after an outage.
  const due = around.filter(({ fromUs }) => fromUs >= newest + REPORT_US);
  const silent = due.findIndex(({ bytesIn }) => bytesIn === 0);
  const isBack = silent >= 0 && due.slice(silent).some(({ bytesIn }) => bytesIn > 0);
  const isAlive = !isBack && due.some(({ checksAnswered }) => checksAnswered > 0);
  if (!(ageUs > SILENT_US) || !isAlive) return null;
  return cause(
    'feedback-missing',
    `The far side's RTCP reports stopped ${secondsText(ageUs)} ago, though the connection answers its checks: without feedback a sender lowers its rate.`,
    'See why the far side sends no RTCP: a stuck server or page, or a firewall that drops it.',
  );
};

const share = (looks: readonly Look[], holds: (look: Look) => boolean): number =>
  looks.length === 0 ? 0 : looks.filter(holds).length / looks.length;

const isLimitedBy =
  (reason: string) =>
  ({ sent }: Look): boolean =>
    sent.some(({ qualityLimitationReason }) => qualityLimitationReason === reason);

const cpuOfEncoder: Rule = ({ usual, since }) => {
  const now = share(since, isLimitedBy('cpu'));
  if (now < 0.5 || share(usual, isLimitedBy('cpu')) >= 0.5) return null;
  return cause(
    'cpu-limited',
    `The encoder says that the CPU limits it (qualityLimitationReason cpu) in ${percentText(now)} of the looks since then.`,
    'Send a smaller picture or fewer streams, or free the processor.',
  );
};

const slowCodec: Rule = ({ usual, since, stream }) => {
  const codecMs = ({ codecMs: ms }: Look): number => ms;
  const [before, now] = [usualOf(usual, codecMs), usualOf(since.slice(-3), codecMs)];
  if (!(now > SLOW_MS && now > SLOWER * before)) return null;
  const isSent = stream.direction === 'send';
  return cause(
    'cpu-limited',
    `The ${isSent ? 'encoder' : 'decoder'} takes ${msText(now)} a frame, and took ${msText(before)} before: it has too little of the processor.`,
    `${isSent ? 'Send' : 'Receive'} a smaller picture or fewer streams, or free the processor.`,
  );
};

const layerSwitchedOff: Rule = (evidence) => {
  const { usual, since } = evidence;
  const last = since.at(-1);
  const gone = (last?.sent ?? []).filter(
    ({ active, rid }) =>
      !active && usual.some(({ sent }) => sent.some((stats) => stats.rid === rid && stats.active)),
  );
  if (last === undefined || gone.length === 0) return null;
  const names = gone.map(({ rid }) => rid).join(', ');
  const isOurs = isSwitchedOffByUs(evidence);
  const who = isOurs ? 'ccscope was told to switch' : 'The page switched';
  return cause(
    'layer-dropped',
    `${who} the layer ${names} off (active: false); ${last.sent.length - gone.length} of ${last.sent.length} layers are sent.`,
    isOurs ? RELEASE_FIX : 'Switch the encoding on again in setParameters, if the fall was not wanted.',
  );
};

const availableBps = ({ sample }: Look): number => sample.availableOutgoingBps;

const overuseSeenBySender: Rule = (evidence) => {
  const { usual, around } = evidence;
  const grown = queuedMs(evidence);
  if (grown === 0) return null;
  const [before, now] = [usualOf(usual, availableBps), least(around, availableBps)];
  const fell = now < ESTIMATE_FELL * before;
  const estimate = fell ? `; the browser's estimate fell from ${rateText(before)} to ${rateText(now)}` : '';
  return cause(
    'overuse',
    `A queue grew on the path: the round trip rose by ${msText(grown)} to ${msText(usualOf(usual, rttMs) + grown)}${estimate}.`,
    'The path carries less than was sent, or others share it: the sender backs off until the queue is empty.',
  );
};

/**
 * Whether an encoder mostly needs about what it may use: what its target is says nothing of its rate otherwise. Single
 * looks may be filled by probes.
 */
const usesTarget = (looks: readonly Look[]): boolean =>
  share(looks, (look) => look.rateBps < FILLED * targetBps(look)) < 0.5;

/** Somebody said that no more may be sent (REMB, TMMBR): an estimate that was told stands at one value. */
const toldBound = (before: number, now: number, also: string): Cause =>
  cause(
    'far-side-limited',
    `The browser's estimate fell from ${rateText(before)} to ${rateText(now)} and stays there, ${also}: the far side asks for no more (REMB).`,
    'See what the far side, usually a server, is set to accept from this sender.',
  );

const isStillAt = (looks: readonly Look[], bps: number, within: number): boolean =>
  looks.every((look) => Math.abs(availableBps(look) - bps) <= within * bps);

/** The estimate went down in a single step: a controller that backs off goes on changing it, whatever queue there is. */
const limitedAtOnce: Rule = (evidence) => {
  const { usual, around } = evidence;
  const before = usualOf(usual, availableBps);
  const first = around.findIndex((look) => availableBps(look) < ESTIMATE_FELL * before);
  const fallen = first < 0 ? [] : around.slice(first);
  const now = usualOf(fallen, availableBps);
  const isStill = fallen.length >= STILL_LOOKS && isStillAt(fallen, now, 0.001);
  if (!isStill || !usesTarget(fallen) || rttGrowthMs(evidence) > LONG_QUEUE_MS) return null;
  return toldBound(before, now, 'from one moment to the next');
};

/** The estimate fell and stays at one value, without a queue. */
const limitedByFarSide: Rule = ({ usual, since }) => {
  const before = usualOf(usual, availableBps);
  const latest = since.slice(-3);
  const now = latest.length < 3 ? NaN : usualOf(latest.slice(-1), availableBps);
  if (!(now < ESTIMATE_FELL * before) || !isStillAt(latest, now, 0.01) || !usesTarget(latest)) return null;
  return toldBound(before, now, 'while no queue grew');
};

const estimateFell = ({ usual, around }: Evidence): boolean =>
  least(around, availableBps) < ESTIMATE_FELL * usualOf(usual, availableBps);

/** Some loss explains an estimate that fell better than a gradient that nobody saw. */
const someLossByEstimate: Rule = (evidence) => (estimateFell(evidence) ? someLoss(evidence) : null);

/** The estimate fell, and nothing else is known: the browser's controller saw a gradient that getStats do not show. */
const overuseByEstimate: Rule = (evidence) => {
  const { usual, around, since } = evidence;
  if (!estimateFell(evidence) || share(since, isLimitedBy('bandwidth')) === 0) return null;
  const [before, now] = [usualOf(usual, availableBps), least(around, availableBps)];
  return cause(
    'overuse',
    `The browser's controller lowered its estimate from ${rateText(before)} to ${rateText(now)}; the round trip grew by ${msText(Math.max(0, rttGrowthMs(evidence)))} at most.`,
    'The path carries less than was sent, or others share it: the sender backs off until the queue is empty.',
  );
};

/** Frames a second that the source of what is sent gave, between the first and the last of some looks. */
function sourceFps(looks: readonly Look[]): number {
  const [first, last] = [looks[0], looks.at(-1)];
  const frames = (look: Look | undefined): number => look?.sent[0]?.sourceFrames ?? NaN;
  if (first === undefined || last === undefined) return NaN;
  return (1e6 * (frames(last) - frames(first))) / (last.timeUs - first.timeUs);
}

const slowSource: Rule = ({ usual, since }) => {
  const [before, now] = [sourceFps(usual), sourceFps(since)];
  if (!(now < FILLED * before)) return null;
  return cause(
    'application-limited',
    `The source gives ${now.toFixed(1)} frames a second, and gave ${before.toFixed(1)} before.`,
    'Look at what makes the pictures: a camera in bad light, a screen that stands still, a page that is too busy to draw.',
  );
};

const applicationLimited: Rule = ({ since, usual }) => {
  const latest = since.slice(-3);
  const [before, now] = [usualOf(usual, targetBps), usualOf(latest, targetBps)];
  const rate = usualOf(latest, ({ rateBps }) => rateBps);
  // A target that fell explains a rate that followed it, and none that is below it all the time.
  const isFree = since.length >= 3 && !usesTarget(since);
  const isAsBefore = rate < FILLED * now && now >= AT_BOUND * before;
  if (!isFree && !isAsBefore) return null;
  return cause(
    'application-limited',
    `The encoder may use ${rateText(now)} (${rateText(before)} before), but needs only ${rateText(rate)} for what its source shows.`,
    'Nothing is wrong with the network: the picture has less detail or motion.',
  );
};

/** Lines of the largest picture of which something passes; -Infinity while nothing does. */
const pictureHeight = (look: Look): number =>
  greatest([look], ({ layers }) =>
    Math.max(...layers.filter(({ rateBps }) => rateBps > 0).map(({ frameHeight }) => frameHeight)),
  );

/**
 * Chromium starts an encoder again for a larger picture, with a lower target until it knows what that needs. The
 * estimate tells that the network did not ask for it.
 */
const largerPicture: Rule = (evidence) => {
  const { usual, since } = evidence;
  const largest = greatest(since, pictureHeight);
  const before = usualOf(usual, pictureHeight);
  const [target, lower] = [usualOf(usual, targetBps), least(since, targetBps)];
  if (!(LAYER_SHRANK * largest > before && lower < ESTIMATE_FELL * target) || estimateFell(evidence))
    return null;
  return cause(
    'application-limited',
    `The encoder began a larger picture, ${largest} lines instead of ${before}, with a target of ${rateText(lower)} instead of ${rateText(target)}, while the estimate stays at ${rateText(least(since, availableBps))}.`,
    'Nothing is wrong with the network: the rate comes back within some seconds.',
  );
};

const layerLowered: Rule = ({ usual, since, stream }) => {
  const last = since.at(-1);
  if (last === undefined) return null;
  const [before, now] = [usualOf(usual, pictureHeight), pictureHeight(last)];
  if (!(now > 0 && now < LAYER_SHRANK * before)) return null;
  const who = stream.direction === 'send' ? 'The sender' : 'The far side';
  return cause(
    'layer-dropped',
    `${who} gives a smaller picture: ${now} lines instead of ${before}; neither a queue nor loss shows that the network asked for it.`,
    'See which simulcast or SVC layer the server forwards, and what it takes the receiver for.',
  );
};

const remotePaused: Rule = ({ since }) => {
  const last = since.slice(-2);
  if (last.length < 2 || last.some(({ packets }) => packets > 0)) return null;
  const isAlive = since.some(
    ({ bytesIn, checksAnswered, packets }) => packets === 0 && bytesIn + checksAnswered > 0,
  );
  if (!isAlive) return null;
  return cause(
    'sender-paused',
    'The far side sends nothing of this stream any more, though the connection is alive.',
    'See whether the sender muted or stopped its track, or the server paused forwarding it.',
  );
};

/** What the detector beside the stream, its frames or the round trip say of a queue. */
const overuseSeenByReceiver: Rule = (evidence) => {
  const { detector, queueMs, usual } = evidence;
  const grown = queuedMs(evidence);
  const signalled =
    detector !== null &&
    detector.overuseShare >= LEAST_OVERUSE &&
    (queueMs ?? 0) >= LEAST_QUEUE_MS &&
    !knowsNoQueue(evidence);
  if (!signalled && grown === 0) return null;
  const signal = signalled
    ? `the overuse detector beside the stream (γ up to ${msText(detector.gammaMs)}) signalled overuse in ${percentText(detector.overuseShare)} of ${detector.groups} groups, and frames waited for ${msText(queueMs ?? 0)} longer`
    : '';
  const trip =
    grown > 0
      ? `the round trip rose from ${msText(usualOf(usual, rttMs))} to ${msText(usualOf(usual, rttMs) + grown)}`
      : '';
  return cause(
    'overuse',
    `A queue grew on the path: ${[signal, trip].filter((part) => part !== '').join(', ')}.`,
    'The path carries less than was sent, or others share it: the sender backs off until the queue is empty.',
  );
};

/**
 * Losses that were first reported while the round trip was about the usual one, or before it grew to its longest: it was
 * no full queue that dropped the packets.
 */
const lossWithoutQueue: Rule = (evidence) => {
  const { usual, around } = evidence;
  const first = around.find(({ sent }) => sent.some(({ fractionLost }) => fractionLost > FIRST_LOSSES));
  if (first === undefined) return null;
  const grown = rttMs(first) - usualOf(usual, rttMs);
  const hadQueue = grown > FULL_QUEUE_MS && grown > OF_FULL_QUEUE * rttGrowthMs(evidence);
  return hadQueue ? null : heavyLoss(evidence);
};

/**
 * Packets that a full queue drops are lost while all frames wait in it. Where single ones did not wait long, loss came
 * first, and what queues later is its repair.
 */
const lossBesideShortQueue: Rule = (evidence) => {
  const { queueBesideLossMs } = evidence;
  return queueBesideLossMs !== null && queueBesideLossMs < LONG_QUEUE_MS ? heavyLoss(evidence) : null;
};

/**
 * A queue that is long explains the loss beside it. It is seen by frames, where there are any: connectivity checks are
 * seldom, and under loss they are repeated.
 */
const overuseByLongQueue: Rule = (evidence) => {
  const queueMs = evidence.queueMs ?? rttGrowthMs(evidence);
  return queueMs > LONG_QUEUE_MS ? overuseSeenByReceiver(evidence) : null;
};

const farSideLimited: Rule = ({ since, usual, kind, before: fell }) => {
  const rateOf = (looks: readonly Look[]): number => usualOf(looks, ({ rateBps }) => rateBps);
  const [before, rate] = [kind === 'rate-fall' ? fell : rateOf(usual), rateOf(since.slice(-3))];
  // A picture also freezes for other reasons, while as much comes as before, or before anything is usual.
  if (!(rate < before)) return null;
  return cause(
    'far-side-limited',
    `The far side sends ${rateText(rate)} instead of ${rateText(before)}, though nothing shows a queue, an outage or more loss than usual on the path.`,
    'Look at the sender: its cap, its source, its processor, its own uplink.',
  );
};

const waitingForKeyFrame: Rule = ({ around }) => {
  // Only this stream counts: another one may wait at the same time.
  const samples = around.map(({ sample, received }) => ({
    ...sample,
    inbound: received === null ? [] : [received],
  }));
  const wait = keyFrameWait([samples]);
  return (
    wait &&
    cause(
      'waiting-for-key-frame',
      `The receiver got ${wait.packetsReceived} packets and decoded no frame for ${secondsText(wait.lastedUs)}, and asked for a key frame ${wait.requests} times (PLI).`,
      'See that key frames are sent when they are asked for: a server must forward PLI to the sender.',
    )
  );
};

/** While packets come all the time, no route and no outage keeps the key frame away. */
const waitingThroughout: Rule = (evidence) =>
  evidence.since.every(({ packets }) => packets > 0) ? waitingForKeyFrame(evidence) : null;

const cpuOfDecoder: Rule = ({ since }) => {
  const frames = since.reduce((sum, look) => sum + look.frames, 0);
  const decoded = since.reduce((sum, look) => sum + look.decoded, 0);
  if (!(frames > 10 && decoded < 0.6 * frames)) return null;
  return cause(
    'cpu-limited',
    `${frames} frames came and only ${decoded} were decoded: the receiver does not keep up.`,
    'Receive a smaller picture or fewer streams, or free the processor.',
  );
};

const unknownCause = ({ usual, around }: Evidence): Cause =>
  cause(
    'unknown',
    `No usual cause shows: the round trip was ${msText(usualOf(usual, rttMs))} and at most ${msText(greatest(around, rttMs))}, the estimate ${rateText(usualOf(usual, availableBps))} and at least ${rateText(least(around, availableBps))}.`,
    'Take the recording, and look at the charts around this time.',
  );

const RULES: Readonly<Record<Evidence['kind'], Readonly<Record<'send' | 'receive', readonly Rule[]>>>> = {
  'rate-fall': {
    send: [
      cap,
      senderPaused,
      layerSwitchedOff,
      routeChange,
      feedbackMissing,
      outage,
      machineOverloaded,
      slowCodec,
      lossWithoutQueue,
      limitedAtOnce,
      overuseSeenBySender,
      heavyLoss,
      cpuOfEncoder,
      limitedByFarSide,
      capByDrive,
      slowSource,
      applicationLimited,
      largerPicture,
      someLossByEstimate,
      overuseByEstimate,
      layerLowered,
      someLoss,
    ],
    receive: [
      remotePaused,
      routeChange,
      outage,
      machineOverloaded,
      slowCodec,
      lossBesideShortQueue,
      overuseByLongQueue,
      heavyLoss,
      overuseSeenByReceiver,
      layerLowered,
      someLoss,
      farSideLimited,
    ],
  },
  freeze: {
    send: [],
    receive: [
      remotePaused,
      waitingThroughout,
      routeChange,
      outage,
      machineOverloaded,
      waitingForKeyFrame,
      slowCodec,
      cpuOfDecoder,
      lossBesideShortQueue,
      overuseByLongQueue,
      heavyLoss,
      overuseSeenByReceiver,
      layerLowered,
      someLoss,
      farSideLimited,
    ],
  },
  'delay-rise': {
    send: [routeChange, outage, machineOverloaded, lossWithoutQueue, overuseSeenBySender],
    receive: [
      routeChange,
      outage,
      machineOverloaded,
      lossBesideShortQueue,
      overuseByLongQueue,
      heavyLoss,
      overuseSeenByReceiver,
    ],
  },
};

/** The first cause that the evidence bears out. */
export function causeOf(evidence: Evidence): Cause {
  for (const rule of RULES[evidence.kind][evidence.stream.direction]) {
    const found = rule(evidence);
    if (found !== null) return found;
  }
  return unknownCause(evidence);
}
