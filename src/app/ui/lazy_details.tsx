import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface LazyDetailsProps {
  summary: ComponentChildren;
  class?: string;
  /** Whether it is open at first. If this changes, it is opened or closed. */
  open?: boolean;
  children: () => ComponentChildren;
}

/** A `<details>` whose contents exist only while it is open, so that a page with many of them opens fast. */
export function LazyDetails({ summary, class: look, open = false, children }: LazyDetailsProps) {
  const isOpen = useSignal(open);
  return (
    <details class={look} open={open} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{summary}</summary>
      {(isOpen.value || open) && children()}
    </details>
  );
}
