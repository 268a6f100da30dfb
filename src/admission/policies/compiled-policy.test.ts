import { expect, test } from "vitest";
import { atOnce } from "../../util/steps.ts";
import { WorkTooLong, withWorkLimit } from "../../util/work-limit.ts";
import { CompiledPolicy } from "./compiled-policy.ts";

const OBJECT = { apiVersion: "v1", kind: "Policy", metadata: { name: "p" } };

test("a policy is compiled once, by the callers of its steps", () => {
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

test("a compilation that is too much work for this thread is not begun here for ever", () => {
  let attempts = 0;
  const policy = new CompiledPolicy(OBJECT, {}, [], function* () {
    attempts++;
    yield;
    throw new WorkTooLong();
  });
  for (let i = 0; i < 5; i++) expect(() => atOnce(withWorkLimit(policy.compiled()))).toThrow(/worker thread/);
  expect(attempts).toBe(3);
});

test("an aborted compilation starts again", () => {
  let attempts = 0;
  const policy = new CompiledPolicy(OBJECT, {}, [], function* () {
    yield;
    if (++attempts === 1) throw new Error("too long");
    return attempts;
  });
  expect(() => atOnce(policy.compiled())).toThrow("too long");
  expect(atOnce(policy.compiled()).expressions).toBe(2);
});
