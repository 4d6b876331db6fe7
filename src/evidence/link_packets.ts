/** Every packet of a call at its link, as a row of a capture. */
import { DROP_REASONS, type DropReason } from '../core/link.js';
import { allLinks } from '../judge/index.js';
import type { CallRecord, Direction } from '../calls/record/record.js';

/** Times are in microseconds since the record's origin. */
export interface LinkPacket {
  /** When the packet reached the link. */
  offeredUs: number;
  /** When the packet's last bit left the bottleneck, or when the packet was dropped. */
  departUs: number;
  direction: Direction;
  /** The id of the page whose own link the packet passed; null for the shared link. */
  page: number | null;
  /** The number of the packet's RelayFlow, counted from 1; 0 if the relay had not identified the flow yet. */
  flow: number;
  /** Including the IPv4 and UDP headers. */
  sizeBytes: number;
  /** The time in the queue, from the arrival until the transmission started; NaN if the packet was dropped. */
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
