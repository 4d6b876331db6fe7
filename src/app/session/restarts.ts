/** Settings that a running call cannot apply: when one is changed, the call is started again. */
import { effect, type ReadonlySignal } from '@preact/signals';

import { isOwn, titleOf, watcherOf } from '../controllers.js';
import { dismiss, notify } from '../notices.js';
import { bitratesInOrder, type AppState } from '../state.js';

const NEED_RESTART = [
  'controller',
  'mode',
  'source',
  'size',
  'fps',
  'codec',
  'audio',
  'bottleneck',
  'start_bps',
  'min_bps',
  'max_bps',
  'key_frame_interval_s',
] as const;

/**
 * The call restarts once the settings have not changed for this long, since a moving slider passes through many
 * values.
 */
const REST_MS = 500;

/** A setting whose value differs from its value at the start of the call. */
export interface SettingChange {
  name: (typeof NEED_RESTART)[number] | 'preset';
  from: string | number | boolean;
  to: string | number | boolean;
}

/**
 * The changed settings that need a new call. While the browser's own controller is in charge, changes of the mode are
 * left out, since the mode has no meaning then.
 */
export function changesForRestart(before: AppState, now: AppState): SettingChange[] {
  const isNative = before.controller === 'native' && now.controller === 'native';
  const changed = NEED_RESTART.filter(
    (name) => before[name] !== now[name] && !(name === 'mode' && isNative),
  ).map((name): SettingChange => ({ name, from: before[name], to: now[name] }));
  // The browser's controller stays in charge, but `preset` now names another controller, which has to run as flow 0.
  const isOther = isNative && watcherOf(before) !== watcherOf(now);
  return isOther ? [...changed, { name: 'preset', from: before.preset, to: now.preset }] : changed;
}

/** The message that tells the user what the restart changed. */
export function restartMessage(now: AppState, changes: readonly SettingChange[]): string {
  const facts = new Set(changes.map(({ name }) => factOf(now, name)));
  return `The call was restarted: ${[...facts].join('; ')}.`;
}

function factOf(now: AppState, name: SettingChange['name']): string {
  const kbps = (bps: number): string => `${bps / 1000} kbps`;
  switch (name) {
    case 'controller':
    case 'mode':
      return inCharge(now);
    case 'preset':
      return `${titleOf(now.preset)} watches now`;
    case 'source':
      return now.source === 'camera' ? 'your camera is sent now' : 'the synthetic video is sent now';
    case 'size':
    case 'fps':
      return `${now.size} at ${now.fps} frames per second is asked for now`;
    case 'codec':
      return `the video is ${now.codec.toUpperCase()} now`;
    case 'audio':
      return now.audio ? 'a voice is sent beside the video now' : 'the video goes alone now';
    case 'bottleneck':
      return now.bottleneck === 'shaper'
        ? 'the shaper is asked for now'
        : 'the bottleneck is in the page now';
    case 'start_bps':
      return `the target started at ${kbps(now.start_bps)}`;
    case 'min_bps':
    case 'max_bps':
      return `the target stays between ${kbps(now.min_bps)} and ${kbps(now.max_bps)} now`;
    case 'key_frame_interval_s':
      return now.key_frame_interval_s === 0
        ? 'key frames come when the encoder wants one'
        : `a key frame comes every ${now.key_frame_interval_s} s now`;
  }
}

function inCharge({ controller, mode, preset }: AppState): string {
  if (controller === 'native') return 'the browser’s own controller is in charge now';
  const name = titleOf(isOwn(controller) ? controller : `${controller}:${preset}`);
  if (mode === 'control') return `${name} is in charge now`;
  return mode === 'cap' ? `${name} limits the browser’s own controller now` : `${name} only watches now`;
}

/** The recorded event of a change. */
export function changeEvent({ name, from, to }: SettingChange): { name: string; detail: unknown } {
  if (name === 'controller' || name === 'mode') return { name, detail: { from, to } };
  return { name: 'setting', detail: { name, from, to } };
}

interface Watched {
  /** The settings that the call was started with. */
  started: AppState;
  settings: ReadonlySignal<AppState>;
  /** Whether the call is connected. Until then, changed settings do not restart the call. */
  connected: ReadonlySignal<boolean>;
  restart(changes: readonly SettingChange[]): void;
}

/**
 * Watches a call's settings, and calls `restart` once they have stopped changing. Returns a function that stops the
 * watch.
 */
export function watchForRestart({ started, settings, connected, restart }: Watched): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = effect(() => {
    const now = settings.value;
    const changes = changesForRestart(started, now);
    clearTimeout(timer);
    tellOrder(changes.length === 0 || bitratesInOrder(now));
    if (changes.length === 0 || !connected.value || !bitratesInOrder(now)) return;
    timer = setTimeout(() => restart(changes), REST_MS);
  });
  return () => {
    clearTimeout(timer);
    end();
    dismiss('bitrates');
  };
}

function tellOrder(isRight: boolean): void {
  if (isRight) return dismiss('bitrates');
  notify(
    'warning',
    'bitrates',
    'The bitrates are not in order; the call continues with the previous ones.',
    'Choose lowest ≤ start ≤ highest.',
  );
}
