import { expect, test } from 'vitest';

import { describedRecording } from '../../../src/embed/recording.js';
import { ConfigError } from '../../../src/text/quantities.js';
import type { TraceExtent } from '../../../src/trace/index.js';

const extent = (more: Partial<TraceExtent> = {}): TraceExtent => ({
  fromUs: 1e6,
  toUs: 61e6,
  rows: { group: 10, rate: 10 },
  events: 0,
  flows: [0],
  links: [0],
  ...more,
});

const SIMULATED = {
  ccscope_trace: 1 as const,
  flows: [
    { flow: 0, name: 'call', kind: 'media', controller: 'nada', preset: 'nada-rfc8698' },
    { flow: 1, name: 'download', kind: 'tcp' },
  ],
};

test('a flow of the way back is drawn with the link of the way back', () => {
  const flows = [
    { flow: 0, name: 'there', kind: 'media', controller: 'gcc' },
    { flow: 1, name: 'back', kind: 'media', controller: 'gcc', direction: 'backward' },
  ];
  const { drawn } = describedRecording(
    't.ndjson',
    { ccscope_trace: 1, flows },
    extent({ rows: { throughput: 5 } }),
    [],
    '',
  );
  expect(drawn).toMatchObject({ flows: [{ direction: 'forward' }, { direction: 'backward' }] });
});

test('the trace of a simulation has its flows', () => {
  const { drawn, names, durationUs } = describedRecording(
    't.ndjson',
    SIMULATED,
    extent({ rows: { throughput: 5 } }),
    [],
    '',
  );
  expect(durationUs).toBe(60e6);
  expect(names).toEqual(['call', 'download']);
  expect(drawn).toMatchObject({
    kind: 'run',
    flows: [
      { flow: 0, name: 'call', kind: 'media', controller: 'nada' },
      { flow: 1, name: 'download', kind: 'tcp' },
    ],
  });
});

test('a call is drawn with those that watched it, and all of its rows where it is the only one', () => {
  const header = {
    ccscope_trace: 1 as const,
    preset: 'gcc-live',
    flows: [{ flow: 1, name: 'NADA', kind: 'shadow', controller: 'nada' }],
  };
  const call = describedRecording('t.ndjson', header, extent({ flows: [0, 1] }), [], '').drawn;
  expect(call).toMatchObject({
    kind: 'call',
    inCharge: { flow: 0, controller: 'gcc' },
    shadows: [{ flow: 1, controller: 'nada' }],
    filters: { rate: { value: 0 } },
  });
  const alone = describedRecording('t.ndjson', { ccscope_trace: 1 }, extent(), [], '').drawn;
  expect(alone).toMatchObject({ kind: 'call', shadows: [], filters: {} });
});

test('of several streams the one that is named is drawn, and a wrong name is refused', () => {
  const header = {
    ccscope_trace: 1 as const,
    flows: [
      { flow: 0, name: 'a', kind: 'received', controller: 'gcc' },
      { flow: 3, name: 'b', kind: 'received', controller: 'gcc' },
    ],
  };
  const many = extent({ flows: [0, 3] });
  expect(describedRecording('t', header, many, [], 'b').drawn).toMatchObject({
    filters: { rate: { value: 3 } },
  });
  expect(describedRecording('t', header, many, [], '').drawn).toMatchObject({
    filters: { rate: { value: 0 } },
  });
  const wrong = (): unknown => describedRecording('t', header, many, [], 'c');
  expect(wrong).toThrow(ConfigError);
  expect(wrong).toThrow(/one of a, b/);
});

test('a call whose controller was changed is drawn with the one of its last part', () => {
  const header = { ccscope_trace: 1 as const, controller: 'gcc', preset: 'gcc-live' };
  const start = (detail: unknown) => ({ time_us: 0, name: 'start', detail });
  const parts = [
    start({ controller: 'gcc', preset: 'gcc-live' }),
    start({ controller: 'nada', preset: 'nada-live' }),
  ];
  const inCharge = (events: typeof parts) =>
    (describedRecording('t', header, extent(), events, '').drawn as { inCharge: object }).inCharge;
  expect(inCharge(parts)).toMatchObject({ name: 'nada-live', controller: 'nada' });
  for (const none of [[], [start(null)], [start('nada')]])
    expect(inCharge(none)).toMatchObject({ name: 'gcc-live', controller: 'gcc' });
});
