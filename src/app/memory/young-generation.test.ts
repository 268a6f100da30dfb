import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type NewSpace, YoungGeneration } from "./young-generation.ts";

const MIB = 1 << 20;

class Engine implements NewSpace {
  bytes = MIB;
  readonly told: boolean[] = [];
  listener: (() => void) | undefined;

  size(): number {
    return this.bytes;
  }

  grow(isOn: boolean): void {
    this.told.push(isOn);
  }

  observe(listener: () => void): Disposable {
    this.listener = listener;
    return { [Symbol.dispose]: () => (this.listener = undefined) };
  }

  collect(mib: number): void {
    this.bytes = mib * MIB;
    this.listener?.();
  }
}

test("the new space grows while it is small, also after it was shrunk, and no further", () => {
  const engine = new Engine();
  const young = new YoungGeneration(engine);
  for (const mib of [2, 4, 8, 16]) engine.collect(mib);
  expect(engine.told).toEqual([]);
  for (const mib of [32, 32, 32]) engine.collect(mib);
  expect(engine.told).toEqual([false]);
  for (const mib of [2, 4, 32]) engine.collect(mib);
  expect(engine.told).toEqual([false, true, false]);
  young[Symbol.dispose]();
  expect(engine.listener).toBeUndefined();
});

test("V8 respects the limit: without it surviving objects make the new space grow further", async () => {
  const program = (start: string): string => `
    import { getHeapSpaceStatistics } from "node:v8";
    ${start}
    const size = () => getHeapSpaceStatistics().find((one) => one.space_name === "new_space").space_size;
    const kept = [];
    let most = 0;
    for (let i = 0; i < 40; i++) {
      for (let n = 0; n < 200_000; n++) kept[n] = { i, n };
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, size());
    }
    console.log(most);`;
  const most = async (start: string): Promise<number> => {
    const args = ["--input-type=module", "-e", program(start)];
    return Number((await promisify(execFile)(process.execPath, args)).stdout);
  };
  const ours = JSON.stringify(new URL("young-generation.ts", import.meta.url).href);
  expect(await most("")).toBeGreaterThan(48 * MIB);
  const bounded = await most(`import { YoungGeneration } from ${ours}; new YoungGeneration();`);
  // Large pages may round it up.
  expect(bounded).toBeLessThan(48 * MIB);
});
