import { describe, expect, it } from 'vitest';

import { PackedColumns } from '../../../src/watch/packed_column.js';
import { PackedTexts } from '../../../src/watch/packed_texts.js';
import { randoms } from './synthetic_page.js';

describe('a packed column', () => {
  it.each([
    ['one value', [7, 7, 7], 0],
    ['nothing', [NaN, NaN], 0],
    ['close whole numbers', [1e15, 1e15 + 3, 1e15 + 255], 1],
    ['whole numbers', [-300, 0, 65_000], 2],
    ['far whole numbers', [0, 2 ** 32 - 1], 4],
    ['whole numbers that are too far', [-(2 ** 52), 2 ** 52 + 1], 8],
    ['a negative zero', [0, -0, 1], 4],
    ['short fractions and gaps', [0.5, NaN, -0.25], 4],
    ['infinities', [Infinity, -Infinity, 0], 4],
    ['any fractions', [0.1, 1 / 3, Math.PI * 1e300], 8],
  ])('gives %s back exactly', (_, values, bytesEach) => {
    const columns = new PackedColumns();
    columns.add(Float64Array.of(1, 2.5));
    const place = columns.add(Float64Array.from(values));
    columns.add(Float64Array.of(1, 2));
    columns.finish();
    const again = [...columns.column(place)];
    expect(again.map((value, i) => Object.is(value, values[i]))).toEqual(values.map(() => true));
    // The other two columns take 10 bytes, and the description of each of the three columns takes 17 bytes.
    expect(columns.memoryBytes).toBe(bytesEach * values.length + 10 + 3 * 17);
  });
});

describe('packed texts', () => {
  it('come back letter by letter, whatever is in them', () => {
    const random = randoms(5);
    const odd = [
      '',
      '{}',
      '007 -0 1.50 1e5 1E+3 L3T3_KEY',
      '{"a":-1.5e-7,"b":12345678901234567890}',
      '-',
      '1-2--3',
      'ä 1 \u2028 2',
    ];
    const stats = Array.from({ length: 400 }, (_, i) =>
      JSON.stringify({
        type: 'stats',
        time_us: i * 5e5,
        rtt_s: random() / 10,
        lost: null,
        codec: 'VP8',
        n: [i, -i, 1e21 * random()],
      }),
    );
    const columns = new PackedColumns();
    const texts = [...odd, ...stats, ...odd];
    const packed = new PackedTexts(texts, columns);
    columns.finish();
    expect(packed.unpack()).toEqual(texts);
    expect(packed.memoryBytes + columns.memoryBytes).toBeLessThan(texts.join('').length / 2);
  });
});
