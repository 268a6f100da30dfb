/** What exploring the stories has found, and was mended: each plan is played again. */
import { afterEach, expect, test } from "vitest";
import { builtInControllers, chooseControllers } from "../../../src/controllers/index.ts";
import type { RunRecord } from "../../../src/explore/contract/laboratory.ts";
import type { DeliveryPoint, Perturbation } from "../../../src/explore/contract/plan.ts";
import type { StoredObject } from "../../../src/explore/contract/state.ts";
import type { ChangeEntry } from "../../../src/explore/contract/trace.ts";
import { kubernetes } from "../../../src/meta/dialect.ts";
import { openLaboratory } from "../../../src/testing/explore/explore.ts";
import type { InProcessLaboratory } from "../../../src/testing/explore/laboratory.ts";
import { OWN_STORIES } from "./stories.ts";

const SETTINGS = { dialect: kubernetes, eventTtlMillis: 3_600_000, caCertificate: "" };

const opened: InProcessLaboratory[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

/** Plays a story with one perturbation. */
async function play(
  story: string,
  perturbation: Perturbation | undefined,
  steps?: readonly number[],
): Promise<RunRecord> {
  const { explored, beside, scenario, settings, cluster } = OWN_STORIES[story]!;
  const controllers = () => chooseControllers(builtInControllers({ ...SETTINGS, ...settings }), explored);
  const laboratory = await openLaboratory(scenario, {
    programs: { own: { controllers } },
    cluster: { ...cluster, controllers: beside },
  });
  opened.push(laboratory);
  const run = await laboratory.run({ seed: 1, plan: perturbation ? [perturbation] : [], ...(steps && { steps }) });
  expect(run.met).not.toContain(false);
  expect(run.complaints).toEqual([]);
  return run;
}

const event = (kind: string, change: DeliveryPoint["change"], name: string, namespace?: string): DeliveryPoint => {
  return { actor: "own", group: "", kind, name, change, occurrence: 0, ...(namespace !== undefined && { namespace }) };
};

/** An object in the end. */
const objectIn = ({ states }: RunRecord, kind: string, name: string, namespace: string): StoredObject | undefined =>
  states
    .at(-1)!
    .state.objects.find(
      (one) => one.kind === kind && one.metadata.name === name && one.metadata.namespace === namespace,
    );

test("CTL-NS-1: a namespace that was made again under the name of a deleted one keeps what it has", async () => {
  const gap = { type: "gap", at: event("Namespace", "DELETED", "team"), untilStep: 3 } as const;
  const { trace } = await play("namespaces", gap, [0, 1, 2, 3]);
  const again = trace.find(({ type, ...entry }) => type === "step" && "step" in entry && entry.step === 3)!.seq;
  const deleted = trace
    .slice(again)
    .filter((entry): entry is ChangeEntry => entry.type === "change" && entry.change === "deleted");
  expect(deleted.map(({ object }) => `${object.kind} ${object.name}`)).toEqual([]);
});

test("a namespace whose content is deleted while an answer is lost has not failed: it is tried again", async () => {
  const at = { actor: "own", protocol: "api", verb: "deletecollection", group: "", kind: "ConfigMap" } as const;
  const run = await play("namespaces", { type: "answer-lost", at: { ...at, namespace: "team", occurrence: 0 } });
  expect(run.complaints).toEqual([]);
});

test("an account that is deleted before its controller has seen it is made again", async () => {
  const gap = { type: "gap", at: event("ServiceAccount", "ADDED", "default", "default") } as const;
  expect(objectIn(await play("system namespaces", gap, [1]), "ServiceAccount", "default", "default")).toBeDefined();
});

test("CTL-SA-3: a Secret gets its token after a conflict", async () => {
  const at = { actor: "own", protocol: "api", verb: "patch", group: "", kind: "Secret" } as const;
  const point = { ...at, namespace: "default", name: "a", occurrence: 0 };
  const run = await play("tokens", { type: "refused", at: point, with: "conflict", times: 1 }, [0]);
  expect(objectIn(run, "Secret", "a", "default")).toHaveProperty("data.token");
});

test("an Event of a controller whose webhooks are slow does not stop the clock", async () => {
  const run = await play("ephemeral volumes", { type: "slow-webhooks", actor: "own", byMillis: 9000 });
  expect(run.complaints).toEqual([]);
});

test("a bundle of trust that is deleted before its controller has seen it is made again", async () => {
  const clean = await play("bundle of trust", undefined, [1]);
  const bundle = ({ states }: RunRecord) =>
    states.at(-1)!.state.objects.find(({ kind }) => kind === "ClusterTrustBundle");
  const { name } = bundle(clean)!.metadata;
  const at = { ...event("ClusterTrustBundle", "ADDED", name), group: "certificates.k8s.io" };
  expect(bundle(await play("bundle of trust", { type: "gap", at }, [1]))).toBeDefined();
});

test("CTL-GC-1: a dependent is deleted with an owner that was created and deleted unseen", async () => {
  const gap = { type: "gap", at: event("Secret", "ADDED", "back", "default"), untilStep: 1 } as const;
  expect(objectIn(await play("owners of another kind", gap), "ConfigMap", "back-1", "default")).toBeUndefined();
});

test("CTL-BIND-36: a released volume is not bound again to a claim whose deletion was never seen", async () => {
  const at = { ...event("PersistentVolumeClaim", "MODIFIED", "a", "default"), occurrence: 2 };
  const run = await play("freeing", { type: "gap", at, untilStep: 2 });
  const [one] = run.states.at(-1)!.state.objects.filter(({ kind }) => kind === "PersistentVolume");
  expect(one).toMatchObject({ spec: expect.not.objectContaining({ claimRef: expect.anything() }) });
  expect(one).toMatchObject({ status: { phase: "Available" } });
});

test("a bundle of trust that is deleted long before its controller hears of it is made again", async () => {
  const clean = await play("bundle of trust", undefined, [0, 1]);
  const bundles = ({ states }: RunRecord): readonly string[] =>
    states.at(-1)!.state.objects.flatMap(({ kind, metadata }) => (kind === "ClusterTrustBundle" ? metadata.name : []));
  const [name = ""] = bundles(clean);
  const at = { ...event("ClusterTrustBundle", "ADDED", name), group: "certificates.k8s.io" };
  expect(bundles(await play("bundle of trust", { type: "gap", at, untilStep: 2 }, [0, 1]))).toEqual([name]);
});

test("CTL-PVCP-6: a claim whose Pod was never seen is deleted after the Pod", async () => {
  const gap = { type: "gap", at: event("Pod", "ADDED", "p", "default"), untilStep: 4 } as const;
  const run = await play("claims in use", gap, [0, 2, 3]);
  expect(objectIn(run, "PersistentVolumeClaim", "a", "default")).toBeUndefined();
});

test("an address that a Service needs no longer is free, also where its allocation was never seen", async () => {
  const gap = { type: "gap", at: event("Service", "MODIFIED", "b", "default"), untilStep: 3 } as const;
  const run = await play("load balancers", gap, [0, 1, 2, 3, 4]);
  expect(objectIn(run, "Service", "c", "default")).toHaveProperty("status.loadBalancer.ingress");
});

test("a certificate that is changed before its controller has seen it is mended", async () => {
  const gap = { type: "gap", at: event("ConfigMap", "ADDED", "kube-root-ca.crt", "default"), untilStep: 3 } as const;
  const run = await play("system namespaces", gap, [0, 1, 2]);
  const made = objectIn(run, "ConfigMap", "kube-root-ca.crt", "default");
  expect(made).toHaveProperty(["data", "ca.crt"], expect.stringContaining("BEGIN CERTIFICATE"));
});

test.each(["shared", "a-own-*"])("a Pod gets one claim of devices where nothing is seen from %s on", async (name) => {
  const at = { ...event("ResourceClaim", "ADDED", name, "default"), group: "resource.k8s.io" };
  const { states } = await play("devices", { type: "gap", at, untilStep: 1 }, [0]);
  const claims = states.at(-1)!.state.objects.filter(({ kind }) => kind === "ResourceClaim");
  const made = claims.map(({ metadata }) => metadata.generateName ?? metadata.name);
  expect(made.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(["a-own-", "b-own-", "shared"]);
});
