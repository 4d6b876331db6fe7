/**
 * Compares the presets of the simulated video source with measurements of real calls
 * (wasm/sim/media_source.md).
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, type Core } from '../../../src/core/index.js';
import { constantStatistics, encodedFrames, stepResponse } from './encoded_frames.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

/**
 * Six measured values: the relative standard deviation of frame sizes; the same for mean frame sizes over 0.2, 0.5
 * and 1 s; the correlation of successive frame sizes; and the mean rate divided by the target.
 */
const CONSTANT: readonly (readonly [preset: string, kbps: number, measured: readonly number[]])[] = [
  ['synthetic', 500, [0.32, 0.064, 0.038, 0.027, -0.25, 0.99]],
  ['synthetic', 1500, [0.12, 0.041, 0.027, 0.023, -0.15, 0.99]],
  ['synthetic-720p', 500, [0.3, 0.057, 0.021, 0.017, -0.43, 0.97]],
  ['synthetic-720p', 1500, [0.2, 0.043, 0.015, 0.009, -0.43, 1]],
  ['test-picture', 500, [0.13, 0.053, 0.019, 0.016, -0.02, 1]],
  ['test-picture', 1500, [0.12, 0.058, 0.029, 0.024, 0.07, 0.99]],
  ['test-picture-720p', 500, [0.21, 0.082, 0.046, 0.035, 0.28, 0.99]],
  ['test-picture-720p', 1500, [0.11, 0.05, 0.042, 0.036, 0.3, 0.99]],
  ['fractal', 500, [0.09, 0.049, 0.036, 0.032, 0.34, 0.99]],
  ['fractal', 1500, [0.1, 0.053, 0.041, 0.031, 0.56, 0.99]],
  ['fractal-720p', 500, [0.19, 0.127, 0.1, 0.066, 0.33, 0.96]],
  ['fractal-720p', 1500, [0.09, 0.054, 0.048, 0.045, 0.39, 0.99]],
  ['noise', 500, [0.12, 0.04, 0.026, 0.024, -0.29, 0.99]],
  ['noise', 1500, [0.12, 0.023, 0.021, 0.019, -0.4, 1]],
  ['noise-720p', 500, [0.15, 0.08, 0.053, 0.044, 0.15, 0.98]],
  ['noise-720p', 1500, [0.08, 0.033, 0.029, 0.024, -0.31, 0.99]],
  ['text', 500, [0.8, 0.501, 0.419, 0.39, 0.3, 0.8]],
  ['text', 1500, [1.19, 1.135, 1.102, 1.044, 0.91, 0.39]],
  ['text-720p', 500, [1.13, 0.495, 0.365, 0.279, 0.03, 0.93]],
  ['text-720p', 1500, [0.67, 0.497, 0.471, 0.46, 0.49, 0.72]],
  ['synthetic-vp9', 500, [0.19, 0.073, 0.046, 0.025, 0.04, 1]],
  ['synthetic-vp9', 1500, [0.13, 0.041, 0.019, 0.01, -0.09, 1]],
  ['synthetic-720p-vp9', 500, [0.22, 0.045, 0.029, 0.026, -0.27, 0.99]],
  ['synthetic-720p-vp9', 1500, [0.12, 0.032, 0.019, 0.013, -0.14, 0.98]],
  ['noise-vp9', 1500, [0.14, 0.022, 0.008, 0.006, -0.6, 0.99]],
];

/**
 * Measured mean frame sizes before a step of the target, and in each interval after the step. The target steps
 * from 1500 to 600 kbps (`down`) or back (`up`). Sizes are relative to the mean size once the rate has settled.
 */
const STEPS: readonly (readonly [preset: string, down: readonly number[], up: readonly number[]])[] = [
  ['synthetic', [2.54, 3.13, 1.9, 0.76, 0.88, 0.88], [0.41, 0.38, 0.63, 0.77, 0.75, 0.89]],
  ['synthetic-720p', [2.46, 3.37, 1.89, 1.18, 1.4, 1.4], [0.4, 0.46, 0.69, 0.69, 0.73, 0.87]],
  ['test-picture', [2.51, 1.54, 2.01, 1.27, 0.77, 0.85], [0.41, 0.36, 0.43, 0.62, 0.74, 0.84]],
  ['test-picture-720p', [2.45, 2.25, 2.13, 1.39, 1.22, 1.22], [0.39, 0.55, 0.63, 0.68, 0.77, 0.87]],
  ['fractal', [2.68, 3.58, 2.15, 0.99, 0.94, 0.91], [0.37, 0.48, 0.51, 0.62, 0.71, 0.86]],
  ['fractal-720p', [2.76, 3.02, 1.73, 1.07, 0.86, 0.9], [0.39, 0.73, 0.6, 0.67, 0.73, 0.86]],
  ['noise', [2.69, 5.52, 1.35, 0.94, 0.91, 0.96], [0.37, 0.86, 0.66, 0.71, 0.73, 0.89]],
  ['noise-720p', [2.64, 2.3, 1.34, 0.98, 0.87, 0.99], [0.41, 0.54, 0.63, 0.72, 0.74, 0.9]],
  ['synthetic-vp9', [2.49, 0.85, 0.85, 0.87, 0.86, 0.95], [0.4, 0.98, 0.9, 0.82, 0.89, 0.94]],
  ['synthetic-720p-vp9', [2.46, 1.56, 1.21, 0.91, 0.88, 0.86], [0.4, 1.36, 0.8, 0.82, 0.83, 0.92]],
  ['noise-vp9', [2.54, 0.96, 0.94, 0.97, 1, 1.05], [0.41, 1.02, 0.88, 0.82, 0.86, 0.98]],
];

/** Measured size of the first frame after a fall of the target from 800 to 100 kbps, over the mean before the fall. */
const DEEP_CUTS: readonly (readonly [preset: string, measured: number])[] = [
  ['synthetic', 2.42],
  ['synthetic-720p', 1.47],
  ['test-picture', 1.17],
  ['fractal', 1.06],
  ['fractal-720p', 1.59],
  ['noise', 3.31],
];

function modelled(preset: string, kbps: number): number[] {
  const { frames } = encodedFrames(core, { preset }, [[0, kbps * 1e3]], { durationS: 65 });
  const { frame, s02, s05, s1, lag1, rate } = constantStatistics(frames, kbps * 1e3);
  return [frame, s02, s05, s1, lag1, rate];
}

/** The simulated response to a step, averaged over runs whose random noise differs. */
function modelledStep(preset: string, from: number, to: number): number[] {
  const runs = Array.from({ length: 6 }, (_, seed) => {
    const targets = [
      [0, from * 1e3],
      [10, to * 1e3],
    ] as const;
    const { frames, stepsS } = encodedFrames(core, { preset }, targets, { durationS: 16, seed });
    return stepResponse(frames, stepsS[0] ?? NaN);
  });
  return (runs[0] ?? []).map((_, i) => runs.reduce((sum, run) => sum + (run[i] ?? NaN), 0) / runs.length);
}

describe('sources of the simulator beside those of real calls', () => {
  it.each(CONSTANT)('%s at %i kbps varies as much', (preset, kbps, measured) => {
    const model = modelled(preset, kbps);
    const [frame = NaN, s02 = NaN, s05 = NaN, s1 = NaN, , rate = NaN] = measured;
    const ratios = [frame, s02, s05, s1].map((value, i) => (model[i] ?? NaN) / value);
    for (const ratio of ratios) {
      expect(ratio).toBeGreaterThan(0.3);
      expect(ratio).toBeLessThan(3);
    }
    expect(Math.abs((model[5] ?? NaN) - rate)).toBeLessThan(0.25);
  });

  it.each(STEPS)('%s answers a step of its target as late', (preset, down, up) => {
    const falls = modelledStep(preset, 1500, 600);
    const rises = modelledStep(preset, 600, 1500);
    for (const [i, measured] of down.entries()) {
      expect(Math.abs((falls[i] ?? NaN) - measured)).toBeLessThan(i === 1 ? 1 : 0.5);
    }
    for (const [i, measured] of up.entries())
      expect(Math.abs((rises[i] ?? NaN) - measured)).toBeLessThan(i === 1 ? 0.5 : 0.25);
  });

  it.each(DEEP_CUTS)('%s has as large a frame after a deep cut', (preset, measured) => {
    const targets = [
      [0, 800e3],
      [10, 100e3],
    ] as const;
    const { frames, stepsS } = encodedFrames(core, { preset }, targets, { durationS: 11 });
    const stepS = stepsS[0] ?? NaN;
    const before = frames.filter(({ atS }) => atS > stepS - 3 && atS < stepS);
    const mean = before.reduce((sum, { bytes }) => sum + bytes, 0) / before.length;
    const first = frames.find(({ atS }) => atS >= stepS);
    const ratio = (first?.bytes ?? NaN) / mean;
    expect(ratio).toBeGreaterThan(measured * 0.8);
    expect(ratio).toBeLessThan(measured * 1.25);
  });
});
