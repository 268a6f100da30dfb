/** What steps of admission see of documents that are planned, and of those that are stored as one. */
import { expect, test } from "vitest";
import type { AdmissionRequest, AdmissionStep } from "../../src/admission/contract.ts";
import { applyDocuments, planDocuments } from "../../src/client/index.ts";
import { createCluster as createCore } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { forbidden } from "../../src/meta/status.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { createCluster } from "../../src/testing/index.ts";

const OPTIONS = { fieldManager: "deployer" };
const map = (name: string, data: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});

/** A cluster with one more step of admission. */
async function withStep(step: AdmissionStep) {
  const store = await openMemoryStore();
  return createCore({ store, dialect: kubernetes, steps: [step] });
}

test("a plan is a dry run for them, which a step that calls others passes on; what is stored is none", async () => {
  const seen: (readonly [name: string, dryRun: boolean, isPlanned: boolean])[] = [];
  const note = ({ name, options, isPlanned }: AdmissionRequest): void =>
    void seen.push([name, options.dryRun, isPlanned]);
  await using cluster = await withStep({
    name: "Notes",
    resources: [{ group: "", plural: "configmaps" }],
    validate: note,
  });
  await planDocuments(cluster.client("test"), [map("a")], OPTIONS);
  await applyDocuments(cluster.client("test"), [map("a")], OPTIONS);
  expect(seen).toEqual([
    ["a", true, true],
    ["a", false, false],
  ]);
});

test("they see what the documents before would have made; who refuses is named, now or later", async () => {
  const policy: AdmissionStep = {
    name: "Policy",
    async validate({ ref, name, lookup }) {
      await Promise.resolve();
      const rules = lookup.get("configmaps", "default", "policy") as { data?: Record<string, string> } | undefined;
      if (rules?.data?.["refuses"] === name) throw forbidden(ref, name, "the policy does not allow it");
    },
    mutate({ object, name }) {
      if (name === "changed") object!["data"] = { by: "policy" };
    },
  };
  await using cluster = await withStep(policy);
  const documents = [map("b"), map("policy", { refuses: "b" }), map("b", { x: "1" }), map("changed")];
  const plan = await planDocuments(cluster.client("test"), documents, { ...OPTIONS, objects: true });
  expect(plan.documents).toMatchObject([
    { result: "created" },
    { result: "created" },
    { result: "refused", refusedBy: "Policy", status: { code: 403 } },
    { result: "created", value: { data: { by: "policy" } } },
  ]);
});

test("a plan in the name of another user needs the rights of that user", async () => {
  await using cluster = await createCluster({ rbac: true });
  const as = (user: string) =>
    cluster.client().with({
      through: (transport) => (request) =>
        transport({ ...request, headers: { ...request.headers, "impersonate-user": user } }),
    });
  await expect(planDocuments(as("dee"), [map("a")], OPTIONS)).rejects.toMatchObject({
    status: { code: 403, message: expect.stringContaining('User "dee" cannot post path "/keelson/v1/plan"') },
  });
  const group = "rbac.authorization.k8s.io";
  await cluster.applyAll(
    {
      apiVersion: `${group}/v1`,
      kind: "ClusterRole",
      metadata: { name: "planner" },
      rules: [{ nonResourceURLs: ["/keelson/v1/plan"], verbs: ["post"] }],
    },
    {
      apiVersion: `${group}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "planner" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "planner" },
      subjects: [{ kind: "User", name: "dee", apiGroup: group }],
    },
  );
  const { documents } = await planDocuments(as("dee"), [map("a")], OPTIONS);
  expect(documents).toMatchObject([{ result: "refused", refusedBy: "authorization", status: { code: 403 } }]);
});
