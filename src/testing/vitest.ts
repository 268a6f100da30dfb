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
import { type ExpectedCondition, conditionComplaint, ownerComplaint } from "./assertions.ts";

const verdict = (complaint: string | undefined, otherwise: string): { pass: boolean; message: () => string } => ({
  pass: complaint === undefined,
  message: () => complaint ?? otherwise,
});

expect.extend({
  toHaveCondition: (object: ApiObject, type: string, expected?: ExpectedCondition) =>
    verdict(conditionComplaint(object, type, expected), `expected the object not to have this condition ${type}`),
  toBeOwnedBy: (object: ApiObject, owner: ApiObject) =>
    verdict(ownerComplaint(object, owner), `expected the object not to be owned by ${owner.metadata.name}`),
});

declare module "vitest" {
  // The parameters are those of the interface that is added to.
  // eslint-disable-next-line typescript/no-unused-vars
  interface Matchers<R extends void | Promise<void>, T> {
    /** The object has a condition of this type, with the members that are given. */
    toHaveCondition(type: string, expected?: ExpectedCondition): R;
    /** One of the owner references is to that object. */
    toBeOwnedBy(owner: ApiObject): R;
  }
}
