/**
 * The log of what went wrong in a call: falls of a stream's rate, rises of its delay, and freezes, each with its
 * cause. The same code handles the growing record of a call in progress, and the complete record of a recording or a
 * test.
 */
import type { CallRecord, EndpointRecord, Freeze, StatsSample } from '../../calls/record/record.js';
import { causeOf } from './incident_causes.js';
import {
  evidenceOf,
  KEPT_US,
  LEAD_US,
  rttMeasured,
  rttMs,
  trailUs,
  type Begun,
  type Evidence,
} from './evidence.js';
import { FallFinder, RiseFinder, type Change, type Point } from './falls.js';
import type { Incident, IncidentKind, StreamId } from './incident.js';
import { sentStream } from './sides.js';
import { lookAt, streamsOf, type Look } from './stream_looks.js';

/** If there are more incidents than this, for example after hours of problems, the older half is dropped. */
const MOST_INCIDENTS = 2000;
/**
 * A stream is forgotten if no sample has contained it for this long. The cause of its last incident is settled by
 * then.
 */
const GONE_US = 10e6;

interface Watched {
  stream: StreamId;
  /** The time of the latest sample that contains the stream. */
  seenUs: number;
  looks: Look[];
  falls: FallFinder;
  rises: RiseFinder;
}

/** A freeze in the record: its times at the last update, and the incident to which the freeze belongs. */
interface KnownFreeze extends Readonly<Freeze> {
  incident: Incident;
}

interface WatchedEndpoint {
  streams: Map<string, Watched>;
  before: StatsSample | null;
  /**
   * The freezes so far. The key of a freeze is an object that stays the same even if the browser later corrects the
   * times of the freeze.
   */
  freezes: Map<object, KnownFreeze>;
  /** One finder for all received streams: they share the connection's round trip. */
  rises: RiseFinder;
  /** Incidents in progress, keyed by the changes that they report. */
  open: Map<Change, Incident>;
}

/** An incident whose cause is not settled yet. */
interface Pending {
  incident: Incident;
  usualUntilUs: number | undefined;
}

type Begin = Pick<Incident, 'kind' | 'stream' | 'fromUs' | 'before' | 'after'>;

const keyOf = ({ direction, key }: StreamId): string => `${direction} ${key}`;

export class IncidentLog {
  #incidents: Incident[] = [];
  #count = 0;
  readonly #endpoints = new Map<number, WatchedEndpoint>();
  #pending: Pending[] = [];

  constructor(private readonly record: CallRecord) {}

  /**
   * All incidents so far, in the order in which they were noticed; those that are not settled may still change.
   */
  get incidents(): readonly Incident[] {
    return this.#incidents;
  }

  /**
   * Processes the data that were added to the record since the last update. The data are processed sample by sample,
   * so that a complete record gives the same results as a call in progress. Returns the incidents that are new or
   * have changed.
   */
  update(): Incident[] {
    const changed = new Set<Incident>();
    for (const { endpoint, sample } of this.#news()) this.#sample(endpoint, sample, changed);
    for (const pending of this.#pending) this.#judge(pending, changed);
    this.#pending = this.#pending.filter(({ incident }) => !incident.settled);
    return [...changed];
  }

  /** The samples that were added since the last update, in time order. */
  #news(): { endpoint: EndpointRecord; sample: StatsSample }[] {
    return this.record.endpoints
      .flatMap((endpoint) => {
        const sinceUs = this.#endpoints.get(endpoint.id)?.before?.timeUs ?? -Infinity;
        const first = endpoint.samples.findLastIndex(({ timeUs }) => timeUs <= sinceUs) + 1;
        return endpoint.samples.slice(first).map((sample) => ({ endpoint, sample }));
      })
      .sort((a, b) => a.sample.timeUs - b.sample.timeUs);
  }

  #sample(endpoint: EndpointRecord, sample: StatsSample, changed: Set<Incident>): void {
    const known = this.#watched(endpoint);
    const streams = streamsOf(endpoint, sample);
    this.#seen(known, streams, sample.timeUs);
    const { before } = known;
    if (before !== null && isConnectedAt(endpoint, sample.timeUs)) {
      for (const watched of known.streams.values())
        this.#look(known, watched, lookAt(watched.stream, before, sample), changed);
      this.#received(known, streams, changed);
    }
    known.before = sample;
    this.#freezes(endpoint, known, sample.timeUs, changed);
    this.#settle(changed);
  }

  #watched({ id }: EndpointRecord): WatchedEndpoint {
    const known = this.#endpoints.get(id) ?? {
      ...{ streams: new Map<string, Watched>(), before: null, freezes: new Map<object, KnownFreeze>() },
      ...{ rises: new RiseFinder(), open: new Map<Change, Incident>() },
    };
    this.#endpoints.set(id, known);
    return known;
  }

  #seen({ streams: known }: WatchedEndpoint, streams: readonly StreamId[], timeUs: number): void {
    for (const stream of streams) {
      const watched = known.get(keyOf(stream));
      if (watched !== undefined) watched.seenUs = timeUs;
      else {
        const finders = { falls: new FallFinder(), rises: new RiseFinder() };
        known.set(keyOf(stream), { stream, seenUs: timeUs, looks: [], ...finders });
      }
    }
    for (const [key, { seenUs }] of known) if (timeUs - seenUs > GONE_US) known.delete(key);
  }

  #look(known: WatchedEndpoint, watched: Watched, look: Look, changed: Set<Incident>): void {
    const { stream, looks, falls, rises } = watched;
    looks.push(look);
    while ((looks[0]?.timeUs ?? Infinity) < look.timeUs - KEPT_US) looks.shift();
    this.#change(known, stream, 'rate-fall', falls.see(look), changed);
    if (stream.direction === 'receive') return;
    this.#change(known, stream, 'delay-rise', rises.see(measuredDelay(looks)), changed);
  }

  /** Reports a rise of the round trip only once for all received streams, as an incident of the first stream. */
  #received(known: WatchedEndpoint, streams: readonly StreamId[], changed: Set<Incident>): void {
    const stream = streams.find(({ direction }) => direction === 'receive');
    if (stream === undefined) return;
    const looks = known.streams.get(keyOf(stream))?.looks ?? [];
    if (looks.length === 0) return;
    const change = known.rises.see(measuredDelay(looks));
    this.#change(known, stream, 'delay-rise', change, changed);
  }

  #change(
    { open }: WatchedEndpoint,
    stream: StreamId,
    kind: IncidentKind,
    change: Change | null,
    changed: Set<Incident>,
  ): void {
    if (change === null) return;
    const { fromUs, toUs, before, after, usualUntilUs } = change;
    const known = open.get(change);
    const incident = known ?? this.#begin({ kind, stream, fromUs, before, after }, usualUntilUs);
    Object.assign(incident, { toUs, after });
    if (known === undefined) open.set(change, incident);
    if (toUs !== null) open.delete(change);
    changed.add(incident);
  }

  #begin(begin: Begin, usualUntilUs?: number): Incident {
    const incident: Incident = {
      ...begin,
      id: this.#count++,
      toUs: null,
      cause: { kind: 'unknown', evidence: 'The incident has only just begun.', fix: 'Wait a moment.' },
      settled: false,
    };
    this.#incidents.push(incident);
    this.#pending.push({ incident, usualUntilUs });
    if (this.#incidents.length > MOST_INCIDENTS) this.#incidents = this.#incidents.slice(-MOST_INCIDENTS / 2);
    return incident;
  }

  /** Processes the freezes that are known at the time of a sample. */
  #freezes(
    { id, freezes }: EndpointRecord,
    known: WatchedEndpoint,
    timeUs: number,
    changed: Set<Incident>,
  ): void {
    for (const freeze of freezes) {
      const noticed = freeze.noticed ?? { timeUs: freeze.toUs, fromUs: freeze.fromUs };
      if (noticed.timeUs > timeUs) continue;
      const key = freeze.noticed ?? freeze;
      const old = known.freezes.get(key);
      if (old?.fromUs === freeze.fromUs && old.toUs === freeze.toUs) continue;
      const incident =
        old?.incident ??
        this.#overlapping(known, freeze) ??
        this.#begin({
          ...{ kind: 'freeze', stream: this.#frozen(id, known, freeze), fromUs: noticed.fromUs },
          ...{ before: 0, after: NaN },
        });
      known.freezes.set(key, { ...freeze, incident });
      this.#lasted(known, incident, changed);
    }
  }

  /**
   * Updates the end and the length of a freeze. If the browser counts a freeze only after the picture was seen moving
   * again, the record contains the freeze twice. The incident then gets the length of the longer entry.
   */
  #lasted({ freezes }: WatchedEndpoint, incident: Incident, changed: Set<Incident>): void {
    const its = [...freezes.values()].filter((each) => each.incident === incident);
    const after = Math.max(...its.map(({ fromUs, toUs }) => (toUs - fromUs) / 1e3));
    Object.assign(incident, { after, toUs: Math.max(...its.map(({ toUs }) => toUs)) });
    changed.add(incident);
  }

  #overlapping({ freezes }: WatchedEndpoint, { fromUs, toUs, ssrc }: Freeze): Incident | undefined {
    for (const freeze of freezes.values())
      if (freeze.ssrc === ssrc && freeze.fromUs < toUs && freeze.toUs > fromUs) return freeze.incident;
    return undefined;
  }

  /**
   * The stream that froze. If the record does not name the stream, the stream with the fewest recently decoded
   * frames is assumed.
   */
  #frozen(endpoint: number, { streams }: WatchedEndpoint, { ssrc }: Freeze): StreamId {
    if (ssrc !== undefined) return { endpoint, direction: 'receive', key: String(ssrc) };
    const received = [...streams.values()].filter(({ stream }) => stream.direction === 'receive');
    const frames = ({ looks }: Watched): number =>
      looks.slice(-3).reduce((sum, look) => sum + look.decoded, 0);
    received.sort((a, b) => frames(a) - frames(b));
    return received[0]?.stream ?? { endpoint, direction: 'receive', key: '' };
  }

  /** The evidence at the sender of a received stream; null if the record does not contain the sender. */
  #atSender(begun: Begun): Evidence | null {
    const stream = sentStream(this.record, begun.stream);
    const endpoint = stream && this.record.endpoints[stream.endpoint];
    if (!endpoint) return null;
    const looks = this.#looks(stream);
    return looks.length === 0 ? null : evidenceOf(this.record, endpoint, looks, { ...begun, stream });
  }

  #looks(stream: StreamId): readonly Look[] {
    return this.#endpoints.get(stream.endpoint)?.streams.get(keyOf(stream))?.looks ?? [];
  }

  /** Settles the incidents for which later samples cannot add evidence. */
  #settle(changed: Set<Incident>): void {
    for (const pending of this.#pending) {
      const { incident } = pending;
      const looks = this.#looks(incident.stream);
      const untilUs = looks.at(-1)?.timeUs ?? -Infinity;
      if (untilUs < incident.fromUs + trailUs(looks, incident.fromUs)) continue;
      this.#judge(pending, changed);
      incident.settled = true;
      changed.add(incident);
    }
    this.#pending = this.#pending.filter(({ incident }) => !incident.settled);
  }

  /**
   * Judges an incident by the data that are known now. If the connection has closed, no more data will come, so
   * the cause is settled.
   */
  #judge({ incident, usualUntilUs }: Pending, changed: Set<Incident>): void {
    const endpoint = this.record.endpoints[incident.stream.endpoint];
    if (endpoint === undefined) return;
    const begun = { ...incident, usualUntilUs };
    const evidence = evidenceOf(this.record, endpoint, this.#looks(incident.stream), begun);
    const cause = causeOf(evidence, this.#atSender(begun));
    if (cause.evidence !== incident.cause.evidence) changed.add(incident);
    incident.cause = cause;
    if (endpoint.states.at(-1)?.state !== 'closed') return;
    incident.settled = true;
    changed.add(incident);
  }
}

/** The latest round trip in ms; NaN if the latest sample only repeats an earlier measurement. */
function measuredDelay(looks: readonly Look[]): Point {
  const [look] = looks.slice(-1);
  const isNew = look !== undefined && rttMeasured(looks.slice(-2)).includes(look);
  return { timeUs: look?.timeUs ?? NaN, value: isNew ? rttMs(look) : NaN };
}

/** All incidents of a record that no longer grows. */
export function incidentsOf(record: CallRecord): readonly Incident[] {
  const log = new IncidentLog(record);
  log.update();
  return log.incidents;
}

/**
 * Whether the streams of a connection are judged at this time: from LEAD_US after it was connected until it is
 * closed.
 */
function isConnectedAt({ states }: EndpointRecord, timeUs: number): boolean {
  const wasConnected = states.some((each) => each.state === 'connected' && each.timeUs <= timeUs - LEAD_US);
  return wasConnected && !states.some((each) => each.state === 'closed' && each.timeUs <= timeUs);
}
