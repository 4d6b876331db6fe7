/** When somebody, or a schedule, changed the link, the controller or its parameters: marks over all charts. */
import { Rows } from './rows.js';
import { LINK_KEYS } from '../link/fields.js';
import { sayLinkValue } from '../link/words.js';
import { rateText } from '../judge/text.js';
import type { TraceEvent } from '../core/session.js';
import type { TraceData } from '../trace/index.js';

/** What was changed. */
export type MarkKind = 'link' | 'controller' | 'parameter';

export interface Mark {
  timeUs: number;
  kind: MarkKind;
  /** What it is from then on. */
  text: string;
}

/** A capacity that stood this long and then differs by this share made a step: one that varies all the time is a line. */
const STOOD_US = 1e6;
const STEP = 0.05;
/** Rows see a change this much later than the event that tells of it. */
const SEEN_US = 1e6;
/** Both halves of a controller tell of the same change. */
const TWICE_US = 0.1e6;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isValue = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** Changes of the bottleneck of that number, or of the only one, and what events tell, in time order. */
export function marksOf(trace: TraceData, link: number | null): Mark[] {
  const told = toldMarks(trace.events);
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

function toldMarks(events: readonly TraceEvent[]): Mark[] {
  const marks: Mark[] = [];
  let isStarted = false;
  for (const event of events) {
    if (event.name === 'start' && !isStarted) {
      isStarted = true;
      continue;
    }
    const told = tell(event);
    if (told === null) continue;
    const isTwice = marks.some(
      ({ timeUs, text }) => text === told.text && Math.abs(event.time_us - timeUs) < TWICE_US,
    );
    if (!isTwice) marks.push({ timeUs: event.time_us, ...told });
  }
  return marks;
}

/** What an event tells of a change; null for one of another kind. A file's details may have any form. */
function tell({ name, detail }: TraceEvent): Omit<Mark, 'timeUs'> | null {
  if (!isObject(detail)) return null;
  const { name: named, value, from, to } = detail;
  switch (name) {
    case 'link':
      return { kind: 'link', text: linkText(detail) };
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

/** Settings as people write them; those of a test's record are said already. */
function linkText(detail: Record<string, unknown>): string {
  if (typeof detail['set'] === 'string') return detail['set'];
  const said = LINK_KEYS.flatMap((key) => {
    const value = detail[key];
    return isValue(value) ? [sayLinkValue(key, value)] : [];
  });
  return said.join(', ') || 'the link was changed';
}
