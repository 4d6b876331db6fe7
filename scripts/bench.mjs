// `npm run bench`: what ccscope costs, each figure beside its budget, its target or a peer measured in
// the same run.
//
//   npm run bench -- [--only core|simulator|shaper|call|kit|inject] [--duration SECONDS]
//
// `--duration` is that of the call, and of all calls with the kit's observer or with the script for pages of others; each measurement of the
// shaper takes a tenth of it. Times are CPU times, but for the shaper's: other programs on the machine
// disturb them little, though they share its caches. The shaper's are those of the clock, which only an
// idle machine keeps.
import { parseArgs } from 'node:util';

import { benchCall } from './bench/call.mjs';
import { benchCore } from './bench/core.mjs';
import { benchInject } from './bench/inject.mjs';
import { benchKit } from './bench/kit.mjs';
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
  await setup({ chromium: ['call', 'kit', 'inject'].some((name) => only.includes(name)) });
  await build();
  for (const [name, run] of Object.entries(parts)) {
    if (only.includes(name)) await run({ durationS: Number(values.duration) });
  }
}

await bench().catch(fail);
