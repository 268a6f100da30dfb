import { expect, test } from "vitest";
import type { Decision } from "../../auth/contract.ts";
import type { Decide } from "../../cel/library/authorization.ts";
import { DecisionCache } from "./decision-cache.ts";

const asked = { user: { username: "u" }, verb: "get", path: "/healthz" } as const;

const cacheOf = (decision: Decision | Promise<Decision>): DecisionCache =>
  new DecisionCache({ authorize: () => decision });

/** Throws where the authorizer allows nothing. */
const demanding = (decide: Decide): string => {
  if (!decide(asked).allowed) throw new Error("not allowed");
  return "done";
};

test("CEL-26: what is thrown before the authorizer has answered is thrown away, as a result is", async () => {
  const late = Promise.resolve({ allowed: true, reason: "" });
  expect(await cacheOf(late).run(demanding)).toBe("done");
  expect(await cacheOf(late).run((decide) => Promise.resolve().then(() => demanding(decide)))).toBe("done");
});

test("CEL-26: what is thrown with all answers there is thrown", async () => {
  const no = { allowed: false, reason: "" };
  expect(() => cacheOf(no).run(demanding)).toThrow("not allowed");
  await expect(cacheOf(Promise.resolve(no)).run(demanding)).rejects.toThrow("not allowed");
});
