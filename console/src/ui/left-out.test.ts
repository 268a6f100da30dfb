import { expect, test } from "vitest";
import { ApiFailure } from "../api/http.ts";
import type { FollowedList } from "./follow-many.ts";
import { leftOutOf, namesText } from "./left-out.ts";

const list = (more: Partial<FollowedList> = {}): FollowedList => ({
  objects: [],
  state: "live",
  truncated: false,
  resourceVersion: "1",
  ...more,
});
const failed = (code: number): FollowedList =>
  list({
    state: "failed",
    failure: new ApiFailure(code, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code }),
  });
const of = (lists: Record<string, FollowedList>) => leftOutOf({ lists, isLoading: false });

test("what a user may not read is left out: lists, and namespaces of others", () => {
  expect(of({ pods: list(), nodes: failed(500) })).toBeUndefined();
  expect(of({ pods: list(), nodes: failed(403) })).toEqual({ refused: ["nodes"], more: 0 });
  const within = (namespaces: string[], more: number) => list({ within: { namespaces, more } });
  expect(of({ pods: within(["b", "a"], 0), jobs: within(["a", "c"], 2), nodes: failed(403) })).toEqual({
    refused: ["nodes"],
    namespaces: ["a", "b", "c"],
    more: 2,
  });
});

test("names are a part of a sentence", () => {
  expect(["", "a", "a b", "a b c"].map((text) => namesText(text.split(" ")))).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
  expect(namesText(Array.from({ length: 12 }, (_, i) => `n${i}`))).toMatch(/^n0, .*, n9 and 2 more$/);
});
