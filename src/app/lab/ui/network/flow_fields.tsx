/** The fields of one flow. */
import { useId } from 'preact/hooks';

import {
  COMPONENT_SPECS,
  CONTROLLER_SPECS,
  controllerOfPreset,
  type ComponentSpec,
  type ParameterSpec,
} from '../../../../core/schema.js';
import { LazyDetails } from '../../../ui/lazy_details.js';
import { parameterValue } from '../../../../core/parameter_value.js';
import type { ScenarioFlow } from '../../../../scenario/scenario.js';
import { orderedParameters } from '../../../parameter_order.js';
import { ParameterList } from '../../../ui/parameter_list.js';
import { CHOICES, presetOf } from '../../controller_choice.js';
import { changeFlow, type MediaFlow, type TcpFlow } from '../../edits.js';
import type { Lab } from '../../lab.js';
import { NumberInput } from '../../../ui/number_input.js';

type Values = Readonly<Record<string, number>>;

/**
 * Returns a copy of `given` with `name` set to `value`, or without `name` if `value` is null. Returns undefined if no
 * values are left.
 */
function changed(given: Values, name: string, value: number | null): Values | undefined {
  const { [name]: _, ...others } = given;
  const next = value === null ? others : { ...others, [name]: value };
  return Object.keys(next).length > 0 ? next : undefined;
}

const baseIn =
  (spec: ComponentSpec, preset: string | undefined) =>
  (parameter: ParameterSpec): number =>
    parameterValue(spec, parameter, preset);

const countText = (given: Values = {}): string => {
  const count = Object.keys(given).length;
  return count === 0 ? '' : `${count} changed`;
};

interface ComponentFieldsProps {
  lab: Lab;
  flow: ScenarioFlow;
  title: string;
  /** The property of the flow that contains the values. */
  field: 'parameters' | 'source';
  spec: ComponentSpec;
  preset: string | undefined;
  given: Values | undefined;
}

/** The number of parameters that are shown before the user asks for more. */
const FIRST = 6;

function ComponentFields({ lab, flow, title, field, spec, preset, given = {} }: ComponentFieldsProps) {
  return (
    <LazyDetails
      summary={
        <>
          {title} <span class="count">{countText(given)}</span>
        </>
      }
    >
      {() => (
        <ParameterList
          first={spec.parameters.slice(0, FIRST)}
          others={spec.parameters.slice(FIRST)}
          baseOf={baseIn(spec, preset)}
          names={`${flow.name}.${field}`}
          given={given}
          onChange={(name, value) =>
            lab.edit(
              `${flow.name}.${field}.${name}`,
              changeFlow(flow.name, { [field]: changed(given, name, value) }),
            )
          }
          onReset={() => lab.edit(`${flow.name}.${field}`, changeFlow(flow.name, { [field]: undefined }))}
        />
      )}
    </LazyDetails>
  );
}

interface MediaFieldsProps {
  lab: Lab;
  flow: MediaFlow;
  /** The name of the user's controller, if this page has one. */
  own: string | undefined;
}

export function MediaFields({ lab, flow, own }: MediaFieldsProps) {
  const id = useId();
  const { name, parameters = {}, own_controller: file } = flow;
  const isOwn = file !== undefined && own !== undefined;
  const preset = presetOf(flow);
  const controller = controllerOfPreset(preset) ?? 'gcc';
  const spec = CONTROLLER_SPECS[controller];
  const baseOf = baseIn(spec, preset);
  const highest = spec.parameters.find((each) => each.name === 'max_bitrate_bps');
  const set = (field: string, value: number | null): void =>
    lab.edit(
      `${name}.parameters.${field}`,
      changeFlow(name, { parameters: changed(parameters, field, value) }),
    );
  return (
    <>
      <div class="field">
        <label for={id}>Controller</label>
        <select
          id={id}
          name={`${name}.controller`}
          value={file === undefined ? preset : ''}
          onChange={({ currentTarget: { value } }) => lab.takeController(name, value)}
        >
          {file !== undefined && (
            <option value="" selected>
              own: {own ?? `${file} (not here; ${preset} instead)`}
            </option>
          )}
          {CHOICES.map(({ title, presets }) => (
            <optgroup key={title} label={title}>
              {presets.map((each) => (
                <option
                  key={each.name}
                  value={each.name}
                  title={each.description}
                  selected={file === undefined && each.name === preset}
                >
                  {each.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      {highest && (
        <NumberInput
          label="Highest bitrate"
          unit="kbps"
          help="The application’s own bound of the target"
          value={parameterValue(spec, highest, preset, parameters) / 1e3}
          min={100}
          max={20_000}
          range={[10, 1e6]}
          isLogarithmic
          onTake={(value) => set('max_bitrate_bps', value * 1e3)}
        />
      )}
      {!isOwn && (
        <LazyDetails
          summary={
            <>
              Parameters <span class="count">{countText(parameters)}</span>
            </>
          }
        >
          {() => (
            <ParameterList
              {...orderedParameters(controller)}
              baseOf={baseOf}
              names={`${name}.parameters`}
              given={parameters}
              onChange={set}
              onReset={() => lab.edit(`${name}.parameters`, changeFlow(name, { parameters: undefined }))}
            />
          )}
        </LazyDetails>
      )}
      <ComponentFields
        lab={lab}
        flow={flow}
        title="Video source"
        field="source"
        spec={COMPONENT_SPECS.media_source}
        preset={flow.source_preset}
        given={flow.source}
      />
    </>
  );
}

export function TcpFields({ lab, flow }: { lab: Lab; flow: TcpFlow }) {
  const id = useId();
  return (
    <>
      <div class="field">
        <label for={id}>Congestion control</label>
        <select
          id={id}
          value={flow.congestion_control ?? 'cubic'}
          onChange={({ currentTarget }) =>
            lab.edit(
              `${flow.name}.congestion_control`,
              changeFlow(flow.name, { congestion_control: currentTarget.value }),
            )
          }
        >
          <option value="cubic">CUBIC (RFC 9438)</option>
          <option value="new_reno">NewReno (RFC 6582)</option>
        </select>
      </div>
      <ComponentFields
        lab={lab}
        flow={flow}
        title="Parameters"
        field="parameters"
        spec={COMPONENT_SPECS.tcp}
        preset={flow.preset}
        given={flow.parameters}
      />
    </>
  );
}

interface SharedFieldsProps {
  lab: Lab;
  flow: ScenarioFlow;
  durationS: number;
}

/** The fields that calls and TCP have in common: times, count, extra delay and direction. */
export function SharedFields({ lab, flow, durationS }: SharedFieldsProps) {
  const id = useId();
  const { name, count = 1, start_s = 0, stop_s, direction = 'forward', extra_delay_ms = 0 } = flow;
  const edit = (field: string, value: unknown): void =>
    lab.edit(`${name}.${field}`, changeFlow(name, { [field]: value }));
  return (
    <>
      <NumberInput
        label="Starts at"
        unit="s"
        help="When the flow begins"
        value={start_s}
        min={0}
        max={durationS}
        range={[0, stop_s ?? durationS]}
        onTake={(value) => edit('start_s', value === 0 ? undefined : value)}
      />
      <NumberInput
        label="Ends at"
        unit="s"
        help="When the flow ends; the largest value lets it run until the simulation ends"
        value={stop_s ?? durationS}
        min={0}
        max={durationS}
        range={[start_s, durationS]}
        onTake={(value) => edit('stop_s', value >= durationS ? undefined : value)}
      />
      <NumberInput
        label="How many"
        unit=""
        help="Flows of this kind"
        value={count}
        min={1}
        max={20}
        range={[1, 2000]}
        isWhole
        onTake={(value) => edit('count', value === 1 ? undefined : value)}
      />
      <NumberInput
        label="More delay"
        unit="ms"
        help="Propagation delay of this flow alone beyond the path’s, each way"
        value={extra_delay_ms}
        min={0}
        max={200}
        range={[0, 60_000]}
        onTake={(value) => edit('extra_delay_ms', value === 0 ? undefined : value)}
      />
      <div class="field">
        <label for={id}>Direction</label>
        <select
          id={id}
          value={direction}
          onChange={({ currentTarget: { value } }) =>
            edit('direction', value === 'forward' ? undefined : value)
          }
        >
          <option value="forward">forward</option>
          <option value="backward">the way back</option>
        </select>
      </div>
    </>
  );
}
