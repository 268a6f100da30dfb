import { describe, expect, test } from "vitest";
import type { ApiObject } from "../client/index.ts";
import { hasCondition, isOwnedBy } from "./index.ts";
import "./vitest.ts";

const objectOf = (kind: string, name: string, more: object = {}, metadata: object = {}): ApiObject =>
  ({
    apiVersion: "v1",
    kind,
    metadata: { name, namespace: "default", uid: `uid-${name}`, ...metadata },
    ...more,
  }) as ApiObject;

const ready = objectOf("Pod", "p", { status: { conditions: [{ type: "Ready", status: "True", reason: "Up" }] } });
const owner = objectOf("Node", "n");
const owned = objectOf(
  "Pod",
  "p",
  {},
  { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "uid-n" }] },
);

describe("hasCondition", () => {
  test("passes for an existing condition with the given members", () => {
    hasCondition(ready, "Ready");
    hasCondition(ready, "Ready", { status: "True", reason: "Up" });
    expect(ready).toHaveCondition("Ready", { status: "True" });
    expect(ready).not.toHaveCondition("Failed");
  });

  test.each([
    [() => hasCondition(owner, "Ready"), "expected Node default/n to have the condition Ready, it has none"],
    [() => hasCondition(ready, "Failed"), "expected Pod default/p to have the condition Failed, it has Ready"],
    [
      () => hasCondition(ready, "Ready", { status: "False", reason: "Up" }),
      'expected the condition Ready of Pod default/p to have status "False", it has status "True"',
    ],
    [() => expect(ready).toHaveCondition("Failed"), "it has Ready"],
    [() => expect(ready).not.toHaveCondition("Ready"), "expected the object not to have this condition Ready"],
  ])("says what was found: %#", (assert, message) => {
    expect(assert).toThrow(message);
  });
});

describe("isOwnedBy", () => {
  test("passes for that kind, name and uid", () => {
    isOwnedBy(owned, owner);
    expect(owned).toBeOwnedBy(owner);
    expect(owner).not.toBeOwnedBy(owned);
  });

  test("another uid of the same name is another owner", () => {
    const later = objectOf("Node", "n", {}, { uid: "later" });
    expect(() => isOwnedBy(owned, later)).toThrow(
      "expected Pod default/p to be owned by Node default/n (uid later), it is owned by Node n (uid uid-n)",
    );
    expect(() => isOwnedBy(owner, owned)).toThrow("it is owned by no object");
  });
});
