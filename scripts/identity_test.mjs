// Checks that the same input gives the same bytes natively and in WebAssembly. A list of operations is run twice:
// through the ABI of the module, and by tests/native/identity/replay_abi.cc through the ABI of a native build.
//
// An operation is eleven doubles: its kind (the index in `interpreter`) and up to ten arguments.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { buildWasm, wasmPath } from './build_wasm.mjs';
import { filesUnder, inRoot } from './lib/files.mjs';
import {
  callOperations,
  controllersOf,
  linkOperations,
  queuesOf,
  simulationOperations,
} from './lib/identity_operations.mjs';
import { compileObjects } from './lib/objects.mjs';
import { instantiate, readSchema } from './lib/schema.mjs';
import { fail, Problem, run, say } from './lib/run.mjs';
import { findCxx } from './lib/tools.mjs';
import { commonFlags } from './native_tests.mjs';

const argumentCount = 10;

/** Runs the operations on the module; returns all numbers that they produce, as bytes. */
function runOnModule({ exports: abi }, operations) {
  const written = [];
  const [state, write] = [{}, (...values) => written.push(Float64Array.from(values))];
  const text = (pointer) => {
    const bytes = new Uint8Array(abi.memory.buffer, pointer);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  };
  /** Checks a status, which must be success: an operation that is refused would prove nothing. */
  const ok = (status) => {
    if (status !== 0) throw new Problem(`The core refuses: ${text(abi.ccs_last_error())}`);
    write(status);
  };
  const view = (pointer, length) => new Float64Array(abi.memory.buffer, pointer, length);
  const fill = (session, values) =>
    view(abi.ccs_session_buffer(session, values.length), values.length).set(values);
  const passFeedback = (now) => {
    const count = abi.ccs_receiver_take_feedback(state.receiver);
    if (count === 0) return;
    const message = view(abi.ccs_session_buffer(state.receiver, count), count).slice();
    written.push(message);
    fill(state.sender, message);
    ok(abi.ccs_sender_push_feedback(state.sender, now, count));
  };
  const push = (values, name, now) => {
    fill(state.receiver, values);
    ok(abi[name](state.receiver, 1));
    passFeedback(now);
  };
  const writeTable = (recorder, table, columns) => {
    const rows = abi.ccs_trace_rows(recorder, table);
    for (let c = 0; rows > 0 && c < columns; c += 1)
      written.push(view(abi.ccs_trace_column(recorder, table, c), rows).slice());
  };
  const simulate = (name, count) => (a) => ok(abi[name](state.simulation, ...a.slice(0, count)));
  const interpreter = [
    ([controller, seed]) => {
      state.receiver = abi.ccs_receiver_create(controller, 0);
      state.sender = abi.ccs_sender_create(controller, 0, seed);
    },
    (a) => push(a.slice(0, 9), 'ccs_receiver_push_arrivals', a[3]),
    (a) => push(a.slice(0, 5), 'ccs_receiver_push_inbound', a[1]),
    ([now, bytes, rtt, estimate]) => {
      ok(abi.ccs_sender_push_sent(state.sender, now, bytes, rtt, estimate));
      ok(abi.ccs_sender_run(state.sender, now));
    },
    ([index, value]) => {
      for (const session of [state.receiver, state.sender])
        ok(abi.ccs_session_set_parameter(session, index, value));
    },
    ([table, columns]) => {
      for (const session of [state.receiver, state.sender])
        writeTable(abi.ccs_session_recorder(session), table, columns);
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
    () => {
      for (const session of [state.receiver, state.sender]) ok(abi.ccs_session_configure(session));
    },
    (a) => (state.simulation = abi.ccs_sim_create(...a.slice(0, 4))),
    simulate('ccs_sim_set_bottleneck', 9),
    simulate('ccs_sim_set_delay', 4),
    simulate('ccs_sim_schedule_capacity', 3),
    simulate('ccs_sim_add_window', 2),
    simulate('ccs_sim_add_media_flow', 7),
    simulate('ccs_sim_add_tcp_flow', 6),
    simulate('ccs_sim_trace', 2),
    ([us]) => {
      ok(abi.ccs_sim_run_until(state.simulation, us));
      write(abi.ccs_sim_events(state.simulation));
    },
    ([window]) => {
      const metrics = abi.ccs_sim_metrics(state.simulation, window);
      written.push(view(metrics, abi.ccs_sim_metrics_size(state.simulation)).slice());
    },
    ([table, columns]) => writeTable(abi.ccs_sim_recorder(state.simulation), table, columns),
    () => abi.ccs_sim_destroy(state.simulation),
    ([flow, rates, delays]) => {
      const half = abi.ccs_sim_sender_half(state.simulation, flow);
      write(abi.ccs_density(half, rates, delays));
      const numbers = 4 + rates * delays;
      written.push(view(abi.ccs_input_buffer(numbers), numbers).slice());
    },
    simulate('ccs_sim_set_outages', 4),
    (a) => ok(abi.ccs_link_set_burst_loss(state.link, ...a.slice(0, 2))),
    (a) => ok(abi.ccs_link_set_outages(state.link, ...a.slice(0, 4))),
    (a) => ok(abi.ccs_link_set_cross_traffic(state.link, ...a.slice(0, 3))),
    ([now]) => written.push(view(abi.ccs_link_stats(state.link, now), 16).slice()),
    (a) => ok(abi.ccs_link_set_cross_rtt(state.link, ...a.slice(0, 2))),
  ];
  for (const [what, ...values] of operations) interpreter[what](values);
  return Buffer.concat(
    written.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
}

/** Builds the native program that runs the operations: without sanitizers, and optimised (-O3). */
async function buildNative() {
  const compiler = findCxx();
  if (!compiler) throw new Problem('A C++ compiler is missing: run `node scripts/setup.mjs`.');
  const folder = inRoot('build/identity');
  const sources = [...filesUnder(['wasm', 'tests/native/identity'], (file) => file.endsWith('.cc'))];
  const flags = [...commonFlags, '-O3', '-DNDEBUG'];
  const { objects } = await compileObjects(sources.map((source) => ({ compiler, source, folder, flags })));
  const binary = join(folder, 'replay_abi');
  await run(compiler, [...objects, '-o', binary]);
  return binary;
}

/** Runs the operations on the native build; returns all numbers that they produce, as bytes. */
function runNatively(binary, operations) {
  const input = Buffer.alloc(operations.length * (argumentCount + 1) * 8);
  const numbers = new Float64Array(input.buffer, input.byteOffset, input.length / 8);
  operations.forEach((operation, i) => numbers.set(operation, i * (argumentCount + 1)));
  const { status, signal, stdout, stderr, error } = spawnSync(binary, { input, maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Problem(`The native build failed: ${error ?? signal ?? stderr}`);
  return stdout;
}

async function test() {
  await buildWasm();
  const binary = await buildNative();
  const module = instantiate(wasmPath);
  const schema = readSchema();
  const bottlenecks = ['serial', 'token-bucket'];
  const cases = [
    ...controllersOf(schema).map((controller) => [controller.name, callOperations(controller, schema)]),
    ...queuesOf(schema).flatMap((queue) =>
      bottlenecks.flatMap((bottleneck, mode) => [
        [`${queue.name}, ${bottleneck} link`, linkOperations(queue, mode)],
        [`${queue.name}, ${bottleneck} simulation`, simulationOperations(queue, mode, schema)],
      ]),
    ),
  ].map(([name, operations]) => [name, [...operations]]);
  for (const [name, operations] of cases) {
    const [inModule, native] = [runOnModule(module, operations), runNatively(binary, operations)];
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
