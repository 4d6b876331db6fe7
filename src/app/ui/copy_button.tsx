import { useSignal } from '@preact/signals';

/**
 * A button that copies text, and briefly says whether that succeeded. The button is as wide as the longer of
 * the two texts.
 */
export function CopyButton({ text, children }: { text: () => string; children: string }) {
  const done = useSignal('');
  const copy = async (): Promise<void> => {
    const value = text();
    try {
      await navigator.clipboard.writeText(value);
      done.value = 'Copied';
    } catch {
      // Pages that were not loaded over HTTPS or from localhost have no clipboard, and users may refuse it.
      prompt('This page may not use the clipboard. Copy the text from here:', value);
      return;
    }
    setTimeout(() => (done.value = ''), 2000);
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()} aria-live="polite">
      <span class={done.value && 'replaced'}>{children}</span>
      {done.value && <span>{done.value}</span>}
    </button>
  );
}
