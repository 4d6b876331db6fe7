/**
 * Text with the symbols of the papers: `A_r`, `T̄_q`, `t_i−1` or `RTT_min` is shown as a name with a
 * subscript. A number and its unit stay on one line.
 */
import { cloneElement, Fragment, isValidElement, toChildArray, type ComponentChildren } from 'preact';

const SYMBOL = /(?<![\p{L}\p{N}])(RTT|\p{L}\p{M}?)_(min|max|\p{L}(?:−1)?)(?![\p{L}\p{N}])/gu;

/** Spaces at which a line must not end: between a number and its unit, and within a citation. */
const KEPT =
  /(?<=\d) (?=(?:%|ms|s|kbps|Mbps)(?![\p{L}\p{N}]))|(?<=(?<!\p{L})(?:eq\.|Fig\.|section|Table|RFC)) (?=[\dIVX])/gu;

/** Renders the subscript of each symbol, and keeps a number beside its unit; all other text stays as it is. */
export function SymbolText({ text }: { text: string }) {
  const parts = text.replace(KEPT, '\u00a0').split(SYMBOL);
  // The split yields, in turn, the text before a symbol, the symbol's name, and its subscript.
  return <span>{parts.map((part, index) => (index % 3 === 2 ? <sub key={index}>{part}</sub> : part))}</span>;
}

/** Renders the symbols in all texts of these elements, except in code. */
export function SymbolTexts({ children }: { children: ComponentChildren }) {
  return <>{toChildArray(children).map((child) => withSymbols(child))}</>;
}

function withSymbols(child: ComponentChildren): ComponentChildren {
  if (typeof child === 'string') return <SymbolText text={child} />;
  if (!isValidElement(child) || child.type === 'code') return child;
  const { children } = child.props as { children?: ComponentChildren };
  if (typeof child.type !== 'string' && child.type !== Fragment) return child;
  return cloneElement(child, {}, <SymbolTexts>{children}</SymbolTexts>);
}
