// The operations of scripts/identity_test.mjs. Each consists of its kind (the index in that script's
// `interpreter`) and up to ten arguments.

/**
 * A generator that yields the same numbers on every platform, since it uses 32-bit integer arithmetic
 * (mulberry32).
 */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), 1 | state);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

const columnCounts = ({ tables }) => tables.map(({ columns }) => columns.length);

/**
 * A minute of a call. The link's queue grows and empties; some frames are lost, and sometimes two frames
 * arrive in the wrong order. During the call, first a parameter is changed, later the preset.
 */
export function* callOperations({ controller, index, values, others }, schema) {
  const random = randomNumbers(index + 1);
  // The parameter that is changed: the highest target rate, which every controller has.
  const changed = schema.controllers[controller].parameters.findIndex(
    ({ name }) => name === 'max_bitrate_bps',
  );
  const number = Object.keys(schema.controllers).indexOf(controller);
  yield* inputs(values);
  yield [0, number, 7];
  let [free, received, lost, bytes, heldBack] = [0, 0, 0, 0, []];
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
    const sendTime = seq % 7 === 0 ? NaN : sent;
    const rtp = (seq * 3000) % 2 ** 32;
    const frame = [1, 0, seq, sendTime, arrival, size, rtp, NaN, Number(keyFrame), 50000 + 1e4 * random()];
    if (random() < 0.03 && heldBack.length === 0) {
      heldBack = [frame];
      continue;
    }
    yield frame;
    // A frame that was held back arrives at the same time as the frame that overtook it.
    yield* heldBack.map((late) => late.with(4, arrival));
    heldBack = [];
    if (seq % 2 === 0) yield [2, 0, arrival, received, lost, bytes];
    if (seq % 3 === 0) yield [3, arrival, bytes * 1.01, 52000, NaN];
    if (seq === 900 || seq === 901) yield [4, changed, 2e6];
    if (seq === 1200 || seq === 1201) {
      yield* inputs(others);
      yield [11];
    }
  }
  for (const [table, columns] of columnCounts(schema).entries()) yield [5, table, columns];
  yield [6];
}

const inputs = (values) => values.map((value, place) => [10, place, value]);

/** Every preset of every controller. `others` are the values of another preset, to which the call changes. */
export function controllersOf({ controllers }) {
  return Object.entries(controllers).flatMap(([controller, spec]) =>
    spec.presets.map(({ name, values }, index) => ({
      ...{ name, controller, index },
      values: valuesOf(spec, values),
      others: valuesOf(spec, spec.presets[(index + 1) % spec.presets.length].values),
    })),
  );
}

/** The queue disciplines, each with every preset that it has or, if it has none, with its defaults. */
export function queuesOf({ components }) {
  return ['droptail', 'codel', 'pie', 'sfq', 'fq_codel'].flatMap((name, kind) => {
    const { presets } = components[name];
    const settings = presets.length > 0 ? presets : [{ name, values: {} }];
    return settings.map((preset) => ({
      name: preset.name,
      kind,
      values: valuesOf(components[name], preset.values),
    }));
  });
}

/**
 * Packets of many flows through a link with jitter and loss, in one mode of its bottleneck. At first there are more
 * packets than the link can carry. Later there are fewer packets, but there are TCP connections, bursts of losses
 * and outages.
 */
export function* linkOperations({ kind, values }, mode) {
  const random = randomNumbers(99 + kind);
  yield* inputs(values);
  yield [7, 1e6, kind, values.length, mode, 5000, 25000, 0.02, 3000, 7];
  let [id, now] = [0, 0];
  const send = (longestPause) => {
    now += Math.round(longestPause * random());
    return [8, id++, Math.round(100 + 1400 * random()), now, Math.floor(40 * random())];
  };
  while (id < 6000) yield send(11500);
  for (const [burst, on, off, cubic, newReno] of [
    [1, 0, 0, 2, 1],
    [5, 100e3, 20e3, 1, 3],
    [3, 0, 0, 1, 0],
  ]) {
    yield [26, burst, now];
    yield [27, on, off, 2, now];
    yield [28, cubic, newReno, now];
    yield [30, 30e3 * newReno, now];
    for (const end = id + 1000; id < end;) yield send(30e3);
    yield [29, now];
  }
  yield [9];
}

/** The values of a component in the order of the schema: the defaults, except for `changes`. */
const valuesOf = ({ parameters }, changes = {}) =>
  parameters.map((parameter) => changes[parameter.name] ?? parameter.default);

/**
 * A simulation of media flows in both directions, of CUBIC and NewReno connections, and of short file
 * transfers. The forward path has loss, jitter, capacity steps and an outage. The backward path has many
 * outages. All tables of the trace are recorded.
 */
export function* simulationOperations({ kind, values }, mode, schema) {
  const { components, controllers } = schema;
  yield [12, 20e6, 500e3, 12345 + kind, 1e9];
  yield* inputs(values);
  yield [13, 0, 2e6, kind, values.length, mode, 5000, 25000, 0.003, 2000];
  yield* inputs(values);
  yield [25, 1, 100e3, 20e3, 2];
  yield [13, 1, 1.5e6, kind, values.length, 1 - mode, 3000, 15000, 0, 0];
  for (const [at, capacity] of [
    [6e6, 1e6],
    [9e6, 0],
    [9.4e6, 3e6],
  ]) {
    yield [15, 0, at, capacity];
  }
  yield [16, 2e6, 8e6];
  yield [16, 9e6, 15e6];
  const numberOf = ({ controller }) => Object.keys(controllers).indexOf(controller);
  const media = (controller, source, ...flow) => [
    ...inputs([...valuesOf(components.media_source, source), ...controller.values, 7e6, 8e6]),
    [17, ...flow, numberOf(controller), 0, 1],
  ];
  const live = (controller, path, ...flow) => [
    ...inputs([
      ...valuesOf(components.media_source, { inverse_response_ms: 200 }),
      ...valuesOf(components.live_call, path),
      ...controller.values,
    ]),
    [17, ...flow, numberOf(controller), 1, 0],
  ];
  const every = controllersOf(schema);
  const of = (name) => every.find((each) => each.name === name);
  yield* media(of('gcc'), {}, 0, 0, NaN, 0);
  yield* media(of('gcc-live'), { key_frame_interval_s: 3, key_frame_factor: 4 }, 0, 1e6, 18e6, 12500);
  yield* media(of('gcc'), { ramp_time_constant_s: 4 }, 1, 0, NaN, 0);
  yield* live(of('gcc-live'), { stalls_per_s: 8, stall_tail: 1.5, audio_bps: 32e3 }, 0, 0, NaN, 0);
  for (const name of Object.keys(controllers).filter((each) => each !== 'gcc')) {
    yield* media(
      every.find(({ controller }) => controller === name),
      {},
      ...[0, 2e6, NaN, 0],
    );
  }
  const tcp = (changes, files, ...flow) => [
    ...inputs([...valuesOf(components.tcp, changes), ...files]),
    [18, ...flow, files.length > 0 ? 1 : 0],
  ];
  yield* tcp({}, [], 0, 3e6, 16e6, 0, 0);
  yield* tcp({ hystart: 3, loss_detection: 1 }, [], 0, 4e6, NaN, 5000, 0);
  yield* tcp({}, [], 1, 2e6, NaN, 0, 1);
  yield* tcp({}, [30e3, 50e3, 5e5], 0, 1e6, NaN, 0, 1);
  const counts = columnCounts(schema);
  yield [19, 2 ** counts.length - 1, 100e3];
  yield [20, 7e6];
  yield [20, 20e6];
  for (const window of [0, 1, 2]) yield [21, window];
  // Operation 24 reads the density of rate and delay that a controller has estimated. The buffer holds the four
  // ends of the axes, then the density. Some controllers have no density.
  const [rates, delays] = [24, 16];
  for (let flow = 0; flow < 2 + Object.keys(controllers).length; flow += 1) {
    yield* inputs([...Array(4).fill(NaN), ...Array(rates * delays).fill(0)]);
    yield [24, flow, rates, delays];
  }
  for (const [table, columns] of counts.entries()) yield [22, table, columns];
  yield [23];
}
