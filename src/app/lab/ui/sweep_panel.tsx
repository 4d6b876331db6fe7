/** Sweeps one numeric setting of the network and shows the result for each value. */
import { useSignal, type Signal } from '@preact/signals';
import type { ComponentProps, ComponentType } from 'preact';
import { useEffect, useId, useMemo } from 'preact/hooks';

import type { Lab } from '../lab.js';
import { formatMs, formatRate } from '../../../charts/index.js';
import type { Scenario } from '../../../scenario/scenario.js';
import { LazyDetails } from '../../ui/lazy_details.js';
import { settings } from '../settings.js';
import { alike, isSameButSwept, largest, type Swept } from '../sweep/sweep.js';
import { sweepables, sweepValues, sweptValue, type Sweepable } from '../sweep/sweepable.js';
import { SmallMultiple } from './small_multiple.js';
import type SweepCurves from './sweep_curves.js';

const text = (value: number, unit: string): string => `${Number(value.toPrecision(4))}${unit && ` ${unit}`}`;

/** Says for which values the runs do not differ; empty if all differ. */
function alikeText({ id, unit }: Sweepable, results: readonly Swept[]): string {
  const same = alike(results);
  if (same === null) return '';
  const [isFirst, isLast] = [same.from === results[0]?.value, same.to === results.at(-1)?.value];
  const what =
    id === 'queue' && isLast
      ? 'the limit is never reached, so the runs are the same.'
      : 'the runs are the same.';
  if (isFirst && isLast) return `For all values, ${what}`;
  return isLast ? `From ${text(same.from, unit)} on, ${what}` : `Up to ${text(same.to, unit)}, ${what}`;
}

interface RangeFieldProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
}

function RangeField({ label, value, onChange }: RangeFieldProps) {
  const id = useId();
  return (
    <span class="range-end">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        step="any"
        value={Number(value.toPrecision(4))}
        onChange={({ currentTarget }) => {
          const next = Number(currentTarget.value);
          if (currentTarget.value.trim() !== '' && Number.isFinite(next)) onChange(next);
          else currentTarget.value = String(value);
        }}
      />
    </span>
  );
}

/** The curves of the latest sweep; empty until their module is loaded. */
function Curves(props: ComponentProps<typeof SweepCurves>) {
  const loaded = useSignal<{ Curves: ComponentType<ComponentProps<typeof SweepCurves>> } | null>(null);
  useEffect(() => {
    void import('./sweep_curves.js').then((module) => (loaded.value = { Curves: module.default }));
  }, []);
  return loaded.value === null ? <div class="sweep-curves" /> : <loaded.value.Curves {...props} />;
}

/**
 * The curves and the small charts of the latest sweep. They disappear once the network changes in anything
 * but the swept value, since they belong to the previous network.
 */
function Multiples({ lab, now }: { lab: Lab; now: number }) {
  const { sweep } = lab;
  const request = sweep.request.value;
  const results = sweep.results.value;
  if (request === null) return null;
  const { swept, seed } = request;
  const what = `${swept.group}: ${swept.label}`;
  const same = sweep.left.value === 0 ? alikeText(swept, results) : '';
  const topBps = largest(
    results.flatMap(({ rates }) => [...rates.values()]),
    1e5,
  );
  const topMs = largest(
    results.map(({ queueDelayMs }) => queueDelayMs),
    20,
  );
  return (
    <>
      <p class="hint" role="status">
        {sweep.left.value > 0
          ? `${what}, ${sweep.left.value} values to come`
          : `${what}, one run each with seed ${seed}. In each small chart, above: received rates, up to ${formatRate(topBps)}; below: queuing delay at the bottleneck, up to ${formatMs(topMs)}. Choose one to take its value.`}
      </p>
      {same !== '' && <p>{same}</p>}
      {results.length > 1 && <Curves swept={swept} results={results} />}
      <ul class="small-multiples">
        {results.map((each) => (
          <SmallMultiple
            key={each.value}
            swept={each}
            title={text(each.value, swept.unit)}
            topBps={topBps}
            topMs={topMs}
            isNow={each.value === sweptValue(now, swept)}
            onTake={() => lab.edit(`sweep ${each.value}`, swept.edit(each.value))}
          />
        ))}
      </ul>
    </>
  );
}

export function SweepPanel({ lab }: { lab: Lab }) {
  /** The settings when the panel first appears. They may contain a sweep from the address. */
  const linked = useMemo(() => settings.peek(), []);
  const chosen = useSignal(linked.sweep || 'capacity');
  const range = useSignal(
    linked.sweep_from < linked.sweep_to ? { from: linked.sweep_from, to: linked.sweep_to } : null,
  );
  const network = lab.network.value;
  const own = lab.ownFlows.own.value;
  useEffect(() => {
    const request = lab.sweep.request.peek();
    if (request === null || network === null) return;
    const { controller } = lab.ownFlows.controllerFor(network);
    if (!isSameButSwept(request, network) || request.controller?.url !== controller?.url) lab.closeSweep();
  }, [network, own]);
  if (!network) return null;
  return (
    <LazyDetails class="results sweep" open={linked.sweep !== ''} summary="Sweep one number">
      {() => <SweepFields lab={lab} network={network} chosen={chosen} range={range} />}
    </LazyDetails>
  );
}

interface SweepFieldsProps {
  lab: Lab;
  network: Scenario;
  /** The id of the setting to sweep. */
  chosen: Signal<string>;
  /** The range that the user chose; null for the setting's usual range. */
  range: Signal<Pick<Sweepable, 'from' | 'to'> | null>;
}

function SweepFields({ lab, network, chosen, range }: SweepFieldsProps) {
  const id = useId();
  const all = sweepables(network);
  const found = all.find((each) => each.id === chosen.value) ?? all[0];
  if (!found) return null;
  const { value: request } = lab.sweep.request;
  // The range of a sweep stays the same when the user applies one of its values to the network.
  const { from, to } = range.value ?? (request?.swept.id === found.id ? request.swept : found);
  const swept: Sweepable = { ...found, from, to };
  const isRight = swept.from < swept.to;
  return (
    <>
      <div class="row">
        <label for={id}>Sweep</label>
        <select
          id={id}
          value={found.id}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value;
            range.value = null;
            lab.closeSweep();
          }}
        >
          {[...new Set(all.map(({ group }) => group))].map((group) => (
            <optgroup key={group} label={group}>
              {all
                .filter((each) => each.group === group)
                .map((each) => (
                  <option key={each.id} value={each.id} selected={each.id === found.id}>
                    {each.label}, now {text(each.now, each.unit)}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
        <RangeField
          label="from"
          value={swept.from}
          onChange={(from) => (range.value = { from, to: swept.to })}
        />
        <RangeField label="to" value={swept.to} onChange={(to) => (range.value = { from: swept.from, to })} />
        <button type="button" disabled={!isRight} onClick={() => void lab.startSweep(swept)}>
          Run {isRight ? sweepValues(swept).length : 0} values
        </button>
      </div>
      {!isRight && <p class="problem">Expected a range that rises: “from” below “to”.</p>}
      <Multiples lab={lab} now={found.now} />
    </>
  );
}
