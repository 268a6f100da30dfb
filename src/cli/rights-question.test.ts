import { expect, test } from "vitest";
import { parseWhat } from "./rights-question.ts";

test.each([
  ["pods", "pods", "", undefined],
  ["pods/log", "pods", "log", undefined],
  ["deployments.apps", "deployments", "", "apps"],
  ["deployments/scale.apps", "deployments", "scale", "apps"],
  ["deployments.apps/scale", "deployments", "scale", "apps"],
  ["signers.certificates.k8s.io", "signers", "", "certificates.k8s.io"],
])("%s is the resource %s, subresource %j, group %s", (what, resource, subresource, group) => {
  expect(parseWhat(what)).toEqual({ resource, subresource, group });
});
