/** Text with the symbols of the papers: `A_r` or `T̄_q` as a letter with a subscript. */
const SYMBOL = /(?<![\p{L}\p{N}])(\p{L}\p{M}?)_(\p{L})(?![\p{L}\p{N}])/gu;

/** Sets each symbol with its subscript; everything else stays as it is. */
export function SymbolText({ text }: { text: string }) {
  const parts = text.split(SYMBOL);
  // The split gives the text before each symbol, its letter and its subscript in turn.
  return <span>{parts.map((part, index) => (index % 3 === 2 ? <sub key={index}>{part}</sub> : part))}</span>;
}
