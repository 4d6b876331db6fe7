/** Loads users' controllers from files: TypeScript and JavaScript, bundled into one module, or WebAssembly. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';

import type { ControllerFault } from '../../core/user_controller.js';
import { CONTROLLER_NAMES, type ControllerName } from '../../core/schema.js';
import { didYouMean } from '../../text/suggest.js';
import { systemCode, UsageError } from '../../text/errors.js';
import type { InputFile } from '../io.js';

/** A user's controller, ready to be loaded in a worker or served to a page. */
export interface ControllerFile {
  /** The file's name without its extension. */
  name: string;
  path: string;
  /** `js`: an ES module without imports whose default export is a UserController. */
  kind: 'js' | 'wasm';
  bytes: Uint8Array<ArrayBuffer>;
  /** The SHA-256 hash of the file as it is on disk, in hexadecimal digits. */
  sha256: string;
}

const SCRIPTS = ['.ts', '.mts', '.js', '.mjs'];
const WASM_MAGIC = Buffer.from([0x00, 0x61, 0x73, 0x6d]);

/** Finds a controller: one of the core's by its name, or a user's by its path. Throws UsageError. */
export async function loadController(argument: string): Promise<ControllerName | ControllerFile> {
  const known = CONTROLLER_NAMES.find((name) => name === argument);
  if (known !== undefined) return known;
  const isPath = /[./\\]/.test(argument);
  if (isPath) return loadControllerFile(argument);
  const names = CONTROLLER_NAMES.join(', ');
  const hint = didYouMean(argument, CONTROLLER_NAMES);
  throw new UsageError(`--controller: expected ${names}, or the path of a file; got ${argument}.${hint}`);
}

/**
 * A controller given on the command line: one of the core's, or a user's file. Without `flow`, the controller
 * applies to all flows that no other requested controller names.
 */
export interface RequestedController {
  flow?: string;
  controller: ControllerName | ControllerFile;
}

/** `FLOW=CONTROLLER`, where FLOW is the name of a flow, or CONTROLLER alone. A path may contain `=` after a `/`. */
const FOR_FLOW = /^([\w.-]+)=(.+)$/;

/** Finds the controllers of `--controller`. Throws UsageError. */
export async function requestedControllers(texts: readonly string[]): Promise<RequestedController[]> {
  const requests = texts.map((text) => {
    const [, flow, argument = text] = FOR_FLOW.exec(text) ?? [];
    return { flow, argument };
  });
  const twice = requests.find(({ flow }, i) => requests.findIndex((each) => each.flow === flow) !== i);
  if (twice !== undefined) {
    const whose = twice.flow === undefined ? 'all flows' : `the flow ${twice.flow}`;
    throw new UsageError(`--controller: expected one controller for ${whose}, got two; remove one of them`);
  }
  return Promise.all(
    requests.map(async ({ flow, argument }) => ({
      ...(flow !== undefined && { flow }),
      controller: await loadController(argument),
    })),
  );
}

/** The files among controllers, as a command reads them. */
export const controllerFiles = (
  controllers: readonly (ControllerName | { readonly path: string } | undefined)[],
): InputFile[] =>
  controllers.flatMap((controller) =>
    typeof controller === 'object' ? [{ what: 'controller', path: controller.path }] : [],
  );

/** Reads and bundles a user's controller. Throws a UsageError that says where the error is. */
export async function loadControllerFile(path: string): Promise<ControllerFile> {
  await expectFile(path);
  const ending = extname(path);
  const name = basename(path, ending);
  const sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  if (ending === '.wasm') return { name, path, kind: 'wasm', bytes: await wasmBytes(path), sha256 };
  if (SCRIPTS.includes(ending)) return { name, path, kind: 'js', bytes: await bundle(path), sha256 };
  throw new UsageError(`${path}: expected a file name that ends with ${SCRIPTS.join(', ')} or .wasm`);
}

async function expectFile(path: string): Promise<void> {
  try {
    if ((await stat(path)).isFile()) return;
  } catch (error) {
    const reason = systemCode(error) === 'ENOENT' ? 'no such file' : (systemCode(error) ?? 'not readable');
    throw new UsageError(
      `${path}: ${reason}; give the path of a controller (${SCRIPTS.join(', ')} or .wasm)`,
    );
  }
  throw new UsageError(`${path}: expected a file`);
}

async function wasmBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await readFile(path));
  if (WASM_MAGIC.equals(bytes.subarray(0, WASM_MAGIC.length))) return bytes;
  throw new UsageError(`${path}: expected a WebAssembly module, which begins with \\0asm`);
}

async function bundle(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { build } = await import('esbuild');
  const options = { bundle: true, write: false, metafile: true, format: 'esm', target: 'es2022' } as const;
  const built = await build({
    ...options,
    entryPoints: [path],
    platform: 'neutral',
    logLevel: 'silent',
  }).catch((error: unknown) => {
    throw new UsageError(firstProblem(path, error));
  });
  const [output] = Object.values(built.metafile.outputs);
  if (output?.exports.includes('default') !== true)
    throw new UsageError(`${path}: expected a default export that is a UserController, got none`);
  return new Uint8Array(built.outputFiles[0]?.contents ?? []);
}

/** The fields of esbuild's error messages that this file reads. */
interface BundleProblem {
  text: string;
  location: { file: string; line: number; column: number } | null;
}

function firstProblem(path: string, error: unknown): string {
  const { errors = [] } = error as { errors?: readonly BundleProblem[] };
  const [first] = errors;
  if (first === undefined) return `${path}: it could not be bundled: ${String(error)}`;
  const { text, location } = first;
  return location === null
    ? `${path}: ${text}`
    : `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}

/** A fault of a user's controller, as in the JSON output of commands. */
export interface FaultReport {
  controller: string;
  /**
   * The half of the controller that failed. Absent if the whole controller was terminated, for example after a
   * time limit.
   */
  half?: 'receiver' | 'sender';
  flow?: number;
  time_us?: number;
  message: string;
}

export const faultReport = ({ controller, half, flow, timeUs, message }: ControllerFault): FaultReport => ({
  controller,
  half,
  flow,
  time_us: timeUs,
  message,
});

/** A fault as one line of text. */
export function faultLine({ controller, half, flow, time_us, message }: FaultReport): string {
  if (half === undefined) return `the controller ${controller} was stopped: ${message}`;
  const when = `at ${((time_us ?? 0) / 1e6).toFixed(3)} s`;
  return `the controller ${controller} failed ${when} (${half} half of flow ${flow}): ${message}; the flow kept its last good rate`;
}
