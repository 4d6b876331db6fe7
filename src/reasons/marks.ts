/**
 * Marks for all charts: the times at which a user or a schedule changed the link, the controller or its
 * parameters, or at which the controller failed.
 */
import { Rows } from './rows.js';
import { LINK_KEYS } from '../link/fields.js';
import { queueTitle, sayLinkValue, trafficTitle } from '../link/words.js';
import { rateText } from '../judge/text.js';
import type { TraceEvent } from '../core/session.js';
import type { TraceData, TraceHeader } from '../trace/index.js';

/** What was changed. */
export type MarkKind = 'link' | 'controller' | 'parameter';

export interface Mark {
  timeUs: number;
  kind: MarkKind;
  /** A description of the change, with the new value. */
  text: string;
}

/**
 * A capacity step gets a mark if the capacity changed by more than the fraction STEP, after it had been constant for
 * STOOD_US. A capacity that varies continuously gets no marks, since its curve in the chart shows the
 * changes.
 */
const STOOD_US = 1e6;
const STEP = 0.05;
/** A change appears in the `queue` rows up to this much later than the event that reports it. */
const SEEN_US = 1e6;
/** The two halves of a controller report the same change. Equal marks within this time are merged. */
const TWICE_US = 0.1e6;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isValue = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/**
 * All marks in time order: the changes that events report, and the capacity steps that no event reports.
 * `link` is the number of the bottleneck whose capacity to examine; null if there is only one. `header` has the
 * link's settings at the beginning.
 */
export function marksOf(
  trace: TraceData,
  link: number | null,
  { link: begun }: Partial<TraceHeader> = {},
): Mark[] {
  const told = toldMarks(trace.events, isObject(begun) ? begun : {});
  const isTold = ({ timeUs }: Mark): boolean =>
    told.some((mark) => mark.kind === 'link' && timeUs >= mark.timeUs && timeUs - mark.timeUs < SEEN_US);
  const steps = capacitySteps(trace, link).filter((mark) => !isTold(mark));
  return [...told, ...steps].sort((a, b) => a.timeUs - b.timeUs);
}

function capacitySteps(trace: TraceData, link: number | null): Mark[] {
  const where = link === null ? undefined : { column: 'link', value: link };
  const rows = new Rows(trace, 'queue', ['capacity_bps'], where);
  const capacity = rows.column('capacity_bps');
  const marks: Mark[] = [];
  let sinceUs = NaN;
  let stood = NaN;
  for (let row = 0; row < rows.length; row++) {
    const [now, timeUs] = [capacity[row] ?? NaN, rows.timeUs[row] ?? NaN];
    if (Math.abs(now - stood) <= STEP * stood) continue;
    if (timeUs - sinceUs >= STOOD_US)
      marks.push({ timeUs, kind: 'link', text: `capacity ${rateText(stood)} to ${rateText(now)}` });
    [stood, sinceUs] = [now, timeUs];
  }
  return marks;
}

function toldMarks(events: readonly TraceEvent[], begun: Readonly<Record<string, unknown>>): Mark[] {
  const marks: Mark[] = [];
  let link = begun;
  let isStarted = false;
  for (const event of events) {
    if (event.name === 'start' && !isStarted) {
      isStarted = true;
      continue;
    }
    const told = tell(event, link);
    if (event.name === 'link' && isObject(event.detail)) link = { ...link, ...settingsIn(event.detail) };
    if (told === null) continue;
    const isTwice = marks.some(
      ({ timeUs, text }) => text === told.text && Math.abs(event.time_us - timeUs) < TWICE_US,
    );
    if (!isTwice) marks.push({ timeUs: event.time_us, ...told });
  }
  return marks;
}

/**
 * The mark for an event. Null if the event reports no change. Events from a file may have details of any form. `link`
 * has the link's settings before the event, as far as they are known.
 */
function tell(
  { name, detail }: TraceEvent,
  link: Readonly<Record<string, unknown>>,
): Omit<Mark, 'timeUs'> | null {
  if (!isObject(detail)) return null;
  const { name: named, value, from, to } = detail;
  switch (name) {
    case 'link':
      return hasOnlyOld(detail, link) ? null : { kind: 'link', text: linkText(detail, link) };
    case 'capacity':
      return typeof detail['capacity_bps'] === 'number'
        ? { kind: 'link', text: `capacity ${rateText(detail['capacity_bps'])}` }
        : null;
    case 'parameter':
      return isValue(named) && isValue(value) ? { kind: 'parameter', text: `${named} = ${value}` } : null;
    case 'preset':
      return isValue(named) ? { kind: 'parameter', text: `preset ${named}` } : null;
    case 'setting':
      return isValue(named) && isValue(to) ? { kind: 'controller', text: `${named} ${to}` } : null;
    case 'controller':
    case 'mode':
      return isValue(from) && isValue(to) ? { kind: 'controller', text: `${name} ${from} to ${to}` } : null;
    case 'shadows':
      return { kind: 'controller', text: 'other controllers watch' };
    case 'start':
      return { kind: 'controller', text: 'the call was started again' };
    case 'controller_fault':
      return { kind: 'controller', text: 'the controller failed' };
    default:
      return null;
  }
}

/** The link settings in the details of an event, by the same keys as in the header. */
const settingsIn = (detail: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(LINK_KEYS.flatMap((key) => (isValue(detail[key]) ? [[key, detail[key]]] : [])));

/**
 * Whether the details of an event contain no link setting with a new value. The in-page bottleneck reports each change a
 * second time, in the words of the core, which are no settings.
 */
function hasOnlyOld(detail: Record<string, unknown>, link: Readonly<Record<string, unknown>>): boolean {
  if (typeof detail['set'] === 'string') return false;
  return Object.entries(settingsIn(detail)).every(([key, value]) => link[key] === value);
}

/**
 * Describes a change of the link by its changed settings. In an event that a test recorded, the field `set`
 * already contains the description.
 */
function linkText(detail: Record<string, unknown>, link: Readonly<Record<string, unknown>>): string {
  if (typeof detail['set'] === 'string') return detail['set'];
  const said = LINK_KEYS.flatMap((key) => {
    const [before, value] = [link[key], detail[key]];
    if (value === before) return [];
    if (key === 'queue' && typeof value === 'string') return [queueText(before, value)];
    if (key === 'cross_traffic' && typeof value === 'string') return [trafficText(before, value)];
    return isValue(value) ? [sayLinkValue(key, value)] : [];
  });
  return said.join(', ');
}

const queueText = (before: unknown, now: string): string =>
  `queue: ${typeof before === 'string' ? `${queueTitle(before)} to ` : ''}${queueTitle(now)}`;

function trafficText(before: unknown, now: string): string {
  if (now === 'none') return before === undefined ? 'no download' : 'the download ends';
  return before === 'none' ? `a download starts (${trafficTitle(now)})` : `download: ${trafficTitle(now)}`;
}
