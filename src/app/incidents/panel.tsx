/**
 * "Why it got worse": the incidents of an opened recording of other pages' calls, each with its cause and what to do.
 * Choosing an incident moves the charts to its time.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Scope } from '../../boards/scope.js';
import { incidentText } from '../../judge/incidents/incident_text.js';
import { alsoText, groupsOf, type IncidentGroup } from '../../judge/incidents/told.js';
import { hasIncidents } from '../../watch/incident_sources.js';
import { messageOf } from '../notices.js';
import type { Recorder } from '../session/recorder.js';
import { momentText } from '../ui/moment_text.js';
import { findIncidents } from './find.js';

type Found = { groups: readonly IncidentGroup[] } | { problem: string };
/** The result of a search, and the version of the recording that was searched. */
interface Search {
  version: number;
  found: Found;
}

function Line({ group, scope }: { group: IncidentGroup; scope: Scope }) {
  const { first } = group;
  const also = alsoText(group);
  return (
    <li>
      <button type="button" onClick={() => scope.axis.jumpTo(first.fromUs)}>
        <time>{momentText(first.fromUs)}</time>
        <span aria-hidden="true">▼</span>
        <span class="text">
          {first.who}: {incidentText(first)}
        </span>
      </button>
      <p>
        <b>{first.cause.kind}</b>: {first.cause.evidence} <span class="hint">To do: {first.cause.fix}</span>
      </p>
      {also !== '' && <p class="hint">Also: {also}.</p>}
    </li>
  );
}

/** Shows nothing for recordings in which no incidents can be found, such as those of this page's own calls. */
export function IncidentPanel({ recorder, scope }: { recorder: Recorder; scope: Scope }) {
  const search = useSignal<Search | null>(null);
  const { kind, header, version } = recorder.shown.value;
  const isShown = kind === 'file' && hasIncidents(header);
  useEffect(() => {
    if (!isShown) return undefined;
    const abort = new AbortController();
    const tell = (found: Found): void => {
      if (!abort.signal.aborted) search.value = { version, found };
    };
    recorder
      .export()
      .then((recording) => findIncidents(recording, abort.signal))
      .then(
        ({ incidents }) => tell({ groups: groupsOf(incidents) }),
        (error: unknown) => tell({ problem: messageOf(error) }),
      );
    return () => abort.abort();
  }, [recorder, version, isShown]);
  if (!isShown) return null;
  const found = search.value?.version === version ? search.value.found : null;
  return (
    <details class="panel why incidents" open aria-busy={found === null}>
      <summary>Why it got worse</summary>
      <Content found={found} scope={scope} />
    </details>
  );
}

function Content({ found, scope }: { found: Found | null; scope: Scope }) {
  if (found === null) return <p class="hint">Looking for falls, freezes and rises of the delay.</p>;
  if ('problem' in found) return <p class="hint">The incidents could not be read: {found.problem}.</p>;
  if (found.groups.length === 0)
    return <p class="hint">No rate fell, no delay rose and nothing froze in this recording.</p>;
  return (
    <ol class="why-lines" aria-label="Incidents">
      {found.groups.map((group) => (
        <Line key={group.first.id} group={group} scope={scope} />
      ))}
    </ol>
  );
}
