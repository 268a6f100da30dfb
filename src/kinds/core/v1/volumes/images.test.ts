import { describe, expect, test } from "vitest";
import { neutral } from "../../../../meta/dialect.ts";
import { Bench, benches, wrong } from "../testing/volumes.ts";
import { defaultPullPolicy } from "./images.ts";

const DIGEST = `@sha256:${"0".repeat(64)}`;

test.each([
  ["a", "Always"],
  ["a:latest", "Always"],
  ["example.com:5000/a", "Always"],
  ["example.com:5000/a:v1", "IfNotPresent"],
  [`a${DIGEST}`, "IfNotPresent"],
  [`a:latest${DIGEST}`, "Always"],
  ["localhost:5000/a/b_c__d--e.f", "Always"],
  ["[::1]:5000/a", "Always"],
  ["Example/a", "Always"],
  ["", "IfNotPresent"],
  [" a", "IfNotPresent"],
  ["A", "IfNotPresent"],
  ["a/B", "IfNotPresent"],
  ["a___b", "IfNotPresent"],
  ["a@sha256:0", "IfNotPresent"],
  ["0".repeat(64), "IfNotPresent"],
  ["a".repeat(247), "Always"],
  ["a".repeat(248), "IfNotPresent"],
  [`docker.io/${"a".repeat(248)}`, "IfNotPresent"],
  [`docker.io/b/${"a".repeat(253)}`, "Always"],
  [`b/${"a".repeat(254)}`, "IfNotPresent"],
  [`example.com:5000/${"a".repeat(255)}:latest${DIGEST}`, "Always"],
  [`example.com/${"a".repeat(256)}`, "IfNotPresent"],
  ["a:", "IfNotPresent"],
])("VOL-40, KIND-Pod-1: the image '%s' is pulled %s", (reference, policy) => {
  expect(defaultPullPolicy(reference)).toBe(policy);
});

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("images, %s", (name, bench: Bench) => {
  const strict = name === "kubernetes";

  test("VOL-38: the reference may be absent by the documents", () => {
    expect(wrong(bench.inline({ image: {} }), "spec.volumes[0].")).toEqual(strict ? ["Required image.reference"] : []);
  });

  test("VOL-39, VOL-40: pull policies", () => {
    expect(bench.readInline({ image: { reference: "a:v1", pullPolicy: "" } })).toEqual({
      reference: "a:v1",
      pullPolicy: "IfNotPresent",
    });
    const outcome = bench.inline({ image: { reference: "a", pullPolicy: "Sometimes" } });
    expect(wrong(outcome, "spec.volumes[0].")).toEqual(["NotSupported image.pullPolicy"]);
  });

  test("VOL-43: sub-paths of image volumes can be mounted", () => {
    const volumeMounts = [{ name: "v", mountPath: "/m", subPath: "sub" }];
    const containers = [{ name: "c", image: "i", volumeMounts }];
    const volumes = [{ name: "v", image: { reference: "a" } }];
    expect(bench.pod.create({ spec: { containers, volumes } }).causes).toEqual([]);
  });

  test.each([
    [{ repository: "r", directory: "." }, []],
    [{ repository: "r", directory: "a/b", revision: "abc" }, []],
    [{ repository: "r", directory: "..a" }, []],
    [{}, ["Required repository"]],
    [{ repository: "r", directory: "../x" }, ["Invalid directory"]],
    [{ repository: "r", directory: "a/../b" }, ["Invalid directory"]],
    [{ repository: "r", directory: "/a" }, ["Invalid directory"]],
  ])("VOL-46..48: gitRepo %o", (gitRepo, expected) => {
    const outcome = bench.inline({ gitRepo });
    expect(wrong(outcome, "spec.volumes[0].gitRepo.")).toEqual(expected);
    expect(outcome.object["spec"]).toMatchObject({ volumes: [{ gitRepo }] });
    expect(outcome.warnings).toHaveLength(1);
  });
});

test("DEC-38: without the gate ImageVolume an image volume is dropped, which leaves none", () => {
  const outcome = new Bench(neutral, { ImageVolume: false }).inline({ image: { reference: "a" } });
  expect(outcome.causes).toEqual(["FieldValueRequired spec.volumes[0]"]);
  expect(outcome.warnings).toEqual([expect.stringContaining("ImageVolume")]);
});
