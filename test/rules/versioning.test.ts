/** Versions, discovery and feature gates: VER-1..9, DEC-37, DEC-38. */
import { describe, expect, test } from "vitest";
import { type Api, serve } from "./api.ts";
import { RESOURCES } from "./resources.ts";
import { place } from "./resources.ts";

const api = serve();
const documented = serve({}, { kinds: "documents" });
const kube = serve({ dialect: "kubernetes" });
const all = serve({
  "feature-gates": [
    "CrossNamespaceVolumeDataSource",
    "VolumeAttributesClass",
    "MutablePVNodeAffinity",
    "ClusterTrustBundleProjection",
  ]
    .map((gate) => `${gate}=true`)
    .join(","),
});
const none = serve({
  "feature-gates": [
    "AnyVolumeDataSource",
    "MutableCSINodeAllocatableCount",
    "PodCertificateRequest",
    "CSIMigration",
    "VolumeScheduling",
    "CSIServiceAccountTokenSecrets",
    "SELinuxMountReadWriteOncePod",
    "StorageVersionMigrator",
  ]
    .map((gate) => `${gate}=false`)
    .join(","),
});

describe("discovery", () => {
  test("DEC-37: /api, /apis, groups and versions", async () => {
    expect((await api.get("/api")).body).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    expect((await api.get("/apis")).body).toMatchObject({ kind: "APIGroupList" });
    expect((await api.get("/apis/storage.svc.io")).body).toMatchObject({ kind: "APIGroup", name: "storage.svc.io" });
    expect((await api.get("/version")).body).toHaveProperty("gitVersion");
  });

  test.each(RESOURCES)("VER-1..6, DEC-37: $plural is announced at $prefix, with its verbs", async (r) => {
    const list = await api.get(r.prefix);
    expect(list.body).toMatchObject({ kind: "APIResourceList", groupVersion: r.apiVersion });
    const resources = list.body["resources"] as { name: string; verbs: string[] }[];
    const found = resources.find((resource) => resource.name === r.plural);
    expect(found).toMatchObject({ kind: r.kind, namespaced: r.namespaced });
    const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
    expect([...found!.verbs].sort()).toEqual(verbs);
    const status = resources.find((resource) => resource.name === `${r.plural}/status`);
    expect(status && [...status.verbs].sort()).toEqual(r.status ? ["get", "patch", "update"] : undefined);
  });

  test("VER-3, DEC-37: each resource has one version", async () => {
    const groups = (await documented.get("/apis")).body["groups"] as { versions: { groupVersion: string }[] }[];
    const seen = new Map<string, string>();
    for (const { groupVersion } of groups.flatMap((group) => group.versions)) {
      const { body } = await documented.get(`/apis/${groupVersion}`);
      for (const { name } of body["resources"] as { name: string }[]) {
        const key = `${groupVersion.split("/")[0]}/${name}`;
        expect([key, seen.get(key)]).toEqual([key, undefined]);
        seen.set(key, groupVersion);
      }
    }
  });

  test("DEC-37: another version is 404 in the path and 400 in the body", async () => {
    expect((await api.get("/apis/storage.svc.io/v1beta1/csidrivers")).status).toBe(404);
    const body = { apiVersion: "storage.svc.io/v1beta1", kind: "CSIDriver", metadata: { name: "a" }, spec: {} };
    expect((await api.post("/apis/storage.svc.io/v1/csidrivers", body)).status).toBe(400);
  });

  test("DEC-37: OpenAPI v3 knows the groups", async () => {
    const paths = (await api.get("/openapi/v3")).body["paths"] as object;
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(["api/v1", "apis/storage.svc.io/v1"]));
  });

  test("VER-3, AMB-9, kubernetes dialect: the migration has v1beta1", async () => {
    expect((await kube.get("/apis/storagemigration.k8s.io/v1beta1")).status).toBe(404);
    const groups = (await kube.get("/apis")).body["groups"] as { name: string }[];
    const names = groups.map((group) => group.name);
    expect(names).toEqual(expect.arrayContaining(["storage.k8s.io", "events.k8s.io", "coordination.k8s.io"]));
    expect(names).not.toContain("storagemigration.k8s.io");
  });
});

test("VER-7: apply is there by default", async () => {
  const at = place("ConfigMap");
  expect((await none.apply(at.item, "m", { apiVersion: "v1", kind: "ConfigMap" })).status).toBe(201);
});

describe("gates", () => {
  interface Gated {
    readonly gate: string;
    readonly kind: string;
    readonly body: object;
    readonly field: string;
    readonly byDefault: boolean;
  }

  const CLAIM = { kind: "PersistentVolumeClaim", name: "p" };
  const GATED: readonly Gated[] = [
    {
      gate: "AnyVolumeDataSource",
      kind: "PersistentVolumeClaim",
      body: { spec: { dataSourceRef: { apiGroup: "x.io", kind: "K", name: "n" } } },
      field: "spec.dataSourceRef",
      byDefault: true,
    },
    {
      gate: "CrossNamespaceVolumeDataSource",
      kind: "PersistentVolumeClaim",
      body: { spec: { dataSourceRef: { ...CLAIM, namespace: "x" } } },
      field: "spec.dataSourceRef",
      byDefault: false,
    },
    {
      gate: "VolumeAttributesClass",
      kind: "PersistentVolumeClaim",
      body: { spec: { volumeAttributesClassName: "c" } },
      field: "spec.volumeAttributesClassName",
      byDefault: false,
    },
    {
      gate: "VolumeAttributesClass",
      kind: "PersistentVolume",
      body: { spec: { csi: { driver: "d", volumeHandle: "h" }, volumeAttributesClassName: "c" } },
      field: "spec.volumeAttributesClassName",
      byDefault: false,
    },
    {
      gate: "MutableCSINodeAllocatableCount",
      kind: "CSIDriver",
      body: { spec: { nodeAllocatableUpdatePeriodSeconds: 60 } },
      field: "spec.nodeAllocatableUpdatePeriodSeconds",
      byDefault: true,
    },
    {
      gate: "CSIServiceAccountTokenSecrets",
      kind: "CSIDriver",
      body: { spec: { serviceAccountTokenInSecrets: true, tokenRequests: [{ audience: "a" }] } },
      field: "spec.serviceAccountTokenInSecrets",
      byDefault: true,
    },
    {
      gate: "SELinuxMountReadWriteOncePod",
      kind: "CSIDriver",
      body: { spec: { seLinuxMount: true } },
      field: "spec.seLinuxMount",
      byDefault: true,
    },
    {
      gate: "VolumeScheduling",
      kind: "StorageClass",
      body: { allowedTopologies: [{}] },
      field: "allowedTopologies",
      byDefault: true,
    },
  ];

  const create = async (server: Api, { kind, body }: Gated) => {
    const at = place(kind);
    return server.post(at.collection, { metadata: { name: at.name }, ...body });
  };

  test.each(GATED)(
    "VER-8, DEC-38: $gate is $byDefault by default and can be switched ($kind $field)",
    async (gated) => {
      const [off, on] = gated.byDefault ? [none, api] : [api, all];
      const kept = await create(on, gated);
      expect([
        kept.status,
        kept.at(gated.field) !== undefined,
        kept.warnings.filter((w) => w.includes(gated.gate)),
      ]).toEqual([201, true, []]);
      const dropped = await create(off, gated);
      const value = dropped.at(gated.field);
      expect([dropped.status, value === undefined || value === false]).toEqual([201, true]);
      expect(dropped.warnings).toEqual([expect.stringContaining(gated.gate)]);
      expect(dropped.warnings[0]).toContain(gated.field.split(".").at(-1));
    },
  );

  test("VER-8, DEC-38: a field of a gate is dropped from updates too", async () => {
    const at = place("CSIDriver");
    await none.post(at.collection, { metadata: { name: at.name }, spec: {} });
    const answer = await none.merge(at.item, { spec: { nodeAllocatableUpdatePeriodSeconds: 60 } });
    expect([answer.status, answer.at("spec.nodeAllocatableUpdatePeriodSeconds")]).toEqual([200, undefined]);
    expect(answer.warnings).toEqual([expect.stringContaining("MutableCSINodeAllocatableCount")]);
  });

  test("VER-8, DEC-38: PodCertificateRequest off drops the source", async () => {
    const pod = (server: Api) =>
      server.post("/api/v1/namespaces/default/pods", {
        metadata: { generateName: "p-" },
        spec: {
          containers: [{ name: "c", image: "i" }],
          volumes: [
            {
              name: "v",
              projected: {
                sources: [{ podCertificate: { signerName: "x.io/s", keyType: "ED25519", credentialBundlePath: "b" } }],
              },
            },
          ],
        },
      });
    expect((await pod(api)).text).toContain("podCertificate");
    const dropped = await pod(none);
    expect(dropped.at("spec.volumes.0.projected.sources.0.podCertificate")).toBeUndefined();
  });

  test("VER-8, DEC-38: StorageVersionMigrator off takes the migrations away", async () => {
    expect((await api.get("/apis/storagemigration.svc.io/v1alpha1/storageversionmigrations")).status).toBe(200);
    expect((await none.get("/apis/storagemigration.svc.io/v1alpha1/storageversionmigrations")).status).toBe(404);
  });

  test("VER-8, kubernetes dialect: fields are dropped in silence", async () => {
    const answer = await kube.post("/api/v1/namespaces/default/persistentvolumeclaims", {
      metadata: { name: "a" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        dataSourceRef: { ...CLAIM, namespace: "x" },
      },
    });
    expect([answer.status, answer.at("spec.dataSourceRef"), answer.warnings]).toEqual([201, undefined, []]);
  });
});
