import { expect, test } from "vitest";
import { withoutManagedFields } from "./informer.ts";

test("withoutManagedFields leaves the object that it is given, and all but who wrote it, as they are", () => {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", managedFields: [{ manager: "m" }] },
    data: { a: "b" },
  };
  const { managedFields, ...metadata } = object.metadata;
  expect(withoutManagedFields(object)).toEqual({ ...object, metadata });
  expect(object.metadata.managedFields).toBe(managedFields);
});
