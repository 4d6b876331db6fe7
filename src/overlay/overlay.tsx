/**
 * The overlay: a floating window inside the page. It is in a closed shadow root, which the page's styles and
 * scripts do not reach.
 */
import css from 'ccscope:style.css';
import { render } from 'preact';

import { Frame } from './frame.js';
import { Host } from './host.js';
import type { Model } from './model.js';
import { leave, listenForBookmarks, RecordPanel } from './record_panel.js';

export interface Overlay {
  /** Expands the overlay if it was collapsed. */
  show(): void;
  collapse(): void;
  remove(): void;
}

/** Inserts the overlay into the document, once the document has a body or is loaded. */
export function mountOverlay(model: Model, detach: () => void): Overlay {
  const host = new Host(css);
  listenForBookmarks(host.root, model);
  const put = (): void => {
    host.put();
    const recording = <RecordPanel model={model} onDetach={detach} />;
    render(<Frame model={model} recording={recording} onDetach={() => leave(model, detach)} />, host.root);
  };
  if (document.querySelector('body') === null)
    document.addEventListener('DOMContentLoaded', put, { once: true });
  else put();
  return {
    show: () => model.collapse(false),
    collapse: () => model.collapse(true),
    remove: () => {
      document.removeEventListener('DOMContentLoaded', put);
      render(null, host.root);
      host.remove();
    },
  };
}
