/** The papers' figures: bars, box plots and curves, with the published values on top of the measured ones. */
export { FigureChart } from './figure_chart.js';
