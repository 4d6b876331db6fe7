/** What is known of a call at the end of a test: files for the report, properties for JUnit. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import type { TestInfo } from '@playwright/test';

import { evidenceFiles, holds, measure, type EvidenceMetrics } from '../node/evidence/index.js';
import type { KitOptions } from './options.js';
import { PROPERTY } from './property.js';
import type { Call, CallSession } from './session.js';

const failed = ({ status, expectedStatus, errors }: TestInfo): boolean =>
  status !== expectedStatus || errors.length > 0;

const number = (value: number | null, places: number): string | null =>
  value === null || !Number.isFinite(value) ? null : String(Number(value.toFixed(places)));

/** The properties of a call, without those of which nothing is known. */
function propertiesOf(
  { record, judgements }: Call,
  { call, timeTo90S }: EvidenceMetrics,
): [string, string][] {
  const { link } = record;
  const met = judgements.filter(holds).length;
  const all: [string, string | null][] = [
    ['network', link?.changes[0]?.text ?? null],
    ['backend', link?.backend ?? null],
    ['utilisation', number(call?.utilisation ?? null, 3)],
    ['received_bps', number(call?.receivedBps ?? null, 0)],
    ['queue_delay_p50_ms', number(call?.queueDelayP50Ms ?? null, 1)],
    ['queue_delay_p95_ms', number(call?.queueDelayP95Ms ?? null, 1)],
    ['loss_ratio', number(call?.lossRatio ?? null, 5)],
    ['freezes', number(call?.freezes ?? null, 0)],
    ['longest_freeze_ms', number(call?.longestFreezeMs ?? null, 0)],
    ['time_to_90pct_s', number(timeTo90S, 1)],
    ['expectations', judgements.length === 0 ? null : `${met} of ${judgements.length}`],
  ];
  return all.filter((pair): pair is [string, string] => pair[1] !== null);
}

/** Of which run of a test, and whether that failed. */
export interface RunName {
  /** `run 2` */
  name: string;
  failed: boolean;
}

async function attachFiles(
  session: CallSession,
  call: Call,
  metrics: EvidenceMetrics,
  testInfo: TestInfo,
  run: RunName | null,
): Promise<void> {
  const isFailed = run?.failed ?? failed(testInfo);
  const prefix = run === null ? '' : `${run.name.replaceAll(' ', '-')}-`;
  const { record, judgements: judged } = call;
  const [, ...titles] = testInfo.titlePath;
  const title = `${titles.join(' › ')}${run === null ? '' : ` (${run.name})`}`;
  const error = stripVTControlCharacters(testInfo.errors[0]?.message ?? '').split('\n')[0] ?? '';
  const outcome = isFailed ? 'failed' : 'passed';
  const input = { record, judged, metrics, title, outcome, error, created: new Date() } as const;
  for (const { name, contentType, body } of await evidenceFiles(input, session.browser)) {
    const path = testInfo.outputPath(`${prefix}${name}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, body);
    // Playwright copies it to where its reports find it.
    await testInfo.attach(`${prefix}${name}`, { path, contentType });
    await rm(path);
  }
}

/**
 * Attaches a call's evidence if the options ask for it, and notes its properties always. Never
 * throws: evidence must not decide on a test.
 */
export async function attachEvidence(
  session: CallSession,
  testInfo: TestInfo,
  when: KitOptions['evidence'],
  run: RunName | null = null,
): Promise<void> {
  const call = await session.existing();
  if (call === null) return;
  const isFailed = run?.failed ?? failed(testInfo);
  const prefix = run === null ? PROPERTY : `${PROPERTY}${run.name.replaceAll(' ', '-')}.`;
  try {
    const metrics = measure(call.record);
    for (const [name, description] of propertiesOf(call, metrics))
      testInfo.annotations.push({ type: `${prefix}${name}`, description });
    if (when === 'always' || (when === 'on-failure' && isFailed))
      await attachFiles(session, call, metrics, testInfo, run);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    await testInfo.attach('call-evidence-missing.txt', {
      body: `The evidence could not be made: ${reason}\n`,
    });
  }
}
