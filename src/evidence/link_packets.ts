/** The packets of a call at its link, one by one: the rows of a capture. */
import { DROP_REASONS, type DropReason } from '../core/link.js';
import { allLinks } from '../judge/index.js';
import type { CallRecord, Direction } from '../calls/record/record.js';

/** Times in microseconds since the record's origin. */
export interface LinkPacket {
  /** When it reached the link. */
  offeredUs: number;
  /** When its last bit left the bottleneck, or when it was dropped. */
  departUs: number;
  direction: Direction;
  /** The page (its id) whose own link it passed; null for the shared one. */
  page: number | null;
  /** The connection that it belongs to, as the relay counts them from 1; 0 if the relay did not know it yet. */
  flow: number;
  /** With IPv4 and UDP headers. */
  sizeBytes: number;
  /** From reaching the queue to the start of its transmission; NaN if it was dropped. */
  queueDelayUs: number;
  dropped: DropReason | null;
}

/**
 * All recorded packets, of all links and both directions, in the order in which they departed or were dropped.
 */
export function linkPackets(record: CallRecord): LinkPacket[] {
  const found = allLinks(record).flatMap((link) =>
    (['forward', 'backward'] as const).flatMap((direction) => {
      const packets = link[direction]?.packets;
      return Array.from({ length: packets?.rows ?? 0 }, (_, i): LinkPacket => {
        return {
          offeredUs: packets?.offeredUs[i] ?? NaN,
          departUs: packets?.departUs[i] ?? NaN,
          direction,
          page: link.page,
          flow: packets?.flow[i] ?? NaN,
          sizeBytes: packets?.sizeBytes[i] ?? NaN,
          queueDelayUs: packets?.queueDelayUs[i] ?? NaN,
          dropped: DROP_REASONS[packets?.reason[i] ?? 0] ?? null,
        };
      });
    }),
  );
  return found.sort((a, b) => a.departUs - b.departUs);
}
