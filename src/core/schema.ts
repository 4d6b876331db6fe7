/** The core's schema: its parameters, presets and trace columns. */
import { COMPONENTS, CONTROLLERS, TABLE_DESCRIPTIONS, TABLES } from './schema.generated.js';

export type ControllerName = keyof typeof CONTROLLERS;
export type PresetName = (typeof CONTROLLERS)[ControllerName]['presets'][number]['name'];
export type ParameterName = (typeof CONTROLLERS)[ControllerName]['parameters'][number]['name'];
export type ComponentName = keyof typeof COMPONENTS;
export type TableName = (typeof TABLES)[number]['name'];

/** One parameter of a controller. */
export interface ParameterSpec {
  readonly name: string;
  readonly unit: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** The names of an enumeration. The value of the parameter is the index of a name. */
  readonly values?: readonly string[];
  /** Set if the value must be a whole number. */
  readonly whole?: true;
  /** Where the parameter comes from: paper section, draft, "deployed", "live calls". */
  readonly section: string;
  readonly description: string;
}

/** A named set of parameters. `values` contains those that differ from the defaults. */
export interface PresetSpec {
  readonly name: string;
  readonly description: string;
  readonly values: Readonly<Record<string, number>>;
}

/** A component with parameters: a controller, or a part of the simulator (a queue discipline, TCP, a source). */
export interface ComponentSpec {
  readonly parameters: readonly ParameterSpec[];
  readonly presets: readonly PresetSpec[];
}

/**
 * One column of a trace table. If `values` is present, it lists the names of an enumeration, and the column
 * contains their indices.
 */
export interface ColumnSpec {
  readonly name: string;
  readonly values?: readonly string[];
}

export interface TableSpec {
  readonly name: TableName;
  readonly columns: readonly ColumnSpec[];
}

/** A table with a description of its rows. */
export interface DescribedTable extends TableSpec {
  readonly description: string;
}

/**
 * Controllers, in the order of their numbers in the core. No two presets have the same name, even of different
 * controllers.
 */
export const CONTROLLER_SPECS: Readonly<Record<ControllerName, ComponentSpec>> = CONTROLLERS;

/** Parts of the simulator. */
export const COMPONENT_SPECS: Readonly<Record<ComponentName, ComponentSpec>> = COMPONENTS;

/** The tables without their descriptions. */
export const TABLE_SPECS: readonly TableSpec[] = TABLES;

/**
 * The whole schema, with descriptions of the tables. Code that does not show the descriptions can use the
 * constants above, so that bundlers leave the descriptions out.
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

/** The table with this name. */
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
 * The default preset of a controller. In live calls it is `NAME-live`. In simulations, or if there is no
 * `NAME-live`, it is the controller's first preset.
 */
export function defaultPreset(controller: ControllerName, use: 'live' | 'simulation'): string {
  const names = CONTROLLER_SPECS[controller].presets.map(({ name }) => name);
  const live = names.find((name) => use === 'live' && name === `${controller}-live`);
  return live ?? names[0] ?? controller;
}
