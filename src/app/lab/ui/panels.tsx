/**
 * Sidebar of the Lab: panels that choose the scenario, its cell (combination of axis values) and the shown flow, and
 * that open and save files.
 */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import { SymbolText } from '../../../boards/symbol_text.js';
import { printReport } from '../../print.js';
import { valuesOf, withAxis } from '../../../runs/cell_choice.js';
import { detailedFlow } from '../../../runs/flows.js';
import type { Lab } from '../lab.js';
import { CHOICES, isFree } from '../controller_choice.js';
import { matching } from '../papers.js';
import { byPaper, registry } from '../registry.js';
import { change, settings } from '../settings.js';

/** The height of the list of scenarios, in lines. */
const LINES = 9;

export function ScenarioPanel({ lab }: { lab: Lab }) {
  const id = useId();
  const words = useSignal('');
  const loaded = lab.loaded.value;
  const listed = matching(registry, words.value);
  const current = loaded?.from.kind === 'list' ? loaded.scenario.id : '';
  return (
    <details
      class="panel"
      open={lab.isListShown.value}
      onToggle={({ currentTarget }) => (lab.isListShown.value = currentTarget.open)}
    >
      <summary>
        Scenario
        {loaded && !lab.isListShown.value && (
          <>
            : {loaded.scenario.title} <span class="hint">choose another</span>
          </>
        )}
      </summary>
      <div class="field">
        <label for={`${id}-search`}>Search by paper, number or subject</label>
        <input
          id={`${id}-search`}
          type="search"
          placeholder={`among ${registry.length} experiments`}
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        />
      </div>
      <select
        class="scenarios"
        size={LINES}
        aria-label="Scenario"
        value={current}
        onChange={({ currentTarget }) => void lab.choose(currentTarget.value)}
      >
        {byPaper(listed).map(({ title, scenarios }) => (
          <optgroup key={title} label={title}>
            {scenarios.map((each) => (
              <option key={each.id} value={each.id} title={each.title} selected={each.id === current}>
                {each.title} ({each.id})
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {listed.length === 0 && <p class="hint">No experiment has any of these words.</p>}
      {/* Disabled while a scenario is loading: a change made then would be lost. */}
      <fieldset class="bare" disabled={lab.isLoading.value}>
        {(loaded?.scenario.axes ?? []).map(({ name }) => (
          <AxisField key={name} lab={lab} name={name} />
        ))}
      </fieldset>
      {loaded && (
        <>
          <p>
            <b>{loaded.scenario.title}</b>
            {loaded.from.kind === 'file' && <span class="hint"> from {loaded.from.name}</span>}
          </p>
          <p>{loaded.scenario.description}</p>
          <p class="hint">{[loaded.scenario.paper, loaded.scenario.source].filter(Boolean).join(', ')}</p>
        </>
      )}
    </details>
  );
}

function AxisField({ lab, name }: { lab: Lab; name: string }) {
  const id = useId();
  const loaded = lab.loaded.value;
  const axis = loaded?.scenario.axes?.find((each) => each.name === name);
  if (!loaded || !axis) return null;
  const cell = lab.cell.value;
  const labelOf = (value: string): string =>
    axis.values.find((each) => each.name === value)?.label ?? (value || 'as the scenario has it');
  return (
    <div class="field">
      <label for={id}>
        {axis.name}
        {axis.label !== undefined && axis.label !== axis.name && (
          <span class="unit">
            {' '}
            <SymbolText text={axis.label} />
          </span>
        )}
      </label>
      <select
        id={id}
        name={`cell.${name}`}
        value={cell[name] ?? ''}
        onChange={({ currentTarget }) => {
          const next = withAxis(loaded.cells, cell, name, currentTarget.value);
          const axes = loaded.scenario.axes ?? [];
          lab.vary({ cell: Object.fromEntries(axes.map((each) => [each.name, next[each.name] ?? ''])) });
        }}
      >
        {valuesOf(loaded.cells, name).map((value) => (
          <option key={value} value={value} selected={value === (cell[name] ?? '')}>
            {labelOf(value)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Lets the user replace the scenario's controller in all media flows. */
function ControllerField({ lab }: { lab: Lab }) {
  const id = useId();
  const { controller } = settings.value;
  const chosen = CHOICES.flatMap(({ presets }) => presets).find(({ name }) => name === controller);
  return (
    <div class="field">
      <label for={id}>Controller of the media flows</label>
      <select
        id={id}
        name="controller"
        value={controller}
        onChange={({ currentTarget }) => lab.vary({ controller: currentTarget.value })}
      >
        <option value="" selected={controller === ''}>
          as the scenario has it
        </option>
        {CHOICES.map(({ title, presets }) => (
          <optgroup key={title} label={title}>
            {presets.map(({ name, description }) => (
              <option key={name} value={name} title={description} selected={name === controller}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {chosen !== undefined && (
        <small class="hint">
          {chosen.name}: {chosen.description}. The flows keep their bounds of the rate. Published values are
          not shown, since they belong to the scenario’s own controller.
        </small>
      )}
    </div>
  );
}

export function CellPanel({ lab }: { lab: Lab }) {
  const id = useId();
  const problem = useSignal('');
  /** The text while the user types; null otherwise. Rendering the field again must not replace this text. */
  const draft = useSignal<string | null>(null);
  const loaded = lab.loaded.value;
  if (!loaded) return null;
  const take = (text: string): void => {
    const seed = Number(text);
    const right = text.trim() !== '' && Number.isInteger(seed) && seed >= 0 && seed <= 2 ** 52;
    problem.value = right ? '' : `Expected a whole number from 0 to 2^52; ${lab.seed.value} is kept.`;
    if (right) lab.vary({ seed: seed === (loaded.scenario.seed ?? 1) ? null : seed });
  };
  return (
    <details class="panel" open>
      <summary>Run</summary>
      {isFree(loaded.scenario) && <ControllerField lab={lab} />}
      <div class="field">
        <label for={id}>Seed</label>
        <input
          id={id}
          name="seed"
          type="number"
          min={0}
          step={1}
          value={draft.value ?? lab.seed.value}
          aria-invalid={problem.value !== ''}
          onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
          onBlur={() => (draft.value = null)}
          onChange={({ currentTarget }) => {
            draft.value = null;
            take(currentTarget.value);
            currentTarget.value = String(lab.seed.value);
          }}
        />
        <small class="problem" aria-live="polite">
          {problem.value}
        </small>
      </div>
      <label class="check">
        <input
          type="checkbox"
          name="packets"
          checked={settings.value.packets}
          onChange={({ currentTarget }) => lab.vary({ packets: currentTarget.checked })}
        />
        <span>
          Record every packet’s arrival, for <code>ccscope replay</code>
        </span>
      </label>
    </details>
  );
}

/**
 * A menu of the media flows; the charts show the controller of the chosen flow. Hidden if there are fewer
 * than two media flows.
 */
export function FlowPanel({ lab }: { lab: Lab }) {
  const id = useId();
  const flows = lab.live.run.value?.flows ?? [];
  const media = flows.filter(({ kind }) => kind === 'media');
  if (media.length < 2) return null;
  const shown = detailedFlow(flows, settings.value.flow)?.name ?? '';
  return (
    <details class="panel" open>
      <summary>Controller</summary>
      <div class="field">
        <label for={id}>Of which flow</label>
        <select
          id={id}
          name="flow"
          value={shown}
          onChange={({ currentTarget }) => change({ flow: currentTarget.value })}
        >
          {media.map(({ name }) => (
            <option key={name} value={name} selected={name === shown}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </details>
  );
}

export function FilesPanel({ lab }: { lab: Lab }) {
  const run = lab.live.run.value;
  const busy = lab.live.isRunning.value;
  return (
    <details class="panel" open>
      <summary>Files</summary>
      <div class="row">
        <label class="button">
          Open a scenario…
          <input
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) void lab.openFile(file);
              currentTarget.value = '';
            }}
          />
        </label>
        <button type="button" onClick={() => lab.downloadScenario()}>
          Save as scenario
        </button>
      </div>
      <div class="row">
        <button type="button" disabled={run === null || busy} onClick={() => void lab.downloadTrace()}>
          Download trace
        </button>
        <button type="button" disabled={run?.result == null} onClick={() => void lab.downloadMetrics()}>
          Download metrics
        </button>
        <button type="button" disabled={run === null || busy} onClick={printReport}>
          Print report
        </button>
      </div>
      <p class="hint">Drop a scenario anywhere on the page to open it.</p>
    </details>
  );
}
