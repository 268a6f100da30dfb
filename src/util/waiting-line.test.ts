import { expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { turn } from "./testing/turn.ts";
import { Crowded, WaitingLine } from "./waiting-line.ts";

/** A line for two, with room for two more, and work that ends when it is told to. */
function lineOf() {
  const clock = new ManualClock();
  const line = new WaitingLine(clock, { running: 2, waiting: 2, millis: 1000 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string): Promise<string> =>
    line.run(() => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    });
  return { clock, line, begun, run, end: (name: string) => ends.get(name)!() };
}

test("so many run side by side, others wait in their order, and one too many is refused", async () => {
  const { line, begun, run, end } = lineOf();
  const all = ["a", "b", "c", "d"].map(run);
  expect([begun, line.waiting]).toEqual([["a", "b"], 2]);
  await expect(run("e")).rejects.toThrow(Crowded);
  end("b");
  await turn();
  expect(begun).toEqual(["a", "b", "c"]);
  for (const name of ["a", "c"]) end(name);
  await turn();
  end("d");
  expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  const last = run("f");
  end("f");
  expect([await last, line.waiting]).toEqual(["f", 0]);
});

test("nobody waits longer than is meant, and who has gone takes no place", async () => {
  const { clock, begun, run, end } = lineOf();
  const running = ["a", "b"].map(run);
  const late = run("c");
  clock.advance(999);
  const next = run("d");
  clock.advance(1);
  await expect(late).rejects.toThrow("within 1 s");
  end("a");
  await turn();
  expect(begun).toEqual(["a", "b", "d"]);
  for (const name of ["b", "d"]) end(name);
  expect(await Promise.all([...running, next])).toEqual(["a", "b", "d"]);
});

test("work that fails gives its place to the next", async () => {
  const { line } = lineOf();
  const fail = (): Promise<void> => line.run(() => Promise.reject(new Error("no")));
  for (let i = 0; i < 5; i++) await expect(fail()).rejects.toThrow("no");
  expect(await line.run(async () => "done")).toBe("done");
});
