/** The connections of the page and their streams. The encodings of one sender are listed as one group. */
import { formatRate } from '../charts/index.js';
import type { ConnectionState, StreamState } from '../watch/index.js';
import type { Model } from './model.js';
import { layersText, pictureText, sectionName } from './stream_names.js';

interface RowProps {
  stream: StreamState;
  model: Model;
  name: string;
}

function StreamRow({ stream, model, name }: RowProps) {
  const isChosen = model.stream?.flow === stream.flow;
  const layers = layersText(stream.scalabilityMode);
  return (
    <li>
      <button
        type="button"
        class={stream.isLive ? 'stream' : 'stream silent'}
        aria-pressed={isChosen}
        onClick={() => {
          model.chosen.value = stream.flow;
          model.result.value = null;
        }}
      >
        <b>{name}</b>
        <span class="picture">
          {pictureText(stream)}
          {layers !== '' && ` · ${stream.scalabilityMode}`}
          {stream.inForce.length > 0 && ' · acted on'}
        </span>
        <span class="reading">{formatRate(stream.rateBps)}</span>
      </button>
    </li>
  );
}

/** Groups streams by media section and direction. Video comes first. */
function sectionsOf(streams: readonly StreamState[]): StreamState[][] {
  const sections = new Map<string, StreamState[]>();
  for (const stream of streams) {
    const { direction, kind, mid, ssrc } = stream;
    const key = `${direction} ${kind} ${mid === '' ? `ssrc ${ssrc}` : mid}`;
    sections.set(key, [...(sections.get(key) ?? []), stream]);
  }
  const isAudio = ([first]: StreamState[]): number => Number(first?.kind === 'audio');
  return [...sections.values()].sort((a, b) => isAudio(a) - isAudio(b));
}

function Section({ streams, model }: { streams: readonly StreamState[]; model: Model }) {
  const [first] = streams;
  if (first === undefined) return null;
  const name = sectionName(first);
  // Only streams with a rid are layers. Two streams of a section without rids are one stream that restarted
  // with another SSRC.
  const rids = streams.filter(({ rid }) => rid !== '');
  if (rids.length < 2)
    return (
      <>
        {streams.map((stream) => (
          <StreamRow key={stream.flow} stream={stream} model={model} name={name} />
        ))}
      </>
    );
  const sum = rids.reduce((total, { rateBps }) => total + (rateBps > 0 ? rateBps : 0), 0);
  const largestFirst = [...rids].sort((a, b) => (b.frameHeight || 0) - (a.frameHeight || 0));
  return (
    <li>
      <p class="simulcast">
        <b>{name}</b>{' '}
        <span class="soft">
          simulcast, {rids.length} layers, {formatRate(sum)}
        </span>
      </p>
      <ul class="layers" aria-label={`${name}: layers`}>
        {largestFirst.map((stream) => (
          <StreamRow key={stream.flow} stream={stream} model={model} name={`Layer ${stream.rid}`} />
        ))}
      </ul>
    </li>
  );
}

interface ConnectionProps {
  connection: ConnectionState;
  model: Model;
  /** Whether to show the URL of the connection's page. */
  named: boolean;
}

export function ConnectionBlock({ connection, model, named }: ConnectionProps) {
  const { endpoint, rttMs, route, state, notices, url } = connection;
  const streams = (model.state.value?.streams ?? []).filter((stream) => stream.endpoint === endpoint);
  return (
    <section class="connection" aria-label={`Connection ${endpoint + 1}`}>
      <h3>
        Connection {endpoint + 1} <span class="soft">{state}</span>
        {rttMs >= 0 && <span class="soft">RTT {rttMs.toFixed(0)} ms</span>}
        {route !== '' && <span class="soft">{route.replace(' ', ' ↔ ')}</span>}
      </h3>
      {named && <p class="address soft">{url.replace(/^[a-z]+:\/\//, '')}</p>}
      <ul>
        {sectionsOf(streams).map((section) => (
          <Section key={section[0]?.flow} streams={section} model={model} />
        ))}
      </ul>
      {notices.map(({ code, level, message, fix }) => (
        <p key={code} class={`notice ${level}`}>
          {message} <span class="soft">To do: {fix}.</span>
        </p>
      ))}
    </section>
  );
}
