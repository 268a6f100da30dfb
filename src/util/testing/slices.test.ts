import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { nextPass } from "./pass.ts";
import {
  MAX_SLICE_MS,
  PIECE_MS,
  expectNoLongSlice,
  expectNotLong,
  isLongSlice,
  longestSlice,
  metered,
  sliceBound,
} from "./slices.ts";

function spin(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  for (let now = { user, system }; now.user + now.system < user + system + ms * 1000;) now = process.threadCpuUsage();
}

test("the longest slice is that of work without a pause, not of all work", async () => {
  const pieces = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      spin(5);
      await nextPass();
    }
  };
  expect(await longestSlice(() => {}, pieces)).toBeLessThan(25);
  const atOnce = await longestSlice(
    () => {},
    async () => {
      await nextPass();
      spin(40);
      await Promise.resolve();
      spin(40);
      await nextPass();
    },
  );
  expect(atOnce).toBeGreaterThan(70);
});

test("a slice is not too long where one of three attempts is short, and no attempt follows that one", async () => {
  const of: number[] = [];
  const spent = (first: number) => async (): Promise<void> => {
    spin(of.push(0) < 3 ? first : 0);
    await nextPass();
  };
  await expectNoLongSlice(() => {}, spent(60), 30);
  expect(of.length).toBe(3);
  await expectNoLongSlice(() => {}, nextPass, 30);
  await expect(
    expectNoLongSlice(
      () => {},
      () => spin(sliceBound(30) * 3),
      30,
    ),
  ).rejects.toThrow("the longest slice took");
});

test("the preparation of an attempt does not count", async () => {
  expect(await longestSlice(() => spin(60), nextPass)).toBeLessThan(30);
});

test("the bound of a slice grows on a slower machine, in proportion, and never shrinks", () => {
  expect(sliceBound(100, PIECE_MS * 1.5)).toBeCloseTo(150);
  expect(sliceBound(30, PIECE_MS / 2)).toBe(30);
  expect(sliceBound()).toBeGreaterThanOrEqual(MAX_SLICE_MS);
  expect(isLongSlice(MAX_SLICE_MS - 1)).toBe(false);
  expect(isLongSlice(sliceBound() * 3)).toBe(true);
  expect(() => expectNotLong(MAX_SLICE_MS - 1)).not.toThrow();
  expect(() => expectNotLong(3e5)).toThrow("Expected at most 100 ms on the reference machine, it took 300000");
});

test("a request with a long slice fails, and one with the same work in many slices does not", async () => {
  const most = sliceBound();
  const long = metered("GET /slow", async () => {
    await nextPass();
    spin(most * 2);
  });
  await expect(long).rejects.toThrow(/GET \/slow to take 100 ms of CPU, one took \d{3}/);
  const calm = async (): Promise<string> => {
    for (let i = 0; i < 10; i++) {
      spin(most / 5);
      await nextPass();
    }
    return "answer";
  };
  expect(await metered("GET /calm", calm)).toBe("answer");
});

test("a garbage collection does not count as a slice of the request", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const bound = sliceBound();
  const keep = Array.from({ length: 2_000_000 }, (_, i) => ({ i }));
  const collecting = async (): Promise<number> => {
    await nextPass();
    const began = process.threadCpuUsage();
    const cpu = (): number => {
      const { user, system } = process.threadCpuUsage(began);
      return (user + system) / 1000;
    };
    while (cpu() < bound * 1.5) collect();
    await nextPass();
    return keep.length;
  };
  expect(await metered("GET /garbage", collecting)).toBe(keep.length);
});
