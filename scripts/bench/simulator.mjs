// The simulator's benchmark. It measures three things: the simulated seconds per second of CPU time,
// alternately in Node's WebAssembly and natively; the time per event, for several numbers of flows and
// durations; and the memory.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { filesUnder, inRoot } from '../lib/files.mjs';
import { compileObjects } from '../lib/objects.mjs';
import { Problem, run, say } from '../lib/run.mjs';
import { findCxx } from '../lib/tools.mjs';
import { commonFlags } from '../native_tests.mjs';
import { heading, median, row } from './report.mjs';

const repeats = 7;
/** Rounds that are not counted: V8 is still optimising the code during these rounds. */
const warmUps = 4;
/**
 * The minimum number of events in a measurement. If one simulation has fewer events, a measurement consists
 * of several simulations.
 */
const eventsPerMeasurement = 1e6;
const mebibyte = 2 ** 20;

const oneGcc = { media: 1, tcp: 0, capacityBps: 1e6, durationS: 300 };
const gccAndCubic = { media: 1, tcp: 99, capacityBps: 100e6, durationS: 20 };

/**
 * The options of a simulation over a token bucket with a DropTail queue of 300 ms, and a delay of 25 ms each
 * way.
 */
const options = ({ media, preset = 'gcc', tcp, capacityBps, durationS }, seed) => ({
  durationUs: durationS * 1e6,
  seed,
  forward: {
    capacityBps,
    bottleneck: 'token-bucket',
    queue: { kind: 'droptail', limitMs: 300 },
    oneWayDelayUs: 25_000,
  },
  flows: [
    ...Array.from({ length: media }, () => ({ kind: 'media', preset })),
    ...Array.from({ length: tcp }, () => ({ kind: 'tcp' })),
  ],
});

/** Runs one simulation on the module; returns its CPU seconds and its number of events. */
function simulate(core, kind, seed) {
  const from = process.cpuUsage();
  const simulation = core.createSimulation(options(kind, seed));
  simulation.runUntil(kind.durationS * 1e6);
  const { events } = simulation;
  simulation.destroy();
  const { user, system } = process.cpuUsage(from);
  return { seconds: (user + system) / 1e6, events };
}

/**
 * Builds the simulator natively, without sanitizers and optimised (-O3). Returns the counterpart of
 * simulate().
 */
async function buildNative() {
  const compiler = findCxx();
  if (!compiler) {
    say('No C++ compiler: the native build is left out.');
    return undefined;
  }
  const folder = inRoot('build/bench');
  const isPart = (file) => file.endsWith('.cc') && !file.includes('/abi/');
  const sources = filesUnder(['wasm', 'scripts/bench'], isPart);
  const flags = [...commonFlags, '-O3', '-DNDEBUG', '-flto'];
  const { objects } = await compileObjects(sources.map((source) => ({ compiler, source, folder, flags })));
  const binary = join(folder, 'simulate');
  await run(compiler, ['-O3', '-flto=auto', ...objects, '-o', binary], { what: 'Linking the native build' });
  return ({ media, tcp, capacityBps, durationS }, seed) => {
    const { stdout, status } = spawnSync(binary, [media, tcp, capacityBps, durationS, seed].map(String));
    if (status !== 0) throw new Problem('The native simulation failed.');
    const [seconds, events] = String(stdout).split(' ').map(Number);
    return { seconds, events };
  };
}

/**
 * Prints the simulated seconds per second of CPU time, for the module and for the native build, and the ratio of
 * their times. The module and the native build take turns.
 */
function compare(core, native, name, kind, target) {
  const cold = simulate(core, kind, 1);
  row(`${name}, first run`, kind.durationS / cold.seconds, 'sim-s/s', 'target', target);
  for (let seed = 2; seed <= warmUps; seed += 1) simulate(core, kind, seed);
  const times = Array.from({ length: repeats }, (_, i) => {
    const [module, machine] = [simulate(core, kind, i + 1), native?.(kind, i + 1)];
    if (machine && machine.events !== module.events) {
      throw new Problem(`${name}: ${module.events} events in WebAssembly, ${machine.events} natively.`);
    }
    return [module.seconds, machine?.seconds];
  });
  const [module, machine] = [0, 1].map((side) => median(times.map((pair) => pair[side])));
  row(name, kind.durationS / module, 'sim-s/s', 'target', target);
  if (machine === undefined) return;
  row(`${name}, native`, kind.durationS / machine, 'sim-s/s', 'target', target);
  row(`${name}, WebAssembly over native`, module / machine, '', 'target', 2);
}

/** Nanoseconds per event, over as many simulations as one measurement needs. */
function timePerEvent(core, kind) {
  let [seconds, events] = [0, 0];
  for (let seed = 1; events < eventsPerMeasurement; seed += 1) {
    const one = simulate(core, kind, seed);
    seconds += one.seconds;
    events += one.events;
  }
  return (1e9 * seconds) / events;
}

/** The kinds of simulations take turns, so that other load on the machine affects all of them equally. */
function compareTimesPerEvent(core, title, kinds) {
  heading(`${title} (median of ${repeats}; target: 85 to 115 %)`);
  const rounds = Array.from({ length: repeats + 1 }, () => kinds.map(([, kind]) => timePerEvent(core, kind)));
  const times = kinds.map((_, i) => median(rounds.slice(1).map((round) => round[i])));
  for (const [i, [name]] of kinds.entries()) row(name, times[i], 'ns/event', kinds[0][0], times[0]);
}

/** The module's memory after one simulation, in a fresh instance of the module. */
async function measureMemory(loadCore, name, kind, limitMiB) {
  const core = await loadCore();
  simulate(core, kind, 1);
  row(name, core.module.memoryBytes / mebibyte, 'MiB', 'limit', limitMiB);
}

export async function benchSimulator() {
  const { loadCore, SCHEMA } = await import('../../dist/lib/core/index.js');
  const native = await buildNative();
  const core = await loadCore();
  heading(`The simulator, seconds simulated per second of CPU time (median of ${repeats})`);
  compare(core, native, 'a GCC flow at 1 Mbps', oneGcc, 20_000);
  compare(core, native, 'GCC and 99 CUBIC flows at 100 Mbps', gccAndCubic, 150);
  const others = Object.entries(SCHEMA.controllers).filter(([name]) => name !== 'gcc');
  for (const { name } of others.flatMap(([, { presets }]) => presets)) {
    compare(core, undefined, `a flow of ${name} at 1 Mbps`, { ...oneGcc, preset: name }, 10_000);
  }

  const flows = (field) =>
    [1, 10, 100].map((n) => [
      `${n} flow${n > 1 ? 's' : ''}`,
      { ...oneGcc, media: 0, [field]: n, capacityBps: n * 1e6, durationS: 100 },
    ]);
  compareTimesPerEvent(core, 'Time per event, GCC flows at 1 Mbps each', flows('media'));
  compareTimesPerEvent(core, 'Time per event, CUBIC flows at 1 Mbps each', flows('tcp'));
  const durations = [10, 100, 1000, 10_000].map((durationS) => [`${durationS} s`, { ...oneGcc, durationS }]);
  compareTimesPerEvent(core, 'Time per event, one GCC flow', durations);

  heading('Memory of the module');
  await measureMemory(loadCore, 'one GCC flow, 10,000 s', { ...oneGcc, durationS: 10_000 }, 64);
  await measureMemory(loadCore, 'GCC and 99 CUBIC flows, 100 s', { ...gccAndCubic, durationS: 100 }, 64);
}
