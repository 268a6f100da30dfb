/** What the history of changes says that it costs, and what the process really holds for it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

interface Measured {
  readonly counted: number;
  readonly used: number;
}

/** Bytes of one change among `count`, in a process of its own, with objects whose data is so long. */
async function costOfChange(
  what: "update" | "delete",
  count: number,
  length: number,
  watched: boolean,
): Promise<Measured> {
  const script = `
    const { Change, History } = await import(${source("cache/history.ts")});
    const { keyInside } = await import(${source("cache/entry.ts")});
    const { cacheResource } = await import(${source("registry/versions/codec.ts")});
    const { bytesInUse } = await import(${source("util/testing/heap.ts")});

    const resource = cacheResource("/core/configmaps/");
    const text = "x".repeat(${length});
    const make = (name, revision) => {
      const record = { kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace: "default" }, data: { text } };
      const key = keyInside(resource.prefix, "/core/configmaps/default/" + name);
      return resource.factory(key, Buffer.from(JSON.stringify(record)), revision);
    };
    const history = new History(0, { events: 1e9, millis: 1e9 });
    const state = new Map();
    const change = (i) => {
      const name = "object-" + (i % 1000);
      const previous = state.get(name) ?? make(name, i + 1);
      const entry = make(name, i + 2);
      if (${what === "update"}) state.set(name, entry);
      const made = new Change(entry, previous, ${what === "delete"}, i + 0.5);
      history.push(made);
      if (${watched}) made.seenBy({ id: "all", prefix: "" }, resource.restamp);
    };
    // What is loaded and made with the first ones is not of the history.
    for (let i = 0; i < 1000; i++) change(i);
    history.shrink(0);
    const before = bytesInUse();
    for (let i = 0; i < ${count}; i++) change(1000 + i);
    const used = (bytesInUse() - before) / ${count};
    console.log(JSON.stringify({ counted: history.bytes / ${count}, used }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return JSON.parse(stdout) as Measured;
}

test.each([
  ["update", 50_000, 100, false],
  ["update", 50_000, 100, true],
  ["update", 10_000, 4000, true],
  ["delete", 30_000, 100, true],
] as const)(
  "the cost of one %s of %i, of objects of %i bytes, watched: %s, is what it takes",
  async (what, count, length, watched) => {
    const { counted, used } = await costOfChange(what, count, length, watched);
    console.log(
      `${what} of ${length} bytes, watched ${watched}: ${counted.toFixed(0)} bytes counted, ${used.toFixed(0)} used`,
    );
    expect(counted / used).toBeGreaterThan(0.75);
    expect(counted / used).toBeLessThan(1.25);
  },
);
