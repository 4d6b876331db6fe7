/** Formats controller parameters as text for a report. */
import { formatRate } from '../charts/index.js';

/** Parameters as `k_u 0.02, min_bitrate 50 kbps`. A rate is written with its unit, and without `_bps` in its name. */
export const parametersText = (parameters: Readonly<Record<string, number | string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) =>
      name.endsWith('_bps') && typeof value === 'number'
        ? `${name.slice(0, -'_bps'.length)} ${formatRate(value)}`
        : `${name} ${value}`,
    )
    .join(', ');
