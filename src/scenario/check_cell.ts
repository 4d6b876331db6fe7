/** Checks one cell of a scenario: the times of its windows and flows, their presets and parameters, and its paths. */
import { expectedValue, parameterNumber } from '../core/parameter_value.js';
import {
  controllerOfPreset,
  PRESETS,
  COMPONENT_SPECS,
  CONTROLLER_SPECS,
  type ComponentSpec,
  type ParameterSpec,
  type PresetSpec,
} from '../core/schema.js';
import { ConfigError } from '../text/quantities.js';
import { unknown } from './cells.js';
import { checkPaths } from './compile.js';
import type { Scenario, ScenarioFlow } from './scenario.js';

type MediaFlow = Extract<ScenarioFlow, { kind: 'media' }>;

/** The largest number of flows that the simulator accepts. */
const MAX_FLOWS = 10_000;

/**
 * Checks one cell, as `instantiate` returns it. `checked` contains the traces that were checked for earlier cells.
 * Throws ConfigError with the path of the first error.
 */
export function checkCell(scenario: Scenario, checked = new Set<string>()): void {
  const { duration_s, id } = scenario;
  for (const { name, begin_s, end_s } of scenario.windows ?? []) {
    if (begin_s >= end_s || end_s > duration_s) {
      const expected = `begin_s before end_s, and both within ${duration_s} s`;
      throw new ConfigError(
        `${id}.windows.${name}`,
        expected,
        `${begin_s} to ${end_s}`,
        'correct these times',
      );
    }
  }
  for (const flow of scenario.flows) {
    const { name, start_s = 0, stop_s = duration_s, count = 1, start_step_s = 0 } = flow;
    const last = start_s + Math.max(0, count - 1) * start_step_s;
    if (last >= stop_s || stop_s > duration_s) {
      const expected = `a start before the end, and both within ${duration_s} s`;
      throw new ConfigError(`${id}.flows.${name}`, expected, `${last} to ${stop_s}`, 'correct these times');
    }
    checkFlowNames(flow, `${id}.flows.${name}`);
  }
  const flows = scenario.flows.reduce((sum, { count = 1 }) => sum + count, 0);
  if (flows === 0) throw new ConfigError(`${id}.flows`, 'at least one flow', 'none', 'set a count above 0');
  if (flows > MAX_FLOWS)
    throw new ConfigError(`${id}.flows`, `at most ${MAX_FLOWS} flows`, String(flows), 'set lower counts');
  checkPaths(scenario, checked);
}

/** Checks the presets and parameters of a flow against the core's declarations. */
function checkFlowNames(flow: ScenarioFlow, field: string): void {
  const { media_source, tcp } = COMPONENT_SPECS;
  const controller = flow.kind === 'media' ? checkController(flow, field) : tcp;
  checkPreset(flow.preset, controller.presets, `${field}.preset`);
  checkParameters(flow.parameters, controller.parameters, `${field}.parameters`);
  if (flow.kind === 'tcp') return;
  checkPreset(flow.source_preset, media_source.presets, `${field}.source_preset`);
  checkParameters(flow.source, media_source.parameters, `${field}.source`);
}

/** The controller that the flow names, or the controller of the flow's preset. GCC if the flow has neither. */
function checkController({ controller, preset }: MediaFlow, field: string): ComponentSpec {
  const name = controller ?? (preset === undefined ? 'gcc' : controllerOfPreset(preset));
  if (name !== undefined) return CONTROLLER_SPECS[name];
  const presets = PRESETS.map((each) => each.name);
  throw unknown(`${field}.preset`, 'preset', String(preset), presets);
}

function checkPreset(preset: string | undefined, known: readonly PresetSpec[], field: string): void {
  const names = known.map(({ name }) => name);
  if (preset !== undefined && !names.includes(preset)) throw unknown(field, 'preset', preset, names);
}

function checkParameters(
  values: Readonly<Record<string, number>> | undefined,
  specs: readonly ParameterSpec[],
  field: string,
): void {
  for (const [name, value] of Object.entries(values ?? {})) {
    const spec = specs.find((each) => each.name === name);
    if (spec === undefined) {
      throw unknown(
        field,
        'parameter',
        name,
        specs.map((each) => each.name),
      );
    }
    if (parameterNumber(spec, value) === undefined)
      throw new ConfigError(`${field}.${name}`, expectedValue(spec), String(value), 'correct this value');
  }
}
