/**
 * The calls of tests, read from the annotations `ccscope.*` that ccscope's fixtures add to each test. Blob
 * reports and `merge-reports` keep annotations.
 */
import type { TestCase, TestResult } from '@playwright/test/reporter';

import type { PropertyName } from '../../evidence/properties.js';
import { PROPERTY } from '../property.js';
import { failedOf, type FailedExpectation } from './failed.js';

/** The properties of one call, keyed by their names without `ccscope.`. */
export type Properties = ReadonlyMap<string, string>;

/** A call from one attempt at a test. */
export interface TestedCall {
  test: TestCase;
  /** The title of the test (see `titleOf`) and the run of `repeat`, for example `describe › test run-2`. */
  title: string;
  /** The run of `repeat`, for example `run-2`; empty outside `repeat`. */
  run: string;
  properties: Properties;
}

const RUN = /^(run-\d+)\.(.+)$/;

/** The title of a test, for example `describe › test`. */
export const titleOf = (test: TestCase): string => test.titlePath().slice(3).join(' › ');

/** The calls of an attempt at a test: one, or one for each run of `repeat`; empty if the attempt made no call. */
export function callsOf(test: TestCase, result: TestResult): TestedCall[] {
  const calls = new Map<string, Map<string, string>>();
  // Before Playwright 1.52 a result has no annotations.
  const annotations = (result as Partial<TestResult>).annotations ?? test.annotations;
  for (const { type, description = '' } of annotations) {
    if (!type.startsWith(PROPERTY)) continue;
    const name = type.slice(PROPERTY.length);
    const [, run = '', property = name] = RUN.exec(name) ?? [];
    const call = calls.get(run) ?? new Map<string, string>();
    calls.set(run, call.set(property, description));
  }
  const title = titleOf(test);
  return [...calls].map(([run, properties]) => ({
    test,
    title: run === '' ? title : `${title} ${run}`,
    run,
    properties,
  }));
}

/** The calls of the last attempt at each test. Earlier attempts do not count. */
export const lastCalls = (tests: readonly TestCase[]): TestedCall[] =>
  tests.flatMap((test) => test.results.slice(-1).flatMap((result) => callsOf(test, result)));

/** A property as a number; null if unknown. */
export function numberOf({ properties }: TestedCall, name: PropertyName | 'cores'): number | null {
  const text = properties.get(name);
  const value = text === undefined || text === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

export const failuresOf = ({ properties }: TestedCall): FailedExpectation[] =>
  failedOf(properties.get('failed'));
