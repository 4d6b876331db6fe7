/** The core's schema: its parameters, presets and trace columns. */
import { COMPONENTS, CONTROLLERS, TABLE_DESCRIPTIONS, TABLES } from './schema.generated.js';

export type ControllerName = keyof typeof CONTROLLERS;
export type PresetName = (typeof CONTROLLERS)[ControllerName]['presets'][number]['name'];
export type ParameterName = (typeof CONTROLLERS)[ControllerName]['parameters'][number]['name'];
export type ComponentName = keyof typeof COMPONENTS;
export type TableName = (typeof TABLES)[number]['name'];

/** A parameter of a controller or of another component. */
export interface ParameterSpec {
  readonly name: string;
  readonly unit: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** The named values of an enumeration. The value of the parameter is the index of a name. */
  readonly values?: readonly string[];
  /** Present if the value must be an integer. */
  readonly whole?: true;
  /**
   * Where the parameter comes from, for example a section of a paper or draft, `deployed` (libwebrtc's code),
   * or `live calls`.
   */
  readonly section: string;
  readonly description: string;
}

/** A named set of parameter values. `values` contains those that differ from the defaults. */
export interface PresetSpec {
  readonly name: string;
  readonly description: string;
  readonly values: Readonly<Record<string, number>>;
}

/** A component with parameters: a controller, or a part of the simulator (a queue discipline, TCP or a source). */
export interface ComponentSpec {
  readonly parameters: readonly ParameterSpec[];
  readonly presets: readonly PresetSpec[];
}

/** A column of a trace table. If `values` is present, the column contains indices into this list of names. */
export interface ColumnSpec {
  readonly name: string;
  readonly values?: readonly string[];
}

export interface TableSpec {
  readonly name: TableName;
  readonly columns: readonly ColumnSpec[];
}

/** A trace table with a description of its rows. */
export interface DescribedTable extends TableSpec {
  readonly description: string;
}

/**
 * The controllers, in the order of their indices in the core. The names of presets are unique across all
 * controllers.
 */
export const CONTROLLER_SPECS: Readonly<Record<ControllerName, ComponentSpec>> = CONTROLLERS;

/** The parts of the simulator, and `user_controller`: the parameters that every user's controller has. */
export const COMPONENT_SPECS: Readonly<Record<ComponentName, ComponentSpec>> = COMPONENTS;

/** The trace tables, without descriptions. */
export const TABLE_SPECS: readonly TableSpec[] = TABLES;

/**
 * The whole schema, including the descriptions of the tables. Code that does not need these should use the
 * constants above: bundlers can then omit the descriptions.
 */
export const SCHEMA: {
  readonly controllers: typeof CONTROLLER_SPECS;
  readonly components: typeof COMPONENT_SPECS;
  readonly tables: readonly DescribedTable[];
} = {
  controllers: CONTROLLER_SPECS,
  components: COMPONENT_SPECS,
  tables: /* @__PURE__ */ TABLES.map((table) => ({ ...table, description: TABLE_DESCRIPTIONS[table.name] })),
};

/** The trace table with this name. */
export function tableSpec(name: TableName): TableSpec {
  const table = TABLE_SPECS.find((t) => t.name === name);
  if (table === undefined) throw new Error(`the core has no trace table ${name}`);
  return table;
}

/** The value of a parameter in a preset. */
export function presetValue(preset: PresetSpec, parameter: ParameterSpec): number {
  return preset.values[parameter.name] ?? parameter.default;
}

export const CONTROLLER_NAMES = /* @__PURE__ */ Object.keys(CONTROLLERS) as readonly ControllerName[];

/** The presets of all controllers. */
export const PRESETS: readonly PresetSpec[] = /* @__PURE__ */ CONTROLLER_NAMES.flatMap(
  (name) => CONTROLLER_SPECS[name].presets,
);

/** The controller that has this preset; undefined for an unknown preset. */
export function controllerOfPreset(preset: string): ControllerName | undefined {
  return CONTROLLER_NAMES.find((name) => CONTROLLER_SPECS[name].presets.some((each) => each.name === preset));
}

/**
 * The default preset of a controller. For live calls it is `NAME-live`. For simulations, or if `NAME-live` does
 * not exist, it is the controller's first preset.
 */
export function defaultPreset(controller: ControllerName, use: 'live' | 'simulation'): string {
  const names = CONTROLLER_SPECS[controller].presets.map(({ name }) => name);
  const live = names.find((name) => use === 'live' && name === `${controller}-live`);
  return live ?? names[0] ?? controller;
}
