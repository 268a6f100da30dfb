/**
 * Unusual objects that users may store: no controller fails on them, is busy with them without an end, or logs them for ever.
 */
import { expect, test } from "vitest";
import type { ApiObject, Transport } from "../../src/client/index.ts";
import { builtInControllers } from "../../src/controllers/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

type Members = Readonly<Record<string, unknown>>;

/** An object as it is made; its status, where there is one, is written afterwards. */
interface Odd {
  readonly metadata?: Members;
  readonly spec?: Members;
  readonly status?: Members;
  readonly [member: string]: unknown;
}

const volume = (spec: Members, more: Odd = {}): Odd => ({
  ...more,
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    csi: { driver: "d.example.com", volumeHandle: "h" },
    ...spec,
  },
});
const scratch = { csi: undefined, hostPath: { path: "/tmp/x" } };
const claim = (spec: Members, more: Odd = {}): Odd => ({
  ...more,
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const pod = (spec: Members, more: Odd = {}): Odd => ({
  ...more,
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const owned = (...owners: Members[]): Odd => ({
  metadata: {
    ownerReferences: owners.map((one) => ({ apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "0a", ...one })),
  },
});
const marked = (annotations: Readonly<Record<string, string>>): Odd => ({ metadata: { annotations } });
const migration = (resource: Members, more: Members = {}): Odd => ({ spec: { resource, ...more } });
const candidate = (spec: Members): Odd => ({
  spec: {
    leaseName: "l",
    binaryVersion: "1.35.0",
    emulationVersion: "1.35.0",
    strategy: "OldestEmulationVersion",
    ...spec,
  },
});
const FAR = "9999-12-31T23:59:59.999999Z";
const LONG_AGO = "0001-01-02T00:00:00.000000Z";

const ODD: Readonly<Record<string, { readonly path: string; readonly objects: readonly Odd[] }>> = {
  volumes: {
    path: "/api/v1/persistentvolumes",
    objects: [
      ...[
        {},
        { name: "x" },
        { namespace: "default" },
        { uid: "0a" },
        { name: "x", uid: "0a" },
        { namespace: "default", uid: "0a" },
        { namespace: "..", name: "x", uid: "0a" },
        { namespace: "default", name: "..", uid: "0a" },
        { namespace: "a/b", name: "c?d#e", uid: "0a" },
        { namespace: "default", name: "x", uid: "../.." },
        { kind: "Pod", apiVersion: "a/b/c", namespace: "default", name: "x", uid: "0a", fieldPath: "x" },
      ].flatMap((claimRef) => [
        volume({ claimRef }),
        volume({ claimRef, ...scratch, persistentVolumeReclaimPolicy: "Recycle" }),
        volume({ claimRef, ...scratch, persistentVolumeReclaimPolicy: "Delete" }),
      ]),
      volume({ capacity: { storage: "1e18" } }),
      volume({ capacity: { storage: "1m" } }),
      volume({ storageClassName: "nosuch" }, marked({ "volume.beta.kubernetes.io/storage-class": "" })),
      volume({}, marked({ "pv.kubernetes.io/provisioned-by": "" })),
      volume({}, marked({ "pv.kubernetes.io/provisioned-by": "kubernetes.io/", "pv.kubernetes.io/migrated-to": "x" })),
      volume(
        { persistentVolumeReclaimPolicy: "Delete" },
        {
          metadata: {
            annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/nosuch" },
            finalizers: ["a.example/b"],
          },
        },
      ),
      volume(
        { csi: undefined, gcePersistentDisk: { pdName: "__" } },
        { metadata: { labels: { "topology.kubernetes.io/zone": "a__b" } } },
      ),
      volume({ csi: undefined, awsElasticBlockStore: { volumeID: "aws://" } }),
      volume({}, { status: { phase: "Bound" } }),
      volume({}, { status: { phase: "Released", lastPhaseTransitionTime: "9999-12-31T23:59:59Z" } }),
      volume({ ...scratch, persistentVolumeReclaimPolicy: "Recycle" }, { status: { phase: "Failed" } }),
      volume({ csi: undefined, flexVolume: { driver: "a/b" } }),
      volume({ volumeAttributesClassName: "nosuch" }),
    ],
  },
  claims: {
    path: "/api/v1/namespaces/default/persistentvolumeclaims",
    objects: [
      claim({ volumeName: ".." }),
      claim({ volumeName: "a/b?c" }),
      claim({ volumeName: "nosuch" }, { status: { phase: "Bound" } }),
      claim({ volumeName: ".." }, { status: { phase: "Bound", capacity: { storage: "1Ki" } } }),
      claim({}, { ...marked({ "pv.kubernetes.io/bind-completed": "yes" }) }),
      claim({ volumeName: ".." }, { ...marked({ "pv.kubernetes.io/bind-completed": "yes" }) }),
      claim(
        {},
        marked({ "volume.kubernetes.io/selected-node": "..", "volume.beta.kubernetes.io/storage-class": "nosuch" }),
      ),
      claim({}, marked({ "volume.kubernetes.io/storage-provisioner": "", "pv.kubernetes.io/migrated-to": "x" })),
      claim({}, marked({ "volume.kubernetes.io/storage-provisioner": "kubernetes.io/aws-ebs" })),
      claim({ resources: { requests: { storage: "1e18" } } }),
      claim({ selector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] }, storageClassName: "" }),
      claim({ volumeAttributesClassName: "nosuch" }, { status: { currentVolumeAttributesClassName: "nosuch" } }),
      claim(
        { volumeName: "x" },
        {
          status: {
            phase: "Bound",
            capacity: { storage: "1Ki" },
            allocatedResources: { storage: "1Pi" },
            allocatedResourceStatuses: { storage: "NodeResizePending" },
            conditions: [
              { type: "Resizing", status: "Unknown" },
              { type: "Odd", status: "True" },
            ],
          },
        },
      ),
      owned({ apiVersion: "v1", kind: "Pod" }, { kind: "PersistentVolumeClaim", name: ".." }),
    ].map((one) => (one.spec ? one : claim({}, one))),
  },
  pods: {
    path: "/api/v1/namespaces/default/pods",
    objects: [
      pod({ nodeName: "nosuch", volumes: [{ name: "v", persistentVolumeClaim: { claimName: "nosuch" } }] }),
      pod({ nodeName: "n", volumes: [{ name: "v", persistentVolumeClaim: { claimName: ".." } }] }),
      pod({ nodeName: "n", volumes: [{ name: "v", awsElasticBlockStore: { volumeID: "aws://" } }] }),
      pod({ nodeName: "n", volumes: [{ name: "v", gcePersistentDisk: { pdName: "p" } }] }),
      pod({}, { status: { phase: "Succeeded" } }),
      pod({}, { metadata: { name: "recycler-for-nosuch" }, status: { phase: "Failed" } }),
      pod({}, { metadata: { name: "recycler-for-x", annotations: { "pv.kubernetes.io/emptied-after": "0a" } } }),
      pod({ nodeName: "n" }, { status: { phase: "Running", containerStatuses: [] } }),
      pod({ nodeName: "n", terminationGracePeriodSeconds: 0 }, { metadata: { finalizers: ["a.example/b"] } }),
      pod({
        volumes: [
          {
            name: "v",
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
                spec: { accessModes: ["ReadWriteOnce"], volumeName: "..", resources: { requests: { storage: "1Gi" } } },
              },
            },
          },
        ],
      }),
    ],
  },
  nodes: {
    path: "/api/v1/nodes",
    objects: [
      {
        ...marked({ "volumes.kubernetes.io/controller-managed-attach-detach": "true" }),
        status: {
          volumesInUse: ["", "kubernetes.io/csi/d^h", "kubernetes.io/csi/d^h"],
          volumesAttached: [
            { name: "", devicePath: "" },
            { name: "kubernetes.io/csi/^", devicePath: "x" },
          ],
          conditions: [{ type: "Ready", status: "Odd" }],
        },
      },
      {
        ...marked({ "volumes.kubernetes.io/controller-managed-attach-detach": "yes" }),
        spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] },
        status: { conditions: [{ type: "Ready", status: "False", lastTransitionTime: "9999-12-31T23:59:59Z" }] },
      },
    ],
  },
  attachments: {
    path: "/apis/storage.k8s.io/v1/volumeattachments",
    objects: [
      {
        spec: { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "nosuch" } },
        status: { attached: true },
      },
      {
        metadata: { name: `csi-${"0".repeat(64)}` },
        spec: { attacher: "d.example.com", nodeName: "nosuch", source: { persistentVolumeName: "nosuch" } },
        status: { attached: false, attachError: {}, detachError: { message: "" } },
      },
      {
        spec: {
          attacher: "d.example.com",
          nodeName: "n",
          source: {
            inlineVolumeSpec: {
              accessModes: ["ReadWriteOnce"],
              csi: { driver: "other.example.com", volumeHandle: "a/../b" },
            },
          },
        },
      },
    ],
  },
  drivers: {
    path: "/apis/storage.k8s.io/v1/csidrivers",
    objects: [{ spec: {} }, { spec: { attachRequired: false, tokenRequests: [{ audience: "" }] } }],
  },
  "nodes of drivers": {
    path: "/apis/storage.k8s.io/v1/csinodes",
    objects: [
      {
        ...marked({ "storage.alpha.kubernetes.io/migrated-plugins": ",,kubernetes.io/nosuch," }),
        spec: { drivers: [] },
      },
      { ...owned({ kind: "Node", name: ".." }), spec: { drivers: [{ name: "d.example.com", nodeID: ".." }] } },
    ],
  },
  "classes of attributes": {
    path: "/apis/storage.k8s.io/v1/volumeattributesclasses",
    objects: [
      { driverName: "d.example.com", parameters: { a: "" } },
      { metadata: { finalizers: ["a.example/b"] }, driverName: "x", parameters: { a: "b" } },
    ],
  },
  "classes of volumes": {
    path: "/apis/storage.k8s.io/v1/storageclasses",
    objects: [
      { ...marked({ "storageclass.kubernetes.io/is-default-class": "yes" }), provisioner: "kubernetes.io/nosuch" },
      { ...marked({ "storageclass.kubernetes.io/is-default-class": "true" }), provisioner: "kubernetes.io/aws-ebs" },
      { provisioner: "p", volumeBindingMode: "WaitForFirstConsumer", allowVolumeExpansion: true },
    ],
  },
  "what has owners": {
    path: "/api/v1/namespaces/default/configmaps",
    objects: [
      owned({ apiVersion: "nosuch.example/v1", kind: "Odd" }),
      owned({ apiVersion: "v7", kind: "ConfigMap" }),
      owned({ kind: "configmaps" }),
      owned({ name: ".." }),
      owned({ name: "a/b?c#d" }),
      owned({ kind: "Namespace", name: "default" }),
      owned({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" }),
      owned({ uid: "1" }, { uid: "2", blockOwnerDeletion: true, controller: true }, { uid: "3", kind: "Odd" }),
      { metadata: { finalizers: ["orphan", "a.example/b"] } },
      { metadata: { finalizers: ["foregroundDeletion", "a.example/b"] } },
    ],
  },
  "what has owners in the cluster": {
    path: "/api/v1/persistentvolumes",
    objects: [owned({ name: "x" }), owned({ kind: "Node", name: ".." }), owned({ kind: "Pod" })].map((one) =>
      volume({}, one),
    ),
  },
  "secrets for tokens": {
    path: "/api/v1/namespaces/default/secrets",
    objects: ["..", "a/b", "a b c", "nosuch", "default"].map((name) => ({
      ...marked({ "kubernetes.io/service-account.name": name }),
      type: "kubernetes.io/service-account-token",
    })),
  },
  accounts: {
    path: "/api/v1/namespaces/default/serviceaccounts",
    objects: [{ secrets: [{}, { name: "" }, { name: ".." }], imagePullSecrets: [{ name: "" }] }],
  },
  namespaces: {
    path: "/api/v1/namespaces",
    objects: [
      { spec: { finalizers: ["a.example/b", "kubernetes"] } },
      { metadata: { finalizers: ["orphan"] } },
      { metadata: { finalizers: ["foregroundDeletion", "a.example/b"] } },
      { ...owned({ kind: "Node" }) },
    ],
  },
  leases: {
    path: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    objects: [
      {},
      { spec: { holderIdentity: "x" } },
      { spec: { renewTime: FAR, leaseDurationSeconds: 2 ** 31 - 1, holderIdentity: "x" } },
      { spec: { renewTime: LONG_AGO, strategy: "a.example/b" } },
    ],
  },
  candidates: {
    path: "/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates",
    objects: [
      candidate({ leaseName: "never" }),
      candidate({ leaseName: "far", renewTime: FAR }),
      candidate({ leaseName: "far", renewTime: FAR, pingTime: FAR }),
      candidate({ leaseName: "old", renewTime: LONG_AGO, pingTime: FAR }),
      candidate({ leaseName: "..", renewTime: FAR }),
      candidate({ leaseName: "a/b", renewTime: FAR }),
      candidate({ leaseName: "Not A Name", renewTime: FAR }),
      candidate({ leaseName: "x".repeat(300), renewTime: FAR }),
      candidate({
        leaseName: "odd",
        strategy: "a.example/b",
        renewTime: FAR,
        binaryVersion: "0.0.0",
        emulationVersion: "0.0.0",
      }),
    ],
  },
  migrations: {
    path: "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations",
    objects: [
      migration({ group: "", resource: "nosuch" }),
      migration({ group: "", resource: "events" }),
      migration({ group: "authentication.k8s.io", resource: "tokenreviews" }),
      { ...migration({ group: "", resource: "secrets" }), status: { resourceVersion: "99999999999", conditions: [] } },
      {
        ...migration({ group: "", resource: "secrets" }),
        status: {
          resourceVersion: "1",
          conditions: [
            { type: "Odd", status: "Unknown", lastTransitionTime: "2020-01-01T00:00:00Z", reason: "x", message: "" },
          ],
        },
      },
    ],
  },
  events: {
    path: "/api/v1/namespaces/default/events",
    objects: [
      { involvedObject: {}, metadata: { namespace: "default" } },
      {
        involvedObject: { kind: "Pod", name: "..", namespace: "default", uid: "0a" },
        lastTimestamp: "9999-12-31T23:59:59Z",
      },
      { involvedObject: { namespace: "default" }, lastTimestamp: "0001-01-02T00:00:00Z", count: -1, ...owned({}) },
    ],
  },
};

/** Runs every controller over what a test has stored, and tells what they do in the end. */
async function busyness(
  world: World,
): Promise<{ readonly requests: readonly string[]; readonly logged: readonly string[] }> {
  let requests: string[] = [];
  const counting =
    (transport: Transport): Transport =>
    (request) => {
      requests.push(`${request.method} ${request.path}`);
      return transport(request);
    };
  const { usual } = builtInControllers({ dialect: kubernetes, eventTtlMillis: 3_600_000, caCertificate: "" });
  const client = world.cluster.client("manager").with({ through: counting });
  await world
    .manager({ client, countedEvents: true })
    .add(...usual)
    .start();
  await world.advance("4h");
  requests = [];
  world.warnings.length = 0;
  await world.advance("1h");
  return { requests, logged: world.warnings.splice(0) };
}

test.each(Object.entries(ODD))(
  "CTL-GEN-2, CTL-GEN-3: no controller fails on odd %s, or is busy with them for ever",
  async (_, { path, objects }) => {
    await using world = await World.create("kubernetes", {
      CoordinatedLeaderElection: true,
      StorageVersionMigrator: true,
    });
    const made: ApiObject[] = [];
    for (const [i, { status, ...object }] of objects.entries()) {
      const metadata = { name: `odd-${i}`, ...object.metadata };
      const one = await world.client.json<ApiObject>("POST", path, { body: { ...object, metadata } });
      made.push(one);
      if (!status) continue;
      const item = `${path}/${one.metadata.name}/status`;
      await world.client.json("PATCH", item, { body: { status }, type: "application/merge-patch+json" });
    }
    const { requests, logged } = await busyness(world);
    expect(logged).toEqual([]);
    expect(requests.filter((one) => !one.includes("watch=true"))).toEqual([]);
    // An existing object is released, or kept for another owner.
    for (const { metadata } of made) {
      await world.client.json("DELETE", `${path}/${metadata.name}`, {}).catch(() => {});
    }
    await world.advance("2h");
    world.warnings.length = 0;
    await world.advance("1h");
    expect(world.warnings).toEqual([]);
  },
  60_000,
);
