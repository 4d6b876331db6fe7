/** The editor of the network: the bottleneck's capacity, its queue, and all other effects on packets. */
import { useId } from 'preact/hooks';

import { LazyDetails } from '../../../ui/lazy_details.js';
import { BOTTLENECKS } from '../../../../core/link_arguments.js';
import { LINK_FIELDS } from '../../../../link/fields.js';
import { outageText } from '../../../../scenario/outage_text.js';
import type { Scenario, ScenarioPath } from '../../../../scenario/scenario.js';
import {
  changeDuration,
  changePath,
  changeRtt,
  firstCapacityBps,
  pathOf,
  rttOf,
  type Direction,
} from '../../edits.js';
import type { Lab } from '../../lab.js';
import { CapacityField } from './capacity_field.js';
import { PartsField } from '../../../ui/parts_field.js';
import { QueueField } from '../../../ui/queue_field.js';
import { NumberInput } from '../../../ui/number_input.js';

interface PathProps {
  lab: Lab;
  direction: Direction;
}

function PathFields({ lab, direction }: PathProps) {
  const network = lab.network.value;
  if (!network) return null;
  const path = pathOf(network, direction);
  const edit = (part: string, patch: PathPatch): void =>
    lab.edit(`${direction}.${part}`, changePath(direction, patch));
  const isLossy = (path.loss_ratio ?? 0) > 0;
  return (
    <>
      <CapacityField path={path} durationS={network.duration_s} onChange={edit} />
      {hasBottleneck(path) && (
        <QueueField
          // The key changes when a scenario is loaded, so that the field forgets the settings of other queues.
          key={lab.loads.value}
          capacityBps={firstCapacityBps(network, direction)}
          queue={path.queue ?? LINK_FIELDS.queue.usual}
          onChange={(text, part) => edit(part, { queue: text })}
        />
      )}
      {direction === 'forward' && <RttField lab={lab} network={network} />}
      <NumberInput
        label="Random loss"
        unit="%"
        help="Share of packets that are lost whatever the queue does"
        value={(path.loss_ratio ?? 0) * 100}
        min={0}
        max={20}
        range={[0, 100]}
        onTake={(value) =>
          edit('loss_ratio', { loss_ratio: value === 0 ? undefined : Number((value / 100).toPrecision(12)) })
        }
      />
      {/* Without losses this field has no effect. It is disabled, not removed, so that nothing moves. */}
      <fieldset class="bare" disabled={!isLossy}>
        <NumberInput
          label="Lost in a row"
          unit="packets"
          help="Mean length of a run of lost packets; 1: each packet is lost by itself"
          value={path.burst_loss_packets ?? 1}
          min={1}
          max={20}
          range={[1, 1e6]}
          onTake={(value) =>
            edit('burst_loss_packets', { burst_loss_packets: value === 1 ? undefined : value })
          }
        />
      </fieldset>
      {direction === 'forward' && <DurationField lab={lab} network={network} />}
      <LazyDetails summary={`More of ${direction === 'forward' ? 'the link' : 'the way back'}`}>
        {() => <MoreFields path={path} edit={edit} direction={direction} />}
      </LazyDetails>
    </>
  );
}

type PathPatch = { [K in keyof ScenarioPath]?: ScenarioPath[K] | undefined };

const hasBottleneck = ({ capacity, capacity_per_flow: perFlow }: ScenarioPath): boolean =>
  capacity !== undefined || perFlow !== undefined;

interface MoreProps {
  path: ScenarioPath;
  edit: (part: string, patch: PathPatch) => void;
  direction: Direction;
}

/** The settings of a path that are changed less often. */
function MoreFields({ path, edit, direction }: MoreProps) {
  const id = useId();
  return (
    <>
      <NumberInput
        label="Jitter"
        unit="ms"
        help="Standard deviation of a random delay of each packet, which never puts one before another"
        value={path.jitter_ms ?? 0}
        min={0}
        max={60}
        range={[0, 10_000]}
        onTake={(value) => edit('jitter_ms', { jitter_ms: value === 0 ? undefined : value })}
      />
      <PartsField
        field="outage"
        text={outageText(path.outage)}
        onChange={(text, part) => edit(part, { outage: text === 'none' ? undefined : text })}
      />
      <PartsField
        field="reorder"
        text={path.reorder ?? 'none'}
        onChange={(text, part) => edit(part, { reorder: text === 'none' ? undefined : text })}
      />
      {hasBottleneck(path) && (
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
            <option value="serial">serial, like a wire</option>
            <option value="token-bucket">token bucket, as in Linux</option>
          </select>
        </div>
      )}
      {hasBottleneck(path) && path.bottleneck === 'token-bucket' && (
        <NumberInput
          label="Burst"
          unit="bytes"
          help="What a token bucket that was idle lets through at once"
          value={path.burst_bytes ?? 5000}
          min={1540}
          max={50_000}
          range={[1, 1e9]}
          isLogarithmic
          isWhole
          onTake={(burst_bytes) => edit('burst_bytes', { burst_bytes })}
        />
      )}
    </>
  );
}

interface NetworkProps {
  lab: Lab;
  network: Scenario;
}

function RttField({ lab, network }: NetworkProps) {
  return (
    <NumberInput
      label="RTT"
      unit="ms"
      help="Propagation delay there and back, without queues; half of it each way"
      value={rttOf(network)}
      min={0}
      max={500}
      range={[0, 60_000]}
      onTake={(value) => lab.edit('rtt', changeRtt(value))}
    />
  );
}

function DurationField({ lab, network }: NetworkProps) {
  return (
    <NumberInput
      label="Simulated time"
      unit="s"
      help="How long the run is, in virtual time"
      value={network.duration_s}
      min={10}
      max={600}
      range={[1, 1e6]}
      onTake={(value) => lab.edit('duration', changeDuration(value))}
    />
  );
}

export function NetworkPanel({ lab }: { lab: Lab }) {
  const network = lab.network.value;
  if (!network) return null;
  return (
    <details class="panel" open>
      <summary>Network</summary>
      <PathFields lab={lab} direction="forward" />
      <LazyDetails summary="The way back">{() => <PathFields lab={lab} direction="backward" />}</LazyDetails>
    </details>
  );
}
