// The list of pages in the sidebar of the documentation site, grouped by use.
const page = (text, link, items) => ({ text, link, ...(items && { collapsed: true, items }) });

export const sidebar = [
  {
    text: 'ccscope',
    items: [
      page('Start', '/'),
      page('Where things are', '/ARCHITECTURE'),
      page('Working on ccscope', '/CONTRIBUTING'),
    ],
  },
  {
    text: 'Debug a call',
    items: [
      page('Calls that run already', '/src/command_line/attach/'),
      page('The script for a running page', '/src/inject/'),
      page('The extension', '/src/extension/'),
      page('Why a rate fell', '/src/watch/', [page('How many causes are right', '/src/watch/accuracy')]),
    ],
  },
  {
    text: 'Test calls',
    items: [
      page('The Playwright kit', '/src/playwright/', [
        page('Calls through servers', '/src/playwright/servers'),
        page('What Chrome reaches', '/src/playwright/chrome'),
      ]),
      page('Command line', '/src/command_line/', [
        page('All options', '/src/command_line/options'),
        page('Calls, twins, matrices', '/src/command_line/call/'),
      ]),
      page('Settings of a link', '/src/link/'),
      page('When the machine is the problem', '/src/machine/'),
    ],
  },
  {
    text: 'Learn and experiment',
    items: [
      page('The Call page', '/src/app/', [
        page('The Lab', '/src/app/lab/'),
        page('The lessons', '/src/app/lessons/'),
      ]),
      page('Scenarios', '/src/scenario/', [page('Metrics', '/src/scenario/metrics')]),
      page('Reproducing the papers', '/src/papers/', [
        page('The experiments', '/src/papers/experiments'),
        page('Mechanisms that were tried', '/src/papers/mechanisms'),
      ]),
      page('Your own controller', '/public/controllers/'),
      page('Figures in pages of your own', '/src/embed/'),
      page('The library', '/src/'),
      page('Trace format', '/src/trace/'),
    ],
  },
  {
    text: 'The core',
    items: [
      page('Concepts and rules', '/wasm/'),
      page('Controllers', '/wasm/cc/', [
        page('GCC', '/wasm/cc/gcc/gcc'),
        page('NADA', '/wasm/cc/nada/nada'),
        page('LCC', '/wasm/cc/lcc/lcc'),
      ]),
      page('Queue disciplines', '/wasm/sim/queue_disc/', [
        page('DropTail', '/wasm/sim/queue_disc/drop_tail'),
        page('CoDel', '/wasm/sim/queue_disc/codel'),
        page('PIE', '/wasm/sim/queue_disc/pie'),
        page('SFQ', '/wasm/sim/queue_disc/sfq'),
        page('FQ-CoDel', '/wasm/sim/queue_disc/fq_codel'),
      ]),
      page('TCP CUBIC', '/wasm/sim/tcp/cubic', [page('NewReno', '/wasm/sim/tcp/new_reno')]),
      page('Video sources', '/wasm/sim/media_source'),
      page('Model of live calls', '/wasm/sim/live/live'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Errors and their codes', '/src/text/errors', [page('All messages', '/src/text/messages')]),
      page('API', '/api/'),
      page('The local server and trust', '/src/server/SECURITY'),
      page('Fuzzing', '/tests/fuzz/'),
      page('Changes', '/CHANGELOG'),
    ],
  },
];
