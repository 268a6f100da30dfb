import { expect, test } from "vitest";
import type { Identity } from "../auth/contract.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import { ownerReferences } from "./owner-references.ts";
import { objectOf, requestOf } from "./testing/requests.ts";
import { systemClock } from "../util/clock.ts";

const owner = (more: object = {}) => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "1", ...more });
const owned = (...owners: object[]) => objectOf({ name: "a", namespace: "team", ownerReferences: owners });
const REPLICA_SETS = { group: "apps", version: "v1", plural: "replicasets", namespaced: true };
const NODES = { group: "", version: "v1", plural: "nodes", namespaced: false };

/** The plugin for a user with some rights, written `VERB RESOURCE/SUBRESOURCE NAMESPACE/NAME`, and the rights that it checked. */
function plugin(...rights: string[]) {
  const asked: string[] = [];
  const step = ownerReferences({
    clock: systemClock,
    authorizer: {
      authorize(_: Identity, { verb, resource, subresource, namespace, name }: RequestInfo) {
        const what = `${verb} ${resource}${subresource && `/${subresource}`} ${namespace}/${name}`;
        asked.push(what);
        return { allowed: rights.includes(what), reason: "" };
      },
      rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: true }),
    },
    resourcesOf: (_, kind) => (kind === "ReplicaSet" ? [REPLICA_SETS] : kind === "Node" ? [NODES] : []),
  });
  const judge = async (request: Parameters<typeof requestOf>[0]): Promise<void> => step.validate!(requestOf(request));
  return { judge, asked };
}

const REFUSED = expect.objectContaining({ code: 403 }) as Error;
const ALL = "update */finalizers /*";

test("a user who creates an object may set its owners", async () => {
  const { judge, asked } = plugin();
  await judge({ object: owned(owner()) });
  expect(asked).toEqual([]);
});

test("CVE-2025-5187: a user who changes the owners of an object must be allowed to delete it", async () => {
  const change = { operation: "UPDATE", old: owned(), object: owned(owner()) } as const;
  await expect(plugin().judge(change)).rejects.toEqual(REFUSED);
  await plugin("delete configmaps team/a").judge(change);
  await plugin().judge({ ...change, old: owned(owner()) });
});

test("a user who lets an owner wait must be allowed to update its finalizers", async () => {
  const blocking = owned(owner({ blockOwnerDeletion: true }));
  const { judge, asked } = plugin();
  await expect(judge({ object: blocking })).rejects.toEqual(REFUSED);
  expect(asked).toEqual([ALL, "update replicasets/finalizers team/r"]);
  await plugin("update replicasets/finalizers team/r").judge({ object: blocking });
  await plugin(ALL).judge({ object: blocking });
});

test("an owner of the cluster is asked for in no namespace; one of an unknown kind is refused", async () => {
  const node = owner({ apiVersion: "v1", kind: "Node", name: "n", blockOwnerDeletion: true });
  await plugin("update nodes/finalizers /n").judge({ object: owned(node) });
  const unknown = owned(owner({ kind: "Nothing", blockOwnerDeletion: true }));
  await expect(plugin().judge({ object: unknown })).rejects.toEqual(REFUSED);
});

test("an owner that waits already is not asked for again", async () => {
  const { judge, asked } = plugin("delete configmaps team/a");
  const old = owned(owner({ blockOwnerDeletion: true }));
  const object = owned(owner({ blockOwnerDeletion: true, controller: true }));
  await judge({ operation: "UPDATE", old, object });
  expect(asked).toEqual(["delete configmaps team/a"]);
});

test("the status of a Pod changes no owners and is not asked about", async () => {
  const ref = { group: "", plural: "pods", kind: "Pod" };
  const { judge, asked } = plugin();
  await judge({ operation: "UPDATE", ref, subresource: "status", old: owned(), object: owned(owner()) });
  expect(asked).toEqual([]);
});
