import { expect, test } from "vitest";
import { placeOf } from "./yaml-place.ts";

/** The place of the sign `^` in a text, which is taken out of it. */
function place(marked: string) {
  const before = marked.slice(0, marked.indexOf("^")).split("\n");
  const lines = marked.replace("^", "").split("\n");
  const { path, key, at, from, isText } = placeOf((line) => lines[line]!, before.length - 1, before.at(-1)!.length);
  return {
    path: [...path, ...(key === undefined ? [] : [`.${key}`])].join("/"),
    at,
    from,
    ...(isText ? { isText } : {}),
  };
}

const POD = `apiVersion: v1
kind: Pod
metadata:
  labels:
    app.kubernetes.io/name: web
spec:
  # containers: of this Pod
  containers:
  - name: one
    ports:
    - containerPort: 1
    - containerPort: 2
  - image: a
    name: two
`;

test("members, items and values", () => {
  expect(place(`${POD}^`)).toEqual({ path: "", at: "key", from: 0 });
  expect(place(`${POD}    ^`)).toEqual({ path: "spec/containers/1", at: "key", from: 4 });
  expect(place(`${POD}    ima^`)).toEqual({ path: "spec/containers/1", at: "key", from: 4 });
  expect(place(`${POD}    imagePullPolicy: A^`)).toEqual({
    path: "spec/containers/1/.imagePullPolicy",
    at: "value",
    from: 21,
  });
  expect(place(`${POD}  - ^`)).toEqual({ path: "spec/containers/2", at: "key", from: 4 });
  expect(place(`${POD}  res^`)).toEqual({ path: "spec", at: "key", from: 2 });
  expect(place(POD.replace("containerPort: 2", "contain^erPort: 2"))).toEqual({
    path: "spec/containers/0/ports/1/.containerPort",
    at: "key",
    from: 6,
  });
  expect(place(POD.replace("io/name: web", "io/name: w^eb"))).toEqual({
    path: "metadata/labels/.app.kubernetes.io/name",
    at: "value",
    from: 28,
  });
});

test("a list that is indented deeper than its member", () => {
  expect(place("spec:\n  a:\n    - x: 1\n      y:\n        - z: 1\n        - ^")).toMatchObject({
    path: "spec/a/0/y/1",
  });
  expect(place("a:\n- - b\n  - c: ^")).toMatchObject({ path: "a/0/1/.c", at: "value" });
});

test("the text of a block, and comments, are no members", () => {
  expect(place("data:\n  x: |\n    spec:\n    ^")).toMatchObject({ isText: true });
  expect(place("data:\n  x: |\n    spec:\n  y: ^")).toEqual({ path: "data/.y", at: "value", from: 5 });
  expect(place("spec:\n  a: 1 # say ^")).toMatchObject({ isText: true });
});

test("quoted names, and documents", () => {
  expect(place(`data:\n  "a: b":\n    ^`)).toMatchObject({ path: "data/a: b" });
  expect(place(`data:\n  'it''s':\n    ^`)).toMatchObject({ path: "data/it's" });
  expect(place("spec:\n  a: 1\n---\n  ^")).toMatchObject({ path: "" });
});

test("a long text takes linear time", () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => (i === 0 ? "items:" : `- name: ${"x".repeat(20)}`));
  const started = performance.now();
  expect(placeOf((line) => lines[line]!, lines.length - 1, 4).path).toEqual(["items", 39_998]);
  expect(placeOf(() => `${"a".repeat(100_000)}:`, 0, 3).path).toEqual([]);
  expect(performance.now() - started).toBeLessThan(2000);
});
