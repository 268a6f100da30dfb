import { expect, test } from "vitest";
import { reportsProgress } from "./client.ts";
import { Layout } from "./layout.ts";
import type { WatchChange } from "./messages.ts";

const layout = new Layout("/keelson/");
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const change = (key: Uint8Array, revision: number, more: Partial<Record<"value" | "before", string>>): WatchChange => {
  const record = (value: string, modRevision: number, createRevision: number) => ({
    key,
    value: Buffer.from(value),
    createRevision,
    modRevision,
  });
  return {
    deleted: more.value === undefined,
    now: record(more.value ?? "", revision, more.before === undefined ? revision : 1),
    before: more.before === undefined ? undefined : record(more.before, revision - 1, 1),
  };
};

test("keys lie below data, and a range ends where its prefix does", () => {
  expect(text(layout.key("/registry/x"))).toBe("/keelson/data/registry/x");
  const { key, end } = layout.range("/a/", "/a/b");
  expect([text(key), text(end)]).toEqual(["/keelson/data/a/b", "/keelson/data/a0"]);
  expect(text(layout.range("/a/", "/A").key)).toBe("/keelson/data/a/");
  expect(text(layout.everything.end)).toBe("/keelson0");
});

test("changes become events: what is not a record is left out, and a delete shows what was stored", () => {
  const events = layout.events([
    change(layout.key("a"), 5, { value: "1" }),
    change(layout.progress, 6, { value: "" }),
    change(layout.key("a"), 7, { value: "2", before: "1" }),
    change(layout.key("a"), 8, { before: "2" }),
  ]);
  expect(events.map((e) => [e.type, e.key, e.revision, text(e.value), e.previousRevision])).toEqual([
    ["put", "a", 5, "1", 0],
    ["put", "a", 7, "2", 6],
    ["delete", "a", 8, "2", 7],
  ]);
});

test("a last value that was written with a delete is that of its event, and of no other", () => {
  const events = layout.events([
    change(layout.key("a"), 5, { before: "stored" }),
    change(layout.lastValue(0), 5, { value: "shown", before: "earlier" }),
    change(layout.key("b"), 6, { before: "stored" }),
    change(layout.lastValue(0), 7, { value: "of another revision", before: "earlier" }),
  ]);
  expect(events.map(({ value }) => text(value))).toEqual(["shown", "stored"]);
});

test("the event of each delete of a transaction has the last value that was written with it", () => {
  const keys = [0, 1, 2].map((i) => text(layout.lastValue(i)));
  expect(keys).toEqual(["/keelson/meta/last-value", "/keelson/meta/last-value/1", "/keelson/meta/last-value/2"]);
  const events = layout.events([
    change(layout.key("a"), 5, { before: "stored" }),
    change(layout.lastValue(0), 5, { value: "first", before: "earlier" }),
    change(layout.key("b"), 5, { before: "stored" }),
    change(layout.key("c"), 5, { before: "stored" }),
    change(layout.lastValue(1), 5, { value: "second" }),
    change(layout.key("d"), 5, { value: "put" }),
    change(Buffer.from("/keelson/meta/last-values"), 5, { value: "of nobody" }),
  ]);
  expect(events.map(({ key, revision, value }) => [key, revision, text(value)])).toEqual([
    ["a", 5, "first"],
    ["b", 5, "stored"],
    ["c", 5, "second"],
    ["d", 5, "put"],
  ]);
});

test("a change whose state before is needed and gone is compacted, never shown as if it were new", () => {
  const lost = { ...change(layout.key("a"), 9, { value: "x", before: "y" }), before: undefined };
  expect(() => layout.events([lost])).toThrow(expect.objectContaining({ code: "compacted" }));
  expect(() => layout.events([change(layout.key("a"), 9, {})])).toThrow(expect.objectContaining({ code: "compacted" }));
});

test("progress is believed only from versions that never run ahead of their events", () => {
  const believed = ["3.4.31", "3.5.13", "3.5.20", "3.6.0", "3.7.0-rc.1", "4.0.0"];
  const not = ["3.4.23", "3.4.30", "3.5.0", "3.5.12", "3.3.27", "2.3.8", "", "x"];
  expect(believed.filter((version) => !reportsProgress(version))).toEqual([]);
  expect(not.filter((version) => reportsProgress(version))).toEqual([]);
});
