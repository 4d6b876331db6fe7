/** Lets the user drop a file anywhere on the page. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface Parts {
  /** Whether a file may be dropped now. */
  enabled: boolean;
  onFile: (file: File) => void;
  children: ComponentChildren;
}

export function DropPage({ enabled, onFile, children }: Parts) {
  const dragging = useSignal(false);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    dragging.value = false;
    const [file] = event.dataTransfer?.files ?? [];
    if (file && enabled) onFile(file);
  };
  return (
    <div
      class={`page${dragging.value ? ' dragging' : ''}`}
      onDrop={onDrop}
      onDragOver={(event) => {
        event.preventDefault();
        dragging.value = true;
      }}
      onDragLeave={(event) => {
        if (event.relatedTarget === null) dragging.value = false;
      }}
    >
      {children}
    </div>
  );
}
