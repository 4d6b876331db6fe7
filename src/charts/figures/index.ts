/** The papers' pictures: bars, box plots and curves, the published values over the measured. */
export { FigureChart } from './figure_chart.js';
