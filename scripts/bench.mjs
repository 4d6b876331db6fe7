// `npm run bench`: measures the costs of ccscope. Most figures are printed with their budget, their target or a
// comparable figure from the same run.
//
//   npm run bench -- [--only core|simulator|shaper|call|pages|kit|inject] [--duration SECONDS]
//
// `--duration` is the length of the call. It also determines the length of the shaper's measurements, and the number
// of calls in the parts `kit` and `inject`. Computing costs are CPU times, which other programs on the machine hardly
// affect. The shaper's times, and the times for loading pages and inserting scripts, are wall-clock times. Measure
// them on an idle machine.
import { parseArgs } from 'node:util';

import { benchCall } from './bench/call.mjs';
import { benchCore } from './bench/core.mjs';
import { benchInject } from './bench/inject.mjs';
import { benchKit } from './bench/kit.mjs';
import { benchPages } from './bench/pages.mjs';
import { benchShaper } from './bench/shaper.mjs';
import { benchSimulator } from './bench/simulator.mjs';
import { build } from './build.mjs';
import { fail, Problem } from './lib/run.mjs';
import { setup } from './setup.mjs';

const parts = {
  core: benchCore,
  simulator: benchSimulator,
  shaper: benchShaper,
  call: benchCall,
  pages: benchPages,
  kit: benchKit,
  inject: benchInject,
};

async function bench() {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, duration: { type: 'string', default: '60' } },
  });
  const only = values.only?.flatMap((names) => names.split(',')) ?? Object.keys(parts);
  const unknown = only.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined) {
    throw new Problem(`--only: expected some of ${Object.keys(parts).join(', ')}; got ${unknown}`);
  }
  await setup({ chromium: ['call', 'pages', 'kit', 'inject'].some((name) => only.includes(name)) });
  await build();
  for (const [name, run] of Object.entries(parts)) {
    if (only.includes(name)) await run({ durationS: Number(values.duration) });
  }
}

await bench().catch(fail);
