/**
 * Shows the inside of a run at the playback moment: the packets in the network, the state machine and the equations.
 */
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentType, ComponentProps } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

import type { Scope } from '../../../boards/scope.js';
import type { TableName } from '../../../core/schema.js';
import { editable } from '../edits.js';
import { detailedFlow, drawnFlows } from '../../../runs/flows.js';
import type { Lab } from '../lab.js';
import { Playback } from '../playback/playback.js';
import { change, settings } from '../settings.js';
import type MomentPanel from './moment_panel.js';
import { PlaybackBar } from './playback_bar.js';
import { Stage } from './stage.js';

interface InsideProps {
  lab: Lab;
  scope: Scope;
}

/** For each controller, the table with one row for each of its decisions. */
const DECISIONS: Readonly<Record<string, TableName>> = { gcc: 'group', nada: 'nada', lcc: 'lcc' };

/** The moment is written into the address once it has stayed unchanged for this long. */
const MOMENT_KEPT_MS = 300;

type Panel = ComponentType<ComponentProps<typeof MomentPanel>>;

export function Inside({ lab, scope }: InsideProps) {
  const { live, store } = lab;
  /** The panel with the formulas. It is loaded when it is first shown, since the library for formulas is large. */
  const panel = useSignal<{ Panel: Panel } | null>(null);
  const playback = useMemo(
    () =>
      new Playback({
        axis: scope.axis,
        store,
        durationUs: () => live.durationUs,
        rowsOf: (step) => {
          if (step === 'event') return { table: 'packet', where: { column: 'link', value: 0 } };
          const flow = detailedFlow(live.run.peek()?.flows ?? [], settings.peek().flow);
          const table = DECISIONS[flow?.controller ?? ''] ?? 'throughput';
          return { table, where: { column: 'flow', value: flow?.flow ?? 0 } };
        },
      }),
    [lab],
  );
  useEffect(() => () => playback.close(), [playback]);
  const isInside = settings.value.inside;
  const run = live.run.value;
  const hasRun = run !== null;
  useEffect(() => {
    // At its end, a run has little left to look into, so the view opens at another moment.
    if (isInside && hasRun && scope.axis.heldUs === null) playback.seek(live.durationUs / 4);
  }, [isInside, hasRun]);
  useSignalEffect(() => {
    const at_s = Math.round((scope.heldUs.value ?? 0) / 1e3) / 1e3;
    if (playback.isPlaying.value) return undefined;
    const timer = setTimeout(() => change({ at_s }), MOMENT_KEPT_MS);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    if (isInside)
      void import('./moment_panel.js').then((module) => (panel.value = { Panel: module.default }));
    else playback.pause();
  }, [isInside]);
  if (run === null) return null;
  const detailed = detailedFlow(run.flows, settings.value.flow);
  const loaded = panel.value;
  return (
    <section class="results inside" aria-label="Inside the run">
      <PlaybackBar
        playback={playback}
        durationUs={run.durationUs}
        isInside={isInside}
        onInside={(inside) => lab.showInside(inside)}
      />
      {isInside &&
        (lab.hasPackets(run) ? (
          <Stage
            run={run}
            store={store}
            playback={playback}
            flows={drawnFlows(run.flows, settings.value.draw)}
          />
        ) : (
          <p class="hint">
            This run has too many packets to record them all. Shorten the simulated time, or take flows away,
            to see them.
          </p>
        ))}
      {isInside && loaded && detailed && (
        <loaded.Panel
          run={run}
          network={editable(run.scenario, run.cell)}
          store={store}
          playback={playback}
          flow={detailed}
        />
      )}
    </section>
  );
}
