/** Draws the packets in the network at the moment of playback. */
import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { chartTheme } from '../../../boards/theme.js';
import type { DrawnFlow } from '../../../charts/index.js';
import { instantiate } from '../../../scenario/cells.js';
import type { Scenario } from '../../../scenario/scenario.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';
import type { Run } from '../../../runs/run.js';
import { mayPacersHaveMore, packetsAt, type ShownPacket } from '../playback/packet_picture.js';
import type { Playback } from '../playback/playback.js';
import { drawStage, stageHeight } from '../playback/stage_canvas.js';
import { longestQueueBytes, StageReader } from '../playback/stage_rows.js';

interface StageProps {
  run: Run;
  store: TraceStore;
  playback: Playback;
  flows: readonly DrawnFlow[];
}

/**
 * The full width of the drawn queue represents the queue's greatest length in the run, but at least this many bytes.
 */
const LEAST_FULL_BYTES = 6000;

const count = (packets: readonly ShownPacket[], where: ShownPacket['where']): number =>
  packets.filter((packet) => packet.where === where).length;

/** What stays in the queue until the run ends; empty if nothing does. */
function restText(packets: readonly ShownPacket[]): string {
  const rest = packets.find(({ where }) => where === 'rest');
  return rest === undefined
    ? ''
    : ` and another ${formatKb(rest.sizeBytes)} of packets that stay there until the run ends`;
}

const formatKb = (bytes: number): string => `${(bytes / 1e3).toFixed(1)} kB`;

const delayUs = ({ one_way_delay_ms = 0 }: Scenario['forward']): number =>
  Math.max(1, one_way_delay_ms * 1e3);

/** The drawn calls that send their media over the forward link. Their feedback returns over the backward link. */
function callsAmong(run: Run, flows: readonly DrawnFlow[]): ReadonlySet<number> {
  const drawn = new Set(flows.map(({ flow }) => flow));
  const calls = run.flows.filter(({ kind, direction }) => kind === 'media' && direction !== 'backward');
  return new Set(calls.map(({ flow }) => flow).filter((flow) => drawn.has(flow)));
}

export function Stage({ run, store, playback, flows }: StageProps) {
  const calls = callsAmong(run, flows);
  const canvas = useRef<HTMLCanvasElement>(null);
  const words = useRef<HTMLParagraphElement>(null);
  const reader = useRef<StageReader | null>(null);
  reader.current ??= new StageReader(store);
  const who = flows.map(({ flow }) => flow).join();
  const theme = useComputed(() => chartTheme.value);
  useEffect(() => {
    reader.current?.forget();
    let frame = 0;
    let drawn = '';
    const { forward, backward } = instantiate(run.scenario, run.cell);
    const wayUs = delayUs(forward);
    // A scenario without a `backward` path has the same delay in both directions.
    const backUs = delayUs(backward ?? forward);
    const endUs = run.result?.timeUs ?? Infinity;
    let fullBytes = LEAST_FULL_BYTES;
    void longestQueueBytes(store).then((bytes) => {
      fullBytes = Math.max(LEAST_FULL_BYTES, bytes);
      drawn = '';
    });
    const paint = (): void => {
      frame = requestAnimationFrame(paint);
      const element = canvas.current;
      const ctx = element?.getContext('2d');
      const timeUs = playback.timeUs.peek();
      const rows = reader.current?.at(timeUs) ?? null;
      if (!element || !ctx || rows === null) return;
      const { clientWidth: width, clientHeight: height } = element;
      const key = [timeUs, rows.fromUs, width, height, theme.peek().background].join();
      if (key === drawn) return;
      drawn = key;
      const ratio = devicePixelRatio;
      if (element.width !== Math.round(width * ratio)) element.width = Math.round(width * ratio);
      if (element.height !== Math.round(height * ratio)) element.height = Math.round(height * ratio);
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      const moment = { timeUs, endUs, wayUs, backUs, calls, ...rows };
      const packets = packetsAt(moment);
      const atLeast = mayPacersHaveMore(moment) ? 'at least ' : '';
      drawStage(ctx, width, height, { packets, flows, calls, theme: theme.peek(), fullBytes });
      if (words.current)
        words.current.textContent = `Packets: ${atLeast}${count(packets, 'pacer')} in pacers, ${count(packets, 'queue')} in the queue${restText(packets)}, ${count(packets, 'way')} on their way, ${count(packets, 'lost')} just lost. Feedback messages of calls on their way back: ${count(packets, 'back')}, drawn with that way’s one-way delay.`;
    };
    paint();
    return () => cancelAnimationFrame(frame);
  }, [run, who]);
  return (
    <figure class="stage">
      <canvas
        ref={canvas}
        style={{ height: `${stageHeight(flows.length, calls.size)}px` }}
        role="img"
        aria-label="Packets from their senders through pacers and the queue of the bottleneck to their receivers, and feedback messages on their way back. The line below counts them."
      />
      <figcaption class="hint" ref={words} />
    </figure>
  );
}
