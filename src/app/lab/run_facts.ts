/** Describes a Lab run for a report: the network, its flows with their parameters, and the seed. */
import { LINK_KEYS, LINK_FIELDS } from '../../link/fields.js';
import { queueWithLimit } from '../../link/queue_form.js';
import { queueTitle, sayLinkValue } from '../../link/words.js';
import { cellLabel, instantiate } from '../../scenario/cells.js';
import { outageText } from '../../scenario/outage_text.js';
import type { ScenarioFlow, ScenarioPath } from '../../scenario/scenario.js';
import { parametersText } from '../parameter_text.js';
import { CONTROLLER_TITLES } from './controller_choice.js';
import { rttOf } from './edits.js';
import type { Run } from '../../runs/run.js';

type Facts = readonly (readonly [name: string, value: string])[];

function capacityText({ capacity, capacity_per_flow: each }: ScenarioPath): string {
  const written = capacity ?? each;
  if (written === undefined) return 'no bottleneck';
  if (typeof written === 'object') return 'the capacity of a mahimahi trace';
  const text = typeof written === 'number' ? `${written / 1e3} kbps` : written;
  return capacity === undefined ? `${text} for each flow` : text;
}

/** The settings of a path that differ from their defaults, and its queue. */
function settingTexts(path: ScenarioPath): readonly string[] {
  const values: Readonly<Record<string, unknown>> = { ...path, outage: outageText(path.outage) };
  const isBehind = path.jitter_behind_queue === true && (path.jitter_ms ?? 0) > 0;
  const texts = LINK_KEYS.filter((key) => key !== 'capacity').flatMap((key) => {
    const value = values[key];
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    return key === 'queue' || value !== LINK_FIELDS[key].usual ? sayLinkValue(key, value) : [];
  });
  return isBehind ? [...texts, 'jitter behind the queue'] : texts;
}

function pathText(path: ScenarioPath): string {
  const { one_way_delay_ms: delay } = path;
  return [
    capacityText(path),
    ...settingTexts(path),
    ...(delay === undefined ? [] : [`${delay} ms one way`]),
  ].join(', ');
}

/** `own` is the name of the user's controller, which controls the flows with the field `own_controller`. */
function kindText(flow: ScenarioFlow, own: string | undefined): string {
  if (flow.kind === 'tcp')
    return ['TCP', flow.congestion_control ?? 'cubic', flow.preset].filter(Boolean).join(', ');
  if (flow.own_controller !== undefined && own !== undefined)
    return [`own controller ${own}`, flow.source_preset].filter(Boolean).join(', ');
  const { controller, preset, source_preset: source } = flow;
  return [controller === undefined ? '' : CONTROLLER_TITLES[controller], preset, source]
    .filter(Boolean)
    .join(', ');
}

/** The settings that only calls or only TCP connections have. */
function ownTexts(flow: ScenarioFlow): readonly string[] {
  if (flow.kind === 'tcp') {
    const { min_bytes: least, max_bytes: most, idle_mean_s: idle } = flow.short ?? {};
    return [idle === undefined ? '' : `files of ${least} to ${most} bytes, ${idle} s apart on average`];
  }
  const { source = {}, pauses = [] } = flow;
  const spans = pauses.map(({ from_s, to_s }) => `${from_s} to ${to_s} s`);
  return [
    Object.keys(source).length === 0 ? '' : `source: ${parametersText(source)}`,
    spans.length === 0 ? '' : `pauses ${spans.join(', ')}`,
  ];
}

function flowText(flow: ScenarioFlow, own: string | undefined): string {
  const { name, count = 1, direction, start_s: from = 0, stop_s: to, parameters = {} } = flow;
  const { extra_delay_ms: more = 0, start_step_s: step = 0 } = flow;
  const span = [from > 0 ? `from ${from} s` : '', to === undefined ? '' : `to ${to} s`].filter(Boolean);
  const said = [
    kindText(flow, own),
    direction === 'backward' ? 'way back' : '',
    span.join(' '),
    parametersText(parameters),
    ...ownTexts(flow),
    more === 0 ? '' : `${more} ms more delay each way`,
    step === 0 ? '' : `each ${step} s after the one before`,
  ];
  return `${count === 1 ? '' : `${count} × `}${name} (${said.filter(Boolean).join('; ')})`;
}

/** All settings of a run, as texts. */
function settingsOf({ scenario, cell, seed, controller }: Run): readonly string[] {
  const run = instantiate(scenario, cell);
  const { forward, backward, flows, duration_s: duration } = run;
  const queue = queueTitle(queueWithLimit(forward.queue ?? LINK_FIELDS.queue.usual));
  const back = backward === undefined ? [] : [capacityText(backward), ...settingTexts(backward)];
  return [
    capacityText(forward),
    ...(forward.capacity === undefined && forward.capacity_per_flow === undefined ? [] : [queue]),
    ...settingTexts({ ...forward, queue: undefined }),
    ...back.map((text) => `way back: ${text}`),
    `RTT ${rttOf(run)} ms`,
    ...flows.map((flow) => flowText(flow, controller?.name)),
    `${duration} s`,
    `seed ${seed}`,
  ];
}

/** The settings of a run that differ from those of another run; empty if there are none. */
export function differenceText(run: Run, other: Run): string {
  const others = settingsOf(other);
  return settingsOf(run)
    .filter((text) => !others.includes(text))
    .join(', ');
}

/** The facts of a run, from the run's own settings: the page's settings may have changed since the run began. */
export function runFacts({ scenario, cell, seed, controller }: Run): Facts {
  const { forward, backward, flows, duration_s: duration } = instantiate(scenario, cell);
  return [
    ['Scenario', [scenario.id, scenario.paper, scenario.source].filter(Boolean).join(', ')],
    ['Cell', cellLabel(scenario, cell)],
    ['Network', pathText(forward)],
    ['Way back', backward === undefined ? '' : pathText(backward)],
    [
      'Flows',
      flows
        .filter(({ count = 1 }) => count > 0)
        .map((flow) => flowText(flow, controller?.name))
        .join('; '),
    ],
    ['Own controller', controller === undefined ? '' : controller.name],
    ['Duration', `${duration} s`],
    ['Seed', String(seed)],
  ];
}
