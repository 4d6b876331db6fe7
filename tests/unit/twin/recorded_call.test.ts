/**
 * What ccscope reads from the recording of a call: the schedule for its twin (the call's simulation), and what
 * cannot be simulated.
 */
import { describe, expect, it } from 'vitest';

import type { TraceEvent } from '../../../src/core/index.js';
import { DEFAULT_LINK_CONFIG } from '../../../src/link/link_config.js';
import { NoTwin } from '../../../src/twin/no_twin.js';
import { recordedCall, recordedOptions, type CallRows } from '../../../src/twin/recorded_call.js';
import type { TraceHeader } from '../../../src/trace/index.js';

const BOUNDS = { min_bitrate_bps: 50_000, max_bitrate_bps: 2_000_000, start_bitrate_bps: 300_000 };

const header: Partial<TraceHeader> = {
  ...{ source: 'call', clock: 'receiver', controller: 'gcc', preset: 'gcc-live', parameters: BOUNDS },
  ...{ mode: 'control', audio: true },
  video: { label: 'synthetic', width: 1280, height: 720, frame_rate: 15, codec: 'vp8' },
  link: { ...DEFAULT_LINK_CONFIG, capacity: '1mbps', rtt_ms: 80, queue: 'codel', at: 'shaper' },
};

const event = (seconds: number, name: string, detail: unknown = null): TraceEvent => ({
  ...{ time_us: seconds * 1e6, name, detail },
});
const START = event(1, 'start', {
  ...{ controller: 'gcc', preset: 'gcc-live', parameters: { ...BOUNDS, k_u: 0.02 } },
  settings: { mode: 'control', role: 'loopback', key_frame_interval_s: 7, link: '' },
});

/** The rows of a recording, every 100 ms from 1 s to 20 s. `capacity` is a function of the time in seconds. */
function rows(
  events: readonly TraceEvent[],
  capacity: (seconds: number) => number,
  more: Partial<CallRows> = {},
): CallRows {
  const timeUs = Array.from({ length: 191 }, (_, row) => 1e6 + row * 100e3);
  return {
    events,
    queue: { timeUs, capacityBps: timeUs.map((us) => capacity(us / 1e6)) },
    sentUs: [1.6e6, 1.5e6, 1.7e6],
    browserEstimateBps: [NaN, 3e6],
    endUs: 20e6,
    ...more,
  };
}

const usual = rows([START], () => 1e6);
const optionsOf = (events: readonly TraceEvent[], capacity: (seconds: number) => number = () => 1e6) =>
  recordedOptions(recordedCall(header, rows(events, capacity)), 1);

describe('the twin of a recording', () => {
  it('has its link, source, controller and duration', () => {
    expect(recordedOptions(recordedCall(header, usual), 5)).toMatchObject({
      ...{ durationUs: 20.04e6, seed: 5, changes: [] },
      forward: {
        capacityBps: 1e6,
        schedule: [],
        oneWayDelayUs: 40e3,
        queue: { kind: 'codel' },
        lossRatio: 0,
      },
      backward: { oneWayDelayUs: 40e3 },
      flows: [
        {
          ...{ kind: 'media', controller: 'gcc', preset: 'gcc-live', parameters: { ...BOUNDS, k_u: 0.02 } },
          // The flow starts when its first frame was sent, not when the first one arrived.
          startUs: 1.5e6,
          sourcePreset: 'synthetic-720p',
          source: { frame_rate: 15, max_bitrate_bps: 2e6, key_frame_interval_s: 7 },
          live: { preset: 'idle', parameters: { audio_bps: 54e3 } },
        },
      ],
    });
  });

  it('changes its capacity between the rows that show it', () => {
    const { forward } = optionsOf([START], (seconds) => (seconds < 8.25 ? 1.5e6 : seconds < 12 ? 0.6e6 : 0));
    expect(forward.capacityBps).toBe(1.5e6);
    expect(forward.schedule?.map(({ capacityBps }) => capacityBps)).toEqual([0.6e6, 0]);
    expect(forward.schedule?.[0]?.atUs).toBeCloseTo(8.25e6, 0);
    expect(forward.schedule?.[1]?.atUs).toBeCloseTo(11.95e6, 0);
  });

  it('changes its capacity when an event says so', () => {
    const change = event(8.23, 'link', { capacity: '600kbps' });
    const { forward, changes } = optionsOf([START, change], (seconds) => (seconds < 8.25 ? 1.5e6 : 0.6e6));
    expect(forward.schedule).toEqual([{ atUs: 8.23e6, capacityBps: 0.6e6 }]);
    expect(changes).toEqual([]);
  });

  it('changes all else of the link, and the controller, in the order of time', () => {
    const { changes } = optionsOf([
      START,
      event(4, 'link', { rtt_ms: 120, loss_ratio: 0.02, burst_loss_packets: 3 }),
      event(5, 'parameter', { name: 'k_u', value: 0.03 }),
      event(6, 'link', { queue: 'droptail:100ms', outage: '100ms/20ms', jitter_ms: 4, reorder: '0.01/20ms' }),
      event(7, 'preset', 'gcc-live'),
      event(8, 'preset', { name: 'libwebrtc-2016-08' }),
      event(9, 'link', { outage: 'none', reorder: 'none' }),
    ]);
    expect(changes).toEqual([
      {
        atUs: 4e6,
        forward: { oneWayDelayUs: 60e3, lossRatio: 0.02, burstLossPackets: 3 },
        backward: { oneWayDelayUs: 60e3 },
      },
      { atUs: 5e6, controller: { flow: 0, preset: 'gcc-live', parameters: { ...BOUNDS, k_u: 0.03 } } },
      {
        atUs: 6e6,
        forward: {
          queue: { kind: 'droptail', limitMs: 100 },
          outages: { meanOnUs: 100e3, meanOffUs: 20e3 },
          jitterUs: 4e3,
          reordering: { ratio: 0.01, delayUs: 20e3 },
        },
      },
      { atUs: 7e6, controller: { flow: 0, preset: 'gcc-live', parameters: BOUNDS } },
      { atUs: 8e6, controller: { flow: 0, preset: 'libwebrtc-2016-08', parameters: BOUNDS } },
      { atUs: 9e6, forward: { outages: null, reordering: null } },
    ]);
  });

  it('has a download from its beginning to its end', () => {
    const { flows } = optionsOf([
      START,
      event(5, 'link', { cross_traffic: 'cubic:2' }),
      event(9, 'link', { cross_traffic: 'cubic:1,newreno:1' }),
      event(12, 'link', { cross_traffic: 'none' }),
    ]);
    expect(flows.slice(1)).toEqual([
      { kind: 'tcp', congestionControl: 'cubic', startUs: 5e6, stopUs: 9e6 },
      { kind: 'tcp', congestionControl: 'cubic', startUs: 5e6, stopUs: 12e6 },
      { kind: 'tcp', congestionControl: 'new_reno', startUs: 9e6, stopUs: 12e6 },
    ]);
  });

  it('has all of the delay on the way there where the bottleneck was in the page', () => {
    const inPage = { ...header, link: { ...DEFAULT_LINK_CONFIG, rtt_ms: 60, at: 'in-page' } };
    // Each change is recorded in two events. The worker's event uses the core's names; the other one uses the
    // names of the settings.
    const events = [
      START,
      event(3, 'link', { queue: { kind: 'codel' }, oneWayDelayUs: 100e3 }),
      event(3, 'link', { rtt_ms: 100 }),
    ];
    const recorded = recordedCall(
      inPage,
      rows(events, () => 1e6),
    );
    expect(recordedOptions(recorded, 1)).toMatchObject({
      forward: { oneWayDelayUs: 60e3 },
      backward: { oneWayDelayUs: 0 },
      changes: [{ atUs: 3e6, forward: { oneWayDelayUs: 100e3 }, backward: { oneWayDelayUs: 0 } }],
    });
    expect(recorded.assumed).toEqual([
      'the bottleneck in the page shaped whole frames; the twin’s shapes packets',
    ]);
  });

  it('is of the longest call of a recording that restarted', () => {
    const again = event(6, 'start', {
      ...{ controller: 'nada', preset: 'nada-live', parameters: BOUNDS },
      settings: { mode: 'control', role: 'loopback', capacity: '2mbps', rtt_ms: 30, link: '' },
    });
    const events = [START, event(5.5, 'stop'), again, event(18, 'stop')];
    const recorded = recordedCall(
      header,
      rows(events, () => 2e6, { sentUs: [1.5e6, 6.4e6] }),
    );
    expect(recorded).toMatchObject({
      ...{ fromUs: 6.4e6, toUs: 18e6 },
      call: { controller: 'nada', preset: 'nada-live', link: { rtt_ms: 30 } },
    });
    expect(recorded.assumed.slice(0, 2)).toEqual([
      'the recording has 2 calls; this is the longest one, from 6.0 s to 18.0 s',
      'the video, the audio and the place of the bottleneck are those of the first call; the recording does not say those of later calls',
    ]);
  });

  it('has what the call of its own part sent, and the place of its bottleneck', () => {
    const again = event(6, 'start', {
      ...{ controller: 'gcc', preset: 'gcc-live', parameters: BOUNDS },
      settings: { mode: 'control', role: 'loopback', capacity: '2mbps', rtt_ms: 30, link: '' },
      video: { label: 'noise', width: 640, height: 360, frame_rate: 30, codec: 'vp8' },
      ...{ audio: false, at: 'in-page' },
    });
    const events = [START, event(5.5, 'stop'), again, event(18, 'stop')];
    const recorded = recordedCall(
      header,
      rows(events, () => 2e6, { sentUs: [1.5e6, 6.4e6] }),
    );
    expect(recorded).toMatchObject({ isInPage: true, call: { fps: 30, audio: false } });
    expect(recorded.call.sourcePreset).toMatch(/^noise/);
    expect(recorded.assumed.join()).not.toContain('first call');
  });

  it('says what it takes for pictures that it does not have', () => {
    const video = { label: 'HD Webcam', width: 640, height: 360, frame_rate: 24, codec: 'vp8' };
    const recorded = recordedCall({ ...header, video }, usual);
    expect(recorded.call).toMatchObject({ sourcePreset: 'vp8', fps: 24 });
    expect(recorded.assumed).toEqual([
      'frame sizes of talking heads in VP8, since this video was not measured',
    ]);
  });

  it('leaves a controller of the user to the caller', () => {
    const { preset: _, ...others } = header;
    const start = event(1, 'start', {
      controller: 'mine.mjs',
      parameters: BOUNDS,
      settings: { role: 'loopback' },
    });
    const recorded = recordedCall(
      { ...others, controller: 'mine.mjs' },
      rows([start], () => 1e6),
    );
    expect(recorded).toMatchObject({ own: 'mine.mjs', call: { controller: 'mine.mjs', set: BOUNDS } });
    expect(recorded.call).not.toHaveProperty('preset');
  });
});

const settings = (changed: object): TraceEvent => ({
  ...START,
  detail: { ...(START.detail as object), settings: { mode: 'control', role: 'loopback', ...changed } },
});

describe('a recording without a twin', () => {
  it.each<[string, Partial<TraceHeader>, CallRows, string]>([
    ['a simulation', { ...header, source: 'simulator' }, usual, 'itself a simulation'],
    ['of another page', { ...header, source: 'inject' }, usual, 'its link is unknown'],
    [
      'the browser’s',
      header,
      rows([settings({ controller: 'native' })], () => 1e6),
      'browser’s own controller set the rates',
    ],
    ['observe', header, rows([settings({ mode: 'observe' })], () => 1e6), 'cannot be simulated'],
    ['cap', header, rows([settings({ mode: 'cap' })], () => 1e6), '"cap" mode'],
    [
      'cap, found out during the call',
      header,
      rows([START, event(5, 'mode', { from: 'control', to: 'cap' })], () => 1e6),
      '"cap" mode',
    ],
    [
      'two pages',
      header,
      rows([settings({ role: 'send' })], () => 1e6),
      'the far side of the call was another page',
    ],
    [
      'Firefox',
      header,
      rows([START], () => 1e6, { browserEstimateBps: [NaN] }),
      'does not show that the call’s controller set the rates',
    ],
    ['no link', { ...header, link: undefined }, usual, 'does not say which link'],
    ['no rows of the queue', header, { ...usual, queue: { timeUs: [], capacityBps: [] } }, 'no queue rows'],
    ['no frames', header, { ...usual, sentUs: [] }, 'less than two seconds of frames'],
    ['too short', header, { ...usual, endUs: 3.4e6 }, 'less than two seconds of frames'],
  ])('says why: %s', (_, given, trace, reason) => {
    let thrown: unknown;
    try {
      recordedCall(given, trace);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(NoTwin);
    expect((thrown as NoTwin).message).toContain(reason);
    expect((thrown as NoTwin).fix).not.toBe('');
  });
});
