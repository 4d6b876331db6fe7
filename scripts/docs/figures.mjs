// Live figures in documents. A figure is a line `<ccscope-view …>`, then the caption, then the closing tag. Where
// Markdown is shown without the element, the caption is a paragraph of the text.
import { posix } from 'node:path';

const FIGURE = /^<ccscope-view\b(?![^>]*\blab=)/;

/** A plugin of markdown-it. It makes each figure link to the Lab of the app, which is served beside the site. */
export function liveFigures(md, base) {
  const lab = posix.join(base, '../lab.html');
  md.core.ruler.push('live-figures', ({ tokens }) => {
    for (const token of tokens)
      if (token.type === 'html_block') token.content = token.content.replace(FIGURE, `$& lab="${lab}"`);
  });
}
