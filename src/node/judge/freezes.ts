/** Freezes of the picture: the pauses that the observer of the receiving page found (../observe/freezes.ts). */
import type { Window } from '../metrics.js';
import type { EndpointRecord, Freeze } from '../observe/record.js';

/** The freezes of some endpoints, each as far as it lies in a window. */
export const freezesIn = (receivers: readonly EndpointRecord[], { fromUs, toUs }: Window): Freeze[] =>
  receivers
    .flatMap(({ freezes }) => freezes)
    .filter((freeze) => freeze.toUs > fromUs && freeze.fromUs < toUs)
    .map((freeze) => ({ fromUs: Math.max(fromUs, freeze.fromUs), toUs: Math.min(toUs, freeze.toUs) }));
