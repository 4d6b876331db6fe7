/** Adds the user's own controller to the simulation, from pasted text or from a file. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import aimd from '../../../../../public/controllers/aimd.ts?raw';
import type { Lab } from '../../lab.js';
import { ownFlowsOf } from '../../own_flows.js';

/** The documented example without its types, which browsers do not accept. */
const EXAMPLE = aimd.replace(/^import type .*\n+/m, '').replace(': UserController', '');

interface OwnControllerFieldProps {
  lab: Lab;
  isFull: boolean;
}

export function OwnControllerField({ lab, isFull }: OwnControllerFieldProps) {
  const id = useId();
  const text = useSignal('');
  const own = lab.ownFlows.own.value;
  const network = lab.network.value;
  const flows = network === null ? [] : ownFlowsOf(network);
  return (
    <details>
      <summary>+ own controller {own && <span class="count">{own.name}</span>}</summary>
      <p class="hint">
        A JavaScript module (not TypeScript: delete the types) whose default export is a controller. The call
        that it controls takes part in the simulation like any other.
      </p>
      <div class="field">
        <label for={id}>Paste a module</label>
        <textarea
          id={id}
          rows={6}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
      </div>
      <div class="row">
        <button
          type="button"
          disabled={text.value.trim() === '' || (isFull && flows.length === 0)}
          onClick={() => lab.useOwn(new File([text.value], 'pasted.mjs', { type: 'text/javascript' }))}
        >
          {flows.length === 0 ? 'Add a call with it' : 'Use this one'}
        </button>
        <button type="button" onClick={() => (text.value = EXAMPLE)}>
          Example
        </button>
        <label class="button">
          A file…
          <input
            type="file"
            accept=".js,.mjs,.wasm,text/javascript,application/wasm"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) lab.useOwn(file);
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      {own && flows.length > 0 && (
        <p class="hint">
          {own.name} controls {flows.join(', ')}. It stays in this page: links and saved scenarios only name
          it, and those who open them are told that a preset runs in its place.
        </p>
      )}
    </details>
  );
}
