/**
 * The default scenario for a driver of which only its capabilities are known: claims that are used, expanded, snapshotted, restored and
 * deleted, even while their volume is being created.
 *
 * @module
 */
import { type Manifest, attempt } from "../../../client/index.ts";
import { CoreEvent, PersistentVolumeClaim } from "../../../client/kinds/index.ts";
import type { Cluster } from "../../contract.ts";
import type { Dialect } from "../../../meta/dialect.ts";
import type { StorageDriver } from "../../../sidecars/contract.ts";
import type { DriverNode } from "./subject.ts";
import type { DataStep, Scenario, Step } from "../scenario.ts";

/** The class of volumes and of snapshots. */
const CLASS = "explored";
/** The node of the scenario; simulated nodes have such names. */
const NODE = "node-1";

const snapshotGroup = ({ domain }: Dialect): string => `snapshot.storage.${domain}`;

/** A scenario that begins with the kinds of snapshots, which sidecars follow also where the driver takes none. */
export const withSnapshots = (scenario: Scenario, dialect: Dialect): Scenario => ({
  ...scenario,
  start: [...snapshotDefinitions(snapshotGroup(dialect)), ...(scenario.start ?? [])],
});

/** The definitions of snapshots, with everything that a sidecar reads or writes; the server judges no more of it. */
function snapshotDefinitions(group: string): readonly Manifest[] {
  const kinds = [
    ["VolumeSnapshot", "volumesnapshots", "Namespaced"],
    ["VolumeSnapshotContent", "volumesnapshotcontents", "Cluster"],
    ["VolumeSnapshotClass", "volumesnapshotclasses", "Cluster"],
  ] as const;
  return kinds.map(([kind, plural, scope]) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/814" },
    },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          ...(kind === "VolumeSnapshotClass" ? {} : { subresources: { status: {} } }),
        },
      ],
    },
  }));
}

/** The default scenario for a driver. */
export function defaultScenario(
  { name: driver, abilities }: Pick<StorageDriver, "name" | "abilities">,
  dialect: Dialect,
  { id: nodeID, segments }: DriverNode = { id: NODE, segments: {} },
): Scenario {
  const group = snapshotGroup(dialect);
  const storage = `storage.${dialect.domain}/v1`;
  const takesSnapshots = abilities.has("CREATE_DELETE_SNAPSHOT");
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
  const claim = (name: string, spec: object = {}): Manifest => ({
    ...claimRef,
    metadata: { name, namespace: "default" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: CLASS,
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  });
  const snapshot = { apiVersion: `${group}/v1`, kind: "VolumeSnapshot", name: "saved" };
  const restored = {
    dataSource: { apiGroup: group, kind: "VolumeSnapshot", name: "saved" },
    resources: { requests: { storage: "2Gi" } },
  };
  const expand: Step = {
    name: "enlarge claim data",
    do: async (cluster) => {
      const claims = cluster.client().resource(PersistentVolumeClaim);
      const larger = { spec: { resources: { requests: { storage: "2Gi" } } } };
      // A claim without a volume cannot be expanded; that is no fault.
      await attempt(claims.patch({ namespace: "default", name: "data" }, larger), "Invalid");
    },
  };
  const save: readonly DataStep[] = [
    {
      name: "take a snapshot of claim data",
      // The class is made here, since its kind may not be served yet when the scenario begins.
      create: [
        {
          apiVersion: `${group}/v1`,
          kind: "VolumeSnapshotClass",
          metadata: { name: CLASS },
          driver,
          deletionPolicy: "Delete",
        },
        {
          apiVersion: `${group}/v1`,
          kind: "VolumeSnapshot",
          metadata: { name: "saved", namespace: "default" },
          spec: { volumeSnapshotClassName: CLASS, source: { persistentVolumeClaimName: "data" } },
        },
      ],
    },
    { name: "restore it to claim restored", create: claim("restored", restored) },
  ];
  const steps: readonly Step[] = [
    { name: "create claim data", create: claim("data") },
    { name: "use it in Pod app", create: podWith("data") },
    ...(abilities.has("EXPAND_VOLUME") ? [expand] : []),
    ...(takesSnapshots ? save : []),
    { name: "delete Pod app", delete: { apiVersion: "v1", kind: "Pod", name: "app" } },
    ...(takesSnapshots ? [{ name: "delete the snapshot", delete: snapshot }] : []),
    ...(takesSnapshots ? [{ name: "delete claim restored", delete: { ...claimRef, name: "restored" } }] : []),
    { name: "delete claim data", delete: { ...claimRef, name: "data" } },
    { name: "create claim brief", create: claim("brief") },
    { name: "delete claim brief", delete: { ...claimRef, name: "brief" } },
    {
      name: "create claim hasty, and delete it while its volume is made",
      do: async (cluster) => {
        await cluster.apply(claim("hasty"));
        await untilProvisioning(cluster, "hasty");
        await cluster.client().resource(PersistentVolumeClaim).delete({ namespace: "default", name: "hasty" });
      },
    },
  ];
  return { name: `volumes of ${driver}`, start: beginning(), nodes: 1, steps };

  function beginning(): readonly Manifest[] {
    return [
      {
        apiVersion: storage,
        kind: "CSIDriver",
        metadata: { name: driver },
        spec: { attachRequired: abilities.has("PUBLISH_UNPUBLISH_VOLUME"), podInfoOnMount: false },
      },
      {
        apiVersion: storage,
        kind: "StorageClass",
        metadata: { name: CLASS },
        provisioner: driver,
        reclaimPolicy: "Delete",
        allowVolumeExpansion: true,
      },
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: {
          name: NODE,
          labels: segments,
          annotations: { [`volumes.${dialect.labelDomain}/controller-managed-attach-detach`]: "true" },
        },
      },
      {
        apiVersion: storage,
        kind: "CSINode",
        metadata: { name: NODE },
        spec: { drivers: [{ name: driver, nodeID, topologyKeys: Object.keys(segments) }] },
      },
    ];
  }
}

/** How often a claim is read while its provisioner has not begun. */
const MAX_LOOKS = 100;

/** Resolves when a provisioner reports that it works on a claim, as each does before it calls the driver; else after some reads. */
async function untilProvisioning(cluster: Cluster, name: string): Promise<void> {
  const events = cluster.client().resource(CoreEvent);
  for (let look = 0; look < MAX_LOOKS; look++) {
    const { items } = await events.list({ namespace: "default" });
    if (items.some(({ reason, involvedObject }) => reason === "Provisioning" && involvedObject.name === name)) return;
  }
}

const podWith = (claimName: string): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "app", namespace: "default" },
  spec: {
    containers: [{ name: "app", image: "app", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
  },
});
