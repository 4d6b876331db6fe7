/** The freezes of a call's video, as shaded spans behind the lines of the charts. */
import type { Plugin } from 'chart.js';

import { inPlot } from '../../charts/index.js';
import type { ChartTheme } from '../../charts/theme.js';
import type { EvidenceCharts } from '../../calls/evidence_page.js';

/** Holds the theme in a mutable field. Plugins read this field whenever they draw, so they use the newest theme. */
export interface Look {
  theme: ChartTheme;
}

export const freezesPlugin = ({ freezes }: EvidenceCharts, look: Look): Plugin<'line'> => ({
  id: 'freezes',
  beforeDatasetsDraw: (chart) =>
    inPlot(chart, (x) => {
      const { ctx, chartArea } = chart;
      ctx.fillStyle = look.theme.colours.red;
      ctx.globalAlpha = 0.13;
      for (const { fromUs, toUs } of freezes)
        ctx.fillRect(x(fromUs), chartArea.top, Math.max(1, x(toUs) - x(fromUs)), chartArea.height);
    }),
});
