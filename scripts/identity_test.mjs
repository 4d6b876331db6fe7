// Identical input gives identical bytes natively and in WebAssembly: one list of operations goes
// through the ABI of the module and, by tests/native/identity/replay_abi.cc, of a native build.
//
// An operation is eleven doubles: what it is (the index in `interpreter`) and up to ten arguments.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { buildWasm, wasmPath } from './build_wasm.mjs';
import { filesUnder, inRoot } from './lib/files.mjs';
import { compileObjects } from './lib/objects.mjs';
import { instantiate, readSchema } from './lib/schema.mjs';
import { fail, Problem, run, say } from './lib/run.mjs';
import { findCxx } from './lib/tools.mjs';
import { commonFlags } from './native_tests.mjs';

const argumentCount = 10;
const feedbackColumns = 8;

/** The same generator everywhere: 32-bit integer arithmetic (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), 1 | state);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A minute of a call over a link whose queue grows, empties and loses frames. */
function* callOperations(preset, tables, random) {
  yield [0, preset];
  let [free, received, lost, bytes] = [0, 0, 0, 0];
  for (let seq = 0; seq < 1800; seq += 1) {
    const sent = Math.round((seq * 1e6) / 30 + 2000 * random());
    const keyFrame = seq % 240 === 0;
    const size = Math.round((keyFrame ? 20000 : 4000) * (0.7 + 0.6 * random()));
    const capacity = seq % 600 < 400 ? 1.2e6 : 0.7e6;
    free = Math.min(Math.max(free, sent + 25000) + (size * 8e6) / capacity, sent + 400000);
    if (random() < 0.01) {
      lost += 3;
      continue;
    }
    received += Math.ceil(size / 1200);
    bytes += size;
    const arrival = Math.round(free + 1500 * random());
    const isBare = seq % 7 === 0;
    yield [
      1,
      0,
      seq,
      isBare ? NaN : sent,
      arrival,
      size,
      (seq * 3000) % 2 ** 32,
      NaN,
      Number(keyFrame),
      50000 + 1e4 * random(),
    ];
    if (seq % 2 === 0) yield [2, 0, arrival, received, lost, bytes];
    if (seq % 3 === 0) yield [3, arrival, bytes * 1.01, 52000, NaN];
    if (seq === 900) yield [4, tables.alpha, 0.9];
  }
  for (const [table, columns] of tables.columns.entries()) yield [5, table, columns];
  yield [6];
}

/** Packets of many flows, more than a link with jitter and loss carries, in a mode of its bottleneck. */
function* linkOperations({ kind, values }, mode, random) {
  for (const [place, value] of values.entries()) yield [10, place, value];
  yield [7, 1e6, kind, values.length, mode, 5000, 25000, 0.02, 3000, 7];
  for (let id = 0, now = 0; id < 6000; id += 1, now += Math.round(11500 * random())) {
    yield [8, id, Math.round(100 + 1400 * random()), now, Math.floor(40 * random())];
  }
  yield [9];
}

/** The operations on the module; returns every number that comes out, as bytes. */
function runOnModule({ exports: abi }, operations) {
  const written = [];
  const [state, write] = [{}, (...values) => written.push(Float64Array.from(values))];
  const view = (pointer, length) => new Float64Array(abi.memory.buffer, pointer, length);
  const fill = (session, values) =>
    view(abi.ccs_session_buffer(session, values.length), values.length).set(values);
  const passFeedback = (now) => {
    if (abi.ccs_receiver_take_feedback(state.receiver) === 0) return;
    const row = view(abi.ccs_session_buffer(state.receiver, feedbackColumns), feedbackColumns).slice();
    written.push(row);
    fill(state.sender, row);
    write(abi.ccs_sender_push_feedback(state.sender, now));
  };
  const push = (values, name, now) => {
    fill(state.receiver, values);
    write(abi[name](state.receiver, 1));
    passFeedback(now);
  };
  const interpreter = [
    ([preset]) => {
      state.receiver = abi.ccs_receiver_create(0, preset, 0);
      state.sender = abi.ccs_sender_create(0, preset, 0);
    },
    (a) => push(a.slice(0, 9), 'ccs_receiver_push_arrivals', a[3]),
    (a) => push(a.slice(0, 5), 'ccs_receiver_push_inbound', a[1]),
    ([now, bytes, rtt, estimate]) => {
      write(abi.ccs_sender_push_sent(state.sender, now, bytes, rtt, estimate));
      write(abi.ccs_sender_run(state.sender, now));
    },
    ([index, value]) => {
      for (const session of [state.receiver, state.sender])
        write(abi.ccs_session_set_parameter(session, index, value));
    },
    ([table, columns]) => {
      for (const session of [state.receiver, state.sender]) {
        const rows = abi.ccs_trace_rows(abi.ccs_session_recorder(session), table);
        for (let c = 0; rows > 0 && c < columns; c += 1)
          written.push(view(abi.ccs_trace_column(abi.ccs_session_recorder(session), table, c), rows).slice());
      }
    },
    () => [state.receiver, state.sender].forEach(abi.ccs_session_destroy),
    (a) => (state.link = abi.ccs_link_create(...a.slice(0, 9))),
    ([id, size, now, flow]) => {
      write(abi.ccs_link_enqueue(state.link, id, size, flow, now));
      const deliveries = abi.ccs_link_poll(state.link, now);
      written.push(view(abi.ccs_link_deliveries(state.link), 6 * deliveries).slice());
      const drops = abi.ccs_link_drop_count(state.link);
      written.push(view(abi.ccs_link_drops(state.link), 5 * drops).slice());
    },
    () => abi.ccs_link_destroy(state.link),
    ([place, value]) => view(abi.ccs_input_buffer(place + 1), place + 1).set([value], place),
  ];
  for (const [what, ...values] of operations) interpreter[what](values);
  return Buffer.concat(
    written.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
}

/** Likewise in a native build, without sanitizers and as optimised as the module. */
async function runNatively(operations) {
  const compiler = findCxx();
  if (!compiler) throw new Problem('A C++ compiler is missing: run `node scripts/setup.mjs`.');
  const folder = inRoot('build/identity');
  const sources = [...filesUnder(['wasm', 'tests/native/identity'], (file) => file.endsWith('.cc'))];
  const flags = [...commonFlags, '-O3', '-DNDEBUG'];
  const { objects } = await compileObjects(sources.map((source) => ({ compiler, source, folder, flags })));
  const binary = join(folder, 'replay_abi');
  await run(compiler, [...objects, '-o', binary]);
  const input = Buffer.alloc(operations.length * (argumentCount + 1) * 8);
  const numbers = new Float64Array(input.buffer, input.byteOffset, input.length / 8);
  operations.forEach((operation, i) => numbers.set(operation, i * (argumentCount + 1)));
  const { status, signal, stdout, stderr, error } = spawnSync(binary, { input, maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Problem(`The native build failed: ${error ?? signal ?? stderr}`);
  return stdout;
}

/** What the operations need of the schema. */
function tablesOf({ controllers, tables }) {
  const alpha = controllers.gcc.parameters.findIndex(({ name }) => name === 'alpha');
  return { alpha, columns: tables.map(({ columns }) => columns.length) };
}

/** The queue disciplines, each with its defaults and with each of its presets. */
function queuesOf({ components }) {
  return ['droptail', 'codel', 'pie', 'sfq', 'fq_codel'].flatMap((name, kind) => {
    const { parameters, presets } = components[name];
    const settings = presets.length > 0 ? presets : [{ name, values: {} }];
    return settings.map((preset) => ({
      name: preset.name,
      kind,
      values: parameters.map((parameter) => preset.values[parameter.name] ?? parameter.default),
    }));
  });
}

async function test() {
  await buildWasm();
  const module = instantiate(wasmPath);
  const schema = readSchema();
  const tables = tablesOf(schema);
  const cases = [
    ...schema.controllers.gcc.presets.map(({ name }, i) => [
      name,
      [...callOperations(i, tables, randomNumbers(i + 1))],
    ]),
    ...queuesOf(schema).map((queue, i) => [
      `${queue.name}, ${i % 2 === 0 ? 'serial' : 'token-bucket'} link`,
      [...linkOperations(queue, i % 2, randomNumbers(99 + i))],
    ]),
  ];
  for (const [name, operations] of cases) {
    const [inModule, native] = [runOnModule(module, operations), await runNatively(operations)];
    if (native.length < 1e5) throw new Problem(`${name}: only ${native.length} bytes came out.`);
    const same = inModule.equals(native);
    say(`${same ? '✓' : '✗'} ${name}: ${native.length} bytes`);
    if (same) continue;
    const at = inModule.findIndex((byte, i) => byte !== native[i]);
    throw new Problem(
      `${name}: native and WebAssembly differ at byte ${at} of ${inModule.length} and ${native.length}.`,
    );
  }
}

await test().catch(fail);
