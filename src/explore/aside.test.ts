import { expect, test } from "vitest";
import type { StoredObject } from "./contract/state.ts";
import { isAside } from "./aside.ts";

const object = (more: object = {}): StoredObject => ({ metadata: { name: "a" }, ...more }) as unknown as StoredObject;

test.each([
  ["", "Event", {}, true],
  ["events.k8s.io", "Event", {}, true],
  ["example.com", "Event", {}, false],
  ["coordination.k8s.io", "Lease", { spec: { holderIdentity: "one" } }, true],
  ["coordination.k8s.io", "Lease", { spec: {} }, false],
  ["example.com", "Lease", { spec: { holderIdentity: "one" } }, false],
  ["", "ConfigMap", {}, false],
])("%s %s with %j is aside: %s", (group, kind, more, isIt) => {
  expect(isAside({ group, kind }, object(more))).toBe(isIt);
});
