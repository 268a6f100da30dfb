import { expect, test } from "vitest";
import { Lanes } from "./lanes.ts";

const { signal } = new AbortController();

test("what waits in one lane keeps nothing in another from being done, and an empty lane is forgotten", async () => {
  const lanes = new Lanes(2);
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const slow = ["a", "b", "c"].map((name) =>
    lanes.run("slow", signal, async () => {
      done.push(`begin ${name}`);
      await gate.promise;
    }),
  );
  await lanes.run("quick", signal, async () => void done.push("quick"));
  expect(done).toEqual(["begin a", "begin b", "quick"]);
  expect(lanes.size).toBe(1);
  gate.resolve();
  await Promise.all(slow);
  expect(done).toContain("begin c");
  expect(lanes.size).toBe(0);
});

test("who gives up waiting leaves his lane, and work that fails gives its seat back", async () => {
  const lanes = new Lanes(1);
  const gate = Promise.withResolvers<void>();
  const first = lanes.run("a", signal, () => gate.promise);
  const over = new AbortController();
  const second = lanes.run("a", over.signal, async () => {});
  over.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  gate.reject(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  await expect(lanes.run("a", signal, async () => 7)).resolves.toBe(7);
  expect(lanes.size).toBe(0);
});
