/**
 * Defines the parts of a lesson. Also contains the readings (measured numbers) and the scenario parts that lessons
 * share.
 */
import type { ComponentChildren } from 'preact';

import type { FlowMetrics, WindowMetrics } from '../../core/simulation.js';
import type { CitedPaper } from '../cited_papers.js';

/** A number measured in each run, which learners compare. */
export interface Reading {
  title: string;
  of: (measured: WindowMetrics) => number;
  text: (value: number) => string;
}

/**
 * One run of the lesson's scenario: the learner's choice (a value of the scenario's axis), and the run's metrics. The
 * metrics cover the scenario's time window or, without a window, the whole run.
 */
export interface Tried {
  value: string;
  measured: WindowMetrics;
}

export interface Lesson {
  id: string;
  title: string;
  /** The prediction is made before the figure is shown. */
  prediction: {
    ask: string;
    options: readonly string[];
    /** The index of the correct option. */
    right: number;
    because: ComponentChildren;
  };
  /** A scenario with one axis, whose values are the choices of the learner. */
  scenario: LessonScenario;
  /** The ids of the charts that show the answer, from top to bottom. */
  charts: readonly string[];
  readings: readonly Reading[];
  /** Two or three paragraphs that cite sections or equations of their sources. */
  text: ComponentChildren;
  /** The papers that the lesson cites by their short names. */
  cites: readonly CitedPaper[];
  task: {
    ask: ComponentChildren;
    /** Whether this run solves the task. */
    isSolved: (tried: Tried) => boolean;
    /** The axis value that solves the task. */
    solution: string;
    /** The explanation of the solution, for teachers and for learners who have found it. */
    because: ComponentChildren;
  };
}

export interface LessonScenario {
  ccscope_scenario: 1;
  id: string;
  title: string;
  description: string;
  duration_s: number;
  forward: Readonly<Record<string, unknown>>;
  flows: readonly Readonly<Record<string, unknown>>[];
  windows?: readonly { name: string; begin_s: number; end_s: number }[];
  axes: readonly [
    {
      name: string;
      label: string;
      values: readonly { name: string; label: string; set: Readonly<Record<string, unknown>> }[];
    },
  ];
}

/**
 * The name of a run of the lesson: the label of the axis, and the label of the choice. If `choice` is
 * unknown, the first choice is named.
 */
export function runName({ scenario }: Lesson, choice: string): string {
  const [{ label, values }] = scenario.axes;
  const chosen = values.find(({ name }) => name === choice) ?? values[0];
  return `${label}: ${chosen?.label ?? ''}`;
}

/** Builds a scenario from the parts that all lessons share. */
export function lessonScenario(
  id: string,
  parts: Pick<LessonScenario, 'title' | 'duration_s' | 'forward' | 'flows'> & {
    choose: string;
    /** The run is measured from this time on; by default from its beginning. */
    measuredFromS?: number;
    from: readonly [name: string, label: string, set: Readonly<Record<string, unknown>>][];
  },
): LessonScenario {
  const { title, duration_s, forward, flows, choose, measuredFromS, from } = parts;
  const values = from.map(([name, label, set]) => ({ name, label, set }));
  return {
    ...{
      ccscope_scenario: 1,
      id: `lesson-${id}`,
      title,
      description: 'One of the runs that a lesson compares.',
      duration_s,
    },
    forward: { one_way_delay_ms: 25, ...forward },
    flows,
    ...(measuredFromS !== undefined && {
      windows: [{ name: 'measured', begin_s: measuredFromS, end_s: duration_s }],
    }),
    axes: [{ name: 'choice', label: choose, values }],
  };
}

const flowNamed = ({ flows }: WindowMetrics, name: string): FlowMetrics | undefined =>
  flows.find((flow) => flow.name === name);
const percent = (value: number): string => (Number.isFinite(value) ? `${(100 * value).toFixed(0)} %` : '–');
const ms = (value: number): string =>
  Number.isFinite(value) ? `${value.toFixed(value < 10 ? 1 : 0)} ms` : '–';

/** The bytes that a flow received, as a share of the bytes that the link could carry in the measured time. */
export const shareOf = (flow: string, title = `Share of ${flow}`): Reading => ({
  title,
  of: (measured) => {
    const { forward, beginUs, endUs } = measured;
    const received = flowNamed(measured, flow)?.receivedBytes ?? NaN;
    return (received * 8e6) / (endUs - beginUs) / forward.capacityBps;
  },
  text: percent,
});
export const utilisation: Reading = {
  title: 'Link used',
  of: ({ forward }) => forward.utilisation,
  text: percent,
};
/** A percentile (or the maximum) of the time that packets waited at the bottleneck. */
export const waits = (statistic: 'p50' | 'p95' | 'max', title: string): Reading => ({
  title,
  of: ({ forward }) => forward.queueDelayUs[statistic] / 1e3,
  text: ms,
});
export const lossOf = (flow: string, title = 'Lost'): Reading => ({
  title,
  of: (measured) => flowNamed(measured, flow)?.lossRatio ?? NaN,
  text: (value) => (Number.isFinite(value) ? `${(100 * value).toFixed(value < 0.1 ? 2 : 0)} %` : '–'),
});
export const jain: Reading = {
  title: 'Jain’s index',
  of: (measured) => measured.jain,
  text: (value) => (Number.isFinite(value) ? value.toFixed(2) : '–'),
};
