/**
 * The script of the report that `ccscope reproduce --html` writes: draws the pictures whose data the
 * page holds. It is inlined, with the style beside it, so the page needs nothing else.
 */
import { FigureChart } from '../../charts/figures/index.js';
import { darkTheme, lightTheme, type ChartTheme } from '../../charts/theme.js';
import type { Figure } from '../../scenario/figure.js';

import './style.css';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;
const isDark = (): boolean =>
  root.dataset['theme'] === undefined ? prefersDark.matches : root.dataset['theme'] === 'dark';
const theme = (): ChartTheme => (isDark() ? darkTheme : lightTheme);

function drawAll(): FigureChart[] {
  const data = document.getElementById('figures')?.textContent ?? '[]';
  const figures = JSON.parse(data) as Figure[];
  return [...document.querySelectorAll<HTMLElement>('[data-figure]')].flatMap((place) => {
    const figure = figures[Number(place.dataset['figure'])];
    return figure === undefined ? [] : [new FigureChart(place, figure, theme())];
  });
}

const charts = drawAll();
const recolour = (chosen: ChartTheme): void => charts.forEach((chart) => chart.setTheme(chosen));

prefersDark.addEventListener('change', () => recolour(theme()));
// Paper is white, and as wide as it is.
addEventListener('beforeprint', () => {
  recolour(lightTheme);
  charts.forEach((chart) => chart.resize());
});
addEventListener('afterprint', () => {
  recolour(theme());
  charts.forEach((chart) => chart.resize());
});

const button = document.querySelector<HTMLButtonElement>('button.theme');
if (button) {
  button.hidden = false;
  button.addEventListener('click', () => {
    root.dataset['theme'] = isDark() ? 'light' : 'dark';
    recolour(theme());
  });
}
