import { expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { Deadlines } from "./deadlines.ts";

function deadlines(millis: number): { clock: ManualClock; set: Deadlines<string>; over: string[] } {
  const clock = new ManualClock();
  const over: string[] = [];
  const set = new Deadlines<string>({ clock, millis, owner: "test", over: (item) => over.push(item) });
  return { clock, set, over };
}

test("each item expires after the same time from its addition; a deleted item does not", async () => {
  const { clock, set, over } = deadlines(1000);
  set.add("a");
  clock.advance(600);
  set.add("b");
  set.add("c");
  expect(set.delete("c")).toBe(true);
  clock.advance(400);
  expect(over).toEqual(["a"]);
  clock.advance(600);
  expect([over, set.delete("a"), set.delete("b")]).toEqual([["a", "b"], false, false]);
});

test("an item that is added again has its whole timeout again", async () => {
  const { clock, set, over } = deadlines(1000);
  set.add("a");
  clock.advance(900);
  set.add("a");
  clock.advance(900);
  expect(over).toEqual([]);
  clock.advance(400);
  expect(over).toEqual(["a"]);
});

test("one timer serves all items, and there is none without items", async () => {
  const { clock, set, over } = deadlines(1000);
  expect(clock.timers().length).toBe(0);
  for (let i = 0; i < 1000; i++) set.add(`x${i}`);
  expect(clock.timers().length).toBe(1);
  clock.advance(1000);
  expect([over.length, clock.timers().length]).toEqual([1000, 0]);
});

test("the callback may add and delete items", async () => {
  const clock = new ManualClock();
  const over: string[] = [];
  const set: Deadlines<string> = new Deadlines({
    clock,
    millis: 1000,
    owner: "test",
    over: (item) => {
      over.push(item);
      set.delete("b");
      if (item === "a") set.add("d");
    },
  });
  for (const item of ["a", "b", "c"]) set.add(item);
  clock.advance(1000);
  expect(over).toEqual(["a", "c"]);
  clock.advance(1000);
  expect(over).toEqual(["a", "c", "d"]);
});

test("after disposal nothing expires", async () => {
  const { clock, set, over } = deadlines(1000);
  set.add("a");
  set[Symbol.dispose]();
  clock.advance(5000);
  expect(over).toEqual([]);
});

test("a callback that fails does not prevent later ones; its error reaches the process", async () => {
  const clock = new ManualClock();
  const over: string[] = [];
  const set = new Deadlines<string>({
    clock,
    millis: 1000,
    owner: "test",
    over: (item) => {
      over.push(item);
      if (item === "bad") throw new Error("a mistake");
    },
  });
  const uncaught = new Promise<unknown>((resolve) => {
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", (error) => {
      for (const other of others) process.on("uncaughtException", other);
      resolve(error);
    });
  });
  for (const item of ["bad", "good"]) set.add(item);
  clock.advance(1000);
  set.add("later");
  clock.advance(1000);
  expect(over).toEqual(["bad", "good", "later"]);
  expect(await uncaught).toEqual(new Error("a mistake"));
});

test("the callback may add many items: each expires once, after its timeout", async () => {
  const clock = new ManualClock();
  const over: string[] = [];
  const set: Deadlines<string> = new Deadlines({
    clock,
    millis: 1000,
    owner: "test",
    over: (item) => {
      over.push(item);
      if (item === "0") for (let i = 150; i < 450; i++) set.add(`${i}`);
      if (item === "1") set.delete("2");
    },
  });
  for (let i = 0; i < 300; i++) set.add(`${i}`);
  clock.advance(1000);
  expect(over).toEqual(Array.from({ length: 150 }, (_, i) => `${i}`).filter((item) => item !== "2"));
  clock.advance(1000);
  expect(over.slice(149)).toEqual(Array.from({ length: 300 }, (_, i) => `${150 + i}`));
  expect(clock.timers().length).toBe(0);
});
