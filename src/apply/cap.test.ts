import { expect, test } from "vitest";
import { cpuMillis } from "../util/testing/cpu-time.ts";
import { ANCIENT, capUpdates } from "./cap.ts";
import { atOnce } from "../util/steps.ts";
import { managerKey, readEntries, writeEntries } from "./entries.ts";

const entry = (manager: string, second: number, fieldsV1: object) => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: new Date(Date.UTC(2026, 0, 1) + 1000 * second).toISOString().replace(".000", ""),
  fieldsType: "FieldsV1",
  fieldsV1,
});

const cap = (entries: readonly object[], limit: number) => {
  const parsed = readEntries(entries, false)!;
  return atOnce(writeEntries(capUpdates(parsed, limit), parsed, [], false));
};

test("DEC-14: updates are merged into an existing bucket, with the time of the newest", () => {
  const folded = cap(
    [
      entry("a", 2, { "f:a": {} }),
      entry(ANCIENT, 1, { "f:z": {} }),
      entry("b", 3, { "f:b": {} }),
      entry("c", 4, { "f:c": {} }),
    ],
    2,
  );
  expect(folded.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
    [ANCIENT, { "f:a": {}, "f:b": {}, "f:z": {} }],
    ["c", { "f:c": {} }],
  ]);
  expect(folded[0]!.time).toBe("2026-01-01T00:00:03Z");
});

test("DEC-14: each version has a bucket of its own", () => {
  const entries = [1, 2, 3, 4].map((i) => ({
    ...entry(`m${i}`, i, { [`f:${i}`]: {} }),
    apiVersion: i % 2 ? "v1" : "v2",
  }));
  const folded = cap(entries, 2);
  expect(folded.map(({ manager, apiVersion }) => `${manager} ${apiVersion}`)).toEqual([
    `${ANCIENT} v1`,
    `${ANCIENT} v2`,
  ]);
});

test("fourteen thousand updaters of a field each are merged in about the time that it takes to read and write them", () => {
  const entries = Array.from({ length: 14_000 }, (_, i) => entry(`m${i}`, i, { "f:data": { [`f:key${i}`]: {} } }));
  const measured = (work: () => unknown): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const start = cpuMillis();
        work();
        return cpuMillis() - start;
      }),
    );
  const floor = measured(() => JSON.parse(JSON.stringify(entries)) as unknown);
  expect(measured(() => cap(entries, 10))).toBeLessThan(10 * Math.max(floor, 5));
  expect(cap(entries, 10)).toHaveLength(10);
  expect(
    readEntries(entries, false)!.managers.has(
      managerKey({ ...entry("m0", 0, {}), operation: "Update", subresource: "" }),
    ),
  ).toBe(true);
});
