/** ccscope's options for a project or a test, in `use`. */
import type { LaunchOptions } from '@playwright/test';

import { CAPTURES, type LinkCapture } from '../evidence/index.js';
import type { AskedFrameTiming } from '../calls/record/record.js';
import type { LinkSettings } from '../shaper/index.js';
import { ConfigError, shown } from '../text/quantities.js';

/** Options of a test: in the config's `use`, or in `test.use`. */
export interface KitOptions {
  /**
   * The initial settings of the link: the name of a network, or individual settings. Default: 1 Mbps,
   * `droptail:300ms`, 50 ms.
   */
  linkOptions: LinkSettings;
  /**
   * `shaper`: every packet passes through ccscope's link; `devtools`: Chrome throttles itself. Default
   * `shaper`.
   */
  linkBackend: 'shaper' | 'devtools';
  /** UDP port of the shaper. Default 0: a free port. */
  linkPort: number;
  /**
   * How the arrival of received video is timed.
   * - `transform`: frame by frame with an encoded transform, which costs a few percent of the browser's CPU.
   * - `getStats`: only by the counters of getStats.
   * - `auto` (default): `getStats` if `evidence` is `off`, since only the evidence shows individual frames;
   *   otherwise `transform`.
   */
  frameTiming: 'auto' | AskedFrameTiming;
  /** When the evidence (trace, metrics, HTML page and its screenshot) is attached. Default `on-failure`. */
  evidence: 'on-failure' | 'always' | 'off';
  /** Files with every packet of the link, attached with the evidence. Default `off`. */
  linkCapture: LinkCapture;
}

export interface KitWorkerOptions {
  /** Whether Chromium starts with the flags for calls (CALL_FLAGS). Default true. */
  callFlags: boolean;
}

export const DEFAULTS: KitOptions & KitWorkerOptions = {
  linkOptions: {},
  linkBackend: 'shaper',
  linkPort: 0,
  frameTiming: 'auto',
  evidence: 'on-failure',
  linkCapture: 'off',
  callFlags: true,
};

/** The frame timing of a test, with `auto` resolved to `transform` or `getStats`. */
export const frameTimingOf = ({
  frameTiming,
  evidence,
}: Pick<KitOptions, 'frameTiming' | 'evidence'>): AskedFrameTiming => {
  if (frameTiming !== 'auto') return frameTiming;
  return evidence === 'off' ? 'getStats' : 'transform';
};

type Choice = 'linkBackend' | 'frameTiming' | 'evidence' | 'linkCapture';

const CHOICES: { readonly [Name in Choice]: { values: readonly KitOptions[Name][]; fix: string } } = {
  linkBackend: { values: ['shaper', 'devtools'], fix: "write 'devtools', or remove the option" },
  frameTiming: {
    values: ['auto', 'transform', 'getStats'],
    fix: "write 'transform' or 'getStats', or remove the option",
  },
  evidence: {
    values: ['on-failure', 'always', 'off'],
    fix: "write 'always' or 'off', or remove the option",
  },
  linkCapture: { values: CAPTURES, fix: "write 'csv' or 'pcap'" },
};

function checkChoice(name: Choice, value: string): void {
  const { values, fix }: { values: readonly string[]; fix: string } = CHOICES[name];
  if (!values.includes(value)) throw new ConfigError(name, values.join(', '), shown(value), fix);
}

/**
 * Checks the options that are one of several words, since Playwright passes on whatever the configuration contains.
 * @throws ConfigError if a value is unknown, or if the backend cannot capture packets
 */
export function checkChoices(options: Pick<KitOptions, Choice>): void {
  for (const name of Object.keys(CHOICES) as Choice[]) checkChoice(name, options[name]);
  const { linkBackend, linkCapture } = options;
  if (linkBackend === 'devtools' && linkCapture !== 'off')
    throw new ConfigError(
      'linkCapture',
      'off, since the devtools backend does not report packets',
      shown(linkCapture),
      'remove linkCapture or linkBackend',
    );
}

/**
 * Chromium flags for a fake camera and microphone, no permission prompts, sound without a click, and no
 * throttling of hidden windows.
 */
export const CALL_FLAGS: readonly string[] = [
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

const nameOf = (flag: string): string => flag.split('=')[0] ?? flag;

/** Adds CALL_FLAGS to launch options. A flag that is already given keeps its value. */
export function withCallFlags(options: LaunchOptions): LaunchOptions {
  const given = options.args ?? [];
  const names = new Set(given.map(nameOf));
  return { ...options, args: [...given, ...CALL_FLAGS.filter((flag) => !names.has(nameOf(flag)))] };
}
