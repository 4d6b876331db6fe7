// Links of documents on the documentation site. A link to a document leads to its page, and a link to any other file
// leads to a copy of that file. The address of a page of the app, written as code, becomes a link to that page.
import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

const APP_ADDRESS = /^(?:lab|lessons)\.html\?[\w.&=-]+$/;

/**
 * Returns a plugin of markdown-it that rewrites links, and the set of files that pages link to, as paths in the
 * repository.
 */
export function repositoryLinks(root, base) {
  const files = new Set();
  const app = posix.join(base, '..');

  function target(href, page) {
    if (/^[a-z][a-z+.-]*:|^[#/]/i.test(href)) return href;
    const [path, fragment] = href.split('#');
    if (path.endsWith('.md')) return href.replace(/(^|\/)README\.md(?=#|$)/, '$1index.md');
    const file = posix.normalize(posix.join(posix.dirname(page), decodeURI(path)));
    if (!existsSync(join(root, file)) || statSync(join(root, file)).isDirectory()) return href;
    files.add(file);
    return `/files/${file}.txt${fragment === undefined ? '' : `#${fragment}`}`;
  }

  const linkOf = (Token, address) => {
    const token = new Token('html_inline', '', 0);
    const href = `${app}${address}`.replaceAll('&', '&amp;');
    token.content = `<a href="${href}" target="_self"><code>${address.replaceAll('&', '&amp;')}</code></a>`;
    return token;
  };

  function plugin(md) {
    md.core.ruler.push('repository-links', ({ tokens, env, Token }) => {
      // The path of the source file. The page that is made from it may have another path.
      const page = posix.relative(root, env.realPath ?? env.path);
      for (const { children } of tokens) {
        for (const [index, token] of (children ?? []).entries()) {
          if (token.type === 'link_open') token.attrSet('href', target(token.attrGet('href') ?? '', page));
          if (token.type === 'code_inline' && APP_ADDRESS.test(token.content))
            children[index] = linkOf(Token, token.content);
        }
      }
    });
  }

  return { plugin, files };
}
