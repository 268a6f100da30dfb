import { readFileSync, readdirSync } from "node:fs";
import { cpuMillisOf } from "../../test/serve/keelson.ts";

/** Whether {@link cpuSince} tells little apart: it is good for long work only. */
export const IS_COARSE = process.platform !== "linux";

/** Begins to count; gives back what tells the microseconds of CPU that all threads of a process have used since. */
export function cpuSince(pid: number): () => number {
  const before = IS_COARSE ? cpuMillisOf(pid) : threadsOf(pid);
  if (typeof before === "number") return () => (cpuMillisOf(pid) - before) * 1000;
  return () => [...threadsOf(pid)].reduce((sum, [thread, micros]) => sum + micros - (before.get(thread) ?? 0), 0);
}

/** The microseconds of each thread. Those of a whole process Linux tells to 10 ms only. */
function threadsOf(pid: number): Map<string, number> {
  const folder = `/proc/${pid}/task`;
  const nanosOf = (thread: string): string => readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ")[0]!;
  return new Map(readdirSync(folder).map((thread) => [thread, Number(nanosOf(thread)) / 1000]));
}
