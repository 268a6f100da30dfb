import { expect, test } from "vitest";
import { parseResource } from "./rights-request.ts";

test.each([
  ["pods", "pods", "", undefined],
  ["pods/log", "pods", "log", undefined],
  ["deployments.apps", "deployments", "", "apps"],
  ["deployments/scale.apps", "deployments", "scale", "apps"],
  ["deployments.apps/scale", "deployments", "scale", "apps"],
  ["signers.certificates.k8s.io", "signers", "", "certificates.k8s.io"],
])("%s is the resource %s, subresource %j, group %s", (what, resource, subresource, group) => {
  expect(parseResource(what)).toEqual({ resource, subresource, group });
});
