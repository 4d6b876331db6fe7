/**
 * Draws the packets between senders, pacers, the queue of the bottleneck and receivers, and the feedback on its way
 * back.
 */
import type { ChartTheme, ColourName, DrawnFlow } from '../../../charts/index.js';
import { colourOf } from '../../../charts/index.js';
import type { ShownPacket } from './packet_picture.js';

export interface StageState {
  packets: readonly ShownPacket[];
  flows: readonly DrawnFlow[];
  /** The flows whose feedback is drawn. */
  calls: ReadonlySet<number>;
  theme: ChartTheme;
  /** The bytes that the whole width of the queue represents. */
  fullBytes: number;
}

/** The positions of pacers, queue and receivers, as fractions of the canvas's width. */
const PACER = [0.1, 0.3] as const;
const QUEUE = [0.36, 0.74] as const;
const RECEIVER = 0.9;
const TITLE_PX = 18;
const FONT = '11px system-ui, sans-serif';
/** The distance between the lanes of two flows. */
const LANE_PX = 22;
const [LEAST_PX, MOST_PX] = [3, 12];
/** The width of a lost packet with its cross. */
const LOST_PX = 28;
/** Feedback goes back under the lanes, on one line for each call. */
const BACK_PX = 8;
const backHeight = (calls: number): number => (calls > 0 ? 14 + BACK_PX * calls : 0);

/** The height that the canvas needs for all lanes. */
export const stageHeight = (flows: number, calls: number): number =>
  TITLE_PX + 20 + LANE_PX * Math.max(3, flows) + backHeight(calls);

export function drawStage(
  ctx: CanvasRenderingContext2D,
  width: number,
  height: number,
  state: StageState,
): void {
  const { packets, flows, calls, theme, fullBytes } = state;
  const laneOf = new Map(flows.map(({ flow }, lane) => [flow, lane]));
  const top = TITLE_PX + 6;
  const lanesEnd = height - backHeight(calls.size);
  const backLineOf = new Map([...calls].map((flow, line) => [flow, line]));
  const middle = top + ((lanesEnd - top) * 0.9) / 2;
  const laneY = (flow: number): number => top + LANE_PX * (laneOf.get(flow) ?? flows.length) + LANE_PX / 2;
  const backY = (flow: number): number => lanesEnd + 12 + BACK_PX * (backLineOf.get(flow) ?? 0) + BACK_PX / 2;
  const paintOf = (flow: number): string => {
    const lane = flows[laneOf.get(flow) ?? -1];
    const colour: ColourName = lane === undefined ? 'grey' : colourOf(lane.look);
    return theme.colours[colour];
  };
  const x = (share: number): number => share * width;
  ctx.clearRect(0, 0, width, height);
  ctx.font = FONT;
  ctx.textBaseline = 'middle';
  ctx.fillStyle = theme.text;
  const titles: readonly [string, number][] = [
    ['Senders', 0],
    ['Pacer', PACER[0]],
    ['Queue of the bottleneck', QUEUE[0]],
    ['Receivers', RECEIVER],
  ];
  titles.forEach(([title, at], i) => {
    const next = titles[i + 1]?.[1] ?? 1;
    ctx.fillText(title, x(at) + 2, TITLE_PX / 2, x(next - at) - 4);
  });
  if (calls.size > 0) ctx.fillText('← Feedback', 4, lanesEnd + 6);
  ctx.strokeStyle = theme.grid;
  ctx.lineWidth = 1;
  for (const { flow, name } of flows) {
    const y = laneY(flow);
    ctx.fillStyle = paintOf(flow);
    ctx.fillText(name, 4, y, x(PACER[0]) - 8);
    ctx.fillText(name, x(RECEIVER) + 6, y, x(1 - RECEIVER) - 8);
    ctx.strokeRect(x(PACER[0]), y - 8, x(PACER[1] - PACER[0]), 16);
    ctx.beginPath();
    ctx.moveTo(x(PACER[1]), y);
    ctx.lineTo(x(QUEUE[0]), middle);
    ctx.moveTo(x(QUEUE[1]), middle);
    ctx.lineTo(x(RECEIVER), y);
    if (calls.has(flow)) {
      ctx.moveTo(x(RECEIVER), backY(flow));
      ctx.lineTo(x(PACER[0]), backY(flow));
    }
    ctx.stroke();
  }
  const [queueX, queueWidth] = [x(QUEUE[0]), x(QUEUE[1] - QUEUE[0])];
  ctx.strokeRect(queueX, middle - 16, queueWidth, 32);
  const lostPlaces = Math.max(1, Math.floor(queueWidth / LOST_PX));
  for (const { flow, sizeBytes, where, at, place = 0 } of packets) {
    ctx.fillStyle = paintOf(flow);
    const length = Math.min(MOST_PX, Math.max(LEAST_PX, sizeBytes / 120));
    if (where === 'queue' || where === 'rest') {
      const long = Math.max(1, (sizeBytes / fullBytes) * queueWidth);
      const right = queueX + queueWidth - (at / fullBytes) * queueWidth;
      ctx.fillRect(right - long, middle - 15, Math.max(1, long - 0.5), 30);
    } else if (where === 'pacer') {
      const left = x(PACER[0]) + at * (x(PACER[1] - PACER[0]) - length);
      ctx.fillRect(left, laneY(flow) - 6, length, 12);
    } else if (where === 'way') {
      const left = x(QUEUE[1]) + at * (x(RECEIVER - QUEUE[1]) - length);
      ctx.fillRect(left, middle + (laneY(flow) - middle) * at - 4, length, 8);
    } else if (where === 'back') {
      // Drawn as an arrowhead, since feedback moves in the opposite direction to all other packets.
      const tip = x(RECEIVER) - at * x(RECEIVER - PACER[0]);
      ctx.beginPath();
      ctx.moveTo(tip, backY(flow));
      ctx.lineTo(tip + 8, backY(flow) - 4);
      ctx.lineTo(tip + 8, backY(flow) + 4);
      ctx.fill();
    } else {
      ctx.globalAlpha = 1 - at;
      const left = queueX + (place % lostPlaces) * LOST_PX;
      const y = middle + 16 + at * (lanesEnd - middle - 20);
      ctx.fillRect(left + 12, y, length, 8);
      ctx.fillStyle = theme.colours.red;
      ctx.fillText('×', left, y + 4);
      ctx.globalAlpha = 1;
    }
  }
}
