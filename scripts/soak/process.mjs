// The memory and descriptors that a process uses, as the kernel reports them (Linux), and the descendants of a process.
import { readdirSync, readFileSync } from 'node:fs';

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process ended while it was being read.
    return null;
  }
}

/** All descendants of `ancestor`, with their command lines. */
export function descendants(ancestor) {
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(`/proc/${pid}/stat`);
    if (stat !== null) parents.set(Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (pid) => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === ancestor || isBelow(parent));
  };
  return [...parents.keys()]
    .filter(isBelow)
    .map((pid) => ({ pid, command: read(`/proc/${pid}/cmdline`) ?? '' }));
}

/**
 * The kind of a Chromium process, such as browser, renderer, gpu-process or utility; null for other programs. In the
 * command line of a child process, words may be separated by spaces or by zero bytes.
 */
export function chromiumKind(command) {
  if (!/^\S*chrom/i.test(command)) return null;
  return /[\s\0]--type=([\w-]+)/.exec(command)?.[1] ?? 'browser';
}

/** The anonymous memory (MB) and the number of open descriptors of a process; null if the process has ended. */
export function usage(pid) {
  const status = read(`/proc/${pid}/status`);
  if (status === null) return null;
  try {
    const anonymous = Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? NaN);
    return { memoryMb: (anonymous * 1024) / 1e6, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return null;
  }
}
