// Live figures in documents: `<ccscope-view>`, alone on its line, with a caption behind it. Where a document is read as it
// is, the caption is a paragraph of the text.
import { posix } from 'node:path';

const FIGURE = /^<ccscope-view\b(?![^>]*\blab=)/;

/** A plugin of markdown-it: each figure leads to the Lab of the app beside the site. */
export function liveFigures(md, base) {
  const lab = posix.join(base, '../lab.html');
  md.core.ruler.push('live-figures', ({ tokens }) => {
    for (const token of tokens)
      if (token.type === 'html_block') token.content = token.content.replace(FIGURE, `$& lab="${lab}"`);
  });
}
