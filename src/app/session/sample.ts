/** The sample that plays in the charts before a call: a simulated call, fetched after the page. */
import type { Scope } from '../../boards/scope.js';
import type { Recorder } from './recorder.js';

/** The file is made by scripts/make_sample.mjs. */
const SAMPLE = './sample/call.ndjson';

/**
 * Plays the sample: `nowUs` returns the time up to which it has been played. At the end of the sample, playing begins
 * again.
 */
class Player {
  #beganMs = performance.now();

  constructor(
    private readonly scope: Scope,
    private readonly endUs: number,
  ) {
    this.#rewind();
  }

  /** Begins with a whole window of data, so that the charts move at once. */
  #rewind(): void {
    this.#beganMs = performance.now();
    const { axis } = this.scope;
    axis.setExtent({ fromUs: 0, toUs: Math.min(axis.lengthUs, this.endUs) });
  }

  nowUs(): number {
    const { lengthUs } = this.scope.axis;
    const nowUs = lengthUs + (performance.now() - this.#beganMs) * 1e3;
    if (nowUs > this.endUs && lengthUs < this.endUs) this.#rewind();
    return Math.min(nowUs, this.endUs);
  }
}

/** Resolves when the browser has loaded the page itself. */
const loaded = (): Promise<unknown> =>
  document.readyState === 'complete'
    ? Promise.resolve()
    : new Promise((resolve) => addEventListener('load', resolve, { once: true }));

/**
 * Shows the sample if nothing else is shown. Resolves when its rows have been loaded, and rejects if the file is not a
 * trace. The sample does not move for users who prefer reduced motion.
 */
export async function showSample(recorder: Recorder, scope: Scope): Promise<void> {
  const isWanted = (): boolean => recorder.shown.peek().kind === 'nothing' && scope.following.peek();
  await loaded();
  const answer = isWanted() ? await fetch(SAMPLE).catch(() => null) : null;
  if (answer?.ok !== true) return;
  const trace = await answer.blob();
  if (!isWanted()) return;
  await recorder.showSample(trace);
  if (recorder.shown.peek().kind !== 'sample') return;
  const { toUs } = await scope.reload('newest');
  if (recorder.shown.peek().kind !== 'sample' || toUs === null) return;
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const player = new Player(scope, toUs);
  recorder.sampleUs = () => player.nowUs();
}
