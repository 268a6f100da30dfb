import { expect, test } from "vitest";
import { expose } from "../../util/exposition.ts";
import { PodSecurityMetrics } from "./metrics.ts";

test("the series of kube-apiserver are there from the start, and one is counted up", async () => {
  const metrics = new PodSecurityMetrics();
  const by = { level: "privileged", version: "v1.20", minor: 20 } as const;
  metrics.evaluated("allow", by, "enforce", {
    ref: { group: "", plural: "pods" },
    operation: "UPDATE",
    subresource: "",
  });
  const lines = expose(await metrics.collector())
    .split("\n")
    .filter((line) => line.startsWith("pod_security"));
  const common = 'decision="allow",policy_level="privileged",policy_version="latest",mode="enforce"';
  expect(lines).toEqual([
    `pod_security_evaluations_total{${common},request_operation="create",resource="pod",subresource=""} 0`,
    `pod_security_evaluations_total{${common},request_operation="update",resource="pod",subresource=""} 1`,
    'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 0',
    'pod_security_exemptions_total{request_operation="update",resource="pod",subresource=""} 0',
    'pod_security_exemptions_total{request_operation="create",resource="controller",subresource=""} 0',
    'pod_security_exemptions_total{request_operation="update",resource="controller",subresource=""} 0',
  ]);
});
