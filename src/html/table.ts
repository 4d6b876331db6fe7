/** A table that scrolls horizontally if the page is narrow. */
import { html, type Html } from './text.js';

/** The heading of a column. Columns of numbers are aligned right. */
export type Head = string | { number: string };

export interface Table {
  caption?: Html | string;
  /** The label of the scrolling region. Only a region with a label can be reached by keyboard. */
  label?: string;
  /** The CSS class of the table. */
  look?: string;
  heads: readonly Head[];
  /** Rows that belong together; each group becomes a tbody. */
  groups: readonly (readonly Html[])[];
}

export function table({ caption, label, look, heads, groups }: Table): Html {
  const cells = heads.map((head) =>
    typeof head === 'string'
      ? html`<th scope="col">${head}</th>`
      : html`<th scope="col" class="number">${head.number}</th>`,
  );
  const contents = html`<table${look === undefined ? '' : html` class="${look}"`}>
    ${
      caption === undefined
        ? ''
        : html`<caption>
            ${caption}
          </caption>`
    }
    <thead>
      <tr>
        ${cells}
      </tr>
    </thead>
    ${groups.map(
      (rows) =>
        html`<tbody>
          ${rows}
        </tbody>`,
    )}
  </table>`;
  return label === undefined
    ? html`<div class="scroll">${contents}</div>`
    : html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${contents}</div>`;
}
