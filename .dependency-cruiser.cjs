// Which room may use which. Rooms are described in ARCHITECTURE.md; the same check for
// the C++ core is scripts/lint/check_core.mjs.

/** Room of src/ -> the rooms that it may import besides itself. */
const mayUse = {
  text: [],
  core: [],
  machine: [],
  link: ['core', 'text'],
  trace: ['core', 'text'],
  scenario: ['core', 'link', 'text'],
  figures: ['core', 'scenario', 'trace'],
  calls: ['core', 'inject', 'link', 'worker'],
  twin: ['calls', 'core', 'link', 'scenario', 'text', 'trace'],
  judge: ['calls', 'core', 'link', 'machine'],
  reasons: ['core', 'judge', 'link', 'trace'],
  worker: ['core', 'link', 'machine', 'reasons', 'scenario', 'text', 'trace'],
  rtc: ['core', 'machine', 'worker'],
  charts: ['figures'],
  boards: ['charts', 'core', 'reasons', 'trace', 'worker'],
  inject: ['machine'],
  watch: ['calls', 'core', 'inject', 'judge', 'trace'],
  overlay: ['boards', 'charts', 'core', 'inject', 'judge', 'text', 'trace', 'watch'],
  view: ['boards', 'inject', 'overlay', 'watch'],
  extension: ['boards', 'calls', 'inject', 'overlay', 'watch'],
  html: [],
  shaper: ['calls', 'core', 'inject', 'link', 'machine', 'text'],
  server: ['core', 'html', 'link', 'shaper', 'text'],
  observe: ['calls', 'inject', 'machine', 'text'],
  evidence: ['calls', 'core', 'html', 'judge', 'link', 'machine', 'reasons', 'trace'],
  papers: ['core', 'figures', 'html', 'scenario', 'text'],
  trend: ['calls', 'evidence', 'html', 'scenario', 'text'],
  playwright: [
    'calls',
    'evidence',
    'html',
    'judge',
    'link',
    'machine',
    'observe',
    'scenario',
    'shaper',
    'text',
    'trend',
  ],
  command_line: [
    'calls',
    'core',
    'evidence',
    'figures',
    'html',
    'inject',
    'judge',
    'link',
    'machine',
    'observe',
    'papers',
    'scenario',
    'server',
    'shaper',
    'text',
    'trace',
    'trend',
    'twin',
    'watch',
    'worker',
  ],
  runs: ['boards', 'calls', 'charts', 'core', 'link', 'scenario', 'text', 'trace', 'worker'],
  embed: ['boards', 'calls', 'charts', 'core', 'runs', 'scenario', 'text', 'trace', 'worker'],
  app: [
    'boards',
    'calls',
    'charts',
    'core',
    'figures',
    'judge',
    'link',
    'machine',
    'papers',
    'reasons',
    'rtc',
    'runs',
    'scenario',
    'text',
    'trace',
    'twin',
    'watch',
    'worker',
  ],
};

/** What of src/papers runs in pages, too. */
const PORTABLE_PAPERS =
  '^src/papers/(comparison|experiment|jobs|measured|metric_name|report|surface|claim_text|text)[.]ts$';

/** Family of src/worker/ -> the families that it may import besides itself. */
const workersMayUse = { media: ['guest'], simulation: ['guest'], guest: [], trace: [], camera: [] };

const arrows = Object.entries(mayUse).map(([room, others]) => ({
  name: `${room}-uses-only-${others.join('-') || 'itself'}`,
  severity: 'error',
  comment: `src/${room} may use ${others.length > 0 ? others.map((other) => `src/${other}`).join(', ') : 'no other room'}.`,
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: `^src/(${[room, ...others].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'others-use-only-the-protocol-of-inject',
      severity: 'error',
      comment:
        'The rest of src/inject runs in pages; the form of an action and the clocks of messages are part of the protocol.',
      from: { path: '^src/(calls|judge|evidence|observe|shaper|command_line|view|watch)/' },
      to: { path: '^src/inject/', pathNot: '^src/inject/(protocol|action_form|clocks|rebase)[.]ts$' },
    },
    {
      name: 'app-uses-only-what-of-papers-runs-in-pages',
      severity: 'error',
      comment: 'The rest of src/papers runs in Node.',
      from: { path: ['^src/app/', PORTABLE_PAPERS] },
      to: { path: '^src/(papers|html)/', pathNot: PORTABLE_PAPERS },
    },
    {
      name: 'no-node-in-what-of-papers-runs-in-pages',
      severity: 'error',
      from: { path: PORTABLE_PAPERS },
      to: { dependencyTypes: ['core'] },
    },
    ...Object.entries(workersMayUse).map(([family, others]) => ({
      name: `worker-${family}-uses-only-${others.join('-') || 'itself'}`,
      severity: 'error',
      from: { path: `^src/worker/${family}/` },
      to: { path: '^src/worker/[a-z]+/', pathNot: `^src/worker/(${[family, ...others].join('|')})/` },
    })),
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle means that the files are one, even where only types go round.',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'node-only-in-node',
      severity: 'error',
      comment:
        'All other rooms run in browsers; the loader of the core asks for files only when it runs in Node.',
      from: {
        path: '^src/',
        pathNot:
          '^src/((command_line|evidence|html|observe|papers|playwright|server|shaper|trend)/|core/load[.]ts$)',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'sources-do-not-use-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(tests|scripts)/' },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      comment: 'The library may only import packages that are installed with it.',
      from: { path: '^src/', pathNot: '^src/(app|boards|embed|extension|overlay|playwright|runs|view)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-undeclared-packages-but-the-test-runner',
      severity: 'error',
      comment: 'Its users have Playwright Test: a peer dependency, and a development one of ours.',
      from: { path: '^src/playwright/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: 'node_modules/@playwright/test/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
