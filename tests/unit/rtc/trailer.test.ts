import { describe, expect, it } from 'vitest';
import {
  appendTrailer,
  crc32,
  hasTrailer,
  readTrailer,
  TRAILER_BYTES,
} from '../../../src/worker/media/trailer.js';

const frame = Uint8Array.from({ length: 500 }, (_, i) => (i * 37) & 0xff).buffer;
const TRAILER = { sendTimeUs: 12_345_678, frameSeq: 4_000_000_000, rttUs: 53_000 };

describe('the timing trailer', () => {
  it('has the check sum of IEEE 802.3', () => {
    // The check value given for CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  });

  it('comes back as it was appended, and leaves the frame before it alone', () => {
    const out = appendTrailer(frame, TRAILER);
    expect(out.byteLength).toBe(500 + TRAILER_BYTES);
    expect(new Uint8Array(out, 0, 500)).toEqual(new Uint8Array(frame));
    expect(readTrailer(out)).toEqual(TRAILER);
  });

  it('carries an unknown round-trip time as unknown', () => {
    expect(readTrailer(appendTrailer(frame, { ...TRAILER, rttUs: NaN }))?.rttUs).toBeNaN();
  });

  it('counts frames modulo 2^32', () => {
    expect(readTrailer(appendTrailer(frame, { ...TRAILER, frameSeq: 2 ** 32 + 5 }))?.frameSeq).toBe(5);
  });

  it('is taken off, but not read, where no clock shows its time', () => {
    for (const sendTimeUs of [1e300, -1e300, 2 ** 53 + 2, NaN, Infinity]) {
      const out = appendTrailer(frame, { ...TRAILER, sendTimeUs });
      expect(readTrailer(out)).toBeNull();
      expect(hasTrailer(out)).toBe(true);
    }
    expect(readTrailer(appendTrailer(frame, { ...TRAILER, sendTimeUs: 2 ** 53 }))?.sendTimeUs).toBe(2 ** 53);
    expect(hasTrailer(frame)).toBe(false);
  });

  it('is not seen if it is missing, or if one bit of it is wrong', () => {
    expect(readTrailer(frame)).toBeNull();
    expect(readTrailer(new ArrayBuffer(0))).toBeNull();
    expect(readTrailer(new ArrayBuffer(TRAILER_BYTES - 1))).toBeNull();
    for (let bit = 0; bit < 8 * TRAILER_BYTES; bit++) {
      const damaged = new Uint8Array(appendTrailer(frame, TRAILER));
      const at = 500 + (bit >> 3);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (bit & 7));
      expect(readTrailer(damaged.buffer)).toBeNull();
    }
  });
});
