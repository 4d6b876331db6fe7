/**
 * A guest worker: runs one half of a user's controller alone in a worker. The half may loop forever or fill its
 * memory without affecting anything else: guest.ts then terminates this worker.
 */
import { askHalf, makeHalf, problemOf } from '../../core/user_answers.js';
import { limitMemory } from './guest_memory.js';
import { loadUserModule } from './user_module.js';
import type { GuestMessage, GuestQuestion, GuestSetup } from './guest_protocol.js';

/**
 * Released memory still counts until it is garbage-collected, which takes time. Therefore JavaScript may use
 * this many times the limit.
 */
const UNCOLLECTED = 8;

async function begin(setup: GuestSetup): Promise<void> {
  const { url, name, half: kind, options, memoryLimitBytes, port } = setup;
  const tell = (message: GuestMessage): void => port.postMessage(message);
  let controller;
  limitMemory(memoryLimitBytes * UNCOLLECTED);
  try {
    controller = await loadUserModule(url, { name, memoryLimitBytes });
  } catch (error) {
    tell({ kind: 'refused', message: error instanceof Error ? error.message : String(error) });
    return;
  }
  try {
    const half = makeHalf(controller, kind, options);
    port.onmessage = ({ data }: MessageEvent<GuestQuestion>) => {
      try {
        tell({ kind: 'answer', answer: askHalf(half, data) });
      } catch (error) {
        port.onmessage = null;
        tell({ kind: 'fault', message: problemOf(error) });
      }
    };
    tell({ kind: 'ready' });
  } catch (error) {
    tell({ kind: 'fault', message: problemOf(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<GuestSetup>) => void begin(data), { once: true });
