// Sources in TypeScript, as modules of Node.
import { inRoot } from './files.mjs';

// Without `vite.config.ts`; lessons are TSX.
const inlineConfig = {
  configFile: false,
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

/** A source's module. */
export async function importSource(path) {
  // Here and not above: before the set-up there is no Vite.
  const { runnerImport } = await import('vite');
  return (await runnerImport(inRoot(path), inlineConfig)).module;
}

/** Every lesson, in their order. */
export async function importLessons() {
  const { LESSONS } = await importSource('src/app/lessons/lessons.ts');
  const content = ({ id }) => `src/app/lessons/content/${id.replaceAll('-', '_')}.tsx`;
  const lessons = [];
  for (const listed of LESSONS) lessons.push((await importSource(content(listed))).default);
  return lessons;
}
