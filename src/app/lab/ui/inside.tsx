/**
 * Shows the inside of a run at the playback moment: the packets in the network, the state machine and the equations.
 */
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentType, ComponentProps } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

import type { Scope } from '../../../boards/scope.js';
import { SymbolText } from '../../../boards/symbol_text.js';
import { editable } from '../edits.js';
import { detailedFlow, drawnFlows } from '../../../runs/flows.js';
import type { Lab } from '../lab.js';
import { Playback } from '../playback/playback.js';
import { decisionSteps, packetSteps } from '../playback/steps.js';
import { change, settings } from '../settings.js';
import type MomentPanel from './moment_panel.js';
import { PlaybackBar } from './playback_bar.js';
import { Stage } from './stage.js';

interface InsideProps {
  lab: Lab;
  scope: Scope;
}

/** The moment is written into the address once it has stayed unchanged for this long. */
const MOMENT_KEPT_MS = 300;

/** Says what happened where the latest step stopped. The text disappears when the moment changes. */
function HappeningText({ playback }: { playback: Playback }) {
  const happening = playback.happening.value;
  const isHere = happening !== null && happening.timeUs === playback.timeUs.value;
  return (
    <p class="happening" role="status">
      {isHere && <SymbolText text={`${(happening.timeUs / 1e6).toFixed(3)} s: ${happening.text}`} />}
    </p>
  );
}

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
          const flows = live.run.peek()?.flows ?? [];
          return step === 'event'
            ? packetSteps(flows)
            : decisionSteps(detailedFlow(flows, settings.peek().flow));
        },
      }),
    [lab],
  );
  useEffect(() => () => playback.close(), [playback]);
  const isInside = settings.value.inside;
  const run = live.run.value;
  const hasRun = run !== null;
  useEffect(() => {
    // Little happens at the end of a run, so the view opens at a quarter of its duration.
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
  const detailed = run && detailedFlow(run.flows, settings.value.flow);
  // The object `run` is also replaced when the run ends, which changes nothing that a step has told.
  useEffect(() => playback.forget(), [run?.scenario, run?.cell, run?.seed, run?.controller, detailed?.name]);
  if (run === null) return null;
  const loaded = panel.value;
  return (
    <section class="results inside" aria-label="Inside the run">
      <PlaybackBar
        playback={playback}
        durationUs={run.durationUs}
        isInside={isInside}
        onInside={(inside) => lab.showInside(inside)}
      />
      {isInside && <HappeningText playback={playback} />}
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
