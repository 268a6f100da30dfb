import { expect, test } from "vitest";
import { applies, conflicts, isNow, owners, runStory, updates } from "./testing/story.ts";
import { LAST_APPLIED } from "./index.ts";
import type { ValueObject } from "../value/value.ts";

const lastApplied = (more: object): string =>
  JSON.stringify({ apiVersion: "v1", kind: "Thing", metadata: { name: "t" }, ...more }) + "\n";

const clientSide = (annotation: string, data: object) =>
  updates("kubectl-client-side-apply", { metadata: { annotations: { [LAST_APPLIED]: annotation } }, data });

const annotationOf = (live: unknown): string =>
  ((live as { metadata: { annotations: ValueObject } }).metadata.annotations[LAST_APPLIED] ?? "") as string;

test("kubectl becomes the owner of the fields in its annotation, and updates the annotation", () => {
  const world = runStory([
    clientSide(lastApplied({ data: { k: "1", l: "1" } }), { k: "1", l: "1" }),
    applies("kubectl", { data: { k: "2", m: "<1>" } }),
    owners({
      kubectl: [".data.k", ".data.m"],
      "kubectl-client-side-apply updating v1": [
        ".data",
        ".data.l",
        ".metadata.annotations",
        `.metadata.annotations.${LAST_APPLIED}`,
      ],
    }),
  ]);
  expect(annotationOf(world.live)).toBe(
    '{"apiVersion":"v1","data":{"k":"2","m":"\\u003c1\\u003e"},"kind":"Thing","metadata":{"name":"t"}}\n',
  );
});

test("other managers do not become owners by the annotation", () => {
  runStory([
    clientSide(lastApplied({ data: { k: "1" } }), { k: "1" }),
    conflicts("other", { data: { k: "2" } }, { "kubectl-client-side-apply updating v1": [".data.k"] }),
  ]);
});

test("a field that differs from the annotation stays a conflict, the only one in the response", () => {
  runStory([
    clientSide(lastApplied({ data: { k: "1", l: "old" } }), { k: "1", l: "1" }),
    conflicts("kubectl", { data: { k: "2", l: "2" } }, { "kubectl-client-side-apply updating v1": [".data.l"] }),
    isNow({
      metadata: { annotations: { [LAST_APPLIED]: lastApplied({ data: { k: "1", l: "old" } }) } },
      data: { k: "1", l: "1" },
    }),
  ]);
});

test("an annotation that is broken, of another version or of another shape is no help", () => {
  const bad = [
    "{",
    "[]",
    "null",
    JSON.stringify({ apiVersion: "v9", kind: "Thing", data: { k: "1" } }),
    lastApplied({ data: { k: 1 } }),
    lastApplied({ unknown: 1, data: { k: "1" } }),
  ];
  for (const annotation of bad) {
    runStory([
      clientSide(annotation, { k: "1" }),
      conflicts("kubectl", { data: { k: "2" } }, { "kubectl-client-side-apply updating v1": [".data.k"] }),
    ]);
  }
});

test("an intent that brings the annotation is recorded without it, and too big an annotation is dropped", () => {
  const world = runStory([
    applies("kubectl", { metadata: { annotations: { [LAST_APPLIED]: "x", n: "1" } }, data: { k: "1" } }),
  ]);
  expect(JSON.parse(annotationOf(world.live))).toMatchObject({ metadata: { annotations: { n: "1" } } });
  const big = runStory([clientSide(lastApplied({}), {}), applies("kubectl", { data: { k: "x".repeat(300_000) } })]);
  expect(JSON.stringify(big.live)).not.toContain(LAST_APPLIED + '":"{');
});
