/** The content of the element: title, charts, caption and numbers, or an explanation of an error. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId } from 'preact/hooks';

import { formatTime } from '../charts/index.js';
import { pathText } from '../runs/flow_columns.js';
import { hasFlowQueues, type Run } from '../runs/run.js';
import { RunCharts } from '../runs/run_charts.js';
import { SymbolText } from '../boards/symbol_text.js';
import { Wheel } from '../boards/wheel.js';
import { cellLabel } from '../scenario/cells.js';
import { CHART_BOARDS, type Choices } from './attributes.js';
import { CallCharts } from './call_charts.js';
import { labAddress } from '../runs/lab_address.js';
import { FlowNumbers, RecordingNumbers } from './numbers.js';
import type { Picture, Stage } from './picture.js';
import type { ErrorDetail } from './public.js';
import type { Recording } from './recording.js';

/** The view of a picture, for the element to render. */
export const view = (picture: Picture): JSX.Element => <View picture={picture} />;

function View({ picture }: { picture: Picture }) {
  const { value: showing } = picture.showing;
  const { value: stage } = picture.stage;
  const { value: choices } = picture.choices;
  const run = showing.kind === 'run' ? (stage?.live.run.value ?? null) : null;
  if (showing.kind === 'failed') return <Problem problem={showing.problem} />;
  if (stage !== null && choices !== null && run !== null)
    return <RunView stage={stage} choices={choices} run={run} />;
  if (stage !== null && choices !== null && showing.kind === 'recording')
    return <RecordingView stage={stage} choices={choices} recording={showing.recording} />;
  return (
    <Frame title="ccscope" isBusy>
      <div class="charts empty" role="presentation" />
    </Frame>
  );
}

interface FrameProps {
  title: string;
  /** Text beside the title. */
  about?: string;
  isBusy: boolean;
  /** The simulated fraction, from 0 to 1. Given only if the simulation takes a long time. */
  share?: number | undefined;
  /** Text with the most important numbers. */
  told?: string;
  /** Content after the caption. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

/**
 * A figure with a title above it and a caption below it. The caption begins with the content that the page put into
 * the element.
 */
function Frame({ title, about = '', isBusy, share, told = '', more, children }: FrameProps) {
  const id = useId();
  const percent = share === undefined ? '' : ` ${(100 * share).toFixed(0)} %`;
  return (
    <figure class="view" aria-labelledby={`${id}-title`} aria-describedby={`${id}-told`} aria-busy={isBusy}>
      <div class="head">
        <b id={`${id}-title`}>{title}</b>{' '}
        <span class="hint">
          <SymbolText text={about} />
        </span>
        <span class="hint state" role="status">
          {isBusy ? `Simulating…${percent}` : ''}
        </span>
      </div>
      {children}
      <figcaption>
        <slot />
        <p class="told" id={`${id}-told`}>
          {told}
        </p>
        {more}
      </figcaption>
    </figure>
  );
}

function Problem({ problem: { message, fix } }: { problem: ErrorDetail }) {
  return (
    <figure class="view failed" aria-label="ccscope: nothing to draw">
      <div role="alert">
        <p>
          <b>Nothing to draw.</b> {sentence(message)}
        </p>
        <p class="hint">{sentence(fix)}</p>
      </div>
      <figcaption>
        <slot />
      </figcaption>
    </figure>
  );
}

/**
 * Turns a text into a sentence: capitalises the first letter and adds a full stop. A text that begins with the name
 * of an attribute or a field keeps its first letter.
 */
function sentence(text: string): string {
  const first = /^\S+:/.test(text) ? text.slice(0, 1) : text.slice(0, 1).toUpperCase();
  return `${first}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}

interface RunViewProps {
  stage: Stage;
  choices: Choices;
  /** The run that is drawn. `choices` may already be newer than this run. */
  run: Run;
}

function RunView({ stage: { live, scope, share }, choices, run }: RunViewProps) {
  const hidden = useSignal<readonly string[]>([]);
  const { scenario, cell, seed, result, flows } = run;
  const [whole] = result?.windows ?? [];
  const about = [cellLabel(scenario, cell), `seed ${seed}`].filter(Boolean).join(' · ');
  return (
    <Frame
      title={scenario.title}
      about={about}
      isBusy={live.isRunning.value}
      share={live.isLong.value ? live.share.value : undefined}
      {...(whole && { told: pathText(whole) })}
      more={
        <>
          {whole && <FlowNumbers window={whole} store={share.store} />}
          <LabLink choices={choices} run={run} />
        </>
      }
    >
      <Wheel>
        <RunCharts
          flows={flows}
          scope={scope}
          detailed={choices.flow}
          flowQueues={hasFlowQueues(run)}
          only={choices.charts.flatMap((name) => CHART_BOARDS[name])}
          hidden={hidden.value}
          onHide={(next) => (hidden.value = next)}
        />
      </Wheel>
    </Frame>
  );
}

/** A recording can have many flows: below the charts, only the first ones are named. */
const MOST_NAMES = 8;

interface RecordingViewProps {
  stage: Stage;
  choices: Choices;
  recording: Recording;
}

function RecordingView({ stage: { scope, share }, choices, recording }: RecordingViewProps) {
  const hidden = useSignal<readonly string[]>([]);
  const { title, drawn, durationUs } = recording;
  const names = recording.names.slice(0, MOST_NAMES);
  const charts = {
    scope,
    only: choices.charts.flatMap((name) => CHART_BOARDS[name]),
    hidden: hidden.value,
    onHide: (next: readonly string[]) => void (hidden.value = next),
  };
  return (
    <Frame
      title={title}
      isBusy={false}
      told={[`${formatTime(durationUs / 1e6)} recorded`, ...names].join(' · ')}
      more={<RecordingNumbers key={title} store={share.store} recording={recording} flow={choices.flow} />}
    >
      <Wheel>
        {drawn.kind === 'run' ? (
          <RunCharts {...charts} flows={drawn.flows} detailed={choices.flow} />
        ) : (
          <CallCharts {...charts} call={drawn} />
        )}
      </Wheel>
    </Frame>
  );
}

function LabLink({ choices: { lab, source }, run }: { choices: Choices; run: Run }) {
  const href = useSignal<string | null>(null);
  const { scenario, cell, seed } = run;
  useEffect(() => {
    let isNewest = true;
    href.value = null;
    if (lab === null) return undefined;
    void labAddress(lab, { scenario, cell, seed }, source.kind === 'shipped')
      .catch(() => null)
      .then((address) => {
        if (isNewest) href.value = address;
      });
    return () => void (isNewest = false);
  }, [lab, scenario, cell, seed]);
  if (href.value === null) return null;
  return (
    <a class="lab-link" href={href.value} target="_top">
      Open in the Lab
    </a>
  );
}
