import { describe, expect, it } from 'vitest';

import { formatTime } from '../../src/charts/configuration.js';
import { TimeAxis } from '../../src/charts/time_axis.js';

const S = 1e6;

describe('the time axis that charts share', () => {
  it('follows the newest data with a window of constant length', () => {
    const axis = new TimeAxis(10 * S);
    axis.setExtent({ fromUs: 0, toUs: 4 * S });
    expect(axis.window).toEqual({ fromUs: 0, toUs: 10 * S });
    axis.setExtent({ fromUs: 0, toUs: 25 * S });
    expect(axis.window).toEqual({ fromUs: 15 * S, toUs: 25 * S });
  });

  it('stays where it was paused or panned to, until it follows again', () => {
    const axis = new TimeAxis(10 * S);
    axis.setExtent({ fromUs: 0, toUs: 25 * S });
    axis.panBy(-5 * S);
    axis.setExtent({ fromUs: 0, toUs: 30 * S });
    expect(axis.window).toEqual({ fromUs: 10 * S, toUs: 20 * S });
    axis.follow();
    expect(axis.window).toEqual({ fromUs: 20 * S, toUs: 30 * S });
  });

  it('zooms around the given time when paused, and at the newest end when it follows', () => {
    const axis = new TimeAxis(10 * S);
    axis.setExtent({ fromUs: 0, toUs: 40 * S });
    axis.zoomBy(0.5, 32 * S);
    expect(axis.window).toEqual({ fromUs: 35 * S, toUs: 40 * S });
    expect(axis.following).toBe(true);
    axis.setWindow({ fromUs: 10 * S, toUs: 20 * S });
    axis.zoomBy(0.5, 12 * S);
    expect(axis.window).toEqual({ fromUs: 11 * S, toUs: 16 * S });
    expect(axis.following).toBe(false);
  });

  it('zooms out no further than to all of the data, unless it follows', () => {
    const axis = new TimeAxis(10 * S);
    axis.setExtent({ fromUs: 2 * S, toUs: 40 * S });
    axis.setWindow({ fromUs: 28 * S, toUs: 38 * S });
    axis.zoomBy(2, 38 * S);
    expect(axis.window).toEqual({ fromUs: 18 * S, toUs: 38 * S });
    axis.zoomBy(1.5, 18 * S);
    expect(axis.window).toEqual({ fromUs: 10 * S, toUs: 40 * S });
    axis.zoomBy(9, 30 * S);
    expect(axis.window).toEqual({ fromUs: 2 * S, toUs: 40 * S });
    axis.zoomBy(2, 30 * S);
    expect(axis.window).toEqual({ fromUs: 2 * S, toUs: 40 * S });
    axis.follow();
    axis.zoomBy(8);
    expect(axis.lengthUs).toBe(80 * S);
  });

  it('follows again with the length with which it followed before, unless it was shortened', () => {
    const axis = new TimeAxis(10 * S);
    axis.setExtent({ fromUs: 0, toUs: 300 * S });
    axis.showAll();
    axis.follow();
    expect(axis.window).toEqual({ fromUs: 290 * S, toUs: 300 * S });
    axis.zoomBy(2);
    axis.showAll();
    axis.follow();
    expect(axis.window).toEqual({ fromUs: 280 * S, toUs: 300 * S });
    axis.pause();
    axis.zoomBy(0.25);
    axis.follow();
    expect(axis.window).toEqual({ fromUs: 295 * S, toUs: 300 * S });
  });

  it('keeps its length when it follows for the first time', () => {
    const axis = new TimeAxis(30 * S, false);
    axis.setExtent({ fromUs: 0, toUs: 60 * S });
    expect(axis.following).toBe(false);
    axis.showAll();
    axis.follow();
    expect(axis.window).toEqual({ fromUs: 0, toUs: 60 * S });
  });

  it('shows the newest data with a window of the same length, and does not follow them', () => {
    const axis = new TimeAxis(30 * S, false);
    axis.setExtent({ fromUs: 0, toUs: 60 * S });
    axis.setWindow({ fromUs: 10 * S, toUs: 20 * S });
    axis.showEnd();
    expect(axis.window).toEqual({ fromUs: 50 * S, toUs: 60 * S });
    axis.showAll();
    axis.showEnd();
    expect(axis.window).toEqual({ fromUs: 0, toUs: 60 * S });
    expect(axis.following).toBe(false);
  });

  it('holds its cursor until it is released, the axis follows, or the window has moved past it', () => {
    const axis = new TimeAxis(10 * S);
    axis.setExtent({ fromUs: 0, toUs: 30 * S });
    axis.holdCursor(25 * S);
    expect(axis.heldUs).toBe(25 * S);
    axis.holdCursor(null);
    expect(axis.heldUs).toBeNull();
    axis.holdCursor(25 * S);
    axis.setExtent({ fromUs: 0, toUs: 34 * S });
    expect(axis.cursorUs).toBe(25 * S);
    axis.setExtent({ fromUs: 0, toUs: 36 * S });
    expect([axis.cursorUs, axis.heldUs]).toEqual([null, null]);
    axis.pause();
    axis.holdCursor(30 * S);
    axis.follow();
    expect([axis.cursorUs, axis.heldUs]).toEqual([null, null]);
  });

  it('never zooms below a second or above an hour', () => {
    const axis = new TimeAxis(10 * S);
    axis.zoomBy(1e-9);
    expect(axis.lengthUs).toBe(1 * S);
    axis.zoomBy(1e9);
    expect(axis.lengthUs).toBe(3600 * S);
  });

  it('shows all of what is longer than an hour', () => {
    const axis = new TimeAxis(10 * S);
    axis.setExtent({ fromUs: 0, toUs: 10_000 * S });
    axis.showAll();
    expect(axis.window).toEqual({ fromUs: 0, toUs: 10_000 * S });
    axis.zoomBy(1e9);
    expect(axis.lengthUs).toBe(10_000 * S);
  });

  it('tells its listeners of each change once, and of nothing else', () => {
    const axis = new TimeAxis(10 * S);
    const heard: string[] = [];
    const stop = axis.subscribe((change) => heard.push(change));
    axis.setCursor(3 * S);
    axis.setCursor(3 * S);
    axis.panBy(S);
    stop();
    axis.setCursor(null);
    expect(heard).toEqual(['cursor', 'window']);
  });

  it('holds the cursor at a time, to which it returns when nothing points elsewhere', () => {
    const axis = new TimeAxis(10 * S);
    const heard: (number | null)[] = [];
    axis.subscribe((change) => change === 'cursor' && heard.push(axis.cursorUs));
    axis.holdCursor(3 * S);
    axis.setCursor(5 * S);
    axis.setCursor(null);
    expect(axis.heldUs).toBe(3 * S);
    axis.jumpTo(4 * S);
    axis.setCursor(null);
    axis.holdCursor(null);
    expect(heard).toEqual([3 * S, 5 * S, 3 * S, 4 * S, null]);
  });
});

it.each([
  [0, '0 s'],
  [42, '42 s'],
  [1.26, '1.3 s'],
  [-3.5, '−3.5 s'],
  [59.94, '59.9 s'],
  [59.96, '1:00.0'],
  [60, '1:00'],
  [65, '1:05'],
  [119.96, '2:00.0'],
  [125.5, '2:05.5'],
])('a time of %d s is written as %s', (seconds, text) => {
  expect(formatTime(seconds)).toBe(text);
});
