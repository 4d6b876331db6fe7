/**
 * The log of what went wrong in a call: falls of a stream's rate, rises of its delay, freezes, each with its cause.
 * The same code reads a call that goes on, a recording and the record of a test: it is fed the record as it grows.
 */
import type { CallRecord, EndpointRecord, Freeze, StatsSample } from '../../calls/record/record.js';
import { causeOf } from './incident_causes.js';
import { evidenceOf, LEAD_US, rttMs, trailUs } from './evidence.js';
import { FallFinder, RiseFinder, type Change } from './falls.js';
import type { Incident, IncidentKind, StreamId } from './incident.js';
import { lookAt, streamsOf, type Look } from './stream_looks.js';

/** Of a call that is bad for hours the older half is forgotten. */
const MOST_INCIDENTS = 2000;
/** Looks that are older than this are not looked at again. */
const KEPT_US = 20e6;

interface Watched {
  stream: StreamId;
  looks: Look[];
  falls: FallFinder;
  rises: RiseFinder;
  /** Incidents of this stream that go on, by what found them. */
  open: Map<Change, Incident>;
}

interface WatchedEndpoint {
  streams: Map<string, Watched>;
  before: StatsSample | null;
  freezes: Map<Freeze, Incident>;
}

export class IncidentLog {
  #incidents: Incident[] = [];
  #count = 0;
  readonly #endpoints = new Map<number, WatchedEndpoint>();
  #settling: Incident[] = [];

  constructor(private readonly record: CallRecord) {}

  /** All that was found so far, in the order of being noticed; those that are not settled still change. */
  get incidents(): readonly Incident[] {
    return this.#incidents;
  }

  /** Goes through what the record has got since the last time. Returns the incidents that are new or changed. */
  update(): Incident[] {
    const changed = new Set<Incident>();
    for (const endpoint of this.record.endpoints) this.#endpoint(endpoint, changed);
    for (const incident of this.#settling) this.#judge(incident, changed);
    this.#settling = this.#settling.filter(({ settled }) => !settled);
    if (this.#incidents.length > MOST_INCIDENTS) this.#incidents = this.#incidents.slice(-MOST_INCIDENTS / 2);
    return [...changed];
  }

  #endpoint(endpoint: EndpointRecord, changed: Set<Incident>): void {
    const known = this.#endpoints.get(endpoint.id) ?? {
      streams: new Map<string, Watched>(),
      before: null,
      freezes: new Map<Freeze, Incident>(),
    };
    this.#endpoints.set(endpoint.id, known);
    const sinceUs = known.before?.timeUs ?? -Infinity;
    for (const sample of endpoint.samples) {
      if (sample.timeUs <= sinceUs) continue;
      this.#sample(endpoint, known, sample, changed);
      known.before = sample;
    }
    this.#freezes(endpoint, known, changed);
  }

  #sample(
    endpoint: EndpointRecord,
    known: WatchedEndpoint,
    sample: StatsSample,
    changed: Set<Incident>,
  ): void {
    for (const stream of streamsOf(endpoint, sample)) {
      const key = `${stream.direction} ${stream.key}`;
      if (!known.streams.has(key))
        known.streams.set(key, {
          ...{ stream, looks: [], open: new Map<Change, Incident>() },
          ...{ falls: new FallFinder(), rises: new RiseFinder() },
        });
    }
    const { before } = known;
    if (before === null || !isConnectedAt(endpoint, sample.timeUs)) return;
    for (const watched of known.streams.values()) {
      const look = lookAt(watched.stream, before, sample);
      watched.looks.push(look);
      while ((watched.looks[0]?.timeUs ?? Infinity) < sample.timeUs - KEPT_US) watched.looks.shift();
      this.#change(watched, 'rate-fall', watched.falls.see(look), changed);
      const delay = { timeUs: look.timeUs, value: rttMs(look) };
      this.#change(watched, 'delay-rise', watched.rises.see(delay), changed);
    }
  }

  #change(watched: Watched, kind: IncidentKind, change: Change | null, changed: Set<Incident>): void {
    if (change === null) return;
    const { fromUs, toUs, before, after } = change;
    const known = watched.open.get(change);
    const incident = known ?? this.#begin({ kind, stream: watched.stream, fromUs, before, after });
    Object.assign(incident, { toUs, after });
    if (known === undefined) watched.open.set(change, incident);
    if (toUs !== null) watched.open.delete(change);
    changed.add(incident);
  }

  #begin(begun: Pick<Incident, 'kind' | 'stream' | 'fromUs' | 'before' | 'after'>): Incident {
    const incident: Incident = {
      ...begun,
      id: this.#count++,
      toUs: null,
      cause: { kind: 'unknown', evidence: 'It has only just begun.', fix: 'Wait for a moment.' },
      settled: false,
    };
    this.#incidents.push(incident);
    this.#settling.push(incident);
    return incident;
  }

  /** The finder of freezes may take one back, when the browser says where it really was. */
  #freezes({ id, freezes }: EndpointRecord, known: WatchedEndpoint, changed: Set<Incident>): void {
    for (const freeze of freezes) {
      const lengthMs = (freeze.toUs - freeze.fromUs) / 1e3;
      const incident =
        known.freezes.get(freeze) ??
        this.#overlapping(known, freeze) ??
        this.#begin({
          kind: 'freeze',
          stream: this.#frozen(id, known),
          fromUs: freeze.fromUs,
          before: 0,
          after: lengthMs,
        });
      if (known.freezes.get(freeze) === incident && incident.after === lengthMs) continue;
      known.freezes.set(freeze, incident);
      Object.assign(incident, { after: lengthMs, toUs: freeze.toUs });
      changed.add(incident);
    }
  }

  #overlapping({ freezes }: WatchedEndpoint, { fromUs, toUs }: Freeze): Incident | undefined {
    for (const [freeze, incident] of freezes)
      if (freeze.fromUs < toUs && freeze.toUs > fromUs) return incident;
    return undefined;
  }

  /** A freeze is an endpoint's: the stream is the one that got the fewest frames lately. */
  #frozen(endpoint: number, { streams }: WatchedEndpoint): StreamId {
    const received = [...streams.values()].filter(({ stream }) => stream.direction === 'receive');
    const frames = ({ looks }: Watched): number =>
      looks.slice(-3).reduce((sum, look) => sum + look.decoded, 0);
    received.sort((a, b) => frames(a) - frames(b));
    return received[0]?.stream ?? { endpoint, direction: 'receive', key: '' };
  }

  #judge(incident: Incident, changed: Set<Incident>): void {
    const { stream, fromUs } = incident;
    const endpoint = this.record.endpoints[stream.endpoint];
    const watched = this.#endpoints.get(stream.endpoint)?.streams.get(`${stream.direction} ${stream.key}`);
    if (endpoint === undefined) return;
    const looks = watched?.looks ?? [];
    const cause = causeOf(evidenceOf(this.record, endpoint, looks, incident));
    if (cause !== null && cause.evidence !== incident.cause.evidence) changed.add(incident);
    if (cause !== null) incident.cause = cause;
    const untilUs = looks.at(-1)?.timeUs ?? -Infinity;
    const isGone = endpoint.states.at(-1)?.state === 'closed';
    if (untilUs < fromUs + trailUs(looks, fromUs) && !isGone) return;
    incident.settled = true;
    changed.add(incident);
  }
}

/** All incidents of a record that does not grow any more. */
export function incidentsOf(record: CallRecord): readonly Incident[] {
  const log = new IncidentLog(record);
  log.update();
  return log.incidents;
}

/** Nothing is judged before a connection is connected, nor after its end. */
function isConnectedAt({ states }: EndpointRecord, timeUs: number): boolean {
  const wasConnected = states.some((each) => each.state === 'connected' && each.timeUs <= timeUs - LEAD_US);
  return wasConnected && states.at(-1)?.state !== 'closed';
}
