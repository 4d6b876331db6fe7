/**
 * A user's controller in guest workers. The page passes frames to the controller, as a media worker would.
 */
import { compileCore, type Feedback } from '../../../src/core/index.js';
import { guestReceiver, guestSender } from '../../../src/worker/guest/guest_client.js';

export interface Driven {
  /** Feedback messages of the receiver half, i.e. the controller's part at the receiver. */
  messages: Feedback[];
  faults: { half: 'receiver' | 'sender'; message: string; atMs: number }[];
  /** The target of the sender half (the controller's part at the sender), read after every third frame. */
  targetsBps: number[];
  /** Rows recorded, by table. */
  rows: Record<string, number>;
  /** The longest delay of this thread's timers. Each timer passes one frame to the controller. */
  longestStallMs: number;
}

export interface Asked {
  /** The source text of a module, or its URL. */
  source: string;
  durationMs: number;
  /**
   * If set, the run ends early: as soon as this half of the controller has failed and at least this many
   * frames have been passed to the controller.
   */
  until?: { fault: 'receiver' | 'sender'; frames: number };
  flow?: number;
}

const FRAME_MS = 33;
const START_BPS = 300e3;

/** Loads the module into both halves (sender and receiver). Feeds them frames with a one-way delay of 25 ms. */
export async function drive({ source, durationMs, until, flow = 0 }: Asked): Promise<Driven> {
  const core = await compileCore();
  const url = /^(https?|data|blob):/.test(source)
    ? source
    : URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const parameters = { min_bitrate_bps: 50e3, max_bitrate_bps: 2e6, start_bitrate_bps: START_BPS };
  const config = { flow, name: 'guest', url, parameters };
  const driven: Driven = { messages: [], faults: [], targetsBps: [], rows: {}, longestStallMs: 0 };
  const began = performance.now();
  const nowUs = (): number => Math.round((performance.now() - began) * 1000);
  const faultOf = (half: 'receiver' | 'sender') => (message: string) =>
    driven.faults.push({ half, message, atMs: performance.now() - began });
  const sender = await guestSender(core, config, { onFault: faultOf('sender') });
  const receiver = await guestReceiver(core, config, {
    onFault: faultOf('receiver'),
    onFeedback: (feedback) => {
      driven.messages.push(feedback);
      sender.pushFeedback(feedback, nowUs());
    },
  });
  let last = performance.now();
  const isEnough = (frames: number): boolean =>
    until !== undefined && frames >= until.frames && driven.faults.some(({ half }) => half === until.fault);
  for (let seq = 0; performance.now() - began < durationMs && !isEnough(seq); seq++) {
    await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
    const now = performance.now();
    driven.longestStallMs = Math.max(driven.longestStallMs, now - last - FRAME_MS);
    last = now;
    receiver.pushArrival({ seq, sendTimeUs: nowUs() - 25e3, arrivalTimeUs: nowUs(), sizeBytes: 1200 });
    if (seq % 3 === 0) driven.targetsBps.push(sender.run(nowUs()).targetBps);
  }
  for (const { table, rows } of [...receiver.drain(), ...sender.drain()])
    driven.rows[table] = (driven.rows[table] ?? 0) + rows;
  receiver.destroy();
  sender.destroy();
  return driven;
}

/** Returns the message of the error that loading this module throws. */
export async function refusal(source: string): Promise<string> {
  try {
    await drive({ source, durationMs: 0 });
    return 'it was loaded';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
