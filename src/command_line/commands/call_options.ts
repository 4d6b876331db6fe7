/** Checks the command line of `ccscope call` and turns it into plans. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

import { InvalidArgumentError } from 'commander';

import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  defaultPreset,
  type ControllerName,
} from '../../core/index.js';
import { controllerText, ownName, ownText, parseController } from '../../scenario/controller_text.js';
import { ConfigError } from '../../text/quantities.js';
import { didYouMean } from '../../text/suggest.js';
import { ParameterProblem, parameterNames, parameterValue, presetNames } from '../../trace/index.js';
import { FRAME_RATES, type VideoCodec } from '../../scenario/video_format.js';
import { CONTENT_NAMES } from '../call/named_content.js';
import type { PagePlan } from '../call/page_call.js';
import { sourceOf, type SourceFlags } from '../call/source.js';
import type { CallMode, CallPlan, TwinMachine } from '../call/types.js';
import { VIDEO_FILE } from '../call/video_file.js';
import { UsageError } from '../../text/errors.js';
import { sourcePreset } from '../twin/options.js';
import { linkConfigOf, sentence, type LinkFlags } from './link_options.js';

/** A controller on the command line: one of the core's, the browser's own (`native`), or a user's file. */
export interface NamedController {
  name: string;
  /** The controller in the syntax of the page's address. */
  text: string;
  /** The path of the file, for a user's controller. */
  path?: string;
}

export interface CallFlags extends LinkFlags, SourceFlags {
  controller: NamedController[];
  compare?: NamedController;
  shadow: NamedController[];
  preset?: string;
  set: Record<string, string>;
  mode?: CallMode;
  duration?: number;
  runs: number;
  untilQuiet?: number;
  keyFrameInterval?: number;
  sourceMax: number;
  codec: VideoCodec;
  audio?: boolean;
  matrix?: string;
  twin?: true;
  machine?: TwinMachine;
  url: string[];
  pages?: number;
  click: string[];
  trace?: string;
  html?: string;
  json?: string;
}

const NAMES: readonly string[] = [...CONTROLLER_NAMES, 'native'];
const LIST = `${NAMES.join(', ')} or a file (.ts, .js, .mjs, .wasm)`;
const DEFAULT_DURATION_MS = 60_000;
const FILE = /[\\/]|\.([cm]?[jt]s|wasm)$/i;

function fileNamed(path: string): NamedController {
  if (!existsSync(path)) throw new InvalidArgumentError(`Expected ${LIST}; there is no file ${path}.`);
  const text = ownText(basename(path));
  return { name: ownName(text), text, path };
}

export function controllerArgument(name: string): NamedController {
  if (NAMES.includes(name)) return { name, text: name };
  if (FILE.test(name)) return fileNamed(name);
  throw new InvalidArgumentError(`Expected ${LIST}.${didYouMean(name, NAMES)}`);
}

export function controllersArgument(text: string): NamedController[] {
  const named = text.split(',').map(controllerArgument);
  if (new Set(named.map(({ name }) => name)).size === named.length) return named;
  throw new InvalidArgumentError(`Expected controllers separated by commas, each at most once: ${LIST}.`);
}

/**
 * Parses a shadow (a controller that only watches): a file, a controller, a preset, or a preset with parameters
 * such as `gcc:gcc-live:k_u=0.02`.
 */
export function shadowArgument(text: string, before: NamedController[]): NamedController[] {
  if (FILE.test(text)) return [...before, fileNamed(text)];
  try {
    const short = controllerText(parseController(text, { field: 'shadow' }));
    return [...before, { name: short, text: short }];
  } catch (error) {
    if (error instanceof ConfigError) throw new InvalidArgumentError(sentence(error.message));
    throw error;
  }
}

export function presetArgument(name: string): string {
  if (presetNames.includes(name)) return name;
  throw new InvalidArgumentError(
    `Expected one of ${presetNames.join(', ')}.${didYouMean(name, presetNames)}`,
  );
}

const SOURCES: readonly string[] = ['synthetic', ...CONTENT_NAMES];

/** Only checks the name. The file is read later, when all flags are known. */
export function sourceArgument(text: string): string {
  if (SOURCES.includes(text) || VIDEO_FILE.test(text)) return text;
  throw new InvalidArgumentError(
    `Expected ${SOURCES.join(', ')} or a file (.y4m, .mjpeg).${didYouMean(text, SOURCES)}`,
  );
}

export function frameRateArgument(text: string): number {
  const rate = FRAME_RATES.find((known) => known === text);
  if (rate !== undefined) return Number(rate);
  throw new InvalidArgumentError(`Expected ${FRAME_RATES.join(' or ')}.`);
}

/** Only checks the name. The value is checked later, when the controller is known. */
export function setArgument(text: string, before: Record<string, string>): Record<string, string> {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (parameterNames.includes(name)) return { ...before, [name]: value };
  throw new InvalidArgumentError(
    `Expected name=value, where name is a parameter of a controller.${didYouMean(name, parameterNames)}`,
  );
}

/** One plan for each controller. The first controller's report will contain the others. Throws UsageError. */
export function plansOf(flags: CallFlags): CallPlan[] {
  const { compare, mode } = flags;
  const controllers = [...flags.controller];
  const isCompared = ({ name, path }: NamedController): boolean =>
    name === compare?.name && path === compare.path;
  if (compare !== undefined && !controllers.some(isCompared)) controllers.push(compare);
  if (mode !== undefined && mode !== 'observe' && controllers.every(({ name }) => name === 'native')) {
    throw new UsageError('--mode: only observe is possible with --controller native; remove --mode');
  }
  const plans = controllers.map((controller) => planOf(controller, flags));
  checkUsed(flags, plans);
  checkFileNames(plans);
  return plans;
}

/** Reports name a user's controller by its file name alone, and the server serves it under that name. */
function checkFileNames(plans: readonly CallPlan[]): void {
  const paths = new Map<string, string>();
  for (const { name, path } of plans.flatMap(({ files }) => files)) {
    const other = paths.get(name) ?? path;
    if (other !== path)
      throw new UsageError(
        `expected controller files with different names, got ${other} and ${path}; rename one of them`,
      );
    paths.set(name, path);
  }
}

function planOf({ name, text, path }: NamedController, flags: CallFlags): CallPlan {
  const isNative = name === 'native';
  const shadows = [...flags.shadow];
  // If the browser decides the bitrate, the controller of flow 0 is a shadow. With --preset, it has this
  // preset. Otherwise it is the first shadow of --shadow, or GCC if there is no --shadow or the first one is
  // a user's file.
  const first = isNative && flags.preset === undefined ? shadows[0] : undefined;
  const watches = first !== undefined && first.path === undefined ? parseController(first.text) : undefined;
  if (watches !== undefined) shadows.shift();
  const controller = CONTROLLER_NAMES.find((known) => known === name);
  const preset = watches?.preset ?? (path === undefined ? presetOf(controller, isNative, flags) : undefined);
  const set = preset === undefined ? {} : setOf(controllerOfPreset(preset) ?? 'gcc', flags.set);
  const files = [{ name, path }, ...flags.shadow].flatMap(({ name: file, path: at }) =>
    at === undefined ? [] : [{ name: file, path: at }],
  );
  return {
    controller: name,
    text,
    mode: isNative ? 'observe' : (flags.mode ?? 'control'),
    ...(preset === undefined ? {} : { preset }),
    set: { ...watches?.parameters, ...set },
    shadows: shadows.map((shadow) => shadow.text),
    files,
    source: sourceOf(flags),
    codec: flags.codec,
    audio: flags.audio ?? false,
    link: linkOf(flags),
    durationMs: flags.duration ?? DEFAULT_DURATION_MS,
    keyFrameIntervalS: (flags.keyFrameInterval ?? 0) / 1e3,
    sourceMaxBps: flags.sourceMax,
    seed: flags.seed,
  };
}

const MAX_PAGES = 8;
/** Most calls have two participants. */
const DEFAULT_PAGES = 2;

export function urlArgument(text: string, before: string[]): string[] {
  if (URL.canParse(text) && /^(https?|file):/.test(text)) return [...before, text];
  throw new InvalidArgumentError('Expected an address such as http://localhost:5173/room.');
}

/** The name of a flag on the command line: `key-frame-interval` for `keyFrameInterval`. */
const dashed = (flag: string): string => flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * The plan for a call between pages that are not part of ccscope. The pages decide everything except the link and
 * the duration. Throws UsageError.
 */
export function pagePlanOf(flags: CallFlags, isGiven: (flag: keyof CallFlags) => boolean): PagePlan {
  const ours = [
    'controller',
    'compare',
    'shadow',
    'preset',
    'set',
    'mode',
    'keyFrameInterval',
    'sourceMax',
    'source',
    'size',
    'fps',
    'codec',
    'audio',
    'twin',
    'machine',
  ] as const;
  const strange = ours.find(isGiven);
  if (strange !== undefined) {
    const option = `--${dashed(strange)}`;
    throw new UsageError(
      `${option}: cannot be used with --url, since it applies only to calls of ccscope's own page; remove ${option}`,
    );
  }
  const { url, pages, click, duration = DEFAULT_DURATION_MS } = flags;
  if (url.length > 1 && pages !== undefined)
    throw new UsageError(
      '--pages: cannot be used with more than one --url, since each opens one page; remove --pages',
    );
  const [first = ''] = url;
  const urls = url.length > 1 ? url : Array.from({ length: pages ?? DEFAULT_PAGES }, () => first);
  if (urls.length > MAX_PAGES)
    throw new UsageError(`--url: expected at most ${MAX_PAGES} pages, got ${urls.length}`);
  return { urls, clicks: click, link: linkOf(flags), durationMs: duration };
}

/**
 * The requested preset, if it belongs to this controller. Otherwise the controller's default preset for live
 * calls. If the browser decides the bitrate: any requested preset, or GCC's default preset for live calls.
 */
function presetOf(controller: ControllerName | undefined, isNative: boolean, { preset }: CallFlags): string {
  if (preset !== undefined && (isNative || controllerOfPreset(preset) === controller)) return preset;
  return defaultPreset(controller ?? 'gcc', 'live');
}

/**
 * The parameters of `--set` that belong to this controller. Throws UsageError for a value that the controller
 * refuses.
 */
function setOf(controller: ControllerName, given: CallFlags['set']): Record<string, number> {
  const set: Record<string, number> = {};
  for (const [name, value] of Object.entries(given)) {
    try {
      set[name] = parameterValue(controller, name, value);
    } catch (error) {
      if (!(error instanceof ParameterProblem)) throw error;
      if (error.field === name && error.got !== 'a parameter of another controller')
        throw new UsageError(`--set ${error.message}`);
    }
  }
  return set;
}

/** Throws UsageError for a preset or a parameter that none of the chosen controllers has. */
function checkUsed({ preset, set }: CallFlags, plans: readonly CallPlan[]): void {
  const names = plans.map(({ controller }) => controller).join(', ');
  if (preset !== undefined && !plans.some((plan) => plan.preset === preset)) {
    const owner = controllerOfPreset(preset);
    throw new UsageError(
      `--preset: expected a preset of ${names}, got ${preset}, which is a preset of ${owner}`,
    );
  }
  const strange = Object.keys(set).find((name) => !plans.some((plan) => name in plan.set));
  if (strange !== undefined)
    throw new UsageError(
      `--set: expected a parameter of ${names}, got ${strange}, which belongs to another controller`,
    );
}

function linkOf(flags: CallFlags): CallPlan['link'] {
  try {
    return linkConfigOf(flags);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}

/** Flags for real calls only. */
const REAL = ['mode', 'shadow', 'untilQuiet'] as const;

/** Throws UsageError for options that the twin of a call does not support. */
export function checkTwin(plans: readonly CallPlan[], isGiven: (flag: keyof CallFlags) => boolean): void {
  const strange = REAL.find(isGiven);
  if (strange !== undefined)
    throw new UsageError(`--${dashed(strange)}: cannot be used with --twin; remove one of them`);
  if (plans.some(({ controller }) => controller === 'native'))
    throw new UsageError(
      '--controller: native cannot be used with --twin, since the browser’s own controller cannot be simulated; choose gcc, nada, lcc or a file',
    );
  for (const { source, codec } of plans) sourcePreset(source, codec);
}
