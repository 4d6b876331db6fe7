// What the C++ core may use: which folder ("room") may include which other folders, and what no folder may use from the
// standard library. A dependency that is not listed here is an error.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

import { filesUnder, root } from '../lib/files.mjs';
import { say } from '../lib/run.mjs';

/** For each room of wasm/: the rooms (or single headers) that it may include besides itself. */
const mayInclude = {
  units: [],
  trace: ['units'],
  cc: ['units', 'trace'],
  // cc/live contains code for live calls that several controllers share. cc/gcc follows the papers: it has hooks for
  // GCC's own rules for live calls (cc/gcc/live), but does not include them.
  'cc/live': ['cc', 'units'],
  'cc/gcc': ['cc', 'units', 'trace'],
  'cc/gcc/live': ['cc', 'cc/gcc', 'cc/live', 'units', 'trace'],
  'cc/nada': ['cc', 'cc/live', 'units', 'trace'],
  'cc/lcc': ['cc', 'cc/live', 'units', 'trace'],
  'sim/queue_disc': ['units', 'sim/packet.h'],
  sim: ['sim/queue_disc', 'sim/tcp', 'units', 'trace', 'cc'],
  'sim/tcp': ['units'],
  abi: [
    'units',
    'trace',
    'cc',
    'cc/gcc',
    'cc/gcc/live',
    'cc/live',
    'cc/nada',
    'cc/lcc',
    'sim',
    'sim/queue_disc',
    'sim/tcp',
  ],
};

const rooms = Object.keys(mayInclude).sort((a, b) => b.length - a.length);
const roomOf = (path) => rooms.find((room) => path.startsWith(`${room}/`));

/** Standard headers that would bring a clock, threads, streams or global state into the core. */
const banned = /^(chrono|ctime|time\.h|thread|mutex|atomic|iostream|fstream|cstdio|stdio\.h|random|future)$/;

/**
 * Functions of the C library whose results differ between platforms; units/deterministic_math.h has replacements for
 * some of them.
 */
const inexact =
  /\bstd::(?:exp2?|expm1|log(?:2|10|1p)?|pow|cbrt|hypot|a?(?:sin|cos|tan)h?|atan2|erfc?|[lt]gamma)\b/;

const problems = [];
for (const file of filesUnder(['wasm'], (f) => /\.(cc|h|def)$/.test(f))) {
  const path = relative(root, file).replace(/^wasm\//, '');
  const room = roomOf(path);
  if (!room) {
    problems.push(`wasm/${path}: is in no room; known rooms are ${rooms.join(', ')}`);
    continue;
  }
  const source = readFileSync(file, 'utf8');
  const [call] = inexact.exec(source) ?? [];
  if (call) {
    problems.push(`wasm/${path}: ${call} differs between platforms; use units/deterministic_math.h`);
  }
  for (const [, , name] of source.matchAll(/^\s*#\s*include\s*([<"])([^>"]+)[>"]/gm)) {
    const other = roomOf(name);
    const isAllowed = other === room || mayInclude[room].includes(other) || mayInclude[room].includes(name);
    if (other && !isAllowed) {
      problems.push(`wasm/${path}: wasm/${room} must not include ${name}`);
    }
    if (banned.test(name)) problems.push(`wasm/${path}: the core must not include <${name}>`);
  }
}

for (const problem of problems) say(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
