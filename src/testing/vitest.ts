/**
 * `keelson/testing/vitest`: the assertions of the kit as matchers.
 *
 *     import "keelson/testing/vitest";
 *     expect(pod).toHaveCondition("Ready", { status: "True" });
 *     expect(pod).toBeOwnedBy(replicaSet);
 *
 * @module
 */
import { expect } from "vitest";
import type { ApiObject } from "../client/index.ts";
import { type ExpectedCondition, conditionMismatch, ownerMismatch } from "./assertions.ts";

const result = (mismatch: string | undefined, otherwise: string): { pass: boolean; message: () => string } => ({
  pass: mismatch === undefined,
  message: () => mismatch ?? otherwise,
});

expect.extend({
  toHaveCondition: (object: ApiObject, type: string, expected?: ExpectedCondition) =>
    result(conditionMismatch(object, type, expected), `expected the object not to have this condition ${type}`),
  toBeOwnedBy: (object: ApiObject, owner: ApiObject) =>
    result(ownerMismatch(object, owner), `expected the object not to be owned by ${owner.metadata.name}`),
});

declare module "vitest" {
  // The parameters are those of the interface that is added to.
  // eslint-disable-next-line typescript/no-unused-vars
  interface Matchers<R extends void | Promise<void>, T> {
    /** The object has a condition of this type with the given members. */
    toHaveCondition(type: string, expected?: ExpectedCondition): R;
    /** The object has an owner reference to the owner. */
    toBeOwnedBy(owner: ApiObject): R;
  }
}
