/** The queue of the Call page's link, which can be changed in several places on the page. */
import { parseSchedule } from '../link/capacity_text.js';
import { queueForm, QueueMemory, queueText } from '../link/queue_form.js';
import { change, settings } from './settings.js';

/** Remembers the settings of the queue disciplines that were chosen earlier. */
export const callQueues = new QueueMemory();

/** The capacity of the link before its first change. */
export const capacityBeforeChangesBps = (): number | null =>
  parseSchedule(settings.value.capacity)[0]?.capacityBps ?? null;

/**
 * Chooses another discipline. A limit that the user has set is kept; it is converted to packets if the new
 * discipline counts only packets.
 */
export function chooseQueue(discipline: string): void {
  const next = callQueues.change(queueForm(settings.value.queue), discipline, capacityBeforeChangesBps());
  change({ queue: queueText(next) });
}
