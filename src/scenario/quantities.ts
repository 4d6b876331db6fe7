/** Numbers with units as people write them, and the error that says which of them is wrong. */

/** A setting that cannot be used. The message is `field: expected …, got …; fix`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(
    /** The setting, as a path: `capacity`, `config.rtt_ms`. */
    readonly field: string,
    /** What a correct value looks like. */
    readonly expected: string,
    /** What was found, as short text. */
    readonly got: string,
    /** One line: what to write instead. */
    readonly fix: string,
  ) {
    super(`${field}: expected ${expected}, got ${got}; ${fix}`);
  }
}

/** A value found where another was expected, as short text. */
export const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

export const BPS = { bps: 1, kbps: 1e3, mbps: 1e6, gbps: 1e9 } as const;
export const US = { us: 1, ms: 1e3, s: 1e6, min: 60e6, h: 3600e6 } as const;
export const BYTES = { b: 1, kb: 1e3, mb: 1e6 } as const;

/** A number with a unit, in the smallest unit; undefined if it is not one. */
export function withUnit(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, digits, unit] = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const factor = unit === undefined ? undefined : units[unit.toLowerCase()];
  // Rounded to 12 digits, so that 0.6 mbps are 600000 bit/s and not a fraction beside it.
  return factor === undefined ? undefined : Number((Number(digits) * factor).toPrecision(12));
}

/** A time in microseconds: `300ms`, `1s`, `2min`. Throws ConfigError. */
export function parseDuration(text: string, { field = 'duration' } = {}): number {
  const us = withUnit(text, US);
  if (us !== undefined && Number.isFinite(us)) return us;
  const bare = /^\s*\d+(\.\d+)?\s*$/.test(text);
  const fix = bare ? `write ${text.trim()}ms or ${text.trim()}s` : 'write for instance 300ms, 1s or 2min';
  throw new ConfigError(field, 'a time with its unit', shown(text), fix);
}
