/**
 * `<ccscope-view>`: a simulation or a recording of a call, as the app's charts, in any page. Importing the module defines
 * the element; its guide is `src/embed/README.md`.
 *
 * @module ccscope/view
 */
import type { WindowMetrics } from '../core/simulation_metrics.js';
import type { CellParams } from '../scenario/cells.js';

export type { CellParams, WindowMetrics };

/**
 * The charts that the attribute `charts` names: of all flows `rate` and `delay`; of one flow `loss`, what its
 * `controller` asks for, its `detector` (the picture of what NADA or LCC computes, where one of them is its
 * controller) and the controller's `states`.
 */
export type ChartName = 'rate' | 'delay' | 'loss' | 'controller' | 'detector' | 'states';

export type ThemeName = 'auto' | 'dark' | 'light';

/** What a simulation gave that is drawn now. */
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
  /** The whole run first, then the scenario's windows. */
  windows: readonly WindowMetrics[];
}

/** A recording that is drawn now. */
export interface ReadyTrace {
  kind: 'trace';
  /** The name of its file. */
  title: string;
  durationUs: number;
  /** The names of its flows. */
  flows: readonly string[];
}

/** Of `ccscope-ready`: what its attributes ask for is drawn. */
export type ReadyDetail = ReadyScenario | ReadyTrace;

/** Of `ccscope-error`: what the element says instead of drawing. */
export interface ErrorDetail {
  message: string;
  /** The attribute, or the field of the scenario, that is wrong. */
  field?: string;
  /** One line: what to do. */
  fix: string;
}

/** Events of the element, both of which bubble. */
export interface CcscopeViewEventMap extends HTMLElementEventMap {
  'ccscope-ready': CustomEvent<ReadyDetail>;
  'ccscope-error': CustomEvent<ErrorDetail>;
}

/** The element. Each property is the attribute of the same name; null where there is none. */
export interface CcscopeView extends HTMLElement {
  /** The id of a shipped scenario, or the address of a scenario's JSON. */
  scenario: string | null;
  /** Instead, the address of a recording: a trace in format v1. */
  src: string | null;
  /** Which cell of the scenario, such as `queue=codel,rtt=50ms`; what is not said is that of its first cell. */
  cell: string | null;
  /** Null: the scenario's own. */
  seed: number | null;
  /** Names of charts, joined by commas: see `ChartName`. */
  charts: string | null;
  /** The flow whose controller is shown; null: the first that has one. */
  flow: string | null;
  /** A name that is none is `auto`. */
  theme: ThemeName;
  /** The address of an app, which "Open in the Lab" leads to. */
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
