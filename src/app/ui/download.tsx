/**
 * Sidebar: a button that starts and stops a download beside the call, through the same queue. While no call
 * is running, the button adds a download to the start of the next call, or removes it again.
 */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import { crossText } from '../../link/load_form.js';
import { parseCrossTraffic } from '../../link/load_text.js';
import { TCP_NAMES } from '../../link/words.js';
import { change, settings } from '../settings.js';

const KINDS = [
  { kind: 'cubic', label: TCP_NAMES.cubic },
  { kind: 'newReno', label: TCP_NAMES.newreno },
] as const;
type Kind = (typeof KINDS)[number]['kind'];

export function Download({ running }: { running: boolean }) {
  const id = useId();
  const chosen = useSignal<Kind>('cubic');
  const { cubic, newReno } = parseCrossTraffic(settings.value.cross_traffic);
  const count = cubic + newReno;
  // If all chosen downloads are of one kind, the menu shows this kind. Otherwise the menu shows the kind of
  // the next download.
  const only = count === 0 ? null : newReno === 0 ? 'cubic' : cubic === 0 ? 'newReno' : null;
  const kind = only ?? chosen.value;
  const choose = (next: Kind): void => {
    chosen.value = next;
    if (only !== null) change({ cross_traffic: crossText({ [next]: count }) });
  };
  const [start, stop] = running ? ['Start', 'Stop'] : ['Add', 'Remove'];
  const toggle = (): void => change({ cross_traffic: count > 0 ? 'none' : crossText({ [kind]: 1 }) });
  return (
    <div class="row download">
      <button type="button" aria-describedby={`${id}-is`} onClick={toggle}>
        {count === 0
          ? `${start} a download`
          : `${stop} ${count === 1 ? 'the download' : `${count} downloads`}`}
      </button>
      <label class="visually-hidden" for={id}>
        Congestion control of the download
      </label>
      <select
        id={id}
        name="download"
        value={kind}
        onChange={({ currentTarget }) => choose(currentTarget.value as Kind)}
      >
        {KINDS.map(({ kind: value, label }) => (
          <option key={value} value={value} selected={value === kind}>
            {label}
          </option>
        ))}
      </select>
      <span id={`${id}-is`} class="hint">
        A TCP connection in the queue of the call; its share is drawn among the rates.
        {!running && count > 0 && (count === 1 ? ' It starts with the call.' : ' They start with the call.')}
      </span>
    </div>
  );
}
