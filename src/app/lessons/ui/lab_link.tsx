/** The link that opens a lesson's scenario in the Lab, where the learner can change everything. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { labAddress } from '../../../runs/lab_address.js';
import type { Run } from '../../../runs/run.js';

export function LabLink({ run }: { run: Run }) {
  const address = useSignal<string | null>(null);
  useEffect(() => {
    let isWanted = true;
    address.value = null;
    // `found` is never null, since every lesson's scenario is short enough for an address.
    void labAddress(new URL('lab.html', location.href).href, run, true).then((found) => {
      if (isWanted) address.value = found;
    });
    return () => (isWanted = false);
  }, [run.scenario, run.cell, run.seed]);
  if (address.value === null) return null;
  return (
    <p class="hint">
      <a href={address.value}>Open this run in the Lab</a>, where you can change its network, its flows and
      their parameters, and see each reason for a change of rate.
    </p>
  );
}
