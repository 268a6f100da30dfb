import { expect, test } from "vitest";
import { type Deleted, type RestorableObject, planUndelete } from "./undelete-plan.ts";

const owner = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid: `uid-${name}` });

const object = (
  over: Partial<RestorableObject> = {},
  metadata: Partial<RestorableObject["metadata"]> = {},
): RestorableObject => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: {
    name: "pv",
    labels: { a: "b" },
    uid: "old",
    resourceVersion: "7",
    generation: 3,
    creationTimestamp: "2026-01-02T03:04:05Z",
    finalizers: ["example.com/guard"],
    managedFields: [{ manager: "alice" }, { manager: "bob" }, { manager: "alice", subresource: "status" }],
    ...metadata,
  },
  spec: { x: 1 },
  ...over,
});

const plan = (deleted: Partial<Deleted>) =>
  planUndelete({ object: object(), goneOwners: [], hasStatus: true, ...deleted });

test("members that only the server writes are left out, all others are sent unchanged", () => {
  const { body, status, losses } = plan({});
  expect(body).toEqual({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "pv", labels: { a: "b" }, finalizers: ["example.com/guard"] },
    spec: { x: 1 },
  });
  expect(status).toBeUndefined();
  expect(losses.map(({ what, why }) => `${what}: ${why}`)).toEqual([
    "metadata.uid: was old; what names that uid does not mean the new object",
    "metadata.resourceVersion: was 7",
    "metadata.creationTimestamp: was 2026-01-02T03:04:05Z",
    "metadata.generation: was 3; it starts again",
  ]);
});

test("owner references stay, except those to deleted owners", () => {
  const [kept, gone] = [owner("kept"), owner("gone")];
  const { body, losses } = plan({ object: object({}, { ownerReferences: [kept, gone] }), goneOwners: [gone] });
  expect(body.metadata.ownerReferences).toEqual([kept]);
  expect(losses.at(-1)).toEqual({ what: "metadata.ownerReferences", why: "ConfigMap gone (uid uid-gone) is gone" });
  expect(
    plan({ object: object({}, { ownerReferences: [gone] }), goneOwners: [gone] }).body.metadata,
  ).not.toHaveProperty("ownerReferences");
});

test("a status is written through its subresource, or with the object without one", () => {
  const status = { phase: "Bound" };
  expect(plan({ object: object({ status }) })).toMatchObject({ status });
  expect(plan({ object: object({ status }) }).body).not.toHaveProperty("status");
  expect(plan({ object: object({ status }), hasStatus: false })).toMatchObject({ body: { status }, status: undefined });
  expect(plan({ object: object({ status: {} }) }).status).toBeUndefined();
});

test("the status of a terminating object is not restored", () => {
  const going = object({ status: { phase: "Failed" } }, { deletionTimestamp: "2026-01-02T03:04:06Z" });
  const { body, status, losses } = plan({ object: going });
  expect(status).toBeUndefined();
  expect(body.metadata).not.toHaveProperty("deletionTimestamp");
  expect(losses.slice(-2).map(({ what }) => what)).toEqual(["metadata.finalizers", "status"]);
});

test.each([
  ["ServiceAccount", "tokens"],
  ["Namespace", "objects"],
  ["VolumeSnapshot", "content"],
])("the losses of a %s include its %s", (kind, what) => {
  expect(plan({ object: object({ kind }) }).losses.at(-1)).toMatchObject({ what });
});

test("managers of fields are restored, except those of a status that is not restored", () => {
  const owners = (deleted: RestorableObject): unknown[] =>
    plan({ object: deleted }).managers.map(({ manager }) => manager);
  const status = { phase: "Bound" };
  const gone = object({ status }, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  expect([owners(object({ status })), owners(gone)]).toEqual([
    ["alice", "bob", "alice"],
    ["alice", "bob"],
  ]);
});
