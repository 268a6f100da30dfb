import { describe, expect, test } from "vitest";
import type { Moment } from "../../../../src/meta/console-protocol.ts";
import type { Kind } from "../../api/discovery.ts";
import {
  barsOf,
  Chooser,
  listParameters,
  positionAt,
  positionOf,
  shareOf,
  STEPS,
  stepped,
  stepsOfKey,
  stripOf,
} from "./model.ts";

const timed = stripOf({
  oldest: { resourceVersion: "10", time: "2026-01-01T00:00:00Z" },
  newest: { resourceVersion: "90", time: "2026-01-01T00:03:20Z" },
  since: "10",
  writes: [0, 1, 4],
});
const START = Date.parse("2026-01-01T00:00:00Z");

test("moments are asked for by the list that a view shows", () => {
  const kinds = [{ group: "storage.x", version: "v1", resource: "persistentvolumeclaims" }] as Kind[];
  const claims = { group: "storage.x", version: "v1", resource: "persistentvolumeclaims" };
  const list = { view: "list", group: "", version: "v1", resource: "pods", namespace: "n", name: "a" } as const;
  const asked = { group: "", version: "v1", resource: "pods", namespace: "n" };
  expect(listParameters(list, kinds)).toEqual(asked);
  expect(listParameters({ ...list, view: "object" }, kinds)).toEqual(asked);
  expect(listParameters({ view: "storage", query: { namespace: "n" } }, kinds)).toEqual({ ...claims, namespace: "n" });
  expect(listParameters({ view: "storage" }, kinds)).toEqual(claims);
  expect(listParameters({ view: "workloads" }, kinds)).toEqual({});
  expect(listParameters({ view: "home" }, kinds)).toEqual({});
});

describe("a strip of times", () => {
  test("has its ends, and a moment its place", () => {
    expect([timed.unit, timed.from, timed.to]).toEqual(["time", START, START + 200_000]);
    const middle = { resourceVersion: "50", time: "2026-01-01T00:01:40Z" };
    expect(shareOf(timed, positionOf(timed, middle))).toBe(0.5);
    expect(shareOf(timed, positionOf(timed, undefined))).toBe(1);
    expect(positionOf(timed, { resourceVersion: "1", time: "2025-01-01T00:00:00Z" })).toBe(timed.from);
    expect(positionOf(timed, { resourceVersion: "1", time: "" })).toBe(timed.from);
  });
  test("a step is one of 200, and the end is now", () => {
    expect(stepped(timed, START, 1)).toBe(START + 200_000 / STEPS);
    expect(stepped(timed, START, -1)).toBe(START);
    expect(stepped(timed, timed.to, 1)).toBeUndefined();
    expect(stepped(timed, START, Infinity)).toBeUndefined();
    expect(stepped(timed, timed.to, -Infinity)).toBe(START);
  });
  test("the pointer chooses between the ends", () => {
    expect([positionAt(timed, -1), positionAt(timed, 0.5), positionAt(timed, 2)]).toEqual([
      START,
      START + 100_000,
      START + 200_000,
    ]);
  });
  test("bars are as high as the root of their writes", () => {
    expect(barsOf(timed)).toEqual([0, 0.5, 1]);
    expect(barsOf({ ...timed, writes: [] })).toEqual([]);
  });
});

test("without times the positions are revisions, and a step is at least one", () => {
  const strip = stripOf({ newest: { resourceVersion: "20", time: "" }, since: "10", writes: [] });
  expect([strip.unit, strip.from, strip.to]).toEqual(["revision", 10, 20]);
  expect([stepped(strip, 15, -1), stepped(strip, 19, 1), positionAt(strip, 0.49)]).toEqual([14, undefined, 15]);
  expect(positionOf(strip, { resourceVersion: "12", time: "" })).toBe(12);
});

test("a history of one moment has a strip of some length", () => {
  const now = { resourceVersion: "1", time: "2026-01-01T00:00:00Z" };
  const strip = stripOf({ oldest: now, newest: now, since: "1", writes: [1] });
  expect(Number.isFinite(shareOf(strip, positionOf(strip, now)))).toBe(true);
});

test.each([
  ["ArrowLeft", false, -1],
  ["ArrowRight", true, 10],
  ["PageUp", false, 20],
  ["Home", false, -Infinity],
  ["End", false, Infinity],
  ["a", false, undefined],
])("the key %s, with shift %s", (key, isLarge, steps) => {
  expect(stepsOfKey(key, isLarge)).toBe(steps);
});

describe("while a position is asked for", () => {
  /** A server that answers when a test says so. */
  function slowServer(): { asked: number[]; answer(): Promise<void>; shown: (string | undefined)[]; chooser: Chooser } {
    const open: ((moment: Moment) => void)[] = [];
    const asked: number[] = [];
    const shown: (string | undefined)[] = [];
    const chooser = new Chooser(
      (position) => {
        asked.push(position);
        return new Promise((resolve) => open.push(resolve));
      },
      (moment) => shown.push(moment?.resourceVersion),
    );
    return {
      asked,
      shown,
      chooser,
      async answer() {
        open.shift()!({ resourceVersion: String(asked.at(-1)), time: "" });
        await new Promise((resolve) => setTimeout(resolve, 0));
      },
    };
  }
  test("only the last position that was chosen meanwhile is asked next", async () => {
    const server = slowServer();
    for (const position of [1, 2, 3, 4]) void server.chooser.choose(position);
    await server.answer();
    await server.answer();
    expect([server.asked, server.shown]).toEqual([
      [1, 4],
      ["1", "4"],
    ]);
  });
  test("each choice waits until its position was found, so that the next step begins there", async () => {
    const server = slowServer();
    const done: number[] = [];
    for (const position of [1, 2]) void server.chooser.choose(position).then(() => done.push(position));
    await server.answer();
    expect([server.shown, done]).toEqual([["1"], []]);
    await server.answer();
    expect([server.shown, done]).toEqual([
      ["1", "2"],
      [1, 2],
    ]);
  });
  test("now is shown at once after the answer, and what was asked before is not", async () => {
    const server = slowServer();
    void server.chooser.choose(1);
    void server.chooser.choose(undefined);
    await server.answer();
    expect(server.shown).toEqual([undefined]);
  });
  test("after a failure the next choice is asked", async () => {
    let isBroken = true;
    const shown: unknown[] = [];
    const chooser = new Chooser(
      async (position) => {
        if (isBroken) throw new Error("gone");
        return { resourceVersion: String(position), time: "" };
      },
      (moment) => shown.push(moment?.resourceVersion),
    );
    await expect(chooser.choose(1)).rejects.toThrow("gone");
    isBroken = false;
    await chooser.choose(2);
    expect(shown).toEqual(["2"]);
  });
});
