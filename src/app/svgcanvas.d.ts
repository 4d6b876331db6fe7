/** What is used of svgcanvas, which comes without types: a context of a canvas whose calls make SVG. */
declare module 'svgcanvas' {
  export class Context {
    constructor(size: { width: number; height: number });
    width: number;
    height: number;
    font: string;
    fillStyle: string;
    textAlign: CanvasTextAlign;
    textBaseline: CanvasTextBaseline;
    fillText(text: string, x: number, y: number): void;
    getTransform(): DOMMatrix;
    getSvg(): SVGSVGElement;
  }
}
