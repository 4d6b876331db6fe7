/** Why the shadows, which are controllers that only watch a call, would have changed their target rates. */
import type { EvidenceReasons } from '../calls/evidence_page.js';
import { SHADOW, type ShadowFlow } from '../calls/record/shadow_flow.js';
import type { ShadowRecord } from '../calls/record/record.js';
import { momentOf, targetChanges } from '../reasons/index.js';
import { TraceData } from '../trace/index.js';

const CONTROLLER_TITLES = { gcc: 'GCC', nada: 'NADA', lcc: 'LCC' } as const;

/** The reasons for the changes of each shadow that watched a stream. Shadows that changed nothing are left out. */
export function reasonsOf({ flow, flows, ssrc, batches }: ShadowRecord): EvidenceReasons[] {
  const trace = new TraceData();
  for (const batch of batches) trace.append(batch);
  const watching: readonly ShadowFlow[] = flows.length > 0 ? flows : [{ ...SHADOW, flow }];
  return watching
    .map((one) => ({
      label: `${CONTROLLER_TITLES[one.controller]} watching video ${ssrc}`,
      lines: targetChanges(trace, { flow: one.flow, header: { flows: [{ ...one, kind: 'shadow' }] } }).map(
        (change) => ({
          timeUs: Math.round(momentOf(change)),
          down: change.shape === 'fall' || change.shape === 'decline',
          text: change.text,
        }),
      ),
    }))
    .filter(({ lines }) => lines.length > 0);
}
