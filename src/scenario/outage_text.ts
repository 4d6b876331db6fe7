/** Writes the outages of a scenario's path in the text form that link settings use. */
import { LINK_FIELDS } from '../link/fields.js';
import type { ScenarioPath } from './scenario.js';

/** Formats outages like `100ms/20ms`; `none` without outages. A scenario contains them as text or as an object. */
export function outageText(outage: ScenarioPath['outage']): string {
  if (typeof outage !== 'object') return outage ?? LINK_FIELDS.outage.usual;
  const { mean_on_ms, mean_off_ms, off_phases } = outage;
  return `${mean_on_ms}ms/${mean_off_ms}ms${off_phases === undefined ? '' : `x${off_phases}`}`;
}
