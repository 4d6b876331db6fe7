import { describe, expect, it } from 'vitest';

import type { ClaimReport, MetricReport } from '../../../src/papers/report.js';
import { failText, missText } from '../../../src/papers/text.js';

describe('why a result differs from the published one', () => {
  const metric = (verdict: MetricReport['verdict'], note?: string): MetricReport => ({
    name: 'utilisation',
    unit: 'ratio',
    measured: { mean: 0.7, sd: 0.1, ci95: [0.6, 0.8], n: 10 },
    published: 0.86,
    published_is: 'number',
    where: 'Table I',
    read: 'table',
    band: [0.81, 0.91],
    why: '±5 points',
    ...(note !== undefined && { note }),
    verdict,
    across_edge: false,
  });
  const claim = (holds: boolean | null, note?: string): ClaimReport => ({
    id: 'a',
    says: 'it does',
    where: 'Table I',
    ...(note !== undefined && { note }),
    holds,
    test: 'utilisation: below 50.0 %',
    p: 0.5,
    cases: { hold: 0, of: 1 },
    failing: [],
  });

  it('is told where it is known, and otherwise said to be unknown', () => {
    expect(missText(metric('off', 'The queue is smaller.'))).toBe('Why it differs: The queue is smaller.');
    expect(missText(metric('ordering'))).toMatch(/^Why it differs: Not explained\. What was tried/);
    expect(failText(claim(false, 'Losses are forgiven.'))).toBe('Why it differs: Losses are forgiven.');
    expect(failText(claim(false))).toMatch(/^Why it differs: Not explained\. What was tried/);
  });

  it('is told of no number in its band, and of no claim that does not fail', () => {
    expect(missText(metric('within', 'The queue is smaller.'))).toBe('');
    expect(failText(claim(true, 'Losses are forgiven.'))).toBe('');
    expect(failText(claim(null))).toBe('');
  });
});
