import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { type ProcessMemory, UnusedMemory, type UnusedMemoryOptions } from "./unused-memory.ts";

const MIB = 1 << 20;
const MINUTE = 60_000;
const STEP = 100;

/** A process that records its calls; the test sets its memory. */
class Process implements ProcessMemory {
  rss = 100 * MIB;
  used = 20 * MIB;
  buffers = 10 * MIB;
  /** The resident memory after a trim. */
  needed = 100 * MIB;
  readonly done: string[] = [];
  readonly clock = new ManualClock(0);
  readonly watch: UnusedMemory;

  constructor(options: Omit<UnusedMemoryOptions, "memory"> = {}) {
    this.watch = new UnusedMemory(this.clock, { memory: this, ...options });
  }

  resident(): number {
    return this.rss;
  }

  heap(): number {
    return this.used;
  }

  reserved(): number {
    return this.used + this.buffers;
  }

  collect(): void {
    this.done.push("collect");
  }

  trim(): void {
    this.done.push("trim");
    this.rss = this.needed;
  }

  /** The calls in the next `ms`. */
  next(ms: number): string[] {
    this.done.length = 0;
    // Upkeep runs once in each move of the clock.
    for (let moved = 0; moved < ms; moved += STEP) this.clock.advance(STEP);
    return [...this.done];
  }
}

test("memory of the start is returned soon after it, and nothing while memory does not change", () => {
  const server = new Process();
  expect(server.next(900)).toEqual([]);
  expect(server.next(1000)).toEqual(["collect", "trim"]);
  expect(server.next(MINUTE)).toEqual([]);
});

test("a process that is busy from the start collects nothing before memory stops growing", () => {
  let cpu = 0;
  const server = new Process({ cpu: () => cpu });
  cpu = 700;
  for (let i = 0; i < 4; i++) {
    server.rss += 10 * MIB;
    expect(server.next(5000)).toEqual([]);
  }
  expect(server.next(10_000)).toEqual(["collect", "trim"]);
  expect(server.next(MINUTE)).toEqual([]);
});

test("a small program collects the garbage of its start, and returns pages only after much growth", () => {
  const program = new Process({ trimsAtStart: false });
  expect(program.next(2000)).toEqual(["collect"]);
  expect(program.next(MINUTE)).toEqual([]);
  program.rss += 50 * MIB;
  expect(program.next(MINUTE)).toEqual(["collect", "trim"]);
});

test("memory that has grown much is returned once, within seconds after the growth ends", () => {
  const server = new Process();
  server.next(2000);
  for (let i = 0; i < 5; i++) {
    server.rss += 50 * MIB;
    expect(server.next(5000), "while it grows").toEqual([]);
  }
  expect(server.next(11_000)).toEqual(["collect", "trim"]);
  expect(server.rss).toBe(server.needed);
  expect(server.next(MINUTE)).toEqual([]);
});

test("memory in use is not collected repeatedly", () => {
  const server = new Process();
  server.next(2000);
  server.rss = 500 * MIB;
  server.needed = 500 * MIB;
  expect(server.next(MINUTE)).toEqual(["collect", "trim"]);
});

test("memory that shrank and grew again is returned, too", () => {
  const server = new Process();
  server.needed = 300 * MIB;
  server.rss = 300 * MIB;
  server.next(2000);
  server.rss = 200 * MIB;
  expect(server.next(MINUTE)).toEqual([]);
  server.needed = 200 * MIB;
  server.rss = 280 * MIB;
  expect(server.next(MINUTE)).toEqual(["collect", "trim"]);
});

test("free memory of a burst is returned at its end, even after a trim during the burst", () => {
  const server = new Process();
  server.next(2000);
  server.rss = 500 * MIB;
  server.buffers = 300 * MIB;
  server.needed = 450 * MIB;
  expect(server.next(MINUTE)).toEqual(["collect", "trim"]);
  server.buffers = 10 * MIB;
  server.needed = 150 * MIB;
  expect(server.next(11_000)).toEqual(["collect", "trim"]);
  expect(server.rss).toBe(150 * MIB);
  expect(server.next(MINUTE)).toEqual([]);
});

test("a large heap is not collected, only free pages are returned", () => {
  const server = new Process();
  server.used = 500 * MIB;
  expect(server.next(2000)).toEqual(["trim"]);
});

test("after disposal there are no checks", () => {
  const server = new Process();
  server.watch[Symbol.dispose]();
  expect(server.next(MINUTE)).toEqual([]);
});

test("the space for new objects shrinks after it has grown", async () => {
  const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    const { getHeapSpaceStatistics } = await import("node:v8");
    const { setTimeout: sleep } = await import("node:timers/promises");
    const { systemClock } = await import(${module("./clock.ts")});
    const { UnusedMemory } = await import(${module("unused-memory.ts")});
    let kept = [];
    for (let i = 0; i < 2_000_000; i++) kept[i % 200_000] = { a: [i, i], b: String(i) };
    kept = [];
    if (process.argv[1] === "watched") new UnusedMemory(systemClock);
    await sleep(2000);
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);
    process.exit();`;
  const room = async (how: string): Promise<number> => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, how]);
    return Number(stdout) / MIB;
  };
  expect(await room("watched")).toBeLessThan(8);
  // The memory that V8 keeps without this module.
  expect(await room("alone")).toBeGreaterThan(16);
});
