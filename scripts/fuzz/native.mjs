// Campaigns of the native targets. The targets take turns, with equal shares of the time. A turn is one run of
// libFuzzer, or several if a run ends with a fault.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { Problem, status } from '../lib/run.mjs';
import { buildFuzzer, fuzzFolder, targetNames } from './build.mjs';
import { grownCorpus, unpackCorpus } from './corpus.mjs';

const longestTurnSeconds = 60;
// The largest number of runs in a turn. A turn may need several runs, since a run ends with its first fault.
const runsPerTurn = 5;
const totalsFile = join(fuzzFolder, 'totals.json');

const artifactsOf = (target) => join(fuzzFolder, 'artifacts', target);
const made = (folder) => (mkdirSync(folder, { recursive: true }), folder);
const artifacts = (target) =>
  readdirSync(made(artifactsOf(target))).filter((name) => /^(crash|timeout|oom|leak)-/.test(name));

/** Runs libFuzzer once; resolves with the results. */
function runOnce(binary, target, { seconds, runs, seed, onExecutions }) {
  const folders = [made(grownCorpus(target)), join(fuzzFolder, 'seeds', target)];
  const args = [
    ...[`-max_total_time=${Math.max(1, Math.round(seconds))}`, `-runs=${runs}`, `-seed=${seed}`],
    // Inputs are lists of steps. Long inputs reach more states, but are slower.
    ...['-max_len=256', '-len_control=40', '-timeout=10', '-rss_limit_mb=2048', '-print_final_stats=1'],
    // The bookkeeping of libFuzzer's entropic schedule would take half of the time.
    ...['-entropic=0', '-reload=0'],
    ...[`-artifact_prefix=${made(artifactsOf(target))}/`, ...folders],
  ];
  const env = { ...process.env, CCSCOPE_FUZZ_TARGET: target, UBSAN_OPTIONS: 'print_stacktrace=1' };
  const options = { env, stdio: ['ignore', 'ignore', 'pipe'] };
  // A libFuzzer process ends by itself. The timeout is for a process that was suspended from outside.
  const child = spawn(binary, args, {
    ...options,
    timeout: Math.ceil(seconds + 120) * 1000,
    killSignal: 'SIGKILL',
  });
  const result = { executions: 0, edges: 0, lastLines: [] };
  createInterface({ input: child.stderr }).on('line', (line) => {
    const progress = line.match(/^#(\d+)\s.*\bcov: (\d+)/);
    const final = line.match(/^stat::number_of_executed_units:\s*(\d+)/);
    if (progress) result.edges = Math.max(result.edges, Number(progress[2]));
    if (progress ?? final) result.executions = Math.max(result.executions, Number((final ?? progress)[1]));
    if (progress) onExecutions(result.executions);
    result.lastLines = [...result.lastLines.slice(-59), line];
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...result, code }));
  });
}

class TargetCampaign {
  constructor(name, binary, seed) {
    Object.assign(this, { name, binary, seed, executions: 0, edges: 0, spentSeconds: 0 });
    this.known = new Set(artifacts(name));
    unpackCorpus(name);
  }

  /** Runs the target for `seconds`, or until this campaign has executed it `goal` times in total. */
  async turn(seconds, goal, onProgress) {
    const ends = performance.now() + seconds * 1e3;
    for (let run = 0; run < runsPerTurn; run += 1) {
      const left = (ends - performance.now()) / 1e3;
      if (left < 0.5 || this.executions >= goal) return;
      const before = this.executions;
      const runs = Number.isFinite(goal) ? goal - before : -1;
      this.seed = (this.seed * 48271) % 2147483647;
      const onExecutions = (count) => onProgress({ target: this.name, executions: before + count });
      const result = await runOnce(this.binary, this.name, {
        seconds: left,
        runs,
        seed: this.seed,
        onExecutions,
      });
      this.executions = before + result.executions;
      addToTotals(this.name, result.executions);
      this.edges = Math.max(this.edges, result.edges);
      if (result.code === null) return; // killed by a signal
      if (result.code !== 0 && artifacts(this.name).length === 0) {
        throw new Problem(`${this.name}: libFuzzer failed.\n${result.lastLines.join('\n')}`);
      }
      if (result.code === 0) return;
    }
  }

  /** The number of distinct inputs for which this campaign found a fault. */
  found() {
    return artifacts(this.name).filter((name) => !this.known.has(name)).length;
  }

  /** The number of inputs, from this and from earlier campaigns, that still cause a fault. */
  async open() {
    const inputs = artifacts(this.name).map((name) => join(artifactsOf(this.name), name));
    let open = 0;
    for (const input of inputs) {
      const env = { CCSCOPE_FUZZ_TARGET: this.name };
      if ((await status(this.binary, ['-timeout=10', input], { env, stdio: 'ignore' })) !== 0) open += 1;
    }
    return open;
  }
}

/** The number of executions in all campaigns on this machine, by target. */
const readTotals = () => (existsSync(totalsFile) ? JSON.parse(readFileSync(totalsFile, 'utf8')) : {});

/** Adds to the totals. It is called after each run, so that the runs of an interrupted campaign count, too. */
function addToTotals(target, executions) {
  const totals = readTotals();
  totals[target] = (totals[target] ?? 0) + executions;
  writeFileSync(totalsFile, `${JSON.stringify(totals, null, 2)}\n`);
}

/**
 * Fuzzes all native targets, or only the targets that `only` names. Ends after `minutes`, or when each target has
 * been executed `executions` times. Resolves with a row for each target: target, executions, edges, found, open,
 * total. `total` counts the executions of all campaigns on this machine.
 */
export async function fuzzNative({
  minutes,
  executions = Infinity,
  only,
  seed = 1,
  jobs = 1,
  onProgress = () => {},
}) {
  const binary = await buildFuzzer();
  const names = targetNames().filter((name) => !only || only.includes(name));
  const campaigns = names.map((name, i) => new TargetCampaign(name, binary, seed + i));
  const share = (minutes * 60 * jobs) / campaigns.length;
  const turnSeconds = share / Math.ceil(share / longestTurnSeconds);
  const wants = (campaign) => campaign.executions < executions && campaign.spentSeconds < share - 0.5;
  const busy = new Set();
  const work = async () => {
    for (;;) {
      const waiting = campaigns.filter((campaign) => wants(campaign) && !busy.has(campaign));
      if (waiting.length === 0) return;
      const next = waiting.reduce((a, b) => (b.spentSeconds < a.spentSeconds ? b : a));
      busy.add(next);
      await next.turn(turnSeconds, executions, onProgress);
      next.spentSeconds += turnSeconds;
      busy.delete(next);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const totals = readTotals();
  const rows = [];
  for (const campaign of campaigns) {
    const { name, executions: done, edges } = campaign;
    rows.push({
      target: name,
      executions: done,
      edges,
      found: campaign.found(),
      open: await campaign.open(),
      total: totals[name],
    });
  }
  return rows;
}
