/** Text with the symbols of the papers: `A_r` or `T̄_q` as a letter with a subscript. */
const SYMBOL = /(?<![\p{L}\p{N}])(\p{L}\p{M}?)_(\p{L})(?![\p{L}\p{N}])/gu;

/** Renders the subscript of each symbol; all other text stays as it is. */
export function SymbolText({ text }: { text: string }) {
  const parts = text.split(SYMBOL);
  // The split yields, in turn, the text before a symbol, the symbol's letter, and its subscript.
  return <span>{parts.map((part, index) => (index % 3 === 2 ? <sub key={index}>{part}</sub> : part))}</span>;
}
