import { expect, test } from "vitest";
import { atOnce } from "../../util/steps.ts";
import { CompiledPolicy } from "./compiled-policy.ts";

const OBJECT = { apiVersion: "v1", kind: "Policy", metadata: { name: "p" } };

test("a policy is compiled once, by whoever runs its next step", () => {
  let compiled = 0;
  const policy = new CompiledPolicy(OBJECT, {}, [], function* () {
    yield;
    return ++compiled;
  });
  const [first, second] = [policy.compiled(), policy.compiled()];
  first.next();
  second.next();
  expect([atOnce(first).expressions, atOnce(second).expressions, atOnce(policy.compiled()).expressions]).toEqual([
    1, 1, 1,
  ]);
});

test("a compilation that was broken off begins anew", () => {
  let attempts = 0;
  const policy = new CompiledPolicy(OBJECT, {}, [], function* () {
    yield;
    if (++attempts === 1) throw new Error("too long");
    return attempts;
  });
  expect(() => atOnce(policy.compiled())).toThrow("too long");
  expect(atOnce(policy.compiled()).expressions).toBe(2);
});
