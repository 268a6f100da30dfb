import type { Load, LoadResult } from "./load.ts";
import { fill, serve } from "./server.ts";

/** Runs a load in a program of its own. */
export type Runner = (load: Load) => Promise<LoadResult>;

const READERS = 100;
const PAUSE_MS = 100;
/** Requests that who floods has under way at a time: as many as one connection lets it. */
const DEEP = 200;
const ROUNDS = 5;
const KINDS = ["lists", "writes", "watches", "gets"] as const;

/** Compares the times of readers with and without floods, and prints them. */
export async function floodBench(objects: number, seconds: number, run: Runner): Promise<void> {
  const readers = Array.from({ length: READERS }, (_, i) => `reader-${i}`);
  await using server = await serve([...readers, "flood"]);
  await fill(server, objects);
  const { url, ca } = server;
  const load = (kind: Load["kind"], tokens: readonly string[], deep: number, pause: number): Load => ({
    url,
    ca,
    tokens,
    kind,
    objects,
    seconds,
    deep,
    pause,
  });
  const reads = load("reads", readers, 1, PAUSE_MS);
  await run(reads);
  for (const kind of KINDS) {
    const quiet: LoadResult[] = [];
    const calm: LoadResult[] = [];
    let answered = 0;
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(await run(reads));
      const [there, flood] = await Promise.all([run(reads), run(load(kind, ["flood"], DEEP, 0))]);
      calm.push(there);
      answered += flood.millis.length;
      refused += flood.refused;
    }
    const before = report("quiet", quiet);
    const after = report(`flood of ${kind}`, calm);
    console.log(`  ${answered} answered, ${refused} refused; p99 ${(after / before).toFixed(2)} times`);
  }
}

/** Prints percentiles of times, of each the median of all rounds, as other programs disturb some of them; gives back the 99th, in ms. */
function report(what: string, rounds: readonly LoadResult[]): number {
  const median = (part: number): number => {
    const each = rounds.map(({ millis }) => {
      const sorted = millis.toSorted((a, b) => a - b);
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    });
    return each.toSorted((a, b) => a - b)[rounds.length >> 1]!;
  };
  const [p50, p99, most] = [0.5, 0.99, 1].map((part) => median(part).toFixed(2));
  const reads = rounds.reduce((sum, { millis }) => sum + millis.length, 0);
  const refused = rounds.reduce((sum, one) => sum + one.refused, 0);
  console.log(`${what.padEnd(18)} ${reads} reads, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms, ${refused} refused`);
  return median(0.99);
}
