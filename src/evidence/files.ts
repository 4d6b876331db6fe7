/** The files that make up the evidence of a call. */
import type { Browser } from 'playwright-core';

import { evidenceHtml } from './html.js';
import type { EvidenceInput } from './input.js';
import { metricsJson } from './metrics.js';
import { picture } from './picture.js';
import { traceLines } from './trace.js';

export interface EvidenceFile {
  name: string;
  contentType: string;
  body: Buffer;
}

/**
 * The files, in the order in which a report shows them: the picture (or a text that explains why there is none),
 * the page, the metrics, the trace.
 */
export async function evidenceFiles(input: EvidenceInput, browser: Browser | null): Promise<EvidenceFile[]> {
  const page = evidenceHtml(input);
  const png = await picture(page, browser);
  const shot: EvidenceFile = Buffer.isBuffer(png)
    ? { name: 'call.png', contentType: 'image/png', body: png }
    : { name: 'call-picture.txt', contentType: 'text/plain', body: Buffer.from(png.missing) };
  return [
    shot,
    { name: 'call.html', contentType: 'text/html', body: Buffer.from(page) },
    {
      name: 'call-metrics.json',
      contentType: 'application/json',
      body: Buffer.from(`${JSON.stringify(metricsJson(input), null, 2)}\n`),
    },
    {
      name: 'call-trace.ndjson',
      contentType: 'application/x-ndjson',
      body: Buffer.from(`${[...traceLines(input)].join('\n')}\n`),
    },
  ];
}
