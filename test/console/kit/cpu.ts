/**
 * CPU time of a test and of the browser that it has started, by part; on Linux only.
 *
 * @module
 */
import { readFileSync, readdirSync } from "node:fs";

/** Seconds of CPU so far. */
export interface CpuTimes {
  /** The thread that runs the server and the test. */
  readonly server: number;
  /** The renderers: scripts, layout, painting. */
  readonly pages: number;
  /** The other processes of the browser; without a GPU they draw what is painted. */
  readonly browser: number;
}

const TICKS_A_SECOND = 100;

/** Returns the CPU times up to now; those of the browser are 0 where there is no `/proc`. */
export function cpuTimes(): CpuTimes {
  const { user, system } = process.threadCpuUsage();
  let [pages, browser] = [0, 0];
  for (const { command, seconds } of descendants()) {
    if (command.includes("--type=renderer")) pages += seconds;
    else browser += seconds;
  }
  return { server: (user + system) / 1e6, pages, browser };
}

/** Says which share of one processor each part took in the meantime. */
export function cpuShares(before: CpuTimes, after: CpuTimes, seconds: number): string {
  const share = (part: keyof CpuTimes): string => `${Math.round((100 * (after[part] - before[part])) / seconds)} %`;
  return `CPU of the server and the test ${share("server")}, of the page ${share("pages")}, of the browser's other processes ${share("browser")}`;
}

interface Descendant {
  readonly command: string;
  readonly seconds: number;
}

/** The processes that this one has started, and those that they have started. */
function descendants(): Descendant[] {
  const all = new Map<number, Descendant & { readonly parent: number }>();
  for (const name of namesIn("/proc")) {
    const found = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (found) all.set(Number(name), found);
  }
  const isOurs = (pid: number): boolean => {
    const parent = all.get(pid)?.parent;
    return parent !== undefined && (parent === process.pid || isOurs(parent));
  };
  return [...all].filter(([pid]) => isOurs(pid)).map(([, found]) => found);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Undefined for a process that has ended. */
function readProcess(pid: string): (Descendant & { readonly parent: number }) | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    // The name of the program, in brackets, may have blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [, parent, , , , , , , , , , user, system] = fields;
    return { command, parent: Number(parent), seconds: (Number(user) + Number(system)) / TICKS_A_SECOND };
  } catch {
    return undefined;
  }
}
