/**
 * The overlay's own window inside the page. It can be moved, resized and collapsed, with a pointer and with the
 * keyboard.
 */
import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { isDark } from '../boards/theme.js';
import { formatRate } from '../charts/index.js';
import type { Model } from './model.js';
import { View } from './view.js';

interface Box {
  right: number;
  bottom: number;
  width: number;
  height: number;
}

const FIRST: Box = { right: 12, bottom: 12, width: 860, height: 620 };
const LEAST = { width: 280, height: 200 };
const PILL = { width: 160, height: 32 };
const MARGIN = 4;
/** If a pressed pointer moves farther than this, the gesture is a drag; otherwise it is a click. */
const DRAG_PX = 4;
const STEP = 24;

const clamp = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(Math.max(least, most), value));

/** Returns the box, fitted into the browser's window. */
function inside(box: Box): Box {
  const width = clamp(box.width, LEAST.width, innerWidth - 2 * MARGIN);
  const height = clamp(box.height, LEAST.height, innerHeight - 2 * MARGIN);
  return {
    width,
    height,
    right: clamp(box.right, 0, innerWidth - width),
    bottom: clamp(box.bottom, 0, innerHeight - height),
  };
}

type Change = (box: Box, dx: number, dy: number) => Box;

const moved: Change = (box, dx, dy) => inside({ ...box, right: box.right - dx, bottom: box.bottom - dy });
/** Resizes the box by its upper left corner. Its lower right corner stays where it is. */
const resized: Change = (box, dx, dy) =>
  inside({
    ...box,
    width: Math.min(box.width - dx, innerWidth - box.right),
    height: Math.min(box.height - dy, innerHeight - box.bottom),
  });
/** Moves a collapsed overlay, which is much smaller, within the browser's window. */
const movedPill: Change = (box, dx, dy) => ({
  ...box,
  right: clamp(box.right - dx, 0, innerWidth - PILL.width),
  bottom: clamp(box.bottom - dy, 0, innerHeight - PILL.height),
});

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/**
 * Returns event handlers that change a box by dragging and by arrow keys. `clicked` is called for a click
 * without a drag.
 */
function handle(box: Signal<Box>, change: Change, clicked?: () => void) {
  let from: { x: number; y: number; box: Box } | null = null;
  let isDragged = false;
  return {
    onPointerDown: (event: PointerEvent): void => {
      const { target, currentTarget, button, pointerId, clientX: x, clientY: y } = event;
      if (!(currentTarget instanceof Element) || !(target instanceof Element) || button !== 0) return;
      const pressed = target.closest('button');
      if (pressed !== null && pressed !== currentTarget && !pressed.classList.contains('grip')) return;
      currentTarget.setPointerCapture(pointerId);
      isDragged = false;
      from = { x, y, box: inside(box.peek()) };
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent): void => {
      if (from === null) return;
      const [dx, dy] = [clientX - from.x, clientY - from.y];
      isDragged ||= Math.hypot(dx, dy) > DRAG_PX;
      if (isDragged) box.value = change(from.box, dx, dy);
    },
    onPointerUp: (): void => {
      from = null;
    },
    onPointerCancel: (): void => {
      from = null;
    },
    onClick: ({ detail }: MouseEvent): void => {
      // After a drag, the pointer's click is ignored. A click with the keyboard (`detail` is 0) always counts.
      if (!isDragged || detail === 0) clicked?.();
    },
    onKeyDown: (event: KeyboardEvent): void => {
      const arrow = ARROWS[event.key];
      if (arrow === undefined) return;
      event.preventDefault();
      box.value = change(inside(box.peek()), ...arrow);
    },
  };
}

/** `▼ 1.20 Mbps ▲ 800 kbps`: the text of a collapsed overlay. */
function summaryOf(model: Model): string {
  const { receivedBps: down, sentBps: up } = model.rates.value;
  const parts = [down > 0 ? `▼ ${formatRate(down)}` : '', up > 0 ? `▲ ${formatRate(up)}` : ''];
  return parts.filter((part) => part !== '').join(' ') || 'no media';
}

interface FrameProps {
  model: Model;
  /** The content below the header. */
  recording: ComponentChildren;
  onDetach: () => void;
}

/** Calls `changed` when the browser's window changes its size. */
function useResize(changed: () => void): void {
  useEffect(() => {
    addEventListener('resize', changed);
    return () => removeEventListener('resize', changed);
  }, []);
}

export function Frame({ model, recording, onDetach }: FrameProps) {
  const box = useSignal(FIRST);
  // After a change of the browser's window, a new copy of the box causes a render, which fits the box into the
  // window.
  useResize(() => (box.value = { ...box.peek() }));
  const focused = useRef<HTMLButtonElement>(null);
  /** Whether the user has expanded or collapsed the overlay. Only then does the overlay take the focus. */
  const isByUser = useRef(false);
  const turn = (isCollapsed: boolean): void => {
    isByUser.current = true;
    model.collapse(isCollapsed);
  };
  const handles = useRef({
    move: handle(box, moved),
    resize: handle(box, resized),
    pill: handle(box, movedPill, () => turn(false)),
  });
  useEffect(() => {
    if (isByUser.current) focused.current?.focus();
  }, [model.collapsed.value]);
  const theme = isDark.value ? 'dark' : 'light';
  if (model.collapsed.value) {
    const { right, bottom } = movedPill(box.value, 0, 0);
    return (
      <div class="root" data-theme={theme} style={{ right: `${right}px`, bottom: `${bottom}px` }}>
        <button
          ref={focused}
          type="button"
          class="pill"
          aria-expanded="false"
          title="Open ccscope; drag, or arrow keys, to move"
          {...handles.current.pill}
        >
          ccscope <span class="reading">{summaryOf(model)}</span>
        </button>
      </div>
    );
  }
  const { right, bottom, width, height } = inside(box.value);
  const { onKeyDown: moveByKey, ...moveByPointer } = handles.current.move;
  return (
    <section
      class="root frame"
      data-theme={theme}
      role="dialog"
      aria-label="ccscope: congestion control of this page's calls"
      style={{ right: `${right}px`, bottom: `${bottom}px`, width: `${width}px`, height: `${height}px` }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') turn(true);
      }}
    >
      <header {...moveByPointer}>
        <button
          type="button"
          class="grip"
          aria-label="Move the window with the arrow keys"
          title="Drag, or use the arrow keys, to move the window"
          onKeyDown={moveByKey}
        >
          ⠿
        </button>
        <button
          type="button"
          class="resize"
          aria-label="Resize the window with the arrow keys"
          title="Drag, or use the arrow keys, to resize the window"
          {...handles.current.resize}
        />
        <h2>ccscope</h2>
        <span class="soft reading summary">{summaryOf(model)}</span>
        <span class="spring" />
        <button
          ref={focused}
          type="button"
          aria-expanded="true"
          title="Leave only the rates (Escape)"
          onClick={() => turn(true)}
        >
          Collapse
        </button>
        <button
          type="button"
          title="Undo what was done to the calls, stop watching, and take this window away"
          onClick={onDetach}
        >
          Detach
        </button>
      </header>
      {recording}
      <View model={model} />
    </section>
  );
}
