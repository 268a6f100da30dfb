import { expect, test } from "vitest";
import type { Authorizer } from "../auth/contract.ts";
import { RBAC_GROUP } from "../auth/rbac/role-cache.ts";
import type { ApiObject } from "../schema/definition.ts";
import { systemClock } from "../util/clock.ts";
import { escalation } from "./escalation.ts";
import { lookupOf, objectOf, requestOf } from "./testing/requests.ts";

const NEVER: Authorizer = {
  authorize: () => Promise.reject(new Error("a question about rights")),
} as unknown as Authorizer;
const step = escalation({ lookup: lookupOf({}), clock: systemClock, authorizer: NEVER });
const ref = { group: RBAC_GROUP, plural: "roles", kind: "Role" };
const role = (metadata: object, verb = "get"): ApiObject =>
  objectOf({ name: "r", namespace: "team", ...metadata }, { rules: [{ verbs: [verb], resources: ["pods"] }] });

const update = async (old: ApiObject, object: ApiObject): Promise<void> =>
  step.mutate!(requestOf({ operation: "UPDATE", ref, name: "r", object, old }));

test("RBAC-39, RBAC-44: a write of owners and finalizers alone needs no rights that the role gives", async () => {
  const old = role({ finalizers: ["a/b"], ownerReferences: [{ uid: "x" }], resourceVersion: "1" });
  await expect(update(old, role({ finalizers: [], resourceVersion: "1" }))).resolves.toBeUndefined();
});

test.each([
  ["a rule", role({}, "delete")],
  ["a label", role({ labels: { a: "b" } })],
])("RBAC-39: a write that changes %s asks for them", async (_, object) => {
  await expect(update(role({}), object)).rejects.toThrow("a question about rights");
});
