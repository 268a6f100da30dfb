import { once } from "node:events";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { writeVolume } from "./atomic-writer.ts";
import type { ReaderData, ReaderReport } from "./testing/reader.ts";
import { TestDirectory, payloadOf } from "./testing/volume.ts";

const aPath = fc.constantFrom("a", "b", "d/x", "d/y", "d/e/z", "f/g", "h");
/** Sets of paths, one for each write; a name is always a file or always a directory. */
const writes = fc.array(fc.uniqueArray(aPath), { minLength: 20, maxLength: 60 });

const volumeOf = (paths: readonly string[], number: number) =>
  payloadOf(Object.fromEntries(["always", ...paths].map((path) => [path, String(number)])));

async function whileRead(directory: string, work: () => Promise<void>): Promise<ReaderReport> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ReaderData = { directory, stop };
  const worker = new Worker(new URL("./testing/reader.ts", import.meta.url), { workerData });
  try {
    await once(worker, "message");
    await work();
    Atomics.store(stop, 0, 1);
    const [report] = (await once(worker, "message")) as [ReaderReport];
    return report;
  } finally {
    await worker.terminate();
  }
}

test("PROJ-50: a concurrent reader never sees a mixture, an older write, or misses a file that is in all writes", async () => {
  let reads = 0;
  await fc.assert(
    fc.asyncProperty(writes, async (all) => {
      using directory = new TestDirectory();
      await writeVolume(directory.path, volumeOf([], 0), { clock: systemClock });
      const report = await whileRead(directory.path, async () => {
        for (const [i, paths] of all.entries()) {
          await writeVolume(directory.path, volumeOf(paths, i + 1), { clock: systemClock });
          const seen = directory.seen();
          expect(Object.keys(seen).toSorted()).toEqual(["always", ...paths].toSorted());
        }
      });
      expect(report.wrong).toEqual([]);
      reads += report.reads;
    }),
    { numRuns: 12 },
  );
  expect(reads).toBeGreaterThan(50);
}, 60_000);
