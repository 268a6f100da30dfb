import { describe, expect, test } from "vitest";
import { type Dialect, kubernetes, neutral } from "../../meta/dialect.ts";
import { optional, quantity, struct } from "../../meta/types.ts";
import type { ApiObject, ResourceDefinition, WriteContext } from "../definition.ts";
import { contextOf } from "../testing/kind.ts";
import {
  countGeneration,
  dropDuplicateOwners,
  dropServerMetadata,
  fillNewMetadata,
  keepServerMetadata,
} from "./metadata.ts";

const object = (metadata: object, spec: object = {}): ApiObject => ({
  apiVersion: "v1",
  kind: "Widget",
  metadata: { name: "a", ...metadata },
  spec,
});
const schema = struct("", { spec: optional(struct("", { size: optional(quantity()) })) });
const counting = (generation?: "fromOne" | "fromFirstChange") =>
  ({ generation, schema }) as Partial<ResourceDefinition> as ResourceDefinition;

describe("a new object", () => {
  test("DEC-1: has a uid and a time of the server's, and neither version nor link of the client's", () => {
    const made = object({
      uid: "mine",
      creationTimestamp: "2001-01-01T00:00:00Z",
      resourceVersion: "7",
      selfLink: "/x",
    });
    fillNewMetadata(counting(), made, contextOf(neutral));
    expect(made.metadata).toEqual({
      name: "a",
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      creationTimestamp: "2026-01-01T00:00:00Z",
    });
  });

  test("DEC-3: starts at generation 1 where its kind counts so; else a sent one is dropped, or kept in the kubernetes dialect", () => {
    const generation = (dialect: Dialect, from?: "fromOne" | "fromFirstChange"): unknown => {
      const made = object({ generation: 9 });
      fillNewMetadata(counting(from), made, contextOf(dialect));
      return made.metadata.generation;
    };
    for (const dialect of [neutral, kubernetes]) expect(generation(dialect, "fromOne")).toBe(1);
    for (const from of [undefined, "fromFirstChange"] as const) {
      expect([generation(neutral, from), generation(kubernetes, from)]).toEqual([undefined, 9]);
    }
  });

  test("DEC-1: is not being deleted, whatever the client says", () => {
    const made = object({ deletionTimestamp: "2001-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 });
    dropServerMetadata(made);
    expect(made.metadata).toEqual({ name: "a" });
  });
});

describe("a changed object", () => {
  test("DEC-1: keeps what only the server says, whatever was sent", () => {
    const old = object({ uid: "u", creationTimestamp: "2020-01-01T00:00:00Z", resourceVersion: "7" });
    const sent = object({ uid: "x", creationTimestamp: "2001-01-01T00:00:00Z", generation: 5, selfLink: "/x" });
    keepServerMetadata(sent, old);
    expect(sent.metadata).toEqual(old.metadata);
  });

  test("DEC-1: a deletion that has begun goes on", () => {
    const old = object({ deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 });
    const sent = object({});
    keepServerMetadata(sent, old);
    expect(sent.metadata).toEqual(old.metadata);
    const shorter = object({ deletionTimestamp: null, deletionGracePeriodSeconds: 5 });
    keepServerMetadata(shorter, old);
    expect(shorter.metadata).toEqual({ ...old.metadata, deletionGracePeriodSeconds: 5 });
  });

  test("DEC-3: a change of its spec counts, where the kind counts", () => {
    const old = object({ generation: 3 }, { size: 1 });
    const ctx: WriteContext = { ...contextOf(neutral), warnings: [] };
    const changes: [ApiObject, "fromOne" | undefined, number][] = [
      [object({ generation: 3 }, { size: 1 }), "fromOne", 3],
      [object({ generation: 3, labels: { a: "b" } }, { size: 1 }), "fromOne", 3],
      [object({ generation: 3 }, { size: 2 }), "fromOne", 4],
      [object({ generation: 3 }, { size: 2 }), undefined, 3],
    ];
    for (const [changed, from, expected] of changes) {
      countGeneration(counting(from), changed, old, ctx);
      expect(changed.metadata.generation).toBe(expected);
    }
    const first = object({}, { size: 2 });
    countGeneration(counting("fromFirstChange"), first, object({}, { size: 1 }), ctx);
    expect(first.metadata.generation).toBe(1);
  });
});

test("DEC-1: an owner that stands there twice is kept once, with a word about it; two of one uid that differ stay", () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  const ctx: WriteContext = { ...contextOf(neutral), warnings: [] };
  const differing = object({ ownerReferences: [owner, { ...owner, controller: true }] });
  dropDuplicateOwners(differing, ctx);
  expect([differing.metadata.ownerReferences!.length, ctx.warnings]).toEqual([2, []]);
  const doubled = object({ ownerReferences: [owner, { uid: "u", name: "p", kind: "Pod", apiVersion: "v1" }] });
  dropDuplicateOwners(doubled, ctx);
  expect([doubled.metadata.ownerReferences, ctx.warnings]).toEqual([
    [owner],
    ["metadata.ownerReferences: the same owner was named more than once, it is kept once"],
  ]);
});
