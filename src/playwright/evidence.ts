/** The evidence of a call at the end of a test: files for Playwright's reports, and properties for JUnit. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import type { TestInfo } from '@playwright/test';

import {
  evidenceFiles,
  holds,
  linkCaptureFiles,
  measure,
  propertiesOf,
  type EvidenceFile,
  type EvidenceMetrics,
} from '../evidence/index.js';
import type { KitOptions } from './options.js';
import { PROPERTY } from './property.js';
import { failedText } from './report/failed.js';
import type { Call, CallSession } from './session.js';

const failed = ({ status, expectedStatus, errors }: TestInfo): boolean =>
  status !== expectedStatus || errors.length > 0;

/** The properties of a call as strings; unknown properties are omitted. */
function propertyTexts({ record, judgements }: Call, metrics: EvidenceMetrics): [string, string][] {
  const { link } = record;
  const met = judgements.filter(holds).length;
  const all: [string, string | null][] = [
    ['network', link?.changes[0]?.text ?? null],
    ['backend', link?.backend ?? null],
    ...[...propertiesOf(metrics)].map(([name, value]): [string, string] => [name, String(value)]),
    ['expectations', judgements.length === 0 ? null : `${met} of ${judgements.length}`],
    ['cores', String(availableParallelism())],
  ];
  return all.filter((pair): pair is [string, string] => pair[1] !== null);
}

/** A run of `repeat`, and whether it failed. */
export interface RunName {
  /** `run 2` */
  name: string;
  failed: boolean;
}

/** The prefix of the names of a run's files (`run-2-`) or properties (`run-2.`); empty outside `repeat`. */
const prefixOf = (run: RunName | null, end: '-' | '.'): string =>
  run === null ? '' : `${run.name.replaceAll(' ', '-')}${end}`;

async function filesOf(
  session: CallSession,
  { record, judgements: judged }: Call,
  metrics: EvidenceMetrics,
  testInfo: TestInfo,
  run: RunName | null,
): Promise<EvidenceFile[]> {
  const [, ...titles] = testInfo.titlePath;
  const title = `${titles.join(' › ')}${run === null ? '' : ` (${run.name})`}`;
  const error = stripVTControlCharacters(testInfo.errors[0]?.message ?? '').split('\n')[0] ?? '';
  const outcome = (run?.failed ?? failed(testInfo)) ? 'failed' : 'passed';
  const input = { record, judged, metrics, title, outcome, error, created: new Date() } as const;
  return evidenceFiles(input, session.browser);
}

async function attachFiles(
  files: readonly EvidenceFile[],
  testInfo: TestInfo,
  run: RunName | null,
): Promise<void> {
  for (const { name, contentType, body } of files) {
    const attached = `${prefixOf(run, '-')}${name}`;
    const path = testInfo.outputPath(attached);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, body);
    // The original can be removed, since Playwright copies the file to its own folder of attachments.
    await testInfo.attach(attached, { path, contentType });
    await rm(path);
  }
}

/**
 * Adds the call's properties to the test's annotations, and attaches the call's evidence if the options ask for it.
 * Never throws: missing evidence must not fail a test.
 */
export async function attachEvidence(
  session: CallSession,
  testInfo: TestInfo,
  { evidence: when, linkCapture }: Pick<KitOptions, 'evidence' | 'linkCapture'>,
  run: RunName | null = null,
): Promise<void> {
  const call = await session.existing();
  if (call === null) return;
  const isFailed = run?.failed ?? failed(testInfo);
  const note = (name: string, description: string): void => {
    testInfo.annotations.push({ type: `${PROPERTY}${prefixOf(run, '.')}${name}`, description });
  };
  try {
    const unmet = failedText(call.judgements);
    if (unmet !== null) note('failed', unmet);
    const metrics = measure(call.record);
    for (const [name, text] of propertyTexts(call, metrics)) note(name, text);
    if (when === 'always' || (when === 'on-failure' && isFailed)) {
      const files = await filesOf(session, call, metrics, testInfo, run);
      await attachFiles([...files, ...linkCaptureFiles(call.record, linkCapture)], testInfo, run);
    }
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    await testInfo.attach('call-evidence-missing.txt', {
      body: `The evidence could not be made: ${reason}\n`,
    });
  }
}
