/** Sidebar: the settings of the link and of the call. */
import { parseRate } from '../../link/capacity_text.js';
import { LINK_WORDS } from '../../link/words.js';
import { formatRate } from '../../charts/index.js';
import { callQueues, capacityBeforeChangesBps } from '../call_queue.js';
import { change, settings } from '../settings.js';
import { LazyDetails } from './lazy_details.js';
import { Download } from './download.js';
import { ChoiceField, NumberField, TextField } from './fields.js';
import { NetworkButtons } from './network_buttons.js';
import { PartsField } from './parts_field.js';
import { QueueField } from './queue_field.js';

/** The range of the capacity's slider, 100 kbps to 3 Mbps, in steps of equal ratios. */
const SLIDER = { low: 1e5, high: 3e6, steps: 100 };

function CapacitySlider() {
  const bps = capacityBeforeChangesBps() ?? parseRate('1mbps');
  const span = Math.log(SLIDER.high / SLIDER.low);
  const step = (Math.log(bps / SLIDER.low) / span) * SLIDER.steps;
  const set = (to: number): void => {
    const next = SLIDER.low * Math.exp((span * to) / SLIDER.steps);
    change({ capacity: `${Math.round(next / 1e4) * 10}kbps` });
  };
  return (
    <input
      type="range"
      aria-label="Capacity"
      aria-valuetext={formatRate(bps)}
      min={0}
      max={SLIDER.steps}
      value={step}
      onInput={(e) => set(Number(e.currentTarget.value))}
    />
  );
}

/** A rate without a unit is in bit/s, which is hardly meant by a number this small. */
const FEW_BPS = 10_000;

function doubtOfCapacity(schedule: string): string {
  const rates = schedule.split(',').map((step) => step.split('@')[0]?.trim() ?? '');
  const rate = rates.find((each) => /^[\d.]+$/.test(each) && Number(each) > 0 && Number(each) < FEW_BPS);
  return rate === undefined ? '' : `${rate} means ${rate} bit/s; for megabits per second, write ${rate}mbps.`;
}

export function LinkPanel({ running }: { running: boolean }) {
  return (
    <details class="panel" open>
      <summary>Link</summary>
      <NetworkButtons />
      <TextField
        field="capacity"
        label="Capacity"
        help="A rate, or a schedule: 1.5mbps,0.6mbps@20s"
        suggestions={LINK_WORDS.capacity.examples}
        doubt={doubtOfCapacity}
      />
      <CapacitySlider />
      <Download running={running} />
      <QueueField
        queue={settings.value.queue}
        capacityBps={capacityBeforeChangesBps()}
        memory={callQueues}
        onChange={(queue) => change({ queue })}
      />
      <NumberField
        field="rtt_ms"
        label="RTT"
        unit="ms"
        help="Round-trip time of the empty link"
        min={0}
        max={500}
        step={5}
      />
      <NumberField
        field="loss"
        label="Random loss"
        unit="%"
        help="Share of packets lost at random"
        min={0}
        max={20}
        step={0.5}
        scale={0.01}
      />
      <NumberField
        field="burst_loss"
        label="Lost in a row"
        unit="packets"
        help="Mean length of a run of lost packets; 1: each is lost by itself"
        min={1}
        max={20}
        step={1}
      />
      <NumberField
        field="jitter_ms"
        label="Jitter"
        unit="ms"
        help="Standard deviation of a random delay"
        min={0}
        max={50}
        step={1}
      />
      <PartsField field="outage" text={settings.value.outage} onChange={(text) => change({ outage: text })} />
      <PartsField
        field="reorder"
        text={settings.value.reorder}
        onChange={(text) => change({ reorder: text })}
      />
      <PartsField
        field="cross_traffic"
        text={settings.value.cross_traffic}
        onChange={(text) => change({ cross_traffic: text })}
      />
    </details>
  );
}

/**
 * Whether the far side of the call is another page. A changed setting does not restart such a call, since the
 * other page would have to join again.
 */
export const isTwoPages = (): boolean => settings.value.role !== 'loopback';

/** Explains when a changed setting takes effect, if a running call cannot apply the change. */
export const effectHelp = (): string =>
  isTwoPages() ? 'Takes effect with the next call' : 'During a call, a change starts it again by itself';

interface CallProps {
  running: boolean;
  /** Whether the running call asked for the local server but runs without it. */
  lacksServer: boolean;
}

export function CallPanel({ running, lacksServer }: CallProps) {
  return (
    <LazyDetails class="panel" summary="Call">
      {() => (
        <>
          {running && <p class="hint">{effectHelp()}.</p>}
          <ChoiceField
            field="source"
            label="Video"
            help="What is sent"
            options={[
              { value: 'synthetic', label: 'Synthetic: fills the bitrate' },
              { value: 'camera', label: 'Your camera' },
            ]}
          />
          <ChoiceField
            field="size"
            label="Picture"
            help="Its size; a camera without it gives the nearest that it has"
            options={[
              { value: '360p', label: '360p: 640 × 360' },
              { value: '720p', label: '720p: 1280 × 720' },
            ]}
          />
          <ChoiceField
            field="fps"
            label="Frames per second"
            help="A camera without this rate gives the nearest that it has"
            options={[
              { value: '30', label: '30' },
              { value: '15', label: '15' },
            ]}
          />
          <ChoiceField
            field="codec"
            label="Codec"
            help="What the video is encoded with"
            options={[
              { value: 'vp8', label: 'VP8' },
              { value: 'vp9', label: 'VP9' },
            ]}
          />
          <ChoiceField
            field="audio"
            label="Audio"
            help="Its packets share the link with the video’s; the controller steers the video alone"
            options={[
              { value: '0', label: 'None' },
              { value: '1', label: 'A synthetic voice (Opus)' },
            ]}
          />
          <ChoiceField
            field="bottleneck"
            label="Bottleneck"
            help="Where the link is"
            options={[
              { value: 'shaper', label: 'Shaper: real packets (local server)' },
              { value: 'in-page', label: 'In the page: whole frames' },
            ]}
          />
          {lacksServer && (
            <p class="hint">There is no local server now, so the bottleneck is in the page: whole frames.</p>
          )}
          <NumberField
            field="start_bps"
            label="Start"
            unit="kbps"
            help="First target rate"
            min={50}
            max={2500}
            step={10}
            scale={1000}
          />
          <NumberField
            field="min_bps"
            label="Lowest"
            unit="kbps"
            help="Lowest target rate"
            min={10}
            max={1000}
            step={10}
            scale={1000}
          />
          <NumberField
            field="max_bps"
            label="Highest"
            unit="kbps"
            help="Highest target rate"
            min={100}
            max={5000}
            step={100}
            scale={1000}
          />
          <NumberField
            field="key_frame_interval_s"
            label="Key frame every"
            unit="s"
            help="0: only when the encoder wants one"
            min={0}
            max={30}
            step={1}
          />
          <NumberField
            field="duration_s"
            label="Stop after"
            unit="s"
            help="Counted from the start; 0: until you press Stop"
            min={0}
            max={300}
            step={10}
          />
        </>
      )}
    </LazyDetails>
  );
}
