/** The listed scenarios, grouped by paper. */

export interface Listed {
  id: string;
  title: string;
  description: string;
  /** Short name of the paper. */
  paper: string;
  /** Where the paper describes the experiment: a figure, a table or a section. */
  source: string;
}

/** The papers and documents, in the order in which they are listed. */
export const PAPERS: ReadonlyMap<string, string> = new Map([
  ['gcc-ton-2017', 'GCC (2017)'],
  ['nada-vs-gcc-2016', 'NADA and GCC (2016)'],
  ['lcc-2018', 'LCC (2018)'],
  ['gcc-packet-grouping-2016', 'GCC over Wi-Fi: packet grouping (2016)'],
  ['gcc-aqm-2016', 'GCC and AQM (2016)'],
  ['rmcat', 'RMCAT test cases, every controller (RFC 8867)'],
]);

/** Groups scenarios by paper; the papers of PAPERS come first. */
export function byPaper(listed: readonly Listed[]): { title: string; scenarios: readonly Listed[] }[] {
  const papers = [...new Set([...PAPERS.keys(), ...listed.map(({ paper }) => paper)])];
  return papers
    .map((paper) => ({
      title: PAPERS.get(paper) ?? (paper || 'others'),
      scenarios: listed.filter((each) => each.paper === paper),
    }))
    .filter(({ scenarios }) => scenarios.length > 0);
}

/** Words that a search ignores, since they do not describe the subject of a question. */
const STOP_WORDS = new Set(
  'a an and are at can do does how in is it of on or the to what when which why with'.split(' '),
);

/**
 * The scenarios that contain every word of a search or, if none does, those that contain the most of its words. Stop
 * words and a final s are ignored.
 */
export function matching(listed: readonly Listed[], search: string): readonly Listed[] {
  const words = search
    .toLowerCase()
    .split(/[^\p{L}\p{N}.-]+/u)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
    .map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
  const found = listed.map(({ id, title, description, paper, source }) => {
    const text = [id, title, description, paper, PAPERS.get(paper), source].join(' ').toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  });
  const most = Math.max(...found);
  return words.length > 0 && most <= 0 ? [] : listed.filter((_, index) => found[index] === most);
}
