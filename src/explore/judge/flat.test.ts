import { expect, test } from "vitest";
import type { StoredObject } from "../contract/state.ts";
import { flatten } from "./flat.ts";

const flat = (spec: object) => {
  const metadata = { name: "v", uid: "1", resourceVersion: "7" };
  const object: StoredObject = { apiVersion: "v1", kind: "PersistentVolume", metadata, spec };
  return Object.fromEntries(
    flatten(object, { names: { text: (text: string) => text } as never, isStored: () => true }),
  );
};

test("a reference does not tell when its object was seen", () => {
  const claimRef = { kind: "PersistentVolumeClaim", name: "c", uid: "2", resourceVersion: "5" };
  expect(flat({ claimRef })).toEqual({
    ".apiVersion": "v1",
    ".kind": "PersistentVolume",
    ".spec.claimRef.kind": "PersistentVolumeClaim",
    ".spec.claimRef.name": "c",
    ".spec.claimRef.uid": "2",
  });
});

test("a resourceVersion elsewhere is a member as any other", () => {
  expect(flat({ seen: { name: "c", resourceVersion: "5" } })).toMatchObject({ ".spec.seen.resourceVersion": "5" });
});

test("what two members identify together has no order", () => {
  const [one, other] = ["NoSchedule", "NoExecute"].map((effect) => ({ key: "node.kubernetes.io/unreachable", effect }));
  expect(flat({ taints: [one, other] })).toEqual(flat({ taints: [other, one] }));
  expect(flat({ taints: [one, one] })).toHaveProperty([".spec.taints[1].effect"], "NoSchedule");
});

test("the address that was allocated to an object is its own, whatever object had it before", () => {
  const names = { text: (text: string) => (text === "10.0.0.1" ? "address of Pod default/other" : text) } as never;
  const metadata = { name: "p", uid: "1", resourceVersion: "7" };
  const object: StoredObject = { apiVersion: "v1", kind: "Pod", metadata, status: { podIP: "10.0.0.1" } };
  expect(flatten(object, { names, isStored: () => true }).get(".status.podIP")).toBe("its own address");
});
