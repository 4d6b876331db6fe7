// Live figures in documents. A figure is a line `<ccscope-view …>`, then the caption, then the closing tag. A viewer
// that does not know the element shows only the caption, as a paragraph.
import { posix } from 'node:path';

const FIGURE = /^<ccscope-view\b(?![^>]*\blab=)/;

/**
 * A markdown-it plugin that links each figure to the app's Lab page. The app is served one folder above the
 * site.
 */
export function liveFigures(md, base) {
  const lab = posix.join(base, '../lab.html');
  md.core.ruler.push('live-figures', ({ tokens }) => {
    for (const token of tokens)
      if (token.type === 'html_block') token.content = token.content.replace(FIGURE, `$& lab="${lab}"`);
  });
}
