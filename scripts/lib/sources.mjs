// Imports TypeScript sources into Node.
import { inRoot } from './files.mjs';

// The configuration of Vite, used instead of `vite.config.ts`. It supports JSX, since lessons are TSX.
const inlineConfig = {
  configFile: false,
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

/** Imports a source; resolves with its module. */
export async function importSource(path) {
  // Imported here and not above, since Vite is not installed until setup.mjs has run.
  const { runnerImport } = await import('vite');
  const { NODE_ENV } = process.env;
  try {
    return (await runnerImport(inRoot(path), inlineConfig)).module;
  } finally {
    // Vite sets NODE_ENV to `development`. With this value, a later build of the app would leave out the service
    // worker.
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  }
}

/**
 * All lessons, in the order of the list of lessons. Each consists of its content and its entry in the list.
 */
export async function importLessons() {
  const { LESSONS } = await importSource('src/app/lessons/lessons.ts');
  const content = ({ id }) => `src/app/lessons/content/${id.replaceAll('-', '_')}.tsx`;
  const lessons = [];
  for (const listed of LESSONS) lessons.push({ ...listed, ...(await importSource(content(listed))).default });
  return lessons;
}
