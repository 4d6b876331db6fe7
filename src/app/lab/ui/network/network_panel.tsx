/** The network by hand: what the bottleneck carries, how it queues, what else happens to packets. */
import { useId } from 'preact/hooks';

import { BOTTLENECKS } from '../../../../core/link_arguments.js';
import { LINK_FIELDS } from '../../../../link/fields.js';
import { PARTS_FORMS, type PartsKey } from '../../../../link/load_form.js';
import type { ScenarioPath } from '../../../../scenario/scenario.js';
import { changeDuration, changePath, changeRtt, pathOf, rttOf, type Direction } from '../../edits.js';
import type { Lab } from '../../lab.js';
import { CapacityField } from './capacity_field.js';
import { QueueField } from './queue_field.js';
import { SliderField } from './slider_field.js';

interface PathProps {
  lab: Lab;
  direction: Direction;
}

/** An outage as text has it; the parts of a scenario's say the same at length. */
function outageText(outage: ScenarioPath['outage']): string {
  if (typeof outage !== 'object') return outage ?? LINK_FIELDS.outage.usual;
  const { mean_on_ms, mean_off_ms, off_phases } = outage;
  return `${mean_on_ms}ms/${mean_off_ms}ms${off_phases === undefined ? '' : `x${off_phases}`}`;
}

interface PartsFieldProps {
  setting: PartsKey;
  text: string;
  onChange: (part: string, text: string) => void;
}

/** A setting that consists of several numbers. */
function PartsField({ setting, text, onChange }: PartsFieldProps) {
  const { parts, usual, read, write } = PARTS_FORMS[setting];
  const values = read(text) ?? usual;
  const isOn = read(text) !== null;
  return (
    <>
      {parts.map(({ name, label, help, unit, min, max, slider: [most], ...part }, index) =>
        index > 0 && !isOn ? null : (
          <SliderField
            key={name}
            label={label}
            unit={unit}
            help={help}
            value={values[index] ?? 0}
            from={min}
            to={most}
            max={max}
            whole={'isWhole' in part}
            onChange={(value) => {
              const next = values.map((each, i) => (i === index ? value : each));
              onChange(`${setting}.${name}`, write(next, text));
            }}
          />
        ),
      )}
    </>
  );
}

function PathFields({ lab, direction }: PathProps) {
  const id = useId();
  const network = lab.network.value;
  if (!network) return null;
  const path = pathOf(network, direction);
  const edit = (part: string, patch: { [K in keyof ScenarioPath]?: ScenarioPath[K] | undefined }): void =>
    lab.edit(`${direction}.${part}`, changePath(direction, patch));
  const hasBottleneck = path.capacity !== undefined || path.capacity_per_flow !== undefined;
  const lossy = (path.loss_ratio ?? 0) > 0;
  return (
    <>
      <CapacityField path={path} durationS={network.duration_s} onChange={edit} />
      {hasBottleneck && (
        <QueueField
          queue={path.queue ?? LINK_FIELDS.queue.usual}
          onChange={(part, queue) => edit(part, { queue })}
        />
      )}
      <SliderField
        label="Random loss"
        unit="%"
        help="Share of packets that are lost whatever the queue does"
        value={(path.loss_ratio ?? 0) * 100}
        from={0}
        to={20}
        max={100}
        onChange={(value) =>
          edit('loss_ratio', { loss_ratio: value === 0 ? undefined : Number((value / 100).toPrecision(12)) })
        }
      />
      {lossy && (
        <SliderField
          label="Lost in runs of"
          unit="packets"
          help="Mean length of a run of lost packets; 1: each packet is lost by itself"
          value={path.burst_loss_packets ?? 1}
          from={1}
          to={20}
          max={1e6}
          onChange={(value) =>
            edit('burst_loss_packets', { burst_loss_packets: value === 1 ? undefined : value })
          }
        />
      )}
      <SliderField
        label="Jitter"
        unit="ms"
        help="Standard deviation of a random delay of each packet, which never puts one before another"
        value={path.jitter_ms ?? 0}
        from={0}
        to={60}
        max={10_000}
        onChange={(value) => edit('jitter_ms', { jitter_ms: value === 0 ? undefined : value })}
      />
      <PartsField
        setting="outage"
        text={outageText(path.outage)}
        onChange={(part, text) => edit(part, { outage: text === 'none' ? undefined : text })}
      />
      <PartsField
        setting="reorder"
        text={path.reorder ?? 'none'}
        onChange={(part, text) => edit(part, { reorder: text === 'none' ? undefined : text })}
      />
      {hasBottleneck && (
        <div class="field">
          <label for={id}>Bottleneck</label>
          <select
            id={id}
            name={`${direction}.bottleneck`}
            value={path.bottleneck ?? 'serial'}
            onChange={({ currentTarget }) => {
              const bottleneck = BOTTLENECKS.find((name) => name === currentTarget.value);
              edit('bottleneck', { bottleneck, burst_bytes: undefined });
            }}
          >
            <option value="serial">serial: one packet at a time, as a wire</option>
            <option value="token-bucket">token bucket: bursts, as Linux shapes</option>
          </select>
        </div>
      )}
      {hasBottleneck && path.bottleneck === 'token-bucket' && (
        <SliderField
          label="Burst"
          unit="bytes"
          help="What a token bucket that was idle lets through at once"
          value={path.burst_bytes ?? 5000}
          from={1540}
          to={50_000}
          min={1}
          max={1e9}
          isLogarithmic
          whole
          onChange={(burst_bytes) => edit('burst_bytes', { burst_bytes })}
        />
      )}
    </>
  );
}

export function NetworkPanel({ lab }: { lab: Lab }) {
  const network = lab.network.value;
  if (!network) return null;
  return (
    <details class="panel" open>
      <summary>Network</summary>
      <PathFields lab={lab} direction="forward" />
      <SliderField
        label="Round trip"
        unit="ms"
        help="Propagation delay there and back, without queues; half of it each way"
        value={rttOf(network)}
        from={0}
        to={500}
        max={60_000}
        onChange={(value) => lab.edit('rtt', changeRtt(value))}
      />
      <SliderField
        label="Simulated time"
        unit="s"
        help="How long the run is, in virtual time"
        value={network.duration_s}
        from={10}
        to={600}
        min={1}
        max={1e6}
        onChange={(value) => lab.edit('duration', changeDuration(value))}
      />
      <details>
        <summary>The way back</summary>
        <PathFields lab={lab} direction="backward" />
      </details>
    </details>
  );
}
