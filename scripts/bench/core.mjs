// The core's benchmark: the CPU time per frame of each preset, compared with that of `gcc`.
import { heading, median, row } from './report.mjs';

const frames = 20_000;
const repeats = 5;

/** Microseconds of CPU time per frame, for frames of 2 to 5 kB at 30 fps through a link of 1 Mbps. */
function timePreset(core, preset) {
  const receiver = core.createReceiver({ preset });
  let random = 1;
  const from = process.cpuUsage();
  for (let seq = 0; seq < frames; seq += 1) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    const sizeBytes = 2000 + (random % 3000);
    const sendTimeUs = Math.round((seq * 1e6) / 30);
    receiver.pushArrival({ seq, sendTimeUs, arrivalTimeUs: sendTimeUs + 25_000 + 8 * sizeBytes, sizeBytes });
    receiver.takeFeedback();
    if (seq % 30 === 0) receiver.drain();
  }
  const { user, system } = process.cpuUsage(from);
  receiver.destroy();
  return (user + system) / frames;
}

/**
 * In a feedback message of LCC (one of the controllers), this third value means that the receiver has found no
 * bound on the capacity.
 */
const NO_BOUND = 0;

/**
 * Microseconds of CPU time per message in the sender half of LCC. At each message, LCC fits its density of rate and
 * delay to 300 pairs again.
 */
function timeRefit(core) {
  const parameters = { refit_interval_ms: 0 };
  const sender = core.createSender({ preset: 'lcc-n300', parameters, record: [] });
  const message = { receivedRateBps: 1e6, packetsReceived: 0, packetsLost: 0, echoDelayUs: 0 };
  const from = process.cpuUsage();
  for (let epoch = 0; epoch < frames; epoch += 1) {
    const timeUs = 50_000 * epoch;
    const delayUs = 60_000 + ((epoch * 7919) % 30_000);
    sender.pushFeedback(
      { ...message, timeUs, echoSendTimeUs: timeUs, values: [delayUs, 50_000, NO_BOUND] },
      timeUs + 100_000,
    );
  }
  const { user, system } = process.cpuUsage(from);
  sender.destroy();
  return (user + system) / frames;
}

export async function benchCore() {
  const { loadCore, SCHEMA } = await import('../../dist/lib/core/index.js');
  const core = await loadCore();
  timePreset(core, 'gcc'); // A warm-up, which is not counted: V8 compiles the code.
  const presets = Object.values(SCHEMA.controllers).flatMap((controller) => controller.presets);
  const times = presets.map(({ name }) => [
    name,
    median(Array.from({ length: repeats }, () => timePreset(core, name))),
  ]);
  const base = times.find(([name]) => name === 'gcc')[1];
  heading('The core, CPU time per frame (median of 5)');
  for (const [name, us] of times) row(name, us, 'us', 'gcc', base);

  heading('LCC, CPU time per message with a refit of 300 pairs (median of 5)');
  timeRefit(core);
  row('lcc-n300', median(Array.from({ length: repeats }, () => timeRefit(core))), 'us', 'limit', 300);
}
