/**
 * GitHub Actions workflow commands, which annotate lines of a pull request (docs.github.com, "Workflow
 * commands", ::error and ::warning; escapes as in @actions/core).
 */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

import type { Location } from '@playwright/test/reporter';

export interface Annotation {
  level: 'error' | 'warning';
  title: string;
  text: string;
  /** Without a location, the annotation belongs to the whole run. */
  location?: Location;
}

const escapedText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapedProperty = (text: string): string =>
  escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** The nearest folder with `.git`, from `folder` upwards; `folder` itself if there is none. */
function gitRoot(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return folder;
  }
}

/** The folder to which the paths of annotations are relative. */
export const repositoryRoot = (testFolder: string): string =>
  process.env['GITHUB_WORKSPACE'] || gitRoot(testFolder);

/**
 * The path of `file` for annotations, relative to `root`. If a test ran in a container or on another machine,
 * `file` is not below `root`. Then leading folders are removed from `file` until the rest exists below `root`.
 */
export function repositoryPath(file: string, root: string): string {
  const path = relative(root, file).replaceAll('\\', '/');
  if (!path.startsWith('../') && !isAbsolute(path)) return path;
  const parts = file.split(/[\\/]/);
  const ends = parts.map((_, i) => parts.slice(i + 1).join('/'));
  return ends.find((end) => end !== '' && existsSync(join(root, end))) ?? path;
}

/** The workflow command of an annotation, as one line. */
export function commandOf({ level, title, text, location }: Annotation, root: string): string {
  const place: [string, string | number][] =
    location === undefined
      ? []
      : [
          ['file', repositoryPath(location.file, root)],
          ['line', location.line],
          ['col', location.column],
        ];
  const properties = [...place, ['title', title] as const].map(
    ([name, value]) => `${name}=${escapedProperty(String(value))}`,
  );
  return `::${level} ${properties.join(',')}::${escapedText(text)}`;
}
