/** The ranges of the numbers in the page's state. */
import { LINK_FIELDS, linkField } from '../link/fields.js';
import { URL_KEYS, type LinkInUrl } from '../link/url.js';

const BITRATE = [1000, 1e8, 'bits per second'] as const;
/** The ranges of numbers that are not settings of the link, each with its unit. */
export const NUMBERS = {
  min_bps: BITRATE,
  max_bps: BITRATE,
  start_bps: BITRATE,
  key_frame_interval_s: [0, 3600, 's (0: only when the encoder wants one)'],
  duration_s: [0, 86400, 's (0: until you press Stop)'],
  window_s: [1, 3600, 's'],
  from_s: [-3600, 86400, 's'],
} as const satisfies Record<string, readonly [min: number, max: number, unit: string]>;

type LinkNumber = { [K in keyof LinkInUrl]: LinkInUrl[K] extends number ? K : never }[keyof LinkInUrl];
export type NumberSetting = keyof typeof NUMBERS | LinkNumber;

export function numberRange(setting: NumberSetting): readonly [min: number, max: number] {
  if (setting in NUMBERS) {
    const [min, max] = NUMBERS[setting as keyof typeof NUMBERS];
    return [min, max];
  }
  const key = URL_KEYS.find((each) => LINK_FIELDS[each].url === setting);
  const field = key && linkField(key);
  if (field?.kind !== 'number') throw new RangeError(`the setting ${setting} does not take a number`);
  return [field.min, field.mostInUrl ?? field.max];
}
