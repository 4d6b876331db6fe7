/**
 * The controllers of one side of a call, each in a slot. One controller is in charge; the others are shadows,
 * which only watch. Adding a shadow, removing it, or its failure must not affect the other controllers.
 */
import { describe, expect, it } from 'vitest';

import type { ControllerFault, Feedback, TraceBatch } from '../../src/core/index.js';
import type { Slot, SlotConfig, SlotHooks } from '../../src/worker/slot.js';
import type { WorkerEvent } from '../../src/worker/media/protocol.js';
import { Reporter } from '../../src/worker/media/reporter.js';
import { Slots } from '../../src/worker/media/slots.js';

/** A fake slot, which stands for one controller. It records the calls of its methods, and fails on request. */
class FakeSlot implements Slot {
  readonly asked: string[] = [];
  destroyed = false;
  fails = false;

  constructor(
    readonly config: SlotConfig,
    readonly hooks: SlotHooks,
  ) {}

  work(): void {
    if (this.fails) throw new Error(`${this.config.name} trapped`);
    this.asked.push('work');
  }

  setParameter(name: string, value: number): void {
    this.asked.push(`${name}=${value}`);
  }

  setPreset(name: string): void {
    this.asked.push(name);
  }

  drain(): TraceBatch[] {
    return [{ table: 'rate', rows: 1, columns: [Float64Array.of(this.config.flow)] }];
  }

  destroy(): void {
    this.destroyed = true;
  }
}

const config = (flow: number, preset = 'gcc'): SlotConfig => ({
  flow,
  name: `shadow ${flow}`,
  controller: 'gcc',
  preset,
  parameters: { alpha: 0.9 },
});

async function opened() {
  const events: WorkerEvent[] = [];
  const port = { postMessage: (event: WorkerEvent) => events.push(event) } as unknown as MessagePort;
  const made: FakeSlot[] = [];
  const refused = new Set<number>();
  const heard: [number, Feedback][] = [];
  const slots = await Slots.open<FakeSlot>(
    { ...config(0), name: 'in charge' },
    (each, hooks) => {
      if (refused.has(each.flow)) return Promise.reject(new Error('no such thing'));
      const slot = new FakeSlot(each, hooks);
      made.push(slot);
      return Promise.resolve(slot);
    },
    {
      side: 'receiver',
      reporter: new Reporter(port),
      nowUs: () => 42,
      onFeedback: (flow, feedback) => heard.push([flow, feedback]),
    },
  );
  const faults = (): ControllerFault[] =>
    events.flatMap((event) => (event.kind === 'controller-fault' ? [event.fault] : []));
  const of = (flow: number): FakeSlot | undefined => made.findLast((slot) => slot.config.flow === flow);
  const flows = (batches: TraceBatch[]): unknown[] => batches.map(({ columns }) => columns[0]?.[0]);
  return { slots, of, made, faults, refused, heard, flows };
}

describe('slots', () => {
  it('drain the one in charge first, then the shadows in their order', async () => {
    const { slots, flows } = await opened();
    await slots.setShadows([config(3), config(1)]);
    expect(flows(slots.drain())).toEqual([0, 3, 1]);
  });

  it('keep the shadows that stay, and end those that go', async () => {
    const { slots, of, made, flows } = await opened();
    await slots.setShadows([config(1), config(2)]);
    const [, first, second] = made;
    await slots.setShadows([config(2), config(3)]);
    expect(first?.destroyed).toBe(true);
    expect(of(2)).toBe(second);
    expect(second).toMatchObject({ destroyed: false, asked: [] });
    expect(flows(slots.drain())).toEqual([0, 2, 3]);
  });

  it('change the preset of a shadow that stays, then what differs from it', async () => {
    const { slots, of, made } = await opened();
    await slots.setShadows([config(1)]);
    await slots.setShadows([config(1, 'gcc-live')]);
    expect(made).toHaveLength(2);
    expect(of(1)?.asked).toEqual(['gcc-live', 'alpha=0.9']);
  });

  it('make a new one where the same flow is another controller', async () => {
    const { slots, made } = await opened();
    await slots.setShadows([config(1)]);
    await slots.setShadows([{ ...config(1), controller: 'nada', preset: 'nada-live' }]);
    expect(made[1]?.destroyed).toBe(true);
    expect(made[2]?.config.controller).toBe('nada');
  });

  it('take out a shadow that throws, name it, and let all others work', async () => {
    const { slots, of, faults, flows } = await opened();
    await slots.setShadows([config(1), config(2)]);
    Object.assign(of(1) ?? {}, { fails: true });
    slots.shadows((slot) => slot.work());
    slots.shadows((slot) => slot.work());
    expect(faults()).toEqual([
      { flow: 1, controller: 'shadow 1', half: 'receiver', message: 'shadow 1 trapped', timeUs: 42 },
    ]);
    expect(of(2)?.asked).toEqual(['work', 'work']);
    expect(of(1)?.destroyed).toBe(true);
    expect(flows(slots.drain())).toEqual([0, 2]);
  });

  it('take out a shadow that says that it failed; the one in charge stays', async () => {
    const { slots, of, faults, flows } = await opened();
    await slots.setShadows([config(1)]);
    of(1)?.hooks.onFault('it gave no answer');
    of(0)?.hooks.onFault('it gave no answer');
    expect(faults().map(({ flow }) => flow)).toEqual([1, 0]);
    expect(of(1)?.destroyed).toBe(true);
    expect(of(0)?.destroyed).toBe(false);
    expect(flows(slots.drain())).toEqual([0]);
  });

  it('name a shadow that cannot be made, and make the others', async () => {
    const { slots, faults, refused, flows } = await opened();
    refused.add(1);
    await slots.setShadows([config(1), config(2)]);
    expect(faults()).toMatchObject([{ flow: 1, message: 'no such thing' }]);
    expect(flows(slots.drain())).toEqual([0, 2]);
  });

  it('throw what the one in charge throws', async () => {
    const { slots } = await opened();
    slots.first.fails = true;
    expect(() => slots.at(0, (slot) => slot.work())).toThrow('in charge trapped');
  });

  it('bring each message to its flow, and none to a flow that does not exist', async () => {
    const { slots, of } = await opened();
    await slots.setShadows([config(1), config(2)]);
    for (const flow of [0, 2, 7]) slots.at(flow, (slot) => slot.work());
    expect([0, 1, 2].map((flow) => of(flow)?.asked.length)).toEqual([1, 0, 1]);
  });

  it('tell of which flow feedback is', async () => {
    const { slots, of, heard } = await opened();
    await slots.setShadows([config(5)]);
    const feedback = { timeUs: 1 } as Feedback;
    of(5)?.hooks.onFeedback(feedback);
    of(0)?.hooks.onFeedback(feedback);
    expect(heard).toEqual([
      [5, feedback],
      [0, feedback],
    ]);
  });

  it('end all of them, also one that was still being made', async () => {
    const { slots, made } = await opened();
    await slots.setShadows([config(1)]);
    const later = slots.setShadows([config(1), config(2)]);
    slots.destroy();
    await later;
    expect(made.map(({ destroyed }) => destroyed)).toEqual(made.map(() => true));
    expect(made.at(-1)?.config.flow).toBe(2);
  });
});
