// A simulated day: 24 hours of a call's messages go through the pipelines of both media workers, on a clock that
// this file advances. Nothing waits in real time, so hours take only seconds, and leaks still show.
import { setImmediate as turn } from 'node:timers/promises';

import { watchMemories, wasmPages } from './memories.mjs';

const FRAME_MS = 1000 / 30;
const TICK_MS = 100;
const STATS_MS = 500;
const RTP_TICKS_PER_MS = 90;
/** The first timestamp is small, so that timestamps wrap at 2^32 only once: after about 13 of the 24 hours. */
const FIRST_RTP_TIMESTAMP = 3_000_000;
const KEY_FRAME_MS = 60_000;
const HEADER_BYTES = 60;
const LINK = { capacityBps: 1e6, oneWayDelayUs: 25_000, jitterUs: 1000, lossRatio: 0.001, seed: 7 };

const slot = (flow, controller) => ({
  ...{ flow, name: controller, controller, preset: `${controller}-live` },
  parameters: {},
});
const shadows = [slot(1, 'nada'), slot(2, 'lcc')];

/** A clock that replaces performance.now(), which the pipelines read. It advances only when `ms` is set. */
class TurnedClock {
  ms = 0;

  install() {
    const { timeOrigin } = performance;
    Object.defineProperty(globalThis, 'performance', {
      value: { timeOrigin, now: () => this.ms },
      configurable: true,
    });
    return timeOrigin;
  }
}

/** A frame in the form that a transform receives. */
function frameOf(data, type, rtpTimestamp, receiveTime) {
  return { data, type, timestamp: rtpTimestamp, getMetadata: () => ({ rtpTimestamp, receiveTime }) };
}

class SimulatedCall {
  #sender;
  #receiver;
  #link;
  #frames = 0;
  #targetBps = 300_000;
  #sentBytes = 0;
  #received = { packetsReceived: 0, packetsLost: 0, bytesReceived: 0 };
  #underWay = new Map();
  #feedback = [];
  /**
   * The number of results of each kind. They show that the day had events: a day without events would prove nothing.
   */
  counts = { frames: 0, feedback: 0, target: 0, rows: 0, faults: 0, outOfRange: 0 };

  constructor(clock, originEpochMs) {
    this.clock = clock;
    this.originEpochMs = originEpochMs;
  }

  get nowUs() {
    return Math.round(this.clock.ms * 1000);
  }

  async open() {
    const load = (file) => import(`../../dist/lib/${file}.js`);
    const [{ compileCore, loadCore }, { Reporter }, { SenderPipeline }, { ReceiverPipeline }] =
      await Promise.all(
        [
          'core/index',
          'worker/media/reporter',
          'worker/media/sender_pipeline',
          'worker/media/receiver_pipeline',
        ].map(load),
      );
    const module = await compileCore();
    const config = (side) => ({
      ...{ side, originEpochMs: this.originEpochMs, controller: slot(0, 'gcc'), shadows },
    });
    const reporter = () => new Reporter({ postMessage: (event) => this.#hear(event) });
    this.#receiver = await ReceiverPipeline.open(module, config('receiver'), reporter());
    this.#sender = await SenderPipeline.open(module, config('sender'), {
      reporter: reporter(),
      requestKeyFrame: () => undefined,
      failed: (error) => {
        throw error;
      },
    });
    this.#link = (await loadCore(module)).createLink(LINK);
  }

  #hear(event) {
    switch (event.kind) {
      case 'target':
        this.counts.target += 1;
        if (Number.isFinite(event.targetBps)) this.#targetBps = event.targetBps;
        if (!(event.targetBps >= 50_000 && event.targetBps <= 2_500_000)) this.counts.outOfRange += 1;
        return;
      case 'feedback':
        this.counts.feedback += 1;
        this.#feedback.push({ atUs: this.nowUs + LINK.oneWayDelayUs, bytes: event.bytes });
        return;
      case 'batches':
        this.counts.rows += event.batches.reduce((sum, { rows }) => sum + rows, 0);
        return;
      case 'fault':
      case 'controller-fault':
        this.counts.faults += 1;
    }
  }

  /** Sends the encoder's next frame, at the target rate; one frame per minute is a key frame. */
  send() {
    const isKey = this.clock.ms % KEY_FRAME_MS < FRAME_MS;
    const size = Math.max(200, Math.round((this.#targetBps * FRAME_MS) / 8000) * (isKey ? 4 : 1));
    const rtpTimestamp = (FIRST_RTP_TIMESTAMP + Math.round(this.clock.ms * RTP_TICKS_PER_MS)) % 2 ** 32;
    const frame = frameOf(new ArrayBuffer(size), isKey ? 'key' : 'delta', rtpTimestamp);
    this.#sender.frame(frame, ({ data, type }) => {
      const id = this.#frames++;
      this.#sentBytes += data.byteLength + HEADER_BYTES;
      const dropped = this.#link.enqueue(id, data.byteLength + HEADER_BYTES, this.nowUs);
      if (dropped === null) this.#underWay.set(id, { data, type, rtpTimestamp });
      else this.#received.packetsLost += 1;
    });
  }

  /** Delivers everything that has arrived by now, at both ends. */
  receive() {
    for (const { packetId, sizeBytes, deliverUs } of this.#link.poll(this.nowUs)) {
      const { data, type, rtpTimestamp } = this.#underWay.get(packetId);
      this.#underWay.delete(packetId);
      this.#received.packetsReceived += 1;
      this.#received.bytesReceived += sizeBytes;
      this.counts.frames += 1;
      this.#receiver.frame(frameOf(data, type, rtpTimestamp, deliverUs / 1000), () => undefined);
    }
    for (const { packetId } of this.#link.lateDrops()) {
      this.#underWay.delete(packetId);
      this.#received.packetsLost += 1;
    }
    while (this.#feedback[0]?.atUs <= this.nowUs) this.#sender.feedback(this.#feedback.shift().bytes);
  }

  /** Passes on the counters that pages would read from getStats. */
  stats() {
    this.#receiver.inbound({ timeUs: this.nowUs, ...this.#received });
    this.#sender.sent({ sentBytes: this.#sentBytes, rttUs: 2 * LINK.oneWayDelayUs, browserEstimateBps: NaN });
  }

  tick() {
    this.#receiver.tick();
    this.#sender.tick();
  }

  close() {
    this.#receiver.destroy();
    this.#sender.destroy();
    this.#link.destroy();
  }
}

/** Runs the call for another hour. */
function hour(call, clock, fromMs) {
  const toMs = fromMs + 3_600_000;
  let [frameMs, tickMs, statsMs] = [fromMs, fromMs, fromMs];
  while (frameMs < toMs) {
    clock.ms = frameMs;
    call.receive();
    call.send();
    frameMs += FRAME_MS;
    if (frameMs >= tickMs) {
      call.tick();
      tickMs += TICK_MS;
    }
    if (frameMs >= statsMs) {
      call.stats();
      statsMs += STATS_MS;
    }
  }
}

/**
 * Lets the given number of hours pass. After each hour, calls `sample` with the number of the hour, the heap in bytes
 * after collecting garbage, the modules' memory in pages, and the CPU milliseconds that the hour took. Needs
 * --expose-gc.
 */
export async function simulatedDay({ hours = 24, sample }) {
  watchMemories();
  const clock = new TurnedClock();
  const call = new SimulatedCall(clock, clock.install());
  await call.open();
  for (let h = 0; h < hours; h++) {
    const before = process.cpuUsage();
    hour(call, clock, h * 3_600_000);
    const { user, system } = process.cpuUsage(before);
    // Lets the pipelines' pending promises settle before memory is measured.
    await turn();
    globalThis.gc();
    sample({
      hour: h + 1,
      heapBytes: process.memoryUsage().heapUsed,
      wasmPages: wasmPages().pages,
      cpuMs: (user + system) / 1000,
    });
  }
  call.close();
  return call.counts;
}
