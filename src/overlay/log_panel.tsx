/** The log of incidents. Each entry contains a cause, the numbers that show the cause, and what to do. */
import { formatTime } from '../charts/index.js';
import { incidentText, type Incident } from '../judge/incidents/index.js';
import type { Model } from './model.js';
import { sectionName } from './stream_names.js';

/**
 * The name of the stream, as in the list of streams. If the stream is not in the list, the arrow of its
 * direction.
 */
function streamText({ endpoint, direction, key }: Incident['stream'], model: Model): string {
  const found = (model.state.value?.streams ?? []).find(
    (each) =>
      each.endpoint === endpoint &&
      each.direction === direction &&
      (direction === 'send' ? each.mid : String(each.ssrc)) === key,
  );
  return found === undefined ? (direction === 'send' ? '▲' : '▼') : sectionName(found);
}

function Entry({ incident, model }: { incident: Incident; model: Model }) {
  const { fromUs, stream, cause, settled } = incident;
  return (
    <li>
      <button
        type="button"
        class="jump"
        title="Show this time in the charts"
        onClick={() => model.jumpTo(fromUs)}
      >
        <time>{formatTime(Math.round(fromUs / 1e5) / 10)}</time>
      </button>
      <div>
        <b class="what">{incidentText(incident)}</b> <span class="soft">{streamText(stream, model)}</span>
        <p>
          <b class="cause">{cause.kind}</b> {settled ? cause.evidence : 'The incident has only just begun.'}
        </p>
        {settled && <p class="soft">{cause.fix}</p>}
      </div>
    </li>
  );
}

export function LogPanel({ model }: { model: Model }) {
  const incidents = model.state.value?.incidents ?? [];
  return (
    <section class="log" aria-label="Why did it drop?">
      <h3>Why did it drop?</h3>
      {incidents.length === 0 && <p class="soft">No rate fell, no delay rose and nothing froze so far.</p>}
      <ol aria-live="polite">
        {[...incidents].reverse().map((incident) => (
          <Entry key={incident.id} incident={incident} model={model} />
        ))}
      </ol>
    </section>
  );
}
