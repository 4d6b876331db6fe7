/** What the command line of `ccscope call` says, checked and made into plans. */
import { InvalidArgumentError } from 'commander';

import { ConfigError } from '../../scenario/link_config.js';
import { ParameterProblem, parameterNames, parameterValue, presetNames } from '../../trace/index.js';
import type { CallMode, CallPlan, Controller } from '../call/types.js';
import { UsageError } from '../errors.js';
import { didYouMean } from '../../scenario/suggest.js';
import { linkConfigOf, type LinkFlags } from './link_options.js';

export interface CallFlags extends LinkFlags {
  controller: Controller[];
  compare?: Controller;
  preset: string;
  set: Record<string, number>;
  mode?: CallMode;
  duration?: number;
  runs: number;
  keyFrameInterval?: number;
  sourceMax: number;
  trace?: string;
  json?: string;
}

export const CONTROLLERS: readonly Controller[] = ['gcc', 'native'];
const DEFAULT_DURATION_MS = 60_000;

export function controllersArgument(text: string): Controller[] {
  const names = text.split(',');
  const known = names.filter((name): name is Controller =>
    CONTROLLERS.some((controller) => controller === name),
  );
  if (known.length === names.length && new Set(known).size === known.length) return known;
  throw new InvalidArgumentError('Expected gcc, native, or both joined by a comma.');
}

export function presetArgument(name: string): string {
  if (presetNames.includes(name)) return name;
  throw new InvalidArgumentError(
    `Expected one of ${presetNames.join(', ')}.${didYouMean(name, presetNames)}`,
  );
}

export function setArgument(text: string, before: Record<string, number>): Record<string, number> {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (!parameterNames.includes(name)) {
    throw new InvalidArgumentError(
      `Expected name=value with a parameter’s name.${didYouMean(name, parameterNames)}`,
    );
  }
  try {
    return { ...before, [name]: parameterValue('gcc', name, value) };
  } catch (error) {
    if (error instanceof ParameterProblem) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** One plan for each controller, the first one's report being the main one. Throws UsageError. */
export function plansOf(flags: CallFlags): CallPlan[] {
  const controllers = [...flags.controller];
  if (flags.compare !== undefined && !controllers.includes(flags.compare)) controllers.push(flags.compare);
  if (
    flags.mode !== undefined &&
    flags.mode !== 'observe' &&
    controllers.every((name) => name === 'native')
  ) {
    throw new UsageError('--mode: expected observe with --controller native; remove --mode');
  }
  return controllers.map((controller) => ({
    controller,
    mode: controller === 'native' ? 'observe' : (flags.mode ?? 'control'),
    preset: flags.preset,
    set: flags.set,
    link: linkOf(flags),
    durationMs: flags.duration ?? DEFAULT_DURATION_MS,
    keyFrameIntervalS: (flags.keyFrameInterval ?? 0) / 1e3,
    sourceMaxBps: flags.sourceMax,
    seed: flags.seed,
  }));
}

function linkOf(flags: CallFlags): CallPlan['link'] {
  try {
    return linkConfigOf(flags);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}
