/**
 * A replacement for a canvas, for saving charts as SVG: drawing on its context creates SVG elements. This module is
 * loaded when it is first needed.
 */
import { Context } from 'svgcanvas';

const SVG = 'http://www.w3.org/2000/svg';
const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: 'middle', right: 'end', end: 'end' };
const BASELINES: Partial<Record<CanvasTextBaseline, string>> = {
  middle: 'central',
  top: 'text-before-edge',
  bottom: 'text-after-edge',
  hanging: 'hanging',
};

/**
 * Creates the text elements without the library. The library reads fonts by means of a `style` attribute, which the
 * pages' content security policy forbids. Texts are drawn on top of everything else.
 */
class SvgContext extends Context {
  override fillText(text: string, x: number, y: number): void {
    const { style } = document.createElement('span');
    style.font = this.font;
    const { a, b, c, d, e, f } = this.getTransform();
    const element = document.createElementNS(SVG, 'text');
    const attributes = {
      x,
      y,
      'font-family': style.fontFamily,
      'font-size': style.fontSize,
      'font-weight': style.fontWeight,
      fill: this.fillStyle,
      'text-anchor': ANCHORS[this.textAlign] ?? 'start',
      'dominant-baseline': BASELINES[this.textBaseline] ?? 'alphabetic',
      transform: `matrix(${[a, b, c, d, e, f].join(' ')})`,
    };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.textContent = text;
    this.getSvg().append(element);
  }
}

/** Splits a colour such as `#0072b266` into a colour and an opacity, a form that more programs understand. */
function splitOpacity(svg: SVGSVGElement): void {
  for (const property of ['stroke', 'fill'])
    for (const element of svg.querySelectorAll(`[${property}^="#"]`)) {
      const [, colour, alpha] =
        /^(#[\da-f]{6})([\da-f]{2})$/i.exec(element.getAttribute(property) ?? '') ?? [];
      if (colour === undefined || alpha === undefined) continue;
      const own = Number(element.getAttribute(`${property}-opacity`) ?? 1);
      element.setAttribute(property, colour);
      element.setAttribute(`${property}-opacity`, (own * (parseInt(alpha, 16) / 255)).toFixed(3));
    }
}

/** A surface to draw on; `text` returns the drawing as an SVG document. */
export function svgSurface(): { canvas: HTMLCanvasElement; text(title: string): string } {
  const context = new SvgContext({ width: 1, height: 1 });
  const svg = context.getSvg();
  const canvas = {
    get width(): number {
      return context.width;
    },
    set width(width: number) {
      context.width = width;
      svg.setAttribute('width', String(width));
    },
    get height(): number {
      return context.height;
    },
    set height(height: number) {
      context.height = height;
      svg.setAttribute('height', String(height));
    },
    getContext: () => context,
  };
  const text = (title: string): string => {
    svg.setAttribute('viewBox', `0 0 ${context.width} ${context.height}`);
    const name = document.createElementNS(SVG, 'title');
    name.textContent = title;
    svg.prepend(name);
    splitOpacity(svg);
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
  };
  // Chart.js uses only these members of a canvas.
  return { canvas: canvas as unknown as HTMLCanvasElement, text };
}
