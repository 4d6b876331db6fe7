/**
 * A page that shows the calls of another browser. It shows the same as the overlay, but for all watched
 * pages.
 */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';

import { isDark } from '../boards/theme.js';
import { listenForBookmarks, RecordPanel } from '../overlay/record_panel.js';
import { View } from '../overlay/view.js';
import { ViewClient } from './client.js';

function PauseButton({ client }: { client: ViewClient }) {
  const paused = client.paused.value;
  const change = (): Promise<unknown> => client.ask(null, { type: paused ? 'resume' : 'pause' });
  return (
    <button
      type="button"
      aria-pressed={paused}
      title={
        paused
          ? "The pages' observers are paused: their calls continue, at no further cost"
          : "Pause the pages' observers: their calls continue, at no further cost"
      }
      disabled={client.ended.value !== null}
      onClick={() => void change().catch(() => undefined)}
    >
      {paused ? 'Resume' : 'Pause'}
    </button>
  );
}

function Whole({ client }: { client: ViewClient }) {
  const model = client.model.value;
  const ended = client.ended.value;
  useEffect(() => {
    if (model !== null) listenForBookmarks(document, model);
  }, [model]);
  return (
    <main class="whole" data-theme={isDark.value ? 'dark' : 'light'}>
      <header>
        <h1>ccscope</h1>
        <span class="soft">{client.title.value}</span>
        <span class="spring" />
        <PauseButton client={client} />
      </header>
      {ended !== null && (
        <p class="ended" role="status">
          {ended}
        </p>
      )}
      {model !== null && <RecordPanel model={model} />}
      {model !== null && <View model={model} />}
    </main>
  );
}

const root = document.getElementById('view');
if (root !== null) render(<Whole client={new ViewClient(location.hash.slice(1))} />, root);
