/**
 * Simulates the twin of the shown recording: the same call in virtual time. This module is loaded when it is first
 * needed.
 */
import type { TraceHeader } from '../../trace/index.js';
import { packBatches, unpackBatches } from '../../trace/packed.js';
import { asRecorded, distances, readCall, type SeriesDistance } from '../../twin/comparison.js';
import { NoTwin } from '../../twin/no_twin.js';
import { recordedOptions } from '../../twin/recorded_call.js';
import { SimulationWorker } from '../../worker/simulation/simulation_client.js';
import { createTraceStore, type TraceStore } from '../../worker/trace/trace_client.js';
import { NotAtHand, ownControllers, type OwnController } from '../own_controllers.js';

/** The simulation of a recorded call. */
export interface SimulatedTwin {
  /** The simulation's rows, on the recording's clock; the caller closes the store. */
  store: TraceStore;
  distances: readonly SeriesDistance[];
  /** `fromUs` and `toUs`: the beginning and the end of the compared part of the recording. */
  fromUs: number;
  toUs: number;
  /**
   * The assumptions made for facts that the recording lacks, and for effects that the simulation cannot reproduce.
   */
  assumed: readonly string[];
}

interface Handlers {
  signal: AbortSignal;
  /** Called with the simulated fraction, from 0 to 1. */
  onShare(share: number): void;
  onError(error: Error): void;
}

/** The seed for all random numbers of the twin. It is constant, so a recording always gives the same result. */
const SEED = 1;

/**
 * The module of a user's controller: the one that was in charge of the call or, for a recording from a file, the one
 * that this page has. Throws NoTwin if there is none, or if the call had several versions of it.
 */
async function moduleOf(name: string, inCharge: readonly OwnController[]): Promise<OwnController> {
  const [first, ...others] = inCharge.filter((own) => own.name === name);
  if (others.some(({ url }) => url !== first?.url))
    throw new NoTwin(
      `several versions of ${name} were in charge in this recording, and the simulation can run only one`,
      'stop the call and start it again each time the file has changed',
    );
  if (first !== undefined) return first;
  await ownControllers.look([name]);
  try {
    return { url: ownControllers.urlOf(name), name };
  } catch (error) {
    if (!(error instanceof NotAtHand)) throw error;
    throw new NoTwin(
      `this page does not have the file of the call’s controller ${name}`,
      'choose the file under Controller, then compare again',
    );
  }
}

/**
 * Resolves to null if the simulation was stopped. Rejects with NoTwin, with the errors of `readCall`, or with
 * SimulationError.
 */
export async function simulateTwin(
  recording: {
    store: TraceStore;
    header: Partial<TraceHeader>;
    /** The user's controllers that were in charge of the recorded call, as far as this page knows them. */
    ownInCharge: readonly OwnController[];
  },
  { signal, onShare, onError }: Handlers,
): Promise<SimulatedTwin | null> {
  const recorded = await readCall(recording.store, recording.header);
  const own = recorded.own === null ? null : await moduleOf(recorded.own, recording.ownInCharge);
  const store = await createTraceStore({ onError });
  const worker = new SimulationWorker();
  try {
    const request = { options: recordedOptions(recorded, SEED), ...(own && { controller: own }) };
    const result = await worker.run(request, {
      signal,
      onProgress: ({ share, rows }) => {
        onShare(share);
        store.appendPacked(packBatches(asRecorded(unpackBatches(rows), recorded)));
      },
    });
    const [fault] = result.faults;
    if (fault !== undefined)
      throw new NoTwin(
        `the call’s controller failed in the simulation: ${fault.message}`,
        'correct its file',
      );
    if (result.cancelled || signal.aborted) {
      store.close();
      return null;
    }
    const { fromUs, toUs, assumed } = recorded;
    return { store, distances: await distances(recording.store, store, recorded), fromUs, toUs, assumed };
  } catch (error) {
    store.close();
    throw error;
  } finally {
    worker.close();
  }
}
