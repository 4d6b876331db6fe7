/**
 * `<ccscope-view>`: shows a simulation or a recording of a call in any page, with the app's charts. Importing
 * the module defines the element; its guide is `src/embed/README.md`.
 *
 * @module ccscope/view
 */
import type { WindowMetrics } from '../core/simulation_metrics.js';
import type { CellParams } from '../scenario/cells.js';

export type { CellParams, WindowMetrics };

/**
 * The charts that the attribute `charts` can name. For a simulation, `rate` and `delay` show all flows, and
 * the others show one flow. For the recording of a call, all charts show one flow, and there is no chart
 * `controller`. `loss`: the flow's losses; `controller`: the rates of its controller; `detector`: GCC's
 * overuse detector, or the internal values of NADA or LCC; `states`: the states of its controller.
 */
export type ChartName = 'rate' | 'delay' | 'loss' | 'controller' | 'detector' | 'states';

export type ThemeName = 'auto' | 'dark' | 'light';

/** The currently drawn simulation. */
export interface ReadyScenario {
  kind: 'scenario';
  title: string;
  /** The scenario's id. */
  scenario: string;
  cell: CellParams;
  seed: number;
  durationUs: number;
  /** The names of its flows. */
  flows: readonly string[];
  /** The metrics of the whole run, followed by those of the scenario's time windows. */
  windows: readonly WindowMetrics[];
}

/** The currently drawn recording. */
export interface ReadyTrace {
  kind: 'trace';
  /** The name of its file. */
  title: string;
  durationUs: number;
  /** The names of its flows. */
  flows: readonly string[];
}

/** Detail of `ccscope-ready`: the simulation or the recording that has been drawn. */
export type ReadyDetail = ReadyScenario | ReadyTrace;

/** Detail of `ccscope-error`: the text that the element shows instead of drawing. */
export interface ErrorDetail {
  message: string;
  /** The attribute, or the field of the scenario, that is wrong. */
  field?: string;
  /** The advice for the user, in one line. */
  fix: string;
}

/** The element's events. Both bubble. */
export interface CcscopeViewEventMap extends HTMLElementEventMap {
  'ccscope-ready': CustomEvent<ReadyDetail>;
  'ccscope-error': CustomEvent<ErrorDetail>;
}

/**
 * The element. Each property reflects the attribute of the same name. If the attribute is absent, the property is
 * null, except `theme`, which is then `auto`.
 */
export interface CcscopeView extends HTMLElement {
  /** The id of a shipped scenario, or the address of a scenario's JSON. */
  scenario: string | null;
  /** The address of a recording (a trace in format v1), which is shown instead of a scenario. */
  src: string | null;
  /**
   * The cell of the scenario: a value for each of its axes, such as `queue=codel,rtt=50ms`. If axes are left
   * out, the scenario's first cell with the given values is used.
   */
  cell: string | null;
  /** The seed of the run. If null, the scenario's own seed is used. */
  seed: number | null;
  /** Names of charts, separated by commas: see `ChartName`. */
  charts: string | null;
  /** The flow whose controller is shown. If null, the first flow that has a controller is shown. */
  flow: string | null;
  /** `auto` if the attribute is absent or has an unknown value. */
  theme: ThemeName;
  /** The address of the app. The link "Open in the Lab" leads to the Lab of this app. If null, there is no link. */
  lab: string | null;

  addEventListener<K extends keyof CcscopeViewEventMap>(
    type: K,
    listener: (this: CcscopeView, event: CcscopeViewEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof CcscopeViewEventMap>(
    type: K,
    listener: (this: CcscopeView, event: CcscopeViewEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

export declare const CcscopeView: {
  prototype: CcscopeView;
  new (): CcscopeView;
};

declare global {
  interface HTMLElementTagNameMap {
    'ccscope-view': CcscopeView;
  }
}
