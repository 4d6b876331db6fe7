/** The possible actions on the chosen stream, their results, and the actions that have not been undone. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

import { formatRate } from '../charts/index.js';
import type { Action, ActionTarget, DegradationPreferenceName, EncodingName } from '../inject/protocol.js';
import type { StreamState } from '../watch/index.js';
import type { Model } from './model.js';
import { inForceText } from './stream_names.js';

interface PanelProps {
  model: Model;
  stream: StreamState;
}

/** The ends of the rate slider. The slider is logarithmic: equal distances mean equal ratios. */
const LEAST_BPS = 30e3;
const MOST_BPS = 10e6;
const SLIDER_STEPS = 100;
const MOST_DELAY_MS = 4000;

const bpsAt = (step: number): number => {
  const bps = LEAST_BPS * (MOST_BPS / LEAST_BPS) ** (step / SLIDER_STEPS);
  return Number(bps.toPrecision(2));
};
const stepAt = (bps: number): number =>
  Math.round((SLIDER_STEPS * Math.log(bps / LEAST_BPS)) / Math.log(MOST_BPS / LEAST_BPS));

const PREFERENCES: readonly DegradationPreferenceName[] = [
  'balanced',
  'maintain-framerate',
  'maintain-resolution',
  'maintain-framerate-and-resolution',
];

interface CommandProps {
  model: Model;
  stream: StreamState;
  make: (target: ActionTarget) => Action;
  title?: string;
  children: ComponentChildren;
}

/**
 * A button that acts on the stream. While an action is under way, the button ignores clicks, but is not
 * disabled, so it keeps the focus.
 */
function Command({ model, stream, make, title, children }: CommandProps) {
  const busy = model.acting.value;
  return (
    <button
      type="button"
      aria-disabled={busy}
      {...(title === undefined ? {} : { title })}
      onClick={() => {
        if (!busy) void model.act(stream, make);
      }}
    >
      {children}
    </button>
  );
}

/** All streams of this stream's sender, one for each encoding. Empty if the browser does not report mids. */
function encodingsOf(model: Model, { endpoint, direction, mid }: StreamState): StreamState[] {
  const streams = model.state.value?.streams ?? [];
  return streams.filter(
    (each) => each.endpoint === endpoint && each.direction === direction && each.mid === mid && mid !== '',
  );
}

/** The name of an encoding: its rid or, without a rid, its position, which is 0 unless the browser reports it. */
const nameOf = ({ rid, encodingIndex }: StreamState): EncodingName => (rid === '' ? encodingIndex || 0 : rid);

function Cap({ model, stream }: PanelProps) {
  const kbps = useSignal(500);
  const encoding = useSignal<string>('');
  const encodings = encodingsOf(model, stream).filter(({ rid }) => rid !== '');
  const bps = kbps.value * 1000;
  const named = encodings.some(({ rid }) => rid === encoding.value) ? encoding.value : null;
  const isUsable = Number.isInteger(bps) && bps >= 1000 && bps <= 1e9;
  return (
    <fieldset>
      <legend>Cap</legend>
      <input
        type="range"
        aria-label="Cap"
        aria-valuetext={formatRate(bps)}
        min={0}
        max={SLIDER_STEPS}
        value={stepAt(Math.max(bps, LEAST_BPS))}
        onInput={({ currentTarget }) => (kbps.value = bpsAt(currentTarget.valueAsNumber) / 1000)}
      />
      <span class="together">
        <input
          type="number"
          aria-label="Cap in kbps"
          min={1}
          max={1e6}
          step={1}
          value={kbps.value}
          onInput={({ currentTarget }) => (kbps.value = currentTarget.valueAsNumber)}
        />
        kbps
      </span>
      {encodings.length > 1 && (
        <select
          aria-label="What is capped"
          value={encoding.value}
          onChange={({ currentTarget }) => (encoding.value = currentTarget.value)}
        >
          <option value="">all layers</option>
          {encodings.map(({ rid }) => (
            <option key={rid} value={rid}>
              layer {rid}
            </option>
          ))}
        </select>
      )}
      {isUsable ? (
        <Command
          model={model}
          stream={stream}
          make={(target) => ({ kind: 'cap', target, encoding: named, maxBitrateBps: bps })}
        >
          Cap
        </Command>
      ) : (
        <span class="soft">from 1 to 1000000 kbps</span>
      )}
    </fieldset>
  );
}

function Layers({ model, stream }: PanelProps) {
  // If an encoding was restarted with another SSRC, only its newest stream counts.
  const encodings = new Map(encodingsOf(model, stream).map((each) => [nameOf(each), each]));
  if (encodings.size === 0) return null;
  return (
    <fieldset>
      <legend>{encodings.size === 1 ? 'Sent' : 'Layers sent'}</legend>
      {[...encodings].map(([name, each]) => {
        const active = !each.isActive;
        const unnamed = encodings.size === 1 ? stream.kind : `layer ${name}`;
        return (
          <button
            key={each.ssrc}
            type="button"
            role="switch"
            aria-checked={each.isActive}
            aria-disabled={model.acting.value}
            onClick={() => {
              if (!model.acting.value)
                void model.act(stream, (target) => ({ kind: 'layer', target, encoding: name, active }));
            }}
          >
            {each.rid === '' ? unnamed : each.rid}: {each.isActive ? 'on' : 'off'}
          </button>
        );
      })}
    </fieldset>
  );
}

function Preference({ model, stream }: PanelProps) {
  const chosen = useSignal<DegradationPreferenceName>('balanced');
  return (
    <fieldset>
      <legend>When bandwidth or CPU is short</legend>
      <select
        aria-label="Degradation preference"
        value={chosen.value}
        onChange={({ currentTarget: { value } }) =>
          (chosen.value = PREFERENCES.find((each) => each === value) ?? 'balanced')
        }
      >
        {PREFERENCES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <Command
        model={model}
        stream={stream}
        make={(target) => ({ kind: 'degradation-preference', target, preference: chosen.value })}
      >
        Set
      </Command>
    </fieldset>
  );
}

function SendActions({ model, stream }: PanelProps) {
  const isVideo = stream.kind === 'video';
  return (
    <>
      <Cap model={model} stream={stream} />
      <p class="together">
        <Command
          model={model}
          stream={stream}
          title="Cap each layer at the rate that it has now, measured for a second"
          make={(target) => ({ kind: 'hold', target })}
        >
          Hold
        </Command>
        {isVideo && (
          <Command
            model={model}
            stream={stream}
            title="Have the encoder send a key frame"
            make={(target) => ({ kind: 'key-frame', target, encoding: null })}
          >
            Key frame
          </Command>
        )}
      </p>
      {isVideo && (
        <p>
          <button
            type="button"
            aria-disabled={model.acting.value}
            title="Without the far side's help, GCC sees losses and round trips, but no queues, and can only go below the browser's own estimate"
            onClick={() => {
              if (!model.acting.value) void model.drive(stream);
            }}
          >
            Drive with GCC
          </button>{' '}
          <span class="soft">by losses and round trips alone</span>
        </p>
      )}
      <Layers model={model} stream={stream} />
      {isVideo && <Preference model={model} stream={stream} />}
    </>
  );
}

function ReceiveActions({ model, stream }: PanelProps) {
  const delayMs = useSignal(200);
  const isUsable = delayMs.value >= 0 && delayMs.value <= MOST_DELAY_MS;
  return (
    <fieldset>
      <legend>Playout delay</legend>
      <span class="together">
        <input
          type="number"
          aria-label="Playout delay in milliseconds"
          min={0}
          max={MOST_DELAY_MS}
          step={10}
          value={delayMs.value}
          onInput={({ currentTarget }) => (delayMs.value = currentTarget.valueAsNumber)}
        />
        ms
      </span>
      {isUsable ? (
        <Command
          model={model}
          stream={stream}
          make={(target) => ({ kind: 'playout-delay', target, delayMs: delayMs.value })}
        >
          Hold back
        </Command>
      ) : (
        <span class="soft">from 0 to {MOST_DELAY_MS} ms</span>
      )}
      <p class="soft">Key frames and rates are the far side's: a page cannot ask for them here.</p>
    </fieldset>
  );
}

function InForceList({ model, stream }: PanelProps) {
  const { inForce } = stream;
  if (inForce.length === 0) return null;
  const kinds = new Set(inForce.map(({ kind }) => kind));
  return (
    <ul class="in-force" aria-label="In force">
      {[...kinds].map((kind) => {
        const texts = inForce.filter((each) => each.kind === kind).map(inForceText);
        return (
          <li key={kind}>
            <span>{texts.join('; ')}</span>
            <Command model={model} stream={stream} make={(target) => ({ kind: 'release', target, of: kind })}>
              Release<span class="unseen"> {kind}</span>
            </Command>
          </li>
        );
      })}
    </ul>
  );
}

function Result({ model }: { model: Model }) {
  const result = model.result.value;
  const busy = model.acting.value;
  return (
    <p class={result?.ok === false ? 'result failed' : 'result'} role="status" aria-live="polite">
      {busy && 'Working …'}
      {!busy && result?.ok === true && result.message}
      {!busy && result?.ok === false && `${result.why} To do: ${result.fix}.`}
    </p>
  );
}

export function ActionsPanel({ model, stream }: PanelProps) {
  return (
    <details class="actions" open>
      <summary>Act on this stream</summary>
      <InForceList model={model} stream={stream} />
      <Result model={model} />
      {stream.direction === 'send' ? (
        <SendActions model={model} stream={stream} />
      ) : (
        <ReceiveActions model={model} stream={stream} />
      )}
    </details>
  );
}
