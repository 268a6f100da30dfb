/** Pod Security from outside: what the labels of a namespace do to Pods, workloads and the namespace itself. */
import { describe, expect, test } from "vitest";
import { fresh, serve } from "./api.ts";

const api = serve({ dialect: "kubernetes", "enable-admission-plugins": "PodSecurity" });

const PREFIX = "pod-security.kubernetes.io/";

/** A namespace with labels of Pod Security. */
async function namespaceWith(labels: Readonly<Record<string, string>>): Promise<string> {
  const name = fresh("team");
  const full = Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]));
  const made = await api.post("/api/v1/namespaces", { metadata: { name, labels: full } });
  expect(made.status).toBe(201);
  return name;
}

const CONTAINER = { name: "a", image: "i" };
const ALLOWED = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [{ ...CONTAINER, securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } }],
};
const podsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
const create = (namespace: string, spec: object, metadata: object = { name: fresh("p") }) =>
  api.post(podsOf(namespace), { metadata, spec });

describe("a namespace that enforces the level restricted", () => {
  test("refuses a Pod with every reason, under its generated name, and accepts one that is allowed", async () => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    const refused = await create(namespace, { containers: [CONTAINER] }, { generateName: "web-" });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      reason: "Forbidden",
      message: expect.stringMatching(
        /^pods "web-[a-z0-9]{5}" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false \(container "a" must set securityContext.allowPrivilegeEscalation=false\), unrestricted capabilities \(.*\), runAsNonRoot != true \(.*\), seccompProfile \(.*\)$/,
      ) as string,
    });
    expect((await create(namespace, ALLOWED)).status).toBe(201);
  });

  test("refuses ephemeral containers that violate it", async () => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    const name = fresh("p");
    expect((await create(namespace, ALLOWED, { name })).status).toBe(201);
    const path = `${podsOf(namespace)}/${name}/ephemeralcontainers`;
    const put = (one: object) =>
      api.strategic(path, { spec: { ephemeralContainers: [{ name: "e", image: "i", ...one }] } });
    expect((await put({ securityContext: { privileged: true } })).status).toBe(403);
    const allowed = { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } };
    expect((await put(allowed)).status).toBe(200);
  });

  test("accepts a Deployment of Pods that it refuses, with a warning", async () => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    const labels = { app: "a" };
    const made = await api.post(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { hostPID: true, containers: [CONTAINER] } },
      },
    });
    expect(made.status).toBe(201);
    expect(made.warnings).toEqual([
      expect.stringMatching(/^would violate PodSecurity "restricted:latest": host namespaces \(hostPID=true\), allow/),
    ]);
  });

  test("as of an old version refuses less", async () => {
    const namespace = await namespaceWith({ enforce: "restricted", "enforce-version": "v1.7" });
    const spec = { securityContext: { runAsNonRoot: true }, containers: [CONTAINER] };
    expect((await create(namespace, spec)).status).toBe(201);
    expect((await create(await namespaceWith({ enforce: "restricted" }), spec)).status).toBe(403);
  });
});

test("a namespace with invalid labels is refused, and one that becomes stricter warns of its Pods", async () => {
  const invalid = await api.post("/api/v1/namespaces", {
    metadata: { name: fresh("team"), labels: { [`${PREFIX}enforce`]: "strict" } },
  });
  expect(invalid.status).toBe(422);
  expect(invalid.body).toMatchObject({ details: { causes: [{ field: `metadata.labels[${PREFIX}enforce]` }] } });
  const namespace = await namespaceWith({});
  expect((await create(namespace, { hostNetwork: true, containers: [CONTAINER] }, { name: "web" })).status).toBe(201);
  const changed = await api.merge(`/api/v1/namespaces/${namespace}`, {
    metadata: { labels: { [`${PREFIX}enforce`]: "baseline" } },
  });
  expect(changed.status).toBe(200);
  expect(changed.warnings).toEqual([
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "baseline:latest"`,
    "web: host namespaces",
  ]);
});

test("a dry run is decided like a write, and what was decided is counted", async () => {
  const namespace = await namespaceWith({ enforce: "baseline" });
  const dry = await api.post(
    podsOf(namespace),
    { metadata: { name: "p" }, spec: { hostIPC: true, containers: [CONTAINER] } },
    { dryRun: "All" },
  );
  expect(dry.status).toBe(403);
  const metrics = await api.get("/metrics");
  expect(metrics.text).toMatch(
    /pod_security_evaluations_total\{decision="deny",policy_level="baseline",policy_version="latest",mode="enforce",request_operation="create",resource="pod",subresource=""\} [1-9]/,
  );
});

describe("no slice is long", () => {
  test("where thousands of containers violate every rule", async () => {
    const levels = { enforce: "restricted", audit: "baseline", warn: "baseline", "warn-version": "v1.0" };
    const namespace = await namespaceWith(levels);
    const securityContext = { privileged: true, capabilities: { add: ["SYS_TIME"] }, procMount: "Unmasked" };
    const containers = Array.from({ length: 3000 }, (_, i) => ({
      name: `container-${i}`,
      image: "i",
      securityContext,
      ports: [{ containerPort: 80, hostPort: 1 + i }],
    }));
    const refused = await create(namespace, { hostNetwork: false, hostUsers: true, containers });
    expect([403, 422]).toContain(refused.status);
  });

  test("where a thousand Pods violate a new level", async () => {
    const namespace = await namespaceWith({});
    const spec = { hostPID: true, containers: Array.from({ length: 10 }, (_, i) => ({ ...CONTAINER, name: `c${i}` })) };
    for (let i = 0; i < 1000; i++) expect((await create(namespace, spec, { name: `p${i}` })).status).toBe(201);
    const labels = { [`${PREFIX}enforce`]: "restricted" };
    const changed = await api.merge(`/api/v1/namespaces/${namespace}`, { metadata: { labels } });
    expect(changed.warnings[1]).toMatch(
      /^p0 \(and 999 other pods\): host namespaces, allowPrivilegeEscalation != false, /,
    );
  });
});
