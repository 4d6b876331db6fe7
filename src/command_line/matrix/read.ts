/** Reads matrices: those that come with the package by name, and users' own by file name. */
import { dirname, join, resolve } from 'node:path';

import { ConfigError } from '../../text/quantities.js';
import { parseJson } from '../../text/json_text.js';
import { didYouMean } from '../../text/suggest.js';
import { UsageError } from '../../text/errors.js';
import type { InputFile } from '../io.js';
import { namesIn, publicFolder, readText } from '../scenarios.js';
import { parseMatrix, type Matrix } from './form.js';

export interface MatrixFile {
  matrix: Matrix;
  /** The prefix of error messages about the matrix: its name, or its file. */
  at: string;
  /** The matrix refers to files relative to this folder. */
  folder: string;
}

/**
 * The matrix with this name, or in this file. `onRead` is called with its file. Throws a UsageError that says where the
 * error is.
 */
export function readMatrix(
  nameOrFile: string,
  { onRead = () => undefined }: { onRead?: (file: InputFile) => void } = {},
): MatrixFile {
  const names = namesIn('matrices');
  const shipped = names.includes(nameOrFile);
  const file = shipped ? join(publicFolder('matrices'), `${nameOrFile}.json`) : nameOrFile;
  const text = readText(file, () => {
    const hint = didYouMean(nameOrFile, names) || ` These come with ccscope: ${names.join(', ')}.`;
    return `--matrix: ${nameOrFile} is neither the name of a matrix nor a file.${hint}`;
  });
  onRead({ what: 'matrix', path: file });
  const at = shipped ? nameOrFile : file;
  try {
    return { matrix: parseMatrix(parseJson(text, file), at), at, folder: dirname(resolve(file)) };
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}
