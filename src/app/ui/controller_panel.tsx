/** Sidebar: the controller that decides the bitrate, and those that only watch. */
import { useId } from 'preact/hooks';

import { CONTROLLER_NAMES, CONTROLLER_SPECS } from '../../core/schema.js';
import { isOwn, ownName, ownText, titleOf, watcherOf } from '../controllers.js';
import { notify } from '../notices.js';
import { ownControllers } from '../own_controllers.js';
import type { Session } from '../session/session.js';
import { change, settings } from '../settings.js';
import { presetFor } from '../state.js';
import { flowZeroText, takeCharge } from '../take_charge.js';
import { ChoiceField } from './fields.js';
import { effectHelp, isTwoPages } from './panels.js';

/** Whether a file has the extension of a controller, even if no page can run the file. */
export const isControllerFile = ({ name }: File): boolean => /\.([cm]?[jt]sx?|wasm)$/i.test(name);

/**
 * Puts the controller in `file` in charge. If no page can run the file, shows a notice that explains why. `inCharge` is
 * the controller in charge of the running call; null if no call is running.
 */
export function takeController(file: File, running: boolean, inCharge: string | null): void {
  const text = ownText(file.name);
  const fix = ownControllers.keep(file, 'call');
  if (fix === null) {
    change(takeCharge(settings.peek(), text, running));
    if (running && inCharge === text)
      notify(
        'info',
        'own-controller-changed',
        `The call goes on with the ${file.name} that it began with.`,
        'Stop and start the call to use the new file.',
      );
  } else notify('error', 'own-controller', `${file.name} is not a controller that a page can run.`, fix);
}

interface PanelProps {
  /** Whether a call is running. `disabled`: true while the controllers cannot be changed. */
  running: boolean;
  disabled: boolean;
}

const named = (controller: string): string => controller.toUpperCase();

function InChargeField({ running, disabled }: PanelProps) {
  const id = useId();
  const { controller } = settings.value;
  const own = ownControllers.list.value.map(({ name }) => ownText(name));
  // The address may name a controller whose file this page does not have. The menu lists it nevertheless.
  const others = isOwn(controller) && !own.includes(controller) ? [...own, controller] : own;
  return (
    <div class="field" title={effectHelp()}>
      <label for={id}>Who decides the bitrate</label>
      <select
        id={id}
        name="controller"
        disabled={disabled}
        value={controller}
        aria-description={effectHelp()}
        onChange={({ currentTarget }) => change(takeCharge(settings.peek(), currentTarget.value, running))}
      >
        {CONTROLLER_NAMES.map((name) => (
          <option key={name} value={name} selected={name === controller}>
            {named(name)} (WebAssembly core)
          </option>
        ))}
        <option value="native" selected={controller === 'native'}>
          The browser’s own (native)
        </option>
        {others.map((text) => (
          <option key={text} value={text} selected={text === controller}>
            {ownName(text)} (your own)
          </option>
        ))}
      </select>
    </div>
  );
}

function OwnFile({ running, disabled, session }: PanelProps & { session: Session }) {
  return (
    <div class="row">
      <label class={`button${disabled ? ' disabled' : ''}`}>
        Your own file…
        <input
          type="file"
          name="own-controller"
          accept=".js,.mjs,.wasm"
          disabled={disabled}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) takeController(file, running, session.controller);
            currentTarget.value = '';
          }}
        />
      </label>
      <span class="hint">.js, .mjs or .wasm; or drop it on the page</span>
    </div>
  );
}

/** Whether flow 0 already runs this controller, so that a shadow would duplicate flow 0. */
const isInCharge = (text: string): boolean => text === flowZeroText(settings.value);

/**
 * The shadows that the user can choose: the default preset of each controller and the user's own controllers,
 * except the one that flow 0 runs, and all shadows that are already chosen.
 */
function offered(): string[] {
  const { shadow } = settings.value;
  const own = ownControllers.list.value.map(({ name }) => ownText(name));
  const usual = [...CONTROLLER_NAMES, ...own].filter((text) => !isInCharge(text));
  return [...new Set([...usual, ...shadow])];
}

function toggle(text: string): void {
  const { shadow } = settings.peek();
  change({ shadow: shadow.includes(text) ? shadow.filter((each) => each !== text) : [...shadow, text] });
}

function ShadowChoice({ disabled }: { disabled: boolean }) {
  const id = useId();
  const { shadow } = settings.value;
  const help = isTwoPages()
    ? 'Takes effect with the next call, on both pages if both name the same'
    : 'Fed with the same timing and drawn as what they would ask for; never obeyed';
  return (
    <fieldset class="field shadows" disabled={disabled} title={help}>
      <legend>Shadows: who only watches</legend>
      {offered().map((text) => (
        <label key={text}>
          <input
            type="checkbox"
            name="shadow"
            value={text}
            checked={shadow.includes(text)}
            aria-description={help}
            onChange={() => toggle(text)}
          />{' '}
          {titleOf(text)}
        </label>
      ))}
      <label for={id} class="visually-hidden">
        Another preset as a shadow
      </label>
      <select
        id={id}
        name="another-shadow"
        value=""
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') toggle(currentTarget.value);
          currentTarget.value = '';
        }}
      >
        <option value="">Another preset…</option>
        {CONTROLLER_NAMES.map((name) => (
          <optgroup key={name} label={named(name)}>
            {CONTROLLER_SPECS[name].presets
              .filter((preset) => preset.name !== presetFor(name))
              .filter(({ name: preset }) => {
                const text = `${name}:${preset}`;
                return !shadow.includes(text) && !isInCharge(text);
              })
              .map((preset) => (
                <option key={preset.name} value={`${name}:${preset.name}`} title={preset.description}>
                  {preset.name}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </fieldset>
  );
}

/**
 * The menu of presets: those of the controller in charge or, if the browser's own controller is in charge, those of
 * all controllers that can watch.
 */
function PresetField() {
  const { controller, preset } = settings.value;
  const watchers = CONTROLLER_NAMES.filter((name) => controller === 'native' || name === controller);
  const presets = watchers.flatMap((name) => CONTROLLER_SPECS[name].presets);
  const chosen = presets.find(({ name }) => name === preset);
  return (
    <>
      <ChoiceField
        field="preset"
        label={controller === 'native' ? 'Preset that watches' : 'Preset'}
        help={chosen?.description ?? ''}
        options={presets.map(({ name, description }) => ({ value: name, label: name, help: description }))}
        onChoose={(name) => {
          // A preset of another controller has other parameters, so the current parameters are dropped.
          const isOther = watcherOf({ controller, preset: name }) !== watcherOf({ controller, preset });
          change(isOther ? { preset: name, set: {} } : { preset: name });
        }}
      />
      <p class="hint">{chosen?.description}</p>
    </>
  );
}

export function ControllerPanel({ running, session }: { running: boolean; session: Session }) {
  const { controller, preset } = settings.value;
  const disabled = running && isTwoPages();
  const name = isOwn(controller)
    ? ownName(controller)
    : titleOf(controller === 'native' ? preset : controller);
  const modes = [
    { value: 'control', label: `Control: ${name} alone decides` },
    { value: 'cap', label: `Cap: ${name} limits the browser` },
    { value: 'observe', label: `Observe: ${name} only watches` },
  ];
  return (
    <details class="panel" open>
      <summary>Controller</summary>
      <InChargeField running={running} disabled={disabled} />
      <OwnFile running={running} disabled={disabled} session={session} />
      {!isOwn(controller) && <PresetField />}
      {controller !== 'native' && (
        <ChoiceField field="mode" label="Mode" help={effectHelp()} disabled={disabled} options={modes} />
      )}
      <ShadowChoice disabled={disabled} />
    </details>
  );
}
