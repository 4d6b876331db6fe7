/**
 * "Why did it do that?": one line for each change of the controller's target rate; choosing a line moves the charts
 * to its time.
 */
import { effect, useComputed, useSignal, type Signal } from '@preact/signals';
import { Component } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { Scope } from '../../boards/scope.js';
import { SymbolText } from '../../boards/symbol_text.js';
import { changeAt, momentOf } from '../../reasons/target_changes.js';
import type { Explanation, Mark, Sharing, TargetChange } from '../../reasons/index.js';
import type { TraceHeader } from '../../trace/index.js';
import type { TraceStore } from '../../worker/trace/trace_client.js';
import { isOnPaper } from '../print.js';
import { momentText } from './moment_text.js';
import { TcpLessonLink } from './tcp_lesson_link.js';

/**
 * The interval at which the explanation is recomputed while new rows arrive. The interval is longer if the work would
 * otherwise take more than WORKER_SHARE of the trace worker's time.
 */
const AGAIN_MS = 1000;
const WORKER_SHARE = 0.05;
/**
 * After rows were replaced, the explanation is recomputed only once the rows have not changed for this long, since
 * dragging a slider replaces the rows many times.
 */
const STILL_MS = 200;
/** The largest number of lines that are shown at once. */
const MOST_LINES = 400;
/**
 * The number of lines that are created at first: more than the list shows without scrolling. On a slow machine, it would
 * take too long to create a long list at once, and the page would not be usable in the meantime. So MORE_LINES lines are
 * created each time the page is idle, beginning LATER_MS later, or at once when the user turns to the list.
 */
const FIRST_LINES = 20;
const MORE_LINES = 40;
const LATER_MS = 2000;
/** A mark is described if its distance from the cursor is at most this fraction of the window. */
const AT_MARK = 0.01;

const NOTHING: Explanation = { changes: [], marks: [], sharing: null };
const SHAPES = { fall: '▼', decline: '▼', rise: '▲', flat: '–' } as const;

interface ExplainedProps {
  scope: Scope;
  store: Pick<TraceStore, 'explain'>;
  /**
   * The flow whose target rate is explained. Null if the charts show all flows; the rows of all flows are then used.
   */
  flow: number | null;
  /** The bottleneck whose changes are marked; null if the trace has only one bottleneck. */
  link: number | null;
  /** The trace's header, which has the flow's controller and its parameters. */
  header: Partial<TraceHeader>;
  /** Whether the run has ended. Its explanation is then computed once more, without waiting for AGAIN_MS. */
  hasEnded?: boolean;
  /** How the flow shares its link at the end of the trace. Set whenever the explanation is loaded. */
  sharing?: Signal<Sharing | null>;
}

interface WhyPanelProps extends ExplainedProps {
  title?: string | undefined;
  /** Whether the page says elsewhere how the flow shares its link. */
  isSharingSaid?: boolean;
}

const namesOthers = ({ evidence }: TargetChange): boolean =>
  evidence['other_flows_received_bps'] !== undefined;

const falls = (changes: readonly TargetChange[]): readonly TargetChange[] =>
  changes.filter(({ shape }) => shape === 'fall' || shape === 'decline');

function saidAt({ changes, marks }: Explanation, cursorUs: number | null, windowUs: number): string {
  if (cursorUs === null)
    return 'Why it did that: point at the charts, or move their cursor with the arrow keys. A click holds the cursor.';
  const near = marks.filter(({ timeUs }: Mark) => Math.abs(timeUs - cursorUs) <= AT_MARK * windowUs);
  const change = changeAt(changes, cursorUs);
  const line = change && `${momentText(momentOf(change))}: ${change.text}`;
  return [...near.map(({ text }) => `changed here: ${text}`), line ?? 'nothing is known of this time']
    .filter((text, i, all) => all.indexOf(text) === i)
    .join(' · ');
}

/** Requests the explanation again whenever rows have been replaced or new rows have arrived. */
function useExplanation({ scope, store, flow, link, header, hasEnded = false, sharing }: ExplainedProps) {
  const explanation = useSignal(NOTHING);
  /** Whether the explanation is of the whole run. */
  const isWhole = useSignal(false);
  /** Whether the explanation still belongs to rows that have been replaced. */
  const isStale = useSignal(false);
  const version = scope.version.value;
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    let seenUs = NaN;
    const load = async (): Promise<void> => {
      const { toUs } = scope.axis.extent;
      let tookMs = 0;
      if (toUs !== seenUs) {
        const before = performance.now();
        const found = await store.explain({ flow, link, header }).catch(() => null);
        tookMs = performance.now() - before;
        if (isOver) return;
        if (found !== null) {
          seenUs = toUs;
          isStale.value = false;
          isWhole.value = hasEnded;
          explanation.value = found;
          scope.setMarks(found.marks);
          if (sharing !== undefined) sharing.value = found.sharing;
        }
      }
      timer = setTimeout(() => void load(), Math.max(AGAIN_MS, tookMs / WORKER_SHARE));
    };
    if (explanation.peek() === NOTHING) void load();
    else {
      isStale.value = true;
      timer = setTimeout(() => void load(), STILL_MS);
    }
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [scope, store, flow, link, header, hasEnded, version]);
  useEffect(() => {
    const end = effect(() => {
      const windowUs = scope.windowS.value * 1e6;
      scope.said.value = isStale.value ? '…' : saidAt(explanation.value, scope.cursorUs.value, windowUs);
    });
    return () => {
      end();
      scope.said.value = null;
      scope.setMarks([]);
    };
  }, [scope]);
  return { explanation, isBusy: isStale.value || (hasEnded && !isWhole.value) };
}

/**
 * The lines of a long list that are shown: MOST_LINES lines from the start of the charts' window on, or the last
 * MOST_LINES lines if fewer lines follow.
 */
function inSight(changes: readonly TargetChange[], fromUs: number): readonly TargetChange[] {
  const first = changes.findIndex(({ toUs }) => toUs >= fromUs);
  const start = Math.min(first < 0 ? changes.length : first, changes.length - MOST_LINES);
  return changes.slice(start, start + MOST_LINES);
}

/** Calls `work` once, when the page is idle after `afterMs`. Returns a function that cancels this before `afterMs`. */
function whenIdle(work: () => void, afterMs: number): () => void {
  const timer = setTimeout(() => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: 1000 });
    else work();
  }, afterMs);
  return () => clearTimeout(timer);
}

/** The list is one tab stop; the arrow keys move within it. */
function moveFocus(event: KeyboardEvent, list: HTMLElement): void {
  const buttons = [...list.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (next === undefined || at < 0) return;
  event.preventDefault();
  buttons[Math.max(0, Math.min(buttons.length - 1, next))]?.focus();
}

interface LinesProps {
  changes: readonly TargetChange[];
  /** The line that applies at the cursor. */
  current: TargetChange | undefined;
  scope: Scope;
}

interface LineProps {
  change: TargetChange;
  index: number;
  isCurrent: boolean;
  /** Whether the Tab key moves the focus to this line. */
  isStop: boolean;
  focused: Signal<number | null>;
  scope: Scope;
}

/** A line of the list. It is rendered again only if it has changed, since the list may have hundreds of lines. */
class Line extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps): boolean {
    return (Object.keys(next) as (keyof LineProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override render({ change, index, isCurrent, isStop, focused, scope }: LineProps) {
    return (
      <li>
        <button
          type="button"
          class={change.shape}
          tabIndex={isStop ? 0 : -1}
          aria-current={isCurrent ? 'true' : undefined}
          onFocus={() => (focused.value = index)}
          onClick={() => scope.axis.jumpTo(momentOf(change))}
        >
          <time>{momentText(momentOf(change))}</time>
          <span aria-hidden="true">{SHAPES[change.shape]}</span>
          <span class="text">
            <SymbolText text={change.text} />
          </span>
        </button>
      </li>
    );
  }
}

function Lines({ changes, current, scope }: LinesProps) {
  const list = useRef<HTMLOListElement>(null);
  const focused = useSignal<number | null>(null);
  const atCursor = current === undefined ? 0 : Math.max(0, changes.indexOf(current));
  const stop = Math.min(focused.value ?? atCursor, changes.length - 1);
  const created = useSignal(FIRST_LINES);
  const isWanted = useSignal(false);
  const want = (): void => void (isWanted.value = true);
  const isWhole = isOnPaper.value || created.value >= changes.length;
  const afterMs = isWanted.value || created.value > FIRST_LINES ? 0 : LATER_MS;
  useEffect(
    () => (isWhole ? undefined : whenIdle(() => (created.value += MORE_LINES), afterMs)),
    [isWhole, created.value, afterMs],
  );
  return (
    <ol
      ref={list}
      class="why-lines"
      aria-label="Changes of the target"
      aria-busy={!isWhole}
      onPointerEnter={want}
      onFocusCapture={want}
      onKeyDown={(event) => {
        if (event.key !== 'End' || isWhole) return list.current && moveFocus(event, list.current);
        event.preventDefault();
        created.value = changes.length;
        // The last line exists when the list has been rendered again.
        requestAnimationFrame(() =>
          list.current?.querySelector<HTMLElement>('li:last-child button')?.focus(),
        );
      }}
    >
      {changes.slice(0, isWhole ? undefined : Math.max(created.value, stop + 1)).map((change, index) => (
        <Line
          key={`${change.fromUs} ${change.shape}`}
          change={change}
          index={index}
          isCurrent={change === current}
          isStop={index === stop}
          focused={focused}
          scope={scope}
        />
      ))}
    </ol>
  );
}

/** Shows only the reason at the cursor, above the charts, for a run without a list of reasons on the page. */
export function WhyAtCursor(props: ExplainedProps) {
  useExplanation(props);
  return null;
}

export function WhyPanel(props: WhyPanelProps) {
  const { title = 'Why did it do that?', scope, isSharingSaid = false } = props;
  const { explanation, isBusy } = useExplanation(props);
  const onlyFalls = useSignal(false);
  const { changes } = explanation.value;
  const chosen = onlyFalls.value ? falls(changes) : changes;
  const shown = chosen.length <= MOST_LINES ? chosen : inSight(chosen, scope.fromUs.value);
  const current = useComputed(() => {
    const { value: cursorUs } = scope.cursorUs;
    const { changes: all } = explanation.value;
    return cursorUs === null ? undefined : changeAt(onlyFalls.value ? falls(all) : all, cursorUs);
  }).value;
  return (
    <details class="panel why" open aria-busy={isBusy}>
      <summary>
        {title}{' '}
        <span class="hint">
          {changes.length} changes of the target, {falls(changes).length} of them down
        </span>
      </summary>
      {changes.length === 0 ? (
        <p class="hint">No controller has set a target yet.</p>
      ) : (
        <>
          <div class="row">
            <label>
              <input
                type="checkbox"
                checked={onlyFalls.value}
                onChange={({ currentTarget }) => (onlyFalls.value = currentTarget.checked)}
              />{' '}
              only what went down
            </label>
            <span class="hint">
              {shown.length < chosen.length
                ? `${shown.length} of ${chosen.length} lines, from the charts’ window on. `
                : ''}
              Press a line to move the charts to its moment; the arrow keys move between lines.
            </span>
          </div>
          {!isSharingSaid && changes.some(namesOthers) && (
            <p class="hint">
              Other flows shared the link. A lesson shows{' '}
              <TcpLessonLink isInNewTab>why TCP can starve a call</TcpLessonLink>.
            </p>
          )}
          <Lines changes={shown} current={current} scope={scope} />
        </>
      )}
    </details>
  );
}
