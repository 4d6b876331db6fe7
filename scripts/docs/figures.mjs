// Live figures in documents: `<ccscope-view …>` alone on a line, then the caption, then the closing tag. In plain
// Markdown, the caption is read as a paragraph of the text.
import { posix } from 'node:path';

const FIGURE = /^<ccscope-view\b(?![^>]*\blab=)/;

/** A plugin of markdown-it: makes each figure link to the Lab of the app that is served beside the site. */
export function liveFigures(md, base) {
  const lab = posix.join(base, '../lab.html');
  md.core.ruler.push('live-figures', ({ tokens }) => {
    for (const token of tokens)
      if (token.type === 'html_block') token.content = token.content.replace(FIGURE, `$& lab="${lab}"`);
  });
}
