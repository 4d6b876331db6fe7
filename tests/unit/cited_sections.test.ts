/** Checks the sections of the papers that documents, comments and texts cite: they exist, and contain the equation. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

/** The sections of the papers that are cited by section, and the equations that these contain, if they are cited. */
const SECTIONS: Readonly<
  Record<string, Readonly<Record<string, readonly [first: number, last: number] | []>>>
> = {
  ToN: {
    ...{ I: [], II: [], 'II-A': [], 'II-B': [], 'II-C': [], 'II-D': [], 'II-E': [], 'II-F': [] },
    ...{ III: [], 'III-A': [1, 13], 'III-B': [14, 14], IV: [15, 28], V: [] },
    ...{ VI: [], 'VI-A': [], 'VI-B': [], 'VI-C': [], VII: [] },
  },
  CMP: {
    ...{ I: [], II: [], 'II-A': [1, 5], 'II-B': [6, 7], III: [] },
    ...{ IV: [], 'IV-A': [], 'IV-B': [8, 9], 'IV-C': [], V: [] },
  },
  LCC: {
    ...{ I: [], II: [1, 1], 'II-A': [2, 2], 'II-B': [3, 4], 'II-C': [5, 8] },
    ...{ III: [], 'III-A': [], 'III-B': [], 'III-C': [], 'III-D': [], IV: [] },
  },
  AQM: {
    ...{ 1: [], 2: [], 2.1: [], '2.1.1': [], '2.1.2': [], '2.1.3': [], '2.1.4': [], 2.2: [], 3: [] },
    ...{ 4: [], 4.1: [], 4.2: [], 5: [], 6: [] },
  },
};
/** The papers' names in documents. */
const NAMES: Readonly<Record<string, string>> = {
  'gcc-ton-2017': 'ToN',
  'nada-vs-gcc-2016': 'CMP',
  'lcc-2018': 'LCC',
  'gcc-aqm-2016': 'AQM',
};

/** `ToN III-A`, `ToN, section III-A` or `gcc-ton-2017, section III-A`, perhaps followed by equations. */
const CITATION = new RegExp(
  String.raw`\b(?:(ToN|CMP|LCC|AQM),? (?:sections? )?|(${Object.keys(NAMES).join('|')}),? sections? )` +
    String.raw`([IVX]+(?:-[A-Z])?|\d(?:\.\d)*)(?![\w.]*\w)(?:,? eq\. (\d+)(?:(?:–|-| and )(\d+))?)?`,
  'g',
);

it('every cited section of a paper exists, and contains the equation that is cited with it', () => {
  const files = ['src', 'wasm', 'tests/native'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const wrong: string[] = [];
  let found = 0;
  for (const file of files) {
    if (!/\.(tsx?|md|h|cc|def)$/.test(file) || file.endsWith('.generated.ts')) continue;
    // A citation may continue on the next line of a comment.
    const words = readFileSync(file, 'utf8').replace(/\s+(?:(?:\/\/|\*) )?\s*/g, ' ');
    for (const [text, short, long = '', section = '', first, last = first] of words.matchAll(CITATION)) {
      const equations = SECTIONS[short ?? NAMES[long] ?? '']?.[section];
      const [from = NaN, to = NaN] = equations ?? [];
      const isThere = first === undefined || (from <= Number(first) && Number(last) <= to);
      if (equations === undefined || !isThere) wrong.push(`${file}: ${text}`);
      found += 1;
    }
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(100);
});
