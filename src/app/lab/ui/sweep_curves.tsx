/** The curves over the values of a sweep. They are in a separate module, since the library for figures is large. */
import { useMemo } from 'preact/hooks';

import { FigureDrawing } from '../../ui/figure_drawing.js';
import type { Swept } from '../sweep/sweep.js';
import { sweepFigures } from '../sweep/sweep_figures.js';
import type { Sweepable } from '../sweep/sweepable.js';

interface SweepCurvesProps {
  swept: Sweepable;
  results: readonly Swept[];
}

export default function SweepCurves({ swept, results }: SweepCurvesProps) {
  const figures = useMemo(() => sweepFigures(swept, results), [swept, results]);
  return (
    <div class="sweep-curves">
      {figures.map((figure) => (
        <div key={figure.title}>
          <FigureDrawing figure={figure} heading="h2" />
        </div>
      ))}
    </div>
  );
}
