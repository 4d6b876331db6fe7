import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { notices } from '../../src/app/notices.js';
import {
  changeEvent,
  changesForRestart,
  restartMessage,
  watchForRestart,
  type SettingChange,
} from '../../src/app/session/restarts.js';
import { DEFAULT_STATE, type AppState } from '../../src/app/state.js';

const NATIVE: AppState = { ...DEFAULT_STATE, controller: 'native' };

describe('settings that start a call again', () => {
  it('are those that a running call cannot take', () => {
    expect(changesForRestart(DEFAULT_STATE, NATIVE)).toEqual([
      { name: 'controller', from: 'gcc', to: 'native' },
    ]);
    const live = { ...DEFAULT_STATE, capacity: '2mbps', rtt_ms: 7, preset: 'gcc', set: { alpha: 0.9 } };
    expect(changesForRestart(DEFAULT_STATE, { ...live, window_s: 5, theme: 'dark' })).toEqual([]);
    expect(changesForRestart(DEFAULT_STATE, { ...DEFAULT_STATE, mode: 'cap' })).toHaveLength(1);
    expect(changesForRestart(NATIVE, { ...NATIVE, mode: 'cap' })).toEqual([]);
  });

  it('are told in a sentence and recorded by name', () => {
    const changes = changesForRestart(DEFAULT_STATE, { ...NATIVE, mode: 'cap', max_bps: 1e6 });
    expect(restartMessage({ ...NATIVE, mode: 'cap', max_bps: 1e6 }, changes)).toBe(
      'The call was restarted: the browser’s own controller is in charge now; the target stays between 50 kbps and 1000 kbps now.',
    );
    expect(changes.map(changeEvent)).toEqual([
      { name: 'controller', detail: { from: 'gcc', to: 'native' } },
      { name: 'mode', detail: { from: 'control', to: 'cap' } },
      { name: 'setting', detail: { name: 'max_bps', from: 2_500_000, to: 1_000_000 } },
    ]);
  });
});

describe('what is sent', () => {
  it.each([
    [{ size: '720p' as const }, '720p at 30 frames per second is asked for now'],
    [{ fps: 15 }, '360p at 15 frames per second is asked for now'],
    [{ size: '720p' as const, fps: 15 }, '720p at 15 frames per second is asked for now'],
    [{ codec: 'vp9' as const }, 'the video is VP9 now'],
    [{ audio: true }, 'a voice is sent beside the video now'],
  ])('starts the call again: %j', (change, says) => {
    const now = { ...DEFAULT_STATE, ...change };
    const changes = changesForRestart(DEFAULT_STATE, now);
    expect(changes.map(({ name }) => name)).toEqual(Object.keys(change));
    expect(restartMessage(now, changes)).toBe(`The call was restarted: ${says}.`);
  });
});

describe('the watch over a running call', () => {
  const watched = () => {
    const settings = signal<AppState>(DEFAULT_STATE);
    const connected = signal(true);
    const restarts: (readonly SettingChange[])[] = [];
    const restart = (changes: readonly SettingChange[]): void => void restarts.push(changes);
    const end = watchForRestart({ started: DEFAULT_STATE, settings, connected, restart });
    return { settings, connected, restarts, end };
  };
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('restarts once for many changes, when they rest', () => {
    const { settings, restarts } = watched();
    for (let max_bps = 2e6; max_bps > 1e6; max_bps -= 1e5) {
      settings.value = { ...DEFAULT_STATE, max_bps };
      vi.advanceTimersByTime(100);
    }
    expect(restarts).toEqual([]);
    vi.runAllTimers();
    expect(restarts).toHaveLength(1);
    expect(restarts[0]).toMatchObject([{ name: 'max_bps', to: 1.1e6 }]);
  });

  it('does nothing when a setting is back where it was, or the call has ended', () => {
    const { settings, restarts, end } = watched();
    settings.value = NATIVE;
    settings.value = DEFAULT_STATE;
    vi.runAllTimers();
    settings.value = NATIVE;
    end();
    vi.runAllTimers();
    expect(restarts).toEqual([]);
  });

  it('waits until the call is connected', () => {
    const { settings, connected, restarts } = watched();
    connected.value = false;
    settings.value = NATIVE;
    vi.runAllTimers();
    expect(restarts).toEqual([]);
    connected.value = true;
    vi.runAllTimers();
    expect(restarts).toHaveLength(1);
  });

  it('keeps the call while the bitrates are not in order, and says so', () => {
    const { settings, restarts } = watched();
    settings.value = { ...DEFAULT_STATE, min_bps: 400_000 };
    vi.runAllTimers();
    expect(restarts).toEqual([]);
    expect(notices.value).toMatchObject([{ code: 'bitrates', level: 'warning' }]);
    settings.value = { ...DEFAULT_STATE, min_bps: 200_000 };
    vi.runAllTimers();
    expect(restarts).toHaveLength(1);
    expect(notices.value).toEqual([]);
  });
});
