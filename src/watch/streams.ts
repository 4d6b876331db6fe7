/** The streams of watched connections: their names, their flows in the recording, and their current state. */
import { sectionOf, type ActionTarget, type InForce } from '../inject/protocol.js';
import type { EndpointRecord, InboundStats, OutboundStats, StatsSample } from '../calls/record/record.js';
import type { ShadowFlow } from '../calls/record/shadow_flow.js';
import { GONE_US } from '../calls/record/shadows.js';
import { boundBps } from '../calls/record/bounds.js';
import { receivedBytes, sentBytes } from '../calls/record/stream_bytes.js';
import { receivedLayers } from './received_layers.js';
import { rateBps } from './rows.js';

export type StreamDirection = 'send' | 'receive';

/** The state of a stream for views. A number is NaN, and a string is '', if the browser does not report it. */
export interface StreamState {
  /** The flow of the stream in the recording. */
  flow: number;
  endpoint: number;
  direction: StreamDirection;
  kind: 'video' | 'audio';
  ssrc: number;
  mid: string;
  rid: string;
  /** The position of a sent encoding in its sender's parameters; NaN if unknown. */
  encodingIndex: number;
  /** For a sent stream, its layers; for a received stream, the layers from which frames arrive. */
  scalabilityMode: string;
  codec: string;
  frameWidth: number;
  frameHeight: number;
  framesPerSecond: number;
  rateBps: number;
  /** Whether media passed between the latest two samples. */
  isLive: boolean;
  /**
   * The controllers that shadow the stream, which means that they only watch it. Empty if its frames are not
   * observed.
   */
  shadows: readonly ShadowFlow[];
  /** Other values by name. A name ends with the unit, if there is one. */
  numbers: Readonly<Record<string, number>>;
  /** The reason that limits the quality of a sent stream: none, bandwidth, cpu or other. */
  limitedBy: string;
  /** Actions on the media section of the stream that have not been undone. */
  inForce: readonly InForce[];
  /** Whether the encoding is switched on at the sender; true for received streams. */
  isActive: boolean;
}

interface Look {
  timeUs: number;
  bytes: number;
  stats: InboundStats | OutboundStats;
}

interface Known {
  state: StreamState;
  before: Look | undefined;
}

const keyOf = (endpoint: number, direction: StreamDirection, ssrc: number): string =>
  `${endpoint} ${direction} ${ssrc}`;

/**
 * The growth of the count `above` between two samples, divided by the growth of the count `below`. NaN if
 * `below` did not grow.
 */
function growthRatio<T>(
  before: T | undefined,
  now: T,
  above: (stats: T) => number,
  below: (stats: T) => number,
): number {
  if (before === undefined) return NaN;
  const divisor = below(now) - below(before);
  return divisor > 0 ? (above(now) - above(before)) / divisor : NaN;
}

function sendingNumbers(before: OutboundStats | undefined, now: OutboundStats): Record<string, number> {
  const perFrame = growthRatio(
    before,
    now,
    (s) => s.totalEncodeTimeS,
    (s) => s.framesEncoded,
  );
  const perPacket = growthRatio(
    before,
    now,
    (s) => s.totalPacketSendDelayS,
    (s) => s.packetsSent,
  );
  return {
    target_bps: now.targetBps,
    max_bitrate_bps: boundBps([now]),
    pacer_delay_ms: perPacket * 1e3,
    encode_time_ms: perFrame * 1e3,
    rtt_ms: now.roundTripTimeS * 1e3,
    fraction_lost: now.fractionLost,
    nack: now.nackCount,
    pli: now.pliCount,
    fir: now.firCount,
    ect1_packets: now.packetsSentWithEct1,
  };
}

function receivingNumbers(before: InboundStats | undefined, now: InboundStats): Record<string, number> {
  const perFrame = growthRatio(
    before,
    now,
    (s) => s.totalDecodeTimeS,
    (s) => s.framesDecoded,
  );
  const waited = growthRatio(
    before,
    now,
    (s) => s.jitterBufferDelayS,
    (s) => s.jitterBufferEmittedCount,
  );
  const lost = growthRatio(
    before,
    now,
    (s) => s.packetsLost,
    (s) => s.packetsReceived + s.packetsLost,
  );
  return {
    jitter_ms: now.jitterS * 1e3,
    jitter_buffer_ms: waited * 1e3,
    decode_time_ms: perFrame * 1e3,
    fraction_lost: Math.max(0, lost),
    nack: now.nackCount,
    pli: now.pliCount,
    freezes: now.freezeCount,
    dropped_frames: now.framesDropped,
    ect1_packets: now.packetsReceivedWithEct1,
    ce_packets: now.packetsReceivedWithCe,
  };
}

export class Streams {
  readonly #all = new Map<string, Known>();
  /** The actions that have not been undone, by media section and direction. */
  readonly #inForce = new Map<string, readonly InForce[]>();

  constructor(private readonly nextFlow: () => number) {}

  /** Returns the flow of a stream. A new stream gets a flow even before its first sample. */
  flowOf(endpoint: number, direction: StreamDirection, ssrc: number): number {
    return this.#of(endpoint, direction, ssrc).state.flow;
  }

  /** Records which controllers shadow a stream, unless the stream has ended. */
  shadowed(endpoint: number, ssrc: number, shadows: readonly ShadowFlow[]): void {
    const known = this.#all.get(keyOf(endpoint, 'receive', ssrc));
    if (known !== undefined) known.state = { ...known.state, shadows };
  }

  /** Records which actions on a media section (in one direction) have not been undone. */
  acted(endpoint: number, target: ActionTarget, inForce: readonly InForce[]): void {
    this.#inForce.set(sectionOf({ ...target, endpoint }), inForce);
  }

  /** Updates a sent stream with its counters in a sample. */
  sent({ id }: EndpointRecord, { timeUs }: StatsSample, stats: OutboundStats): StreamState {
    const known = this.#of(id, 'send', stats.ssrc);
    const look = { timeUs, bytes: sentBytes(stats), stats };
    const before = known.before?.stats as OutboundStats | undefined;
    return this.#note(known, look, {
      ...stats,
      limitedBy: stats.qualityLimitationReason,
      isActive: stats.active,
      numbers: sendingNumbers(before, stats),
    });
  }

  received({ id, frames }: EndpointRecord, { timeUs }: StatsSample, stats: InboundStats): StreamState {
    const known = this.#of(id, 'receive', stats.ssrc);
    const look = { timeUs, bytes: receivedBytes(stats), stats };
    const before = known.before?.stats as InboundStats | undefined;
    const scalabilityMode = receivedLayers(frames, stats.ssrc, timeUs);
    const none = { rid: '', encodingIndex: NaN, limitedBy: '', isActive: true };
    const numbers = receivingNumbers(before, stats);
    return this.#note(known, look, { ...stats, ...none, scalabilityMode, numbers });
  }

  #note(
    known: Known,
    look: Look,
    now: Omit<StreamState, 'flow' | 'endpoint' | 'direction' | 'rateBps' | 'isLive' | 'shadows' | 'inForce'>,
  ): StreamState {
    const { kind, ssrc, mid, rid, encodingIndex, scalabilityMode, codec } = now;
    const { frameWidth, frameHeight, framesPerSecond } = now;
    // If getStats is called again within a few milliseconds, browsers return the same report. In that case, the
    // rate stays as it is.
    const isRepeated = known.before?.timeUs === look.timeUs;
    const bps = isRepeated ? known.state.rateBps : rateBps(known.before, look);
    if (!isRepeated) known.before = look;
    known.state = {
      ...known.state,
      ...{ kind, ssrc, mid, rid, encodingIndex, scalabilityMode, codec },
      ...{ frameWidth, frameHeight, framesPerSecond },
      ...{
        rateBps: bps,
        isLive: bps > 0,
        numbers: now.numbers,
        limitedBy: now.limitedBy,
        isActive: now.isActive,
      },
    };
    return known.state;
  }

  #of(endpoint: number, direction: StreamDirection, ssrc: number): Known {
    const key = keyOf(endpoint, direction, ssrc);
    const known = this.#all.get(key);
    if (known !== undefined) return known;
    const state: StreamState = {
      ...{ flow: this.nextFlow(), endpoint, direction, kind: 'video', ssrc, mid: '', rid: '' },
      encodingIndex: NaN,
      ...{ scalabilityMode: '', codec: '', frameWidth: NaN, frameHeight: NaN, framesPerSecond: NaN },
      ...{
        rateBps: NaN,
        isLive: false,
        shadows: [],
        numbers: {},
        limitedBy: '',
        inForce: [],
        isActive: true,
      },
    };
    const fresh: Known = { state, before: undefined };
    this.#all.set(key, fresh);
    return fresh;
  }

  /**
   * Handles the streams of a connection that are missing from its latest sample. Such a stream is idle at
   * first, since it may come back after a reset. After GONE_US it is removed: a participant has left, or a
   * transceiver was stopped.
   */
  missing({ id }: EndpointRecord, { timeUs, outbound, inbound }: StatsSample): void {
    const told = new Set([
      ...outbound.map(({ ssrc }) => keyOf(id, 'send', ssrc)),
      ...inbound.map(({ ssrc }) => keyOf(id, 'receive', ssrc)),
    ]);
    for (const [key, known] of this.#all) {
      const { state, before } = known;
      // A stream without an earlier sample is just starting: it has frames, but getStats does not count them
      // yet.
      if (state.endpoint !== id || told.has(key) || before === undefined) continue;
      known.state = { ...state, rateBps: 0, isLive: false };
      if (timeUs - before.timeUs > GONE_US) this.#all.delete(key);
    }
  }

  /** To be called when a connection has ended. */
  end(endpoint: number): void {
    for (const [key, { state }] of this.#all) if (state.endpoint === endpoint) this.#all.delete(key);
    for (const key of this.#inForce.keys()) if (key.startsWith(`${endpoint} `)) this.#inForce.delete(key);
  }

  get states(): StreamState[] {
    return [...this.#all.values()].map(({ state }) => ({
      ...state,
      inForce: this.#inForce.get(sectionOf(state)) ?? [],
    }));
  }
}
