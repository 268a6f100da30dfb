import { expect, test } from "vitest";
import { slim } from "./follow-many.ts";

test("an object is kept without managedFields and the copy of kubectl, and with all else", () => {
  const metadata = { name: "a", labels: { x: "y" } };
  const full = {
    kind: "Pod",
    metadata: {
      ...metadata,
      managedFields: [{ manager: "x" }],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", own: "1" },
    },
    spec: { nodeName: "n" },
  };
  expect(slim(full)).toEqual({
    kind: "Pod",
    metadata: { ...metadata, annotations: { own: "1" } },
    spec: { nodeName: "n" },
  });
  expect(slim({ metadata: { name: "b" } })).toEqual({ metadata: { name: "b" } });
});
