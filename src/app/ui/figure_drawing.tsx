/** A figure (bars, boxes or curves), drawn when it is near the view, with the buttons that save it as a file. */
import { useSignal } from '@preact/signals';
import pLimit from 'p-limit';
import { useEffect, useRef } from 'preact/hooks';

import { chartTheme } from '../../boards/theme.js';
import { FigureChart } from '../../charts/figures/index.js';
import type { Figure } from '../../figures/figure.js';
import { version } from '../../../package.json';
import { WHISKERS_KEY } from '../../papers/text.js';
import { csvOfFigure, pictureOfFigure, type FigureOrigin } from '../chart_files.js';
import { inFileName } from '../files.js';
import { followPaper } from '../print.js';
import { ChartTools } from './chart_tools.js';

/** Pictures are drawn once they are at most this far from the visible part of the page. */
const AHEAD = '400px';
/** Pictures are drawn one after the other, each in a separate frame. Drawing several at once would block the page. */
const inTurn = pLimit(1);
const nextFrame = (): Promise<unknown> => new Promise(requestAnimationFrame);

const isMap = (figure: Figure): boolean => figure.kind === 'curves' && figure.density !== undefined;

/** Whether the figure shows the scatter of several runs. */
const hasWhiskers = (figure: Figure): boolean =>
  figure.kind === 'bars' && figure.series.some(({ bars }) => bars.some((bar) => (bar?.n ?? 0) > 1));

/** The name of a figure's file: the experiment's id, and the words of the title. */
const fileOf = (title: string, id?: string): string =>
  ['ccscope', ...(id === undefined ? [] : [id]), inFileName(title.toLowerCase())].join('-');

interface FigureDrawingProps extends Pick<FigureOrigin, 'experiment'> {
  figure: Figure;
  /** The HTML element for the title. Its level depends on the headings around the figure. */
  heading: 'h2' | 'h3';
}

/**
 * Draws a figure when it is needed. A paper has dozens of figures, and each takes some time to draw. On the
 * screen, a figure is drawn once it is near the view. For printing, all figures are drawn.
 */
export function FigureDrawing({ figure, heading: Heading, experiment }: FigureDrawingProps) {
  const { title } = figure;
  const place = useRef<HTMLDivElement>(null);
  const drawn = useSignal<FigureChart | null>(null);
  useEffect(() => {
    const container = place.current;
    if (container === null) return;
    let chart: FigureChart | null = null;
    let isWanted = true;
    const drawNow = (): void => {
      if (isWanted) drawn.value = chart ??= new FigureChart(container, figure, chartTheme.peek());
    };
    const draw = async (): Promise<void> => {
      await nextFrame();
      drawNow();
    };
    const nearing = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        nearing.disconnect();
        void inTurn(draw);
      },
      { rootMargin: AHEAD },
    );
    nearing.observe(container);
    const ends = [
      chartTheme.subscribe((theme) => chart?.setTheme(theme)),
      followPaper({
        resize: (pixelRatio) => {
          if (pixelRatio !== undefined) drawNow();
          chart?.resize(pixelRatio);
        },
      }),
    ];
    return () => {
      isWanted = false;
      nearing.disconnect();
      ends.forEach((end) => end());
      chart?.destroy();
      drawn.value = null;
    };
  }, [figure]);
  const chart = drawn.value;
  return (
    <>
      <div class="figure-head">
        <Heading>{title}</Heading>
        {chart !== null && (
          <ChartTools
            title={title}
            file={fileOf(title, experiment?.id)}
            picture={() => pictureOfFigure(title, chart, chartTheme.peek())}
            csv={() => csvOfFigure(figure, { version, ...(experiment !== undefined && { experiment }) })}
          />
        )}
      </div>
      <div ref={place} class={`canvas${isMap(figure) ? ' map' : ''}`} />
      {hasWhiskers(figure) && <p class="hint">{WHISKERS_KEY}</p>}
    </>
  );
}
