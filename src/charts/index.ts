/**
 * Charts that show what a congestion controller does, for any page and without a framework. The
 * charts take columns of trace rows (`set`, `append`, `reset`) and share a `TimeAxis`. New rows
 * appear at the next `draw`.
 *
 * @module ccscope/charts
 */
export { formatCount, formatMs, formatRate, formatRatio } from './columns.js';
export { DelayChart } from './delay_chart.js';
export { DetectorChart } from './detector_chart.js';
export { axisKey } from './gestures.js';
export {
  colourOf,
  FlowDelayChart,
  FlowRateChart,
  type DrawnFlow,
  type FlowDelayOptions,
  type FlowRateOptions,
} from './flow_charts.js';
export { LccChart } from './lcc_chart.js';
export { LossChart } from './loss_chart.js';
export { inPlot, type ChartMark } from './marks.js';
export { NadaChart } from './nada_chart.js';
export {
  besideId,
  RateChart,
  shadowId,
  type Beside,
  type RateChartOptions,
  type Shadow,
} from './rate_chart.js';
export { StreamDelayChart, StreamLossChart, StreamRateChart } from './stream_charts.js';
export {
  gccStrip,
  lccStrip,
  nadaStrip,
  StripChart,
  stripState,
  type StripRow,
  type StripSpec,
} from './strip_chart.js';
export { darkTheme, lightTheme } from './theme.js';
export type { ChartTheme, ColourName } from './theme.js';
export { TimeAxis } from './time_axis.js';
export type { TimeWindow } from './time_axis.js';
export { formatTime } from './configuration.js';
export { rowsWhere, whichRows } from './series.js';
export type { Columns, Series, TimeChartSpec, ValueAxis } from './series.js';
export { TimeChart } from './time_chart.js';
