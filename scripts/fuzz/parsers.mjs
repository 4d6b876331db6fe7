// Fuzzes the targets of tests/fuzz/parsers and tests/fuzz/doors by seeded mutation: every parser of the TypeScript
// side, and the "doors", i.e. the places at which the servers take input from the network. Each target runs in a
// thread; a watchdog ends the thread if it hangs. Inputs that cause a fault are kept in
// build/fuzz/artifacts/TARGET. An input whose fault is not fixed yet counts as open.
//
//   node scripts/fuzz/parsers.mjs [--minutes N] [--executions N] [--only TARGET,…] [--seed N] [--list]
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

import { inRoot } from '../lib/files.mjs';
import { fail, Problem, say } from '../lib/run.mjs';
import { isStarted } from '../lib/started.mjs';

const out = inRoot('build/fuzz/parsers');
/** A target that makes no progress for this long is considered hung. */
const HANG_MS = 10_000;
const WATCH_MS = 500;
const MAX_HEAP_MB = 512;
/**
 * The number of a target's inputs that are in progress at a time. Doors wait for answers, so inputs can overlap;
 * parsers do not wait.
 */
const CONCURRENCY = { doors: 16, parsers: 1 };
/** Fuzzing a target ends after this many different faults: more faults would reveal nothing new. */
const MOST_FAULTS = 20;

/**
 * A target is abandoned after this many of its threads have ended early, because each thread may have hung for
 * HANG_MS.
 */
const MOST_ENDS = 5;

/** Bundles the targets. Returns them, each with the file that it is in. */
async function bundle() {
  const { build } = await import('esbuild');
  const sources = ['parsers', 'doors'].flatMap((room) => {
    const folder = inRoot('tests/fuzz', room);
    const files = existsSync(folder)
      ? readdirSync(folder).filter((file) => /^(?!.*test).*\.ts$/.test(file))
      : [];
    return files.map((file) => ({
      room,
      entry: join(folder, file),
      name: `${room}-${basename(file, '.ts')}`,
    }));
  });
  const entryPoints = sources.map(({ entry, name }) => ({ in: entry, out: name }));
  for (const name of ['worker', 'harness'])
    entryPoints.push({ in: inRoot(`tests/fuzz/${name}.ts`), out: name });
  const loaders = {
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  };
  // The targets of the doors start serve.mjs as a separate process, and expect serve.mjs in the folder of
  // their bundle.
  mkdirSync(out, { recursive: true });
  copyFileSync(inRoot('tests/fuzz/doors/serve.mjs'), join(out, 'serve.mjs'));
  await build({ entryPoints, outdir: out, outExtension: { '.js': '.mjs' }, bundle: true, ...loaders });
  const { targetsIn, folderOf } = await import(pathToFileURL(join(out, 'harness.mjs')).href);
  const targets = [];
  for (const { room, name } of sources) {
    const url = pathToFileURL(join(out, `${name}.mjs`)).href;
    for (const target of targetsIn(await import(url)))
      targets.push({
        room,
        url,
        name: target.name,
        folder: folderOf(target.name),
        close: () => target.close?.(),
      });
  }
  return targets;
}

/**
 * Runs a target in a thread until the thread has finished its work or is terminated. Resolves with `next`, the index
 * of the next input, and with the number of executions. If a fault ended the thread, the result also contains a
 * message, and `index`, the index of the last input.
 */
function thread(target, order, onFault) {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  shared[0] = order.from;
  const concurrency = CONCURRENCY[target.room];
  const workerData = { url: target.url, target: target.name, shared, concurrency, ...order };
  const worker = new Worker(join(out, 'worker.mjs'), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let done = 0;
  let heardMs = Date.now();
  let hung = false;
  const watch = setInterval(() => {
    const now = Atomics.load(shared, 1);
    if (now !== done) heardMs = Date.now();
    done = now;
    if (Date.now() - heardMs < HANG_MS) return;
    hung = true;
    void worker.terminate();
  }, WATCH_MS);
  return new Promise((resolve) => {
    let result;
    worker.on('message', (report) => {
      if (report.kind === 'fault') onFault(report);
      else result = { next: report.next };
    });
    const ended = (message) => {
      result ??= { next: shared[0] + 1, index: shared[0], message };
    };
    worker.on('error', (error) => ended(error.stack ?? error.message));
    worker.on('exit', () => {
      clearInterval(watch);
      ended(hung ? `no answer within ${HANG_MS / 1000} s` : 'the thread ended');
      resolve({ ...result, executions: Atomics.load(shared, 1) });
    });
  });
}

const artifacts = (target) => inRoot('build/fuzz/artifacts', target.folder);
const filesIn = (folder) =>
  existsSync(folder) ? readdirSync(folder).filter((file) => !file.endsWith('.txt')) : [];

/** Runs the inputs one after the other. Returns the indices of the inputs that fail. */
async function failing(target, files) {
  const failed = new Set();
  for (let from = 0; from < files.length;) {
    const order = { seed: 0, from, to: files.length, untilMs: Infinity, files, concurrency: 1 };
    const { next, index, message } = await thread(target, order, (report) => failed.add(report.index));
    if (message !== undefined) failed.add(index);
    from = next;
  }
  return [...failed];
}

/** The number of inputs that failed at some time and still fail. */
async function openOnes(target) {
  const folders = [artifacts(target), inRoot('tests/fuzz/corpus', target.folder)];
  const files = folders.flatMap((folder) => filesIn(folder).map((file) => readFileSync(join(folder, file))));
  return (await failing(target, files)).length;
}

/**
 * Finds the inputs that made a thread end. Several inputs may have been in progress, so each of them is run alone.
 * Returns the inputs that fail again or, if no input fails again, all of them.
 */
async function guilty(target, inputAt, from, index) {
  const first = Math.max(from, index - CONCURRENCY[target.room] + 1);
  const suspects = Array.from({ length: index - first + 1 }, (_, i) => inputAt(first + i));
  const failed = await failing(target, suspects);
  return failed.length > 0 ? failed.map((i) => suspects[i]) : suspects;
}

function save(target, input, message) {
  const folder = artifacts(target);
  mkdirSync(folder, { recursive: true });
  const name = createHash('sha256').update(input).digest('hex').slice(0, 16);
  writeFileSync(join(folder, name), input);
  writeFileSync(join(folder, `${name}.txt`), `${message}\n`);
}

async function fuzzTarget(target, { executions, untilMs, seed, onProgress }) {
  const { inputsOf, targetsIn } = await import(pathToFileURL(join(out, 'harness.mjs')).href);
  const known = targetsIn(await import(target.url)).find(({ name }) => name === target.name);
  const inputAt = inputsOf(known, seed);
  const keys = new Set();
  const found = (key, inputs, message) => {
    if (keys.has(key) || keys.size >= MOST_FAULTS) return;
    keys.add(key);
    for (const input of inputs) save(target, input, message);
    onProgress({ target: target.name, fault: message });
  };
  let done = 0;
  let ends = 0;
  for (
    let from = 0;
    from < executions && Date.now() < untilMs && keys.size < MOST_FAULTS && ends < MOST_ENDS;
  ) {
    const order = { seed, from, to: executions, untilMs };
    const end = await thread(target, order, ({ input, fault }) => found(fault.key, [input], fault.message));
    done += end.executions;
    if (end.message !== undefined) {
      ends += 1;
      const key = end.message.slice(0, 60);
      if (!keys.has(key)) found(key, await guilty(target, inputAt, from, end.index), end.message);
    }
    from = end.next;
  }
  await target.close();
  return {
    target: target.name,
    executions: done,
    edges: null,
    found: keys.size,
    open: await openOnes(target),
  };
}

/** The names of all targets. */
export const parserNames = async () => (await bundle()).map(({ name }) => name);

/**
 * Fuzzes the targets one after the other, for `minutes` in total, or for `executions` of each target. Resolves to
 * rows of { target, executions, edges, found, open }. `only` is a list of names. `onProgress` is called with {
 * target, fault } for each fault, and with each row.
 */
export async function fuzzParsers({ minutes, executions, only, seed = 1, onProgress = () => undefined }) {
  const all = await bundle();
  const targets = all.filter(({ name }) => only === undefined || only.includes(name));
  if (targets.length === 0)
    throw new Problem(`--only: expected some of ${all.map(({ name }) => name).join(', ')}.`);
  const rows = [];
  for (const [i, target] of targets.entries()) {
    const endMs = minutes === undefined ? Infinity : (minutes * 60_000) / targets.length;
    const untilMs = Date.now() + endMs;
    const row = await fuzzTarget(target, {
      executions: executions ?? 2 ** 31 - 1,
      untilMs,
      seed: seed + i,
      onProgress,
    });
    rows.push(row);
    onProgress(row);
  }
  return rows;
}

async function main() {
  const options = Object.fromEntries(
    ['minutes', 'executions', 'only', 'seed'].map((name) => [name, { type: 'string' }]),
  );
  const { values } = parseArgs({ options: { ...options, list: { type: 'boolean' } } });
  if (values.list) {
    for (const { name } of await bundle()) say(name);
    return;
  }
  const numbers = Object.entries(values).flatMap(([name, text]) =>
    name === 'only' ? [] : [[name, Number(text)]],
  );
  const began = Date.now();
  let beforeMs = began;
  const rows = await fuzzParsers({
    ...(Object.keys(values).some((name) => name === 'minutes' || name === 'executions')
      ? {}
      : { minutes: 1 }),
    ...Object.fromEntries(numbers),
    ...(values.only && { only: values.only.split(',') }),
    onProgress: (news) => {
      if (news.fault !== undefined) {
        say(`${news.target}: ${news.fault.split('\n')[0]}`);
        return;
      }
      const seconds = (Date.now() - beforeMs) / 1000;
      beforeMs = Date.now();
      say(
        `${news.target}: ${news.executions} executions in ${seconds.toFixed(0)} s, ${news.found} found, ${news.open} open`,
      );
    },
  });
  if (rows.some(({ open }) => open > 0)) process.exitCode = 1;
}

if (isStarted(import.meta.url)) await main().catch(fail);
