// Runs parts of the test run in parallel if they do not disturb each other.
//
// The `kind` of a part says what the part needs from the machine:
//   'work'      computes; as many at once as there are cores
//   'calls'     waits for browsers in real time; one at a time, but in parallel with work
//   'measures'  judges rates of calls; in parallel only with work whose niceness is at least LEAST_NICE
//   'alone'     judges the times of packets; never in parallel with another part
import { availableParallelism } from 'node:os';

/** The requested parts, and all parts that they need. */
export function withPrerequisites(parts, names) {
  const wanted = new Set();
  const want = (name) => {
    if (wanted.has(name)) return;
    wanted.add(name);
    parts[name].after?.forEach(want);
  };
  names.forEach(want);
  return Object.keys(parts).filter((name) => wanted.has(name));
}

/** Work of at least this niceness does not disturb a measurement of calls. */
export const LEAST_NICE = 19;

/** Whether a part can start while the parts in `running` run. */
function fits(part, running, cores) {
  const isQuiet = ({ kind, nice = 0 }) => kind === 'work' && nice >= LEAST_NICE;
  if (part.kind === 'alone') return running.length === 0;
  if (part.kind === 'measures') return running.every(isQuiet);
  if (running.some(({ kind }) => kind === 'alone')) return false;
  if (running.some(({ kind }) => kind === 'measures') && !isQuiet(part)) return false;
  const same = running.filter(({ kind }) => kind === part.kind).length;
  return same < (part.kind === 'calls' ? 1 : cores);
}

/** Whether `other`, which is still waiting, has to run before a part of this kind. */
function comesBefore(other, { kind }) {
  if (kind === 'alone') return other.kind !== 'alone';
  return kind === 'measures' && !['measures', 'alone'].includes(other.kind) && (other.nice ?? 0) < LEAST_NICE;
}

/**
 * Runs each of the named parts once, in the order of the list. A part waits for the parts in its `after`, which it
 * needs: if one of them failed, the part is not run, and counts as failed. It also waits for the named parts in its
 * `behind`, but runs even if they failed. Parts of the kind 'alone' come last. `run(name)` resolves with {passed,
 * failed}. Returns the outcomes in the order of the names.
 */
export async function schedule(parts, names, run, { cores = availableParallelism(), onChange } = {}) {
  const outcomes = new Map();
  const running = new Map();
  const waiting = new Set(names);
  const failedNeed = (name) => parts[name].after?.find((need) => outcomes.get(need)?.failed > 0);
  const isPending = (name) => waiting.has(name) || running.has(name);
  const isReady = (name) => {
    const { after = [], behind = [] } = parts[name];
    return ![...after, ...behind].some(isPending);
  };

  const begin = (name) => {
    waiting.delete(name);
    const need = failedNeed(name);
    const work = need ? Promise.resolve({ passed: 0, failed: 1, blockedBy: need }) : run(name);
    running.set(
      name,
      work.then((outcome) => {
        running.delete(name);
        outcomes.set(name, outcome);
      }),
    );
  };

  while (waiting.size > 0 || running.size > 0) {
    const ready = [...waiting].filter(isReady);
    for (const name of ready) {
      // A part that would block other parts waits until these have run. So no core becomes idle earlier than
      // necessary.
      if ([...waiting].some((other) => comesBefore(parts[other], parts[name]))) continue;
      const beside = [...running.keys()].map((other) => parts[other]);
      if (fits(parts[name], beside, cores)) begin(name);
    }
    onChange?.([...running.keys()]);
    await Promise.race(running.values());
  }
  return names.map((name) => ({ name, ...outcomes.get(name) }));
}
