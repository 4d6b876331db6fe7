// The real calls of the soak: two calls and two hostile clients. Once a minute, the server, the kit and both browsers
// are sampled.
import { setTimeout as sleep } from 'node:timers/promises';

import { say } from '../lib/run.mjs';
import { Child } from './child.mjs';
import { chromiumKind, descendants, usage } from './process.mjs';

const MINUTE_MS = 60_000;
/** The kit's pages are replaced each time this many minutes have passed. In all other minutes, ICE is restarted. */
const KIT_RELOAD_MINUTES = 3;
/**
 * The number of page loads before the first minute. During these loads, Chromium's browser process grows by about 2
 * MB, with or without ccscope; then its size stays constant. Node also compiles its frequently used code in this
 * time.
 */
const WARM_UP_LOADS = 20;

/** The limit for the slope of a series of samples, by the name of the series. Slopes are per hour. */
export function limitOf(name) {
  if (/ \(MB\)$/.test(name)) return { unit: 'MB/h', limit: 1, judged: true };
  if (/lateness/.test(name)) return { unit: 'ms/h', limit: 5, judged: false };
  return { unit: '1/h', limit: 1, judged: true };
}

/**
 * The memory of one browser, summed over its processes of each kind, and its open descriptors, summed over all its
 * processes.
 */
function browserValues(prefix, processes) {
  const sums = {};
  for (const { pid, command } of processes) {
    const kind = chromiumKind(command);
    const used = kind && usage(pid);
    if (!used) continue;
    sums[`${prefix} ${kind} (MB)`] = (sums[`${prefix} ${kind} (MB)`] ?? 0) + used.memoryMb;
    sums[`${prefix} descriptors`] = (sums[`${prefix} descriptors`] ?? 0) + used.descriptors;
  }
  return sums;
}

async function nodeValues(child) {
  const { heapMb, threadHeapMb, externalMb, threads, wasmPages, handles } = await child.ask('sample');
  const used = usage(child.process.pid);
  return {
    [`${child.name} heap (MB)`]: heapMb,
    [`${child.name} heaps of threads (MB)`]: threadHeapMb,
    [`${child.name} buffers (MB)`]: externalMb,
    [`${child.name} resident (MB)`]: used?.memoryMb ?? NaN,
    [`${child.name} threads`]: threads,
    [`${child.name} WebAssembly pages`]: wasmPages,
    [`${child.name} handles`]: handles,
    [`${child.name} descriptors`]: used?.descriptors ?? NaN,
  };
}

class Soak {
  samples = [];
  faults = [];
  #startMs = performance.now();

  static async start() {
    const soak = new Soak();
    soak.server = new Child('server', './server.mjs');
    soak.kit = new Child('kit', './kit_call.mjs');
    soak.hostile = new Child('hostile', './hostile.mjs');
    await Promise.all([soak.server.ready, soak.kit.ready, soak.hostile.ready]);
    const { AppCall } = await import('./app_call.mjs');
    soak.app = await AppCall.open(await soak.server.ask('url'));
    await Promise.all([soak.#load(() => soak.app.reload()), soak.#load(() => soak.kit.ask('reload'))]);
    await soak.#aim();
    return soak;
  }

  async #load(reload) {
    for (let i = 0; i < WARM_UP_LOADS; i++) await this.#step('a page loads', reload);
  }

  /** Gives the hostile clients the address of the server and the ports of the current links. */
  async #aim() {
    const ports = [...this.app.linkPorts, await this.kit.ask('relayPort')];
    await this.hostile.ask('aim', await this.server.ask('url'), ports);
  }

  /** Runs one step. If it fails, this is recorded as a fault, and the soak continues. */
  async #step(what, work) {
    try {
      await work();
    } catch (error) {
      this.faults.push(`${what}: ${String(error).split('\n')[0]}`);
    }
  }

  async minute(number, deadlineMs) {
    const at = (share) => sleep(Math.max(0, deadlineMs - (1 - share) * MINUTE_MS - performance.now()));
    await this.#step('the app changes its controller', () => this.app.changeController());
    await this.#step('the hostile clients aim again', () => this.#aim());
    await at(0.4);
    if (number % KIT_RELOAD_MINUTES === 0)
      await this.#step('the kit’s pages reload', () => this.kit.ask('reload'));
    else
      for (const share of [0.4, 0.5, 0.6]) {
        await at(share);
        await this.#step('ICE restarts', () => this.kit.ask('restartIce'));
      }
    await at(0.8);
    await this.#step('the app reloads', () => this.app.reload());
    await this.#step('a sample is taken', () => this.#sample());
    await this.#step('the calls are looked at', () => this.#look());
    await at(1);
  }

  async #sample() {
    const [server, kit, app] = await Promise.all([
      nodeValues(this.server),
      nodeValues(this.kit),
      this.app.sample(),
    ]);
    const kits = descendants(this.kit.process.pid);
    const apps = descendants(process.pid).filter(({ pid }) => kits.every((kit) => kit.pid !== pid));
    const [appState, kitState] = await Promise.all([this.app.state(), this.kit.ask('state')]);
    const values = {
      ...server,
      ...kit,
      'page heap (MB)': app.heapMb,
      'page WebAssembly pages': app.wasmPages,
      'page workers': app.workers,
      ...browserValues('app’s browser', apps),
      ...browserValues('kit’s browser', kits),
      'app’s shaper lateness p95 (ms)': appState.lateness?.p95_ms ?? NaN,
      'kit’s shaper lateness p95 (ms)': kitState.lateness?.p95 ?? NaN,
    };
    this.samples.push({ hours: (performance.now() - this.#startMs) / 3.6e6, values });
  }

  #frames = 0;

  /** Checks that both calls are alive, and collects the errors of all processes. */
  async #look() {
    const [{ phase, problems }, kit] = await Promise.all([this.app.state(), this.kit.ask('state')]);
    if (phase !== 'connected') this.faults.push(`the app’s call is ${phase}: ${problems.join(' ')}`);
    if (kit.state !== 'connected' || kit.frames === this.#frames)
      this.faults.push(`the kit’s call is ${kit.state}, ${kit.frames} frames: ${kit.notices.join(' ')}`);
    this.#frames = kit.frames;
    this.faults.push(...this.app.errors.splice(0), ...kit.errors);
    for (const child of [this.server, this.kit, this.hostile]) this.faults.push(...child.uncaught.splice(0));
  }

  async end() {
    const sent = await this.hostile.ask('state').catch(() => null);
    await this.#step('the hostile clients end', () => this.hostile.ask('close'));
    await this.#step('the app ends', () => this.app.close());
    await this.#step('the kit’s call ends', () => this.kit.ask('close'));
    await this.#step('the server ends', () => this.server.ask('close'));
    await Promise.all([this.server, this.kit, this.hostile].map((child) => child.end()));
    return { samples: this.samples, faults: this.faults, sent };
  }
}

/** Soaks for the given number of minutes. Resolves with the samples, the faults and what the hostile clients sent. */
export async function soakCalls({ minutes, onMinute }) {
  const soak = await Soak.start();
  const startMs = performance.now();
  for (let number = 1; number <= minutes; number++) {
    await soak.minute(number, startMs + number * MINUTE_MS);
    onMinute({ number, faults: soak.faults.length });
  }
  say('Ending the calls …');
  return soak.end();
}
