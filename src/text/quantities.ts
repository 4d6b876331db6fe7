/** Numbers with units as people write them, and the error for invalid ones. */

/** A setting that cannot be used. The message is `field: expected …, got …; fix`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The setting, as a path: `capacity`, `config.rtt_ms`. */
  readonly field: string;
  constructor(
    field: string,
    /** What a correct value looks like. */
    readonly expected: string,
    /** What was found, as short text. */
    readonly got: string,
    /** One line: what to write instead. */
    readonly fix: string,
  ) {
    const path = cut(field, 200);
    super(`${path}: expected ${expected}, got ${got}; ${fix}`);
    this.field = path;
  }
}

/** Shortens a string for a message. */
export const cut = (text: string, length = 60): string =>
  text.length > length ? `${text.slice(0, length - 3)}…` : text;

/** A short description of an unexpected value. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return cut(JSON.stringify(value.slice(0, 60)));
  if (typeof value !== 'object' || value === null) return cut(String(value));
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Longer texts are refused: what people write for one setting is far shorter. */
export const MAX_SETTING_LENGTH = 1000;

/** Throws ConfigError for a text that is too long to be a setting. */
export function checkLength(text: string, field: string, fix: string): void {
  if (text.length <= MAX_SETTING_LENGTH) return;
  throw new ConfigError(field, `at most ${MAX_SETTING_LENGTH} characters`, `${text.length}`, fix);
}

export const BPS = { bps: 1, kbps: 1e3, mbps: 1e6, gbps: 1e9 } as const;
export const US = { us: 1, ms: 1e3, s: 1e6, min: 60e6, h: 3600e6 } as const;
export const BYTES = { b: 1, kb: 1e3, mb: 1e6 } as const;

/**
 * Reads a number with a unit, and multiplies the number by the factor of the unit in `units`. Returns undefined if
 * the unit is unknown, or if the text has another form.
 */
export function withUnit(text: string, units: Readonly<Record<string, number>>): number | undefined {
  if (text.length > MAX_SETTING_LENGTH) return undefined;
  const [, digits, unit] = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const name = unit?.toLowerCase() ?? '';
  const factor = Object.hasOwn(units, name) ? units[name] : undefined;
  // Rounded to 12 digits, so that 4.1 mbps becomes exactly 4100000 bit/s.
  return factor === undefined ? undefined : Number((Number(digits) * factor).toPrecision(12));
}

/** A time in microseconds: `300ms`, `1s`, `2min`. Throws ConfigError. */
export function parseDuration(
  text: string,
  { field = 'duration', fix = 'write, for example, 300ms, 1s or 2min' } = {},
): number {
  const us = withUnit(text, US);
  if (us !== undefined && Number.isFinite(us)) return us;
  const bare = text.length < 30 && /^\s*\d+(\.\d+)?\s*$/.test(text);
  const meant = bare ? `write ${text.trim()}ms or ${text.trim()}s` : fix;
  throw new ConfigError(field, 'a time with its unit', shown(text), meant);
}

/** A ratio: `0.02`, or `2%`. Throws ConfigError. */
export function parseRatio(
  text: string,
  { field = 'ratio', fix = 'write, for example, 0.02 or 2%' } = {},
): number {
  const [, digits, percent] = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*$/.exec(text.slice(0, 60)) ?? [];
  const ratio = percent === '%' ? Number(digits) / 100 : Number(digits ?? Number.NaN);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new ConfigError(field, 'a ratio from 0 to 1 or a percentage', shown(text), fix);
}
