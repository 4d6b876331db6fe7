/** Maps over two axes: the highest point, its uncertainty, and the slopes. The shape of each map is known. */
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import {
  atFullSize,
  cellsOf,
  judgeSurface,
  parseScenario,
  quantityKey,
  surfaceOf,
  type CellValues,
  type Scenario,
  type Surface,
} from '../../../src/scenario/index.js';
import { hasPublished, withoutPublished } from '../../../src/scenario/published_scope.js';
import { maximumText, surfaceFigure, surfaceLines, surfaceReport } from '../../../src/papers/surface.js';
import { randomNumbers } from '../watch/calls.js';

interface Raw {
  axes: { log?: Record<string, unknown> }[];
  surface: Record<string, unknown>;
}

const raw = (): Raw =>
  JSON.parse(
    readFileSync(new URL('../../../public/scenarios/ton-fig5.json', import.meta.url), 'utf8'),
  ) as Raw;

const COUNT = 24;
/** The scenario of ToN's Fig. 5, with fewer points. */
const small = parseScenario({
  ...raw(),
  axes: raw().axes.map((axis) => (axis.log ? { ...axis, log: { ...axis.log, count: COUNT } } : axis)),
});

/** Random numbers from the standard normal distribution (Box and Muller, 1958). */
function gaussian(seed: number): () => number {
  const random = randomNumbers(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * A map whose height at a point is `height` of the log10 of both coordinates, plus normal noise of standard
 * deviation `sd`. The map is a sum of three parts, which are equal except for their noise.
 */
function mapOf(height: (x: number, y: number) => number, sd: number, scenario: Scenario = small): Surface {
  const { surface } = scenario;
  if (surface === undefined) throw new Error('no surface');
  const noise = gaussian(5);
  const results = cellsOf(scenario).map((cell): CellValues => {
    const [x, y] = [Math.log10(Number(cell['k_u'])), Math.log10(Number(cell['k_d']))];
    return { cell, values: new Map([[quantityKey(surface), [height(x, y) + sd * noise()]]]) };
  });
  return surfaceOf(scenario, surface, results);
}

/** The height of a map that has its highest point where the paper's map has it. */
const hill = (x: number, y: number): number => -((x + 2) ** 2) - (y - Math.log10(0.00018)) ** 2;
const STEP = 4 / (COUNT - 1);

it('a map with two values on each axis has a highest point, though its noise is unknown', () => {
  const axes = raw().axes.map((axis) => (axis.log ? { ...axis, log: { ...axis.log, count: 2 } } : axis));
  const surface = mapOf((x, y) => x - y, 1, parseScenario({ ...raw(), axes }));
  expect(surface.highest.length).toBeGreaterThan(0);
  expect(surface.noise).toBe(0);
  for (const end of [...surface.maximumX, ...surface.maximumY]) expect(Number.isFinite(end)).toBe(true);
});

describe('the highest point of a map', () => {
  it('is found to about a step, with all points that may be it', () => {
    const { maximum, maximumX, maximumY, published } = mapOf(hill, 0.1);
    expect(Math.abs(Math.log10(maximum.x / 0.01))).toBeLessThanOrEqual(2 * STEP);
    expect(Math.abs(Math.log10(maximum.y / 0.00018))).toBeLessThanOrEqual(2 * STEP);
    expect(published?.isMaximum).toBe(true);
    for (const [[low, high], at] of [[maximumX, 0.01] as const, [maximumY, 0.00018] as const]) {
      expect(low).toBeLessThanOrEqual(at * 10 ** STEP);
      expect(high).toBeGreaterThanOrEqual(at / 10 ** STEP);
      expect(Math.log10(high / low)).toBeLessThan(2);
    }
  });

  it('is not where the paper has it if it is clearly elsewhere', () => {
    const { maximum, published } = mapOf((x, y) => hill(x + 1.5, y), 0.1);
    expect(Math.abs(Math.log10(maximum.x / 10 ** -3.5))).toBeLessThanOrEqual(2 * STEP);
    expect(published?.isMaximum).toBe(false);
  });

  it('is found beside a part that is the same everywhere, which adds nothing', () => {
    const { surface } = small;
    if (surface === undefined) throw new Error('no surface');
    const parts = new Set(cellsOf(small).map((cell) => cell[surface.over]));
    const [constant] = parts;
    const results = cellsOf(small).map((cell): CellValues => {
      const height = hill(Math.log10(Number(cell['k_u'])), Math.log10(Number(cell['k_d'])));
      const value = cell[surface.over] === constant ? 0.25 : height;
      return { cell, values: new Map([[quantityKey(surface), [value]]]) };
    });
    const { maximum, values } = surfaceOf(small, surface, results);
    expect(values.every(Number.isFinite)).toBe(true);
    expect(maximum.value).toBeGreaterThan(0.9 * (parts.size - 1));
    expect(maximum.value).toBeLessThanOrEqual(parts.size - 1);
    expect(Math.abs(Math.log10(maximum.x / 0.01))).toBeLessThanOrEqual(STEP);
  });

  it('may be anywhere in a map that only scatters', () => {
    const { maximumX, maximumY } = mapOf(() => 0, 1);
    for (const [low, high] of [maximumX, maximumY]) expect(Math.log10(high / low)).toBeGreaterThan(1);
  });
});

describe('the scatter of single points', () => {
  it('is what they have, over a slope', () => {
    // Each of the map's three parts is scaled to 0 to 1. The parts are planes of height 8 with a scatter of 0.2. So the
    // scaled scatter is 0.2 / 8 in each part, and √3 times 0.2 / 8 in their sum.
    const { noise } = mapOf((x, y) => x + y, 0.2);
    const extremes = 8 + 2 * 0.2;
    expect(noise).toBeGreaterThan((0.85 * Math.sqrt(3) * 0.2) / extremes);
    expect(noise).toBeLessThan((1.15 * Math.sqrt(3) * 0.2) / 8);
  });
});

describe('the slopes of a map', () => {
  const holds = (height: (x: number, y: number) => number, sd = 0.5): Record<string, boolean> =>
    Object.fromEntries(mapOf(height, sd).slopes.map(({ id, holds: does }) => [id, does]));

  it('hold where it is as the paper says', () => {
    // The height grows until k_u is two decades above k_d, and falls beyond 2.5 decades.
    const published = (x: number, y: number): number => Math.min(x - y, 2) - Math.max(0, 2 * (x - y - 2.5));
    expect(holds(published)).toEqual({ 'quick-up-slow-down': true, 'not-too-slow-down': true });
  });

  it('do not where it is the other way round, nor where it only scatters', () => {
    expect(holds((x, y) => y - x)['quick-up-slow-down']).toBe(false);
    expect(holds((x, y) => x - y)['not-too-slow-down']).toBe(false);
    expect(holds(() => 0, 1)).toEqual({ 'quick-up-slow-down': false, 'not-too-slow-down': false });
  });
});

describe('the judgement of a map', () => {
  it('is one statement, and its slopes are claims; no cell is shown by itself', () => {
    const { surface } = small;
    if (surface === undefined) throw new Error('no surface');
    const results = cellsOf(small).map((cell): CellValues => {
      const height = hill(Math.log10(Number(cell['k_u'])), Math.log10(Number(cell['k_d'])));
      return { cell, values: new Map([[quantityKey(surface), [height]]]) };
    });
    const judged = judgeSurface(small, surface, results);
    expect(judged.cells).toEqual([]);
    expect(judged.statements).toMatchObject([
      { verdict: 'within', numbers: { within: 1, ordering: 0, off: 0 } },
    ]);
    expect(judged.claims.map(({ id }) => id)).toEqual(['quick-up-slow-down', 'not-too-slow-down']);
  });

  it('leaves out the paper’s point and slopes if the experiment is changed', () => {
    const changed = withoutPublished(small, 'The capacity is another.');
    if (changed.surface === undefined) throw new Error('no surface');
    expect(hasPublished(changed)).toBe(false);
    const report = surfaceReport(mapOf(hill, 0.05, changed));
    expect(maximumText(report)).toMatch(
      /^highest at k_u = 0\.0\d+ \(.* to .*\), k_d = 0\.000\d+ \(.* to .*\)$/,
    );
    expect(surfaceFigure(report, 'utility').published).toBeUndefined();
    const judged = judgeSurface(changed, changed.surface, []);
    expect([judged.statements, judged.claims]).toEqual([[], []]);
  });

  it('needs a published point for slopes', () => {
    const { published: _, ...rest } = raw().surface;
    expect(() => parseScenario({ ...raw(), surface: rest })).toThrow(
      'expected none without a published point, since slopes are judged around it, got 2',
    );
  });

  it('is drawn, and told in words', () => {
    const report = surfaceReport(mapOf(hill, 0.05));
    expect(maximumText(report)).toMatch(
      /^highest at k_u = 0\.0\d+ \(.* to .*\), k_d = 0\.000\d+ \(.* to .*\); published: k_u = 0\.01, k_d = 0\.00018, which is among/,
    );
    const figure = surfaceFigure(report, 'utility');
    expect(figure.density?.values).toHaveLength(COUNT ** 2);
    expect(Math.max(...(figure.density?.values ?? []))).toBe(1);
    expect(figure.published).toEqual([{ x: 0.01, series: 0, value: 0.00018 }]);
    const lines = surfaceLines(report);
    expect(lines).toHaveLength(COUNT / 2 + 3);
    expect(lines.join('')).toContain('█');
  });
});

describe('a logarithmic axis', () => {
  it('has its values evenly on the scale, all of them at full size', () => {
    const values = (scenario: Scenario): number[] =>
      scenario.axes?.[1]?.values.map(({ at = NaN }) => at) ?? [];
    const usual = values(parseScenario(raw()));
    expect(usual).toHaveLength(40);
    expect([usual[0], usual.at(-1)]).toEqual([1e-5, 0.1]);
    for (const [i, value] of usual.slice(1).entries())
      expect(Math.log10(value / (usual[i] ?? NaN))).toBeCloseTo(4 / 39, 4);
    expect(values(parseScenario(atFullSize(raw())))).toHaveLength(200);
    expect(cellsOf(parseScenario(atFullSize(raw())))).toHaveLength(120_000);
  });

  it.each([
    ['axes.1', { axes: [raw().axes[0], { name: 'k_u' }] }],
    [
      'axes.1',
      { axes: raw().axes.map((axis) => (axis.log ? { ...axis, values: [{ name: '1', set: {} }] } : axis)) },
    ],
    ['surface.x', { surface: { ...raw().surface, x: 'scenario' } }],
    ['surface.y', { surface: { ...raw().surface, y: 'k' } }],
    ['surface.metric', { surface: { ...raw().surface, metric: 'utilty' } }],
    [
      'cells',
      { axes: raw().axes.map((axis) => (axis.log ? { ...axis, log: { ...axis.log, count: 500 } } : axis)) },
    ],
  ])('is refused at %s where it cannot be', (field, changes) => {
    expect(() => parseScenario({ ...raw(), ...changes })).toThrow(field);
  });
});
