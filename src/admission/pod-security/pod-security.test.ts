import { describe, expect, test } from "vitest";
import { kubernetes } from "../../meta/dialect.ts";
import { ApiError } from "../../meta/status.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { ManualClock } from "../../util/clock.ts";
import type { AdmissionRequest } from "../contract.ts";
import { atOnce, lookupOf, objectOf, requestOf } from "../testing/requests.ts";
import { PodSecurityMetrics } from "./metrics.ts";
import { podSecurity } from "./pod-security.ts";

const PREFIX = "pod-security.kubernetes.io/";
const POD = { group: "", plural: "pods", kind: "Pod" };
const NAMESPACE = { group: "", plural: "namespaces", kind: "Namespace" };
const DEPLOYMENT = { group: "apps", plural: "deployments", kind: "Deployment" };

type Labels = Readonly<Record<string, string>>;

const labelled = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [PREFIX + name, value]));

const PRIVILEGED_SPEC = {
  containers: [{ name: "a", image: "i", securityContext: { privileged: true } }],
  hostNetwork: true,
};
const PRIVILEGED =
  'host namespaces (hostNetwork=true), privileged (container "a" must not set securityContext.privileged=true)';
const PLAIN_SPEC = { containers: [{ name: "a", image: "i" }] };

const podOf = (spec: object, metadata: object = {}): ApiObject =>
  objectOf({ name: "p", namespace: "team", ...metadata }, { kind: "Pod", spec });

/** What the step has done with a request. */
interface Done {
  readonly refused: ApiError | undefined;
  readonly warnings: readonly string[];
  readonly notes: Readonly<Record<string, string>>;
  readonly samples: readonly string[];
}

/** Has the step validate a request in a namespace with some labels. */
async function admit(labels: Labels, more: Partial<AdmissionRequest>, pods: readonly ApiObject[] = []): Promise<Done> {
  const metrics = new PodSecurityMetrics();
  const step = podSecurity({ dialect: kubernetes, clock: new ManualClock(), metrics });
  const lookup = lookupOf({ namespaces: [objectOf({ name: "team", labels: labelled(labels) })], pods });
  const notes: Record<string, string> = {};
  const request = requestOf({ lookup, note: (key, value) => void (notes[key.replace(PREFIX, "")] ??= value), ...more });
  const refused = await refusalOf(() => step.validate!(request));
  const samples = (await metrics.collector()).flatMap(({ name, samples: all }) =>
    all
      .filter(({ value }) => value > 0)
      .map(({ labels: of = {}, value }) => `${name} ${Object.values(of).join(" ")} ${value}`),
  );
  return { refused, warnings: request.warnings, notes, samples };
}

async function refusalOf(work: () => void | Promise<void>): Promise<ApiError | undefined> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return undefined;
}

describe("Pods", () => {
  test("a Pod that violates the level for refusals is refused, with every reason, and gets no warning", async () => {
    const done = await admit(
      { enforce: "baseline", "enforce-version": "v1.30" },
      { ref: POD, name: "p", object: podOf(PRIVILEGED_SPEC) },
    );
    expect(done.refused?.status).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: `pods "p" is forbidden: violates PodSecurity "baseline:v1.30": ${PRIVILEGED}`,
      details: { name: "p", kind: "pods" },
    });
    expect(done).toMatchObject({ warnings: [], notes: { "enforce-policy": "baseline:v1.30" } });
    expect(done.samples).toEqual(["pod_security_evaluations_total deny baseline v1.30 enforce create pod  1"]);
  });

  test("a Pod gets a warning, and an annotation for audit, by the levels of those modes", async () => {
    const levels = { enforce: "baseline", warn: "restricted", audit: "restricted", "audit-version": "v1.7" };
    const done = await admit(levels, { ref: POD, name: "p", object: podOf(PLAIN_SPEC) });
    const nonRoot = 'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)';
    expect(done.refused).toBeUndefined();
    expect(done.warnings).toEqual([
      expect.stringMatching(/^would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false \(/),
    ]);
    expect(done.notes).toEqual({
      "enforce-policy": "baseline:latest",
      "audit-violations": `would violate PodSecurity "restricted:v1.7": ${nonRoot}`,
    });
    expect(done.samples).toEqual([
      "pod_security_evaluations_total allow baseline latest enforce create pod  1",
      "pod_security_evaluations_total deny restricted v1.7 audit create pod  1",
      "pod_security_evaluations_total deny restricted latest warn create pod  1",
    ]);
  });

  test("a namespace without labels allows every Pod, at once", async () => {
    const done = await admit({}, { ref: POD, object: podOf(PRIVILEGED_SPEC) });
    expect(done).toMatchObject({ refused: undefined, warnings: [], notes: { "enforce-policy": "privileged:latest" } });
    expect(done.samples).toEqual(["pod_security_evaluations_total allow privileged latest enforce create pod  1"]);
    const step = podSecurity({ dialect: kubernetes, clock: new ManualClock(), metrics: new PodSecurityMetrics() });
    atOnce(step.validate!(requestOf({ ref: POD, object: podOf(PRIVILEGED_SPEC) })));
  });

  test("invalid labels hold Pods to the strictest level, and an annotation says so", async () => {
    const done = await admit({ enforce: "strict" }, { ref: POD, object: podOf(PLAIN_SPEC) });
    expect(done.refused?.message).toContain('violates PodSecurity "restricted:latest"');
    expect(done.notes["error"]).toBe(
      `Failed to parse policy: metadata.labels[${PREFIX}enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted`,
    );
    expect(done.samples).toContain("pod_security_errors_total false create pod  1");
  });

  test("a version that is not there yet is evaluated as the newest one, and counted as future", async () => {
    const done = await admit(
      { enforce: "baseline", "enforce-version": "v1.99" },
      { ref: POD, object: podOf(PRIVILEGED_SPEC) },
    );
    expect(done.refused?.message).toContain(`violates PodSecurity "baseline:v1.99": ${PRIVILEGED}`);
    expect(done.samples).toEqual(["pod_security_evaluations_total deny baseline future enforce create pod  1"]);
  });

  test("details of thousands of containers are cut", async () => {
    const containers = Array.from({ length: 5000 }, (_, i) => ({
      name: `container-${i}`,
      securityContext: { privileged: true },
    }));
    const done = await admit({ enforce: "baseline" }, { ref: POD, object: podOf({ containers }) });
    expect(done.refused?.message.length).toBeLessThan(5000);
  });

  const update = (spec: object, old: object, subresource = "") =>
    admit(
      { enforce: "baseline" },
      { ref: POD, operation: "UPDATE", subresource, object: podOf(spec), old: podOf(old) },
    );

  test.each([
    ["another image", { ...PRIVILEGED_SPEC, containers: [{ name: "a", image: "j" }] }, ""],
    ["another image of an init container", { ...PRIVILEGED_SPEC, initContainers: [{ name: "i", image: "j" }] }, ""],
    ["another container", { ...PRIVILEGED_SPEC, containers: [...PRIVILEGED_SPEC.containers, { name: "b" }] }, ""],
    [
      "an ephemeral container",
      { ...PRIVILEGED_SPEC, ephemeralContainers: [{ name: "e", image: "i" }] },
      "ephemeralcontainers",
    ],
    [
      "another image of an ephemeral container",
      { ...PRIVILEGED_SPEC, ephemeralContainers: [{ name: "x", image: "j" }] },
      "ephemeralcontainers",
    ],
  ])("an update with %s is evaluated", async (_, spec, subresource) => {
    const old = { ...PRIVILEGED_SPEC, initContainers: [{ name: "i", image: "i" }] };
    const given = { initContainers: old.initContainers, ...spec };
    const withOld = subresource === "" ? old : { ...old, ephemeralContainers: [{ name: "x", image: "i" }] };
    expect((await update(given, withOld, subresource)).refused?.code).toBe(403);
  });

  test("an update that changes no image is allowed, and so is one of the status", async () => {
    expect(await update({ ...PRIVILEGED_SPEC, tolerations: [] }, PRIVILEGED_SPEC)).toMatchObject({
      refused: undefined,
      samples: [],
    });
    const spec = { ...PRIVILEGED_SPEC, containers: [{ name: "a", image: "j" }] };
    expect((await update(spec, PRIVILEGED_SPEC, "status")).refused).toBeUndefined();
    expect((await update(spec, PRIVILEGED_SPEC, "resize")).refused?.code).toBe(403);
  });

  test("deletes and connections are none of its concerns", async () => {
    const done = await admit(
      { enforce: "baseline" },
      { ref: POD, operation: "DELETE", object: undefined, old: podOf(PRIVILEGED_SPEC) },
    );
    expect(done).toMatchObject({ refused: undefined, samples: [] });
    const connected = await admit({ enforce: "baseline" }, { ref: POD, operation: "CONNECT", subresource: "exec" });
    expect(connected).toMatchObject({ refused: undefined, samples: [] });
  });
});

describe("workloads", () => {
  const templates: readonly (readonly [string, string, (template: object) => object])[] = [
    ["", "replicationcontrollers", (template) => ({ spec: { template } })],
    ["", "podtemplates", (template) => ({ template })],
    ["apps", "replicasets", (template) => ({ spec: { template } })],
    ["apps", "deployments", (template) => ({ spec: { template } })],
    ["apps", "statefulsets", (template) => ({ spec: { template } })],
    ["apps", "daemonsets", (template) => ({ spec: { template } })],
    ["batch", "jobs", (template) => ({ spec: { template } })],
    ["batch", "cronjobs", (template) => ({ spec: { jobTemplate: { spec: { template } } } })],
  ];

  test.each(templates)("a template in %s %s leads to a warning and no refusal", async (group, plural, inside) => {
    const object = objectOf({ name: "d", namespace: "team" }, inside({ metadata: {}, spec: PRIVILEGED_SPEC }));
    const done = await admit(
      { enforce: "baseline", audit: "baseline" },
      { ref: { group, plural, kind: "X" }, name: "d", object },
    );
    expect(done).toMatchObject({
      refused: undefined,
      warnings: [`would violate PodSecurity "baseline:latest": ${PRIVILEGED}`],
      notes: { "audit-violations": `would violate PodSecurity "baseline:latest": ${PRIVILEGED}` },
    });
    expect(done.notes).not.toHaveProperty("enforce-policy");
    expect(done.samples).toEqual([
      "pod_security_evaluations_total deny baseline latest audit create controller  1",
      "pod_security_evaluations_total deny baseline latest warn create controller  1",
    ]);
  });

  test("the scale of a workload is not looked at, nor one without a template", async () => {
    const bare = objectOf({ name: "d", namespace: "team" }, { spec: { replicas: 1 } });
    expect((await admit({ warn: "restricted" }, { ref: DEPLOYMENT, object: bare })).warnings).toEqual([]);
    const object = objectOf({ name: "d", namespace: "team" }, { spec: { template: { spec: PRIVILEGED_SPEC } } });
    const scaled = await admit({ warn: "restricted" }, { ref: DEPLOYMENT, subresource: "scale", object });
    expect(scaled.warnings).toEqual([]);
  });
});

describe("namespaces", () => {
  const namespace = (labels: Labels): ApiObject => objectOf({ name: "team", labels: labelled(labels) });
  const write = (now: Labels, old: Labels | undefined, pods: readonly ApiObject[] = [], subresource = "") =>
    admit(
      {},
      {
        ref: NAMESPACE,
        name: "team",
        namespace: "",
        namespaced: false,
        operation: old ? "UPDATE" : "CREATE",
        subresource,
        object: namespace(now),
        old: old && namespace(old),
      },
      pods,
    );

  const pod = (name: string, spec: object, controller?: string): ApiObject =>
    podOf(spec, {
      name,
      ...(controller === undefined ? {} : { ownerReferences: [{ uid: controller, controller: true }] }),
    });

  test("invalid labels are refused, all at once", async () => {
    const { refused } = await write({ enforce: "x", "warn-version": "1.20" }, undefined);
    expect(refused?.status).toMatchObject({
      code: 422,
      details: {
        name: "team",
        kind: "Namespace",
        causes: [
          { reason: "FieldValueInvalid", field: `metadata.labels[${PREFIX}enforce]` },
          { reason: "FieldValueInvalid", field: `metadata.labels[${PREFIX}warn-version]` },
        ],
      },
    });
  });

  test("labels that were invalid before may stay, and no others may come", async () => {
    expect((await write({ enforce: "x" }, { enforce: "x" })).refused).toBeUndefined();
    expect((await write({ enforce: "y" }, { enforce: "x" })).refused?.code).toBe(422);
    expect((await write({ enforce: "x", audit: "y" }, { enforce: "x" })).refused?.code).toBe(422);
    expect((await write({ enforce: "y" }, {}, [], "status")).refused).toBeUndefined();
  });

  test("a stricter level leads to warnings about Pods that violate it, by reason", async () => {
    const pods = [
      pod("b", PRIVILEGED_SPEC),
      pod("a", PRIVILEGED_SPEC),
      pod("c", PRIVILEGED_SPEC, "u"),
      pod("d", { hostPID: true, containers: [] }),
      pod("e", PLAIN_SPEC),
    ];
    const { warnings, refused } = await write({ enforce: "baseline" }, {}, pods);
    expect(refused).toBeUndefined();
    expect(warnings).toEqual([
      'existing pods in namespace "team" violate the new PodSecurity enforce level "baseline:latest"',
      "a (and 2 other pods): host namespaces, privileged",
      "d: host namespaces",
    ]);
    expect((await write({ enforce: "baseline" }, {}, pods.slice(0, 2))).warnings[1]).toBe(
      "a (and 1 other pod): host namespaces, privileged",
    );
  });

  test.each([
    ["the same level", { enforce: "restricted", warn: "baseline" }, { enforce: "restricted" }, false],
    ["a laxer level", { enforce: "baseline" }, { enforce: "restricted" }, false],
    ["the level privileged", { enforce: "privileged", "enforce-version": "v1.20" }, { enforce: "restricted" }, false],
    [
      "a laxer level of another version",
      { enforce: "baseline", "enforce-version": "v1.20" },
      { enforce: "restricted" },
      true,
    ],
    ["a stricter level", { enforce: "restricted" }, { enforce: "baseline" }, true],
  ] as const)("Pods are looked at for %s only where they may violate it", async (_, now, old, looks) => {
    const { warnings } = await write(now, old, [pod("a", PRIVILEGED_SPEC)]);
    expect(warnings.length > 0).toBe(looks);
  });

  test("at most 3000 Pods are looked at, first one of each controller, and a warning says so", async () => {
    const alike = Array.from({ length: 3000 }, (_, i) => pod(`a${i}`, PLAIN_SPEC, "u"));
    const { warnings } = await write({ enforce: "baseline" }, {}, [...alike, pod("z", PRIVILEGED_SPEC)]);
    expect(warnings).toEqual([
      "new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
      'existing pods in namespace "team" violate the new PodSecurity enforce level "baseline:latest"',
      "z: host namespaces, privileged",
    ]);
  });
});
