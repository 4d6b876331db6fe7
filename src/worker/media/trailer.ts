/**
 * The timing trailer: 24 bytes that the sender's transform appends to each encoded frame and that the
 * receiver's transform removes. Little-endian:
 *
 *   0 f64 send_time_us · 8 u32 frame_seq · 12 u32 rtt_us · 16 u32 CRC-32 of bytes 0..15 · 20 u32 'CCS1'
 */

export const TRAILER_BYTES = 24;
const MAGIC = 0x31534343; // 'CCS1', little-endian
const MAX_U32 = 0xffffffff;
/** Doubles represent every whole microsecond up to this time. The core accepts no later times. */
const MAX_TIME_US = 2 ** 53;

/** The sender's information about a frame. */
export interface Trailer {
  /** When the frame left the encoder, on the sender's call clock. */
  sendTimeUs: number;
  /** Counts frames from 0, modulo 2^32. */
  frameSeq: number;
  /** The sender's latest round-trip time; NaN while it has none. */
  rttUs: number;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** CRC-32 of IEEE 802.3 (the same as in zlib). */
export function crc32(bytes: Uint8Array): number {
  let c = MAX_U32;
  for (const byte of bytes) c = (CRC_TABLE[(c ^ byte) & 0xff] ?? 0) ^ (c >>> 8);
  return (c ^ MAX_U32) >>> 0;
}

/** A copy of the frame, followed by the trailer. */
export function appendTrailer(frame: ArrayBuffer, trailer: Trailer): ArrayBuffer {
  const size = frame.byteLength;
  const out = new Uint8Array(size + TRAILER_BYTES);
  out.set(new Uint8Array(frame));
  const view = new DataView(out.buffer, size);
  view.setFloat64(0, trailer.sendTimeUs, true);
  view.setUint32(8, trailer.frameSeq % (MAX_U32 + 1), true);
  // 0 stands for "none": a round trip of exactly zero does not occur.
  view.setUint32(12, trailer.rttUs > 0 ? Math.min(MAX_U32, Math.round(trailer.rttUs)) : 0, true);
  view.setUint32(16, crc32(out.subarray(size, size + 16)), true);
  view.setUint32(20, MAGIC, true);
  return out.buffer;
}

/** Whether a frame ends with an intact trailer. The values in it may still be unusable. */
export function hasTrailer(frame: ArrayBuffer): boolean {
  const at = frame.byteLength - TRAILER_BYTES;
  if (at < 0) return false;
  const view = new DataView(frame, at);
  return (
    view.getUint32(20, true) === MAGIC && view.getUint32(16, true) === crc32(new Uint8Array(frame, at, 16))
  );
}

/**
 * Reads the trailer at the end of a frame. Returns null if there is no trailer, if it is damaged, or if its
 * time is out of range.
 */
export function readTrailer(frame: ArrayBuffer): Trailer | null {
  if (!hasTrailer(frame)) return null;
  const view = new DataView(frame, frame.byteLength - TRAILER_BYTES);
  const sendTimeUs = view.getFloat64(0, true);
  if (!(Math.abs(sendTimeUs) <= MAX_TIME_US)) return null;
  const rttUs = view.getUint32(12, true);
  return { sendTimeUs, frameSeq: view.getUint32(8, true), rttUs: rttUs === 0 ? NaN : rttUs };
}
