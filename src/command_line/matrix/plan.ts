/** The cells of a matrix, each with the plan for its calls, and the order of their runs. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  defaultPreset,
  type ControllerName,
} from '../../core/index.js';
import { ownName, ownText } from '../../scenario/controller_text.js';
import { ConfigError } from '../../text/quantities.js';
import { DEFAULT_LINK_CONFIG } from '../../link/link_config.js';
import { parseRate } from '../../link/capacity_text.js';
import { shown } from '../../text/quantities.js';
import { ParameterProblem, parameterValue } from '../../trace/index.js';
import { CONTENT_NAMES } from '../call/named_content.js';
import { sourceOf } from '../call/source.js';
import type { CallPlan } from '../call/types.js';
import { VIDEO_FILE } from '../call/video_file.js';
import { UsageError } from '../../text/errors.js';
import {
  DEFAULT_DURATION_S,
  DEFAULT_SOURCES,
  type LinkSet,
  type MatrixController,
  type MatrixLink,
  type MatrixSource,
} from './form.js';
import type { MatrixFile } from './read.js';

export const NATIVE = 'native';
const DEFAULT_SOURCE_MAX_BPS = 2_500_000;

/** Identifies a cell of a matrix. */
export interface CellNames {
  link: string;
  /** Null if the link belongs to no set. */
  set: LinkSet | null;
  source: string;
  /** The name that the matrix gives the controller. */
  controller: string;
}

/** One controller on one link with one source. */
export interface Cell extends CellNames {
  plan: CallPlan;
}

/** The part of a plan that depends only on the controller: the same in all cells of that controller. */
type Choice = Pick<CallPlan, 'controller' | 'text' | 'mode' | 'preset' | 'set' | 'files'>;

/**
 * All cells: by link, then by source, then by controller. Throws UsageError with the path of the error in the
 * file.
 */
export function cellsOf(file: MatrixFile, durationS?: number): Cell[] {
  const { matrix, at } = file;
  const { links, controllers, sources = DEFAULT_SOURCES } = matrix;
  try {
    const choices = controllers.map((entry, i) => ({
      name: entry.name,
      choice: choiceOf(entry, file, `${at}.controllers.${i}`),
    }));
    checkFiles(
      choices.map(({ choice }) => choice),
      at,
    );
    const sent = sources.map((entry, i) => ({ entry, parts: sentOf(entry, file, `${at}.sources.${i}`) }));
    return links.flatMap((link) =>
      sent
        .filter(({ entry }) => entry.links === undefined || entry.links.includes(link.name))
        .flatMap(({ entry, parts }) =>
          choices.map(({ name, choice }): Cell => ({
            ...{ link: link.name, set: link.set ?? null, source: entry.name, controller: name },
            plan: {
              ...choice,
              ...parts,
              ...linkPart(link),
              durationMs: (durationS ?? matrix.duration_s ?? DEFAULT_DURATION_S) * 1e3,
              shadows: [],
              keyFrameIntervalS: 0,
            },
          })),
        ),
    );
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}

/**
 * Throws ConfigError if two different files have the same name. Pages request a file from the server by its
 * name, without its folder.
 */
function checkFiles(choices: readonly Choice[], at: string): void {
  const paths = new Map<string, string>();
  for (const [i, { files }] of choices.entries()) {
    for (const { name, path } of files) {
      if ((paths.get(name) ?? path) !== path)
        throw new ConfigError(
          `${at}.controllers.${i}.controller`,
          'files with different names',
          `two named ${name}`,
          'rename one of them',
        );
      paths.set(name, path);
    }
  }
}

function linkPart({
  name: _,
  set: __,
  source_max,
  ...settings
}: MatrixLink): Pick<CallPlan, 'link' | 'seed' | 'sourceMaxBps'> {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const link = { ...DEFAULT_LINK_CONFIG, ...given };
  const sourceMaxBps = source_max === undefined ? DEFAULT_SOURCE_MAX_BPS : parseRate(source_max);
  return { link, seed: link.seed, sourceMaxBps };
}

const NAMES: readonly string[] = ['synthetic', ...CONTENT_NAMES];

function sentOf(
  entry: MatrixSource,
  { folder }: MatrixFile,
  at: string,
): Pick<CallPlan, 'source' | 'codec' | 'audio'> {
  const { name, source = name, size, fps, codec = 'vp8', audio = false } = entry;
  const format = { ...(size && { size }), ...(fps && { fps }) };
  if (NAMES.includes(source)) return { source: sourceOf({ source, ...format }), codec, audio };
  const path = resolve(folder, source);
  if (!VIDEO_FILE.test(path) || !existsSync(path))
    throw new ConfigError(
      `${at}.source`,
      `${NAMES.join(', ')} or a file (.y4m, .mjpeg)`,
      shown(source),
      'correct this name',
    );
  for (const [field, value] of Object.entries(format))
    throw new ConfigError(
      `${at}.${field}`,
      `no \`${field}\` for a video file, which has its own size and frame rate`,
      shown(value),
      `remove \`${field}\``,
    );
  return { source: sourceOf({ source: path }, `${at}.source: ${source}`), codec, audio };
}

function choiceOf(entry: MatrixController, { folder }: MatrixFile, at: string): Choice {
  const { name, controller = name, preset, set = {} } = entry;
  if (controller === NATIVE) {
    if (preset !== undefined || Object.keys(set).length > 0)
      throw new ConfigError(
        at,
        'neither `preset` nor `set` for the browser’s own controller',
        preset === undefined ? '`set`' : '`preset`',
        'remove it',
      );
    const watching = { preset: defaultPreset('gcc', 'live'), set: {} };
    return { controller: NATIVE, text: NATIVE, mode: 'observe', files: [], ...watching };
  }
  const known = CONTROLLER_NAMES.find((each) => each === controller);
  if (known !== undefined)
    return {
      ...{ controller, text: controller, mode: 'control', files: [] },
      preset: presetOf(known, preset, at),
      set: parametersOf(known, set, at),
    };
  const path = resolve(folder, controller);
  if (!existsSync(path)) {
    const expected = `${[...CONTROLLER_NAMES, NATIVE].join(', ')} or a file`;
    throw new ConfigError(`${at}.controller`, expected, shown(controller), 'correct this name');
  }
  if (preset !== undefined || Object.keys(set).length > 0)
    throw new ConfigError(
      at,
      'neither `preset` nor `set` for a controller of your own',
      'one or both',
      'remove them',
    );
  const text = ownText(basename(path));
  const file = { name: ownName(text), path };
  return { controller: file.name, text, mode: 'control', set: {}, files: [file] };
}

function presetOf(controller: ControllerName, preset: string | undefined, at: string): string {
  if (preset === undefined) return defaultPreset(controller, 'live');
  if (controllerOfPreset(preset) === controller) return preset;
  throw new ConfigError(`${at}.preset`, `a preset of ${controller}`, shown(preset), 'correct this name');
}

function parametersOf(
  controller: ControllerName,
  set: Readonly<Record<string, number | string>>,
  at: string,
): Record<string, number> {
  const values = Object.entries(set).map(([name, value]): [string, number] => {
    try {
      return [name, parameterValue(controller, name, value)];
    } catch (error) {
      if (!(error instanceof ParameterProblem)) throw error;
      throw new ConfigError(`${at}.set.${name}`, error.expected, error.got, 'correct this parameter');
    }
  });
  return Object.fromEntries(values);
}

/** One run of one cell. */
export interface Step {
  cell: number;
  /** From 0. */
  run: number;
}

/**
 * The order of the runs: by link, then by source. For each link and source, every controller makes its first run,
 * then every controller makes its second run, and so on. This order gives all controllers the same conditions.
 */
export function stepsOf(cells: readonly CellNames[], runs: number): Step[] {
  const groups = new Map<string, number[]>();
  for (const [i, { link, source }] of cells.entries()) {
    const key = JSON.stringify([link, source]);
    groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: runs }, (_, run) => group.map((cell) => ({ cell, run }))).flat(),
  );
}
