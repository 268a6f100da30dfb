import { describe, expect, it } from "vitest";
import { ownersOf } from "./owners.ts";
import { stored } from "./testing/example.ts";

const entry = (manager: string, fieldsV1: unknown, more: object = {}): object => ({
  manager,
  operation: "Update",
  fieldsV1,
  ...more,
});

const owned = (managedFields: unknown): ReturnType<typeof stored> => {
  const object = stored("Widget", "a", 1, {
    spec: {
      size: 3,
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
      ],
      tags: ["x", "y"],
      whole: { deep: [1] },
    },
  });
  return { ...object, metadata: { ...object.metadata, managedFields } };
};

const managers = (managedFields: unknown, ...path: (string | number)[]): string[] =>
  ownersOf(owned(managedFields), path).map(({ manager }) => manager);

describe("the owners of a member", () => {
  it("are all managers that have it, with the operation and the subresource", () => {
    const fields = { "f:spec": { "f:size": {} } };
    const object = owned([
      entry("a", fields),
      entry("b", fields, { subresource: "scale", time: "2030-01-01T00:00:00Z" }),
    ]);
    expect(ownersOf(object, ["spec", "size"])).toEqual([
      { manager: "a", operation: "Update" },
      { manager: "b", operation: "Update scale", time: "2030-01-01T00:00:00Z" },
    ]);
    expect(managers([entry("a", fields)], "spec", "other")).toEqual([]);
  });

  it("follow items by their keys, their values and their place", () => {
    const fields = {
      "f:spec": {
        "f:ports": { 'k:{"name":"b"}': { ".": {}, "f:port": {} } },
        "f:tags": { 'v:"y"': {} },
      },
    };
    expect(managers([entry("a", fields)], "spec", "ports", 1, "port")).toEqual(["a"]);
    expect(managers([entry("a", fields)], "spec", "ports", 1)).toEqual(["a"]);
    expect(managers([entry("a", fields)], "spec", "ports", 0, "port")).toEqual([]);
    expect(managers([entry("a", fields)], "spec", "tags", 1)).toEqual(["a"]);
    expect(managers([entry("a", fields)], "spec", "tags", 0)).toEqual([]);
    expect(managers([entry("a", { "f:spec": { "f:tags": { "i:0": {} } } })], "spec", "tags", 0)).toEqual(["a"]);
  });

  it("are those of a whole that contains it", () => {
    expect(managers([entry("a", { "f:spec": { "f:whole": {} } })], "spec", "whole", "deep", 0)).toEqual(["a"]);
  });

  it("are none where the record is not what it should be", () => {
    for (const record of [
      undefined,
      3,
      [3],
      [entry("a", "x")],
      [entry("a", { "f:spec": { "f:ports": { "k:{": {}, "v:": {} } } })],
    ]) {
      expect(managers(record, "spec", "ports", 0)).toEqual([]);
    }
  });
});
