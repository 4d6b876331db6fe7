/** The kit's options for a project or a test, in `use`. */
import type { LaunchOptions } from '@playwright/test';

import { CAPTURES, type LinkCapture } from '../evidence/index.js';
import type { AskedFrameTiming } from '../calls/record/record.js';
import type { LinkSettings } from '../shaper/index.js';
import { ConfigError, shown } from '../text/quantities.js';

/** Options of a test: in the config's `use`, or in `test.use`. */
export interface KitOptions {
  /** The initial link: a network, or its parts. Default: 1 Mbps, `droptail:300ms`, 50 ms. */
  linkOptions: LinkSettings;
  /** `shaper`: every packet passes ccscope's link; `devtools`: Chrome throttles itself. Default `shaper`. */
  linkBackend: 'shaper' | 'devtools';
  /** UDP port of the shaper; 0, the default, takes a free one. */
  linkPort: number;
  /**
   * How received video is timed: frame by frame with a transform, which costs a few percent of the browser's CPU,
   * or by getStats only. Default `auto`: with a transform, unless `evidence`, which shows single frames, is `off`.
   */
  frameTiming: 'auto' | AskedFrameTiming;
  /** When trace, metrics, page and picture are attached. Default `on-failure`. */
  evidence: 'on-failure' | 'always' | 'off';
  /** Files with every packet of the link, attached with the evidence. Default `off`. */
  linkCapture: LinkCapture;
}

export interface KitWorkerOptions {
  /** Whether Chromium starts with the flags that calls without windows and permissions need. Default true. */
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

/** The frame timing of a test: resolves `auto`. */
export const frameTimingOf = ({
  frameTiming,
  evidence,
}: Pick<KitOptions, 'frameTiming' | 'evidence'>): AskedFrameTiming => {
  if (frameTiming !== 'auto') return frameTiming;
  return evidence === 'off' ? 'getStats' : 'transform';
};

/** @throws ConfigError if the value is unknown, or if the backend does not see the packets to capture */
export function checkCapture({
  linkCapture,
  linkBackend,
}: Pick<KitOptions, 'linkCapture' | 'linkBackend'>): void {
  if (!CAPTURES.includes(linkCapture))
    throw new ConfigError('linkCapture', CAPTURES.join(', '), shown(linkCapture), "write 'csv' or 'pcap'");
  if (linkBackend === 'devtools' && linkCapture !== 'off')
    throw new ConfigError(
      'linkCapture',
      'off with the backend devtools, which tells of no packets',
      shown(linkCapture),
      'leave linkCapture or linkBackend out',
    );
}

/**
 * A camera and a microphone without hardware, no permission prompt, sound without a click, and no power saving in
 * windows that are not visible.
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

/** Adds CALL_FLAGS; a flag that is already given is kept, even if it has another value. */
export function withCallFlags(options: LaunchOptions): LaunchOptions {
  const given = options.args ?? [];
  const names = new Set(given.map(nameOf));
  return { ...options, args: [...given, ...CALL_FLAGS.filter((flag) => !names.has(nameOf(flag)))] };
}
