/** Rules for changes of the path as a whole: a new route, an outage, reports that stopped. */
import { msText, secondsText } from '../text.js';
import { LEAD_US, rttMs, usualOf, type Evidence } from './evidence.js';
import { losesMore } from './loss_causes.js';
import { cause, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

/**
 * RTCP reports of a video stream come about once a second, at most REPORT_US apart (RFC 3550, 6.2 and 6.3.1). If none
 * has come for SILENT_US, the reports have stopped.
 */
const REPORT_US = 1.5e6;
const SILENT_US = 3.5e6;
/**
 * The effects of a change of route begin to show within this time. A sender learns of the new route's delay
 * and loss from reports, and reacts slowly.
 */
const ROUTE_LEAD_US = 6e6;

/**
 * The samples before and after the latest change of route; null if there was no change recent enough to be the cause.
 */
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

export const routeChange: Rule = (evidence) => {
  const step = routeStep(evidence);
  const now = evidence.around.at(-1);
  if (step === null || now === undefined) return null;
  const [old, fresh] = step;
  const agoUs = evidence.fromUs - fresh.timeUs;
  const ago = agoUs > 0 ? ` (${secondsText(agoUs)} before the incident)` : '';
  return cause(
    'route-change',
    `The connection changed its route from ${old.sample.route} to ${fresh.sample.route}${ago}; the round trip was ${msText(usualOf(evidence.usual, rttMs))} before and is ${msText(rttMs(now))} now.`,
    'Check which network interface or TURN server the connection uses now, and why the old route failed.',
  );
};

/**
 * On a quiet connection, Chromium checks the far side's consent (RFC 7675, 5.1) about every two and a half seconds.
 * If nothing arrives for UNANSWERED_US, not even an answer, the connection is down.
 */
const UNANSWERED_US = 2.9e6;

/**
 * The longest series of samples in which nothing arrived, although something should have arrived: feedback on sent
 * packets, or received media. Shorter series are ignored, since short pauses between reports are normal.
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
 * Whether a silence was an outage. A far side that pauses, or has little to send, is just as silent.
 * - If a connectivity check was answered during the silence, there was no outage.
 * - At a sender, feedback arrives continuously, so a silence of almost a second is an outage.
 * - At a receiver that got packets again afterwards, the silence was an outage if more packets than usual were lost.
 * - At a receiver that has got no packets since, the silence is an outage if it is longer than UNANSWERED_US.
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

export const outage: Rule = (evidence) => {
  const { usual, fromUs, untilUs } = evidence;
  const { states } = evidence.endpoint;
  const wasHeard = usual.filter(({ bytesIn }) => bytesIn > 0).length > usual.length / 2;
  const silent = silence(evidence);
  const lost = states.find(
    ({ timeUs, state }, i) =>
      timeUs <= untilUs &&
      Math.abs(timeUs - fromUs) < 8e6 &&
      (state === 'disconnected' || state === 'failed') &&
      !states.slice(i).some((later) => later.state === 'connected' && later.timeUs <= fromUs - LEAD_US),
  );
  if (!wasHeard || !(isAway(evidence, silent) || lost !== undefined)) return null;
  const us = silent.reduce((sum, look) => sum + look.timeUs - look.fromUs, 0);
  const fix = 'Check whether the far side was down, or the network (a handover, a sleeping radio, a VPN).';
  if (us === 0 && lost !== undefined)
    return cause('outage', `The connection was ${lost.state} at ${secondsText(lost.timeUs)}.`, fix);
  const told = lost === undefined ? '' : `; the connection was ${lost.state} at ${secondsText(lost.timeUs)}`;
  return cause(
    'outage',
    `Nothing came in from the far side for about ${secondsText(us)}, neither media nor feedback nor answers to connectivity checks${told}.`,
    fix,
  );
};

export const feedbackMissing: Rule = ({ around, usual }) => {
  const last = around.at(-1);
  const had = usual.some(({ sent }) => sent.some(({ reportTimeUs }) => Number.isFinite(reportTimeUs)));
  if (last === undefined || !had) return null;
  const reports = [...usual, ...around].flatMap(({ sent }) => sent.map(({ reportTimeUs }) => reportTimeUs));
  const newest = Math.max(...reports.filter(Number.isFinite));
  const ageUs = last.timeUs - newest;
  // If a check was answered after the next report was due, the connection is alive and only reports are missing. If
  // nothing arrived for a while and then something did, there was an outage instead.
  const due = around.filter(({ fromUs }) => fromUs >= newest + REPORT_US);
  const silent = due.findIndex(({ bytesIn }) => bytesIn === 0);
  const isBack = silent >= 0 && due.slice(silent).some(({ bytesIn }) => bytesIn > 0);
  const isAlive = !isBack && due.some(({ checksAnswered }) => checksAnswered > 0);
  if (!(ageUs > SILENT_US) || !isAlive) return null;
  return cause(
    'feedback-missing',
    `The far side's RTCP reports stopped ${secondsText(ageUs)} ago, though connectivity checks are still answered: without feedback a sender lowers its rate.`,
    'Find out why the far side sends no RTCP: a stuck server or page, or a firewall that drops it.',
  );
};
