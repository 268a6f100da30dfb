import { expect, test } from "vitest";
import { createCluster } from "./index.ts";

const POLICY = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: no-latest }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps] }]
  validations:
    - expression: "!has(object.data) || !('tag' in object.data) || object.data.tag != 'latest'"
      message: name a version
`;

test("policies are tried on what a test has stored", async () => {
  await using cluster = await createCluster();
  const map = (name: string, tag: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: { tag },
  });
  await cluster.apply(map("good", "1"), map("bad", "latest"));
  const { version } = cluster;
  const report = await cluster.tryPolicies(POLICY);
  expect(report.findings.map(({ of, object }) => [of, object.name])).toEqual([
    ["object", "bad"],
    ["write", "bad"],
  ]);
  expect(report.findings[0]).toMatchObject({ message: "name a version", managers: ["test"] });
  expect(cluster.version).toBe(version);
});
