/**
 * Types for the part of svgcanvas that this project uses (the package contains no types): a canvas context that
 * creates SVG elements.
 */
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
