import type { Papers } from '../papers.js';
import { change, settings } from '../settings.js';
import { shownIds } from '../state.js';
import { registry } from '../../lab/registry.js';

interface RunButtonProps {
  papers: Papers;
  ids: readonly string[];
  /**
   * Names the experiment or the experiments that the button runs, for screen readers. On the screen, the button's
   * position identifies them.
   */
  name: string;
  /** Whether this is the main button of the view. */
  isMain?: boolean;
}

/** A button that runs the experiments. While any of them runs, the button cancels them. */
export function RunButton({ papers, ids, name, isMain = false }: RunButtonProps) {
  const experiments = papers.of(ids);
  const isRunning = experiments.some((each) => each.isRunning.value);
  const isDone = experiments.length > 0 && experiments.every(({ isComplete }) => isComplete.value);
  const isMany = ids.length > 1;
  const text = isRunning ? 'Cancel' : `Run${isMany ? ` all ${ids.length}` : ''}${isDone ? ' again' : ''}`;
  const start = (): void => {
    const shown = shownIds(settings.peek(), registry);
    if (shown.join() === ids.join()) change({ run: true });
    void papers.run(ids);
  };
  return (
    <button
      type="button"
      class={isRunning ? 'stop' : isMain ? 'start' : ''}
      aria-label={`${text}${isMany ? ':' : ''} ${name}`}
      onClick={() => (isRunning ? papers.cancel(ids) : start())}
    >
      {text}
    </button>
  );
}
