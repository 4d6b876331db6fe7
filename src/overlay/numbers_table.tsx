/** All numbers that are known about the chosen stream. */
import type { StreamState } from '../watch/index.js';
import { layersText, numberName, numberText, sectionName } from './stream_names.js';

export function NumbersTable({ stream }: { stream: StreamState }) {
  const numbers = Object.entries(stream.numbers).filter(([, value]) => Number.isFinite(value));
  const layers = layersText(stream.scalabilityMode);
  return (
    <details class="numbers" open>
      <summary>Numbers</summary>
      <table>
        <caption class="unseen">Numbers of the stream: {sectionName(stream)}</caption>
        <tbody>
          {stream.limitedBy !== '' && stream.limitedBy !== 'none' && (
            <tr>
              <th scope="row">Quality limited by</th>
              <td>{stream.limitedBy}</td>
            </tr>
          )}
          {layers !== '' && (
            <tr>
              <th scope="row">Layers ({stream.scalabilityMode})</th>
              <td>{layers}</td>
            </tr>
          )}
          {numbers.map(([key, value]) => (
            <tr key={key}>
              <th scope="row">{numberName(key)}</th>
              <td>{numberText(key, value)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">SSRC</th>
            <td>{stream.ssrc}</td>
          </tr>
        </tbody>
      </table>
    </details>
  );
}
