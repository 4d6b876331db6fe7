/** The pinned run in the address: its scenario and its seed, which give the same rows on every machine. */
import * as v from 'valibot';

import { editable } from './edits.js';
import { fromFragment, toFragment } from '../../runs/fragment.js';
import type { Wanted } from '../../runs/live_run.js';

const linked = v.object({ scenario: v.unknown(), seed: v.pipe(v.number(), v.integer()) });

/**
 * The fragment for a pinned run. It is empty if the run's scenario is too long for a link. It is also empty for a run
 * with a user's own controller, since a link cannot contain the controller's file.
 */
export async function toPinLink({ scenario, cell, seed, controller }: Wanted): Promise<string> {
  if (controller !== undefined) return '';
  return toFragment('pin', JSON.stringify({ scenario: editable(scenario, cell), seed }));
}

/** Rejects if the link is damaged. The scenario has not been checked yet. */
export async function fromPinLink(fragment: string): Promise<v.InferOutput<typeof linked>> {
  return v.parse(linked, JSON.parse((await fromFragment('pin', fragment)) ?? 'null'));
}
