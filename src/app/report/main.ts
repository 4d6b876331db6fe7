/**
 * The script of the report that `ccscope reproduce --html` writes: draws the pictures whose data the page contains.
 * The script and its style are inlined, so the page needs no other file.
 */
import { FigureChart } from '../../charts/figures/index.js';
import { lightTheme } from '../../charts/theme.js';
import type { Figure } from '../../figures/figure.js';

import { chartTheme, onTheme } from '../standalone/theme.js';

import '../standalone/style.css';
import './figures.css';
import './style.css';

function drawAll(): FigureChart[] {
  const data = document.getElementById('figures')?.textContent ?? '[]';
  const figures = JSON.parse(data) as Figure[];
  return [...document.querySelectorAll<HTMLElement>('[data-figure]')].flatMap((place) => {
    const figure = figures[Number(place.dataset['figure'])];
    return figure === undefined ? [] : [new FigureChart(place, figure, chartTheme())];
  });
}

const charts = drawAll();

onTheme((theme) => charts.forEach((chart) => chart.setTheme(theme)));
// On paper the background is white, and the width is fixed.
addEventListener('beforeprint', () => {
  charts.forEach((chart) => chart.setTheme(lightTheme));
  charts.forEach((chart) => chart.resize());
});
addEventListener('afterprint', () => {
  charts.forEach((chart) => chart.setTheme(chartTheme()));
  charts.forEach((chart) => chart.resize());
});
