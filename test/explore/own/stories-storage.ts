/**
 * Stories of the controllers of storage: claims, volumes, attachments, and what protects them.
 *
 * @module
 */
import {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../../src/client/kinds/index.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import { core, need } from "./objects.ts";
import type { OwnStory } from "./story.ts";

const BESIDE = ["garbage-collector", "namespace"];
const BOUND = [...BESIDE, "persistentvolume-binder"];
const STORAGE = "storage.k8s.io/v1";

const volume = (name: string, storage: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    capacity: { storage },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    storageClassName: "manual",
    csi: { driver: "disks.example.com", volumeHandle: name },
    ...more,
  },
});

const claim = (name: string, storage: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name },
  spec: {
    storageClassName: "manual",
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage } },
    ...more,
  },
});

const pod = (name: string, volumes: readonly object[], more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "db:1" }], volumes, terminationGracePeriodSeconds: 0, ...more },
});

const of = (claimName: string) => [{ name: "data", persistentVolumeClaim: { claimName } }];

const scratch = [
  {
    name: "scratch",
    ephemeral: {
      volumeClaimTemplate: {
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "manual",
          resources: { requests: { storage: "1Gi" } },
        },
      },
    },
  },
];

const node = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" } },
});

const driver = {
  apiVersion: STORAGE,
  kind: "CSIDriver",
  metadata: { name: "disks.example.com" },
  spec: { attachRequired: true },
};

/** Nodes say that they are ready. */
async function beReady(cluster: Cluster): Promise<void> {
  const nodes = cluster.client().resource(Node);
  for (const { metadata } of (await nodes.list()).items)
    // oxlint-disable-next-line no-await-in-loop -- there are two
    await nodes.status.patch({ name: metadata.name }, { status: { conditions: [{ type: "Ready", status: "True" }] } });
}

/** Does what an attacher does with all attachments, once there is one to a node for each of its Pods. */
async function attach(cluster: Cluster, nodeName: string): Promise<void> {
  const client = cluster.client();
  const attachments = client.resource(VolumeAttachment);
  const { items } = await attachments.list();
  const pods = (await client.resource(Pod).list()).items.filter(({ spec }) => spec.nodeName === nodeName);
  const running = pods.filter(({ status }) => status.phase !== "Succeeded").length;
  need(
    `an attachment to ${nodeName} for each of its ${running} Pods`,
    items.filter(({ spec }) => spec.nodeName === nodeName).length >= Math.max(1, running),
  );
  for (const { metadata } of items)
    // oxlint-disable-next-line no-await-in-loop -- there are two
    await attachments.status.patch({ name: metadata.name }, { status: { attached: true } });
}

/** Deletes a claim that is bound. */
async function deleteBound(cluster: Cluster, name: string): Promise<void> {
  const claims = cluster.client().resource(PersistentVolumeClaim);
  const { status } = await claims.get({ name, namespace: "default" });
  need(`claim ${name} to be bound`, status?.phase === "Bound");
  await claims.delete({ name, namespace: "default" });
}

/** Does what a node does with a claim that grows, once that is left to it. */
async function growOnNode(cluster: Cluster, name: string): Promise<void> {
  const claims = cluster.client().resource(PersistentVolumeClaim);
  const { spec, status } = await claims.get({ name, namespace: "default" });
  need(
    `what is left of the growth of claim ${name} to be the part of its node`,
    spec.resources.requests?.["storage"] === status.capacity?.["storage"] ||
      status.allocatedResourceStatuses?.["storage"] === "NodeResizePending",
  );
  await claims.status.patch(
    { name, namespace: "default" },
    { status: { capacity: { storage: "2Gi" }, allocatedResourceStatuses: null, conditions: null } },
  );
}

/** Has the volume of a claim kept when the claim goes. */
async function keepVolume(cluster: Cluster, name: string): Promise<void> {
  const client = cluster.client();
  const { spec } = await client.resource(PersistentVolumeClaim).get({ name, namespace: "default" });
  need(`claim ${name} to have a volume`, spec.volumeName !== undefined);
  const patch = { spec: { persistentVolumeReclaimPolicy: "Retain" } };
  await client.resource(PersistentVolume).patch({ name: spec.volumeName! }, patch);
}

/** Deletes the volume that is kept without a claim. */
async function deleteReleased(cluster: Cluster): Promise<void> {
  const volumes = cluster.client().resource(PersistentVolume);
  const released = (await volumes.list()).items.filter(({ status }) => status.phase === "Released");
  need("one released volume", released.length === 1);
  await volumes.delete({ name: released[0]!.metadata.name });
}

const CLASS = { apiVersion: STORAGE, kind: "VolumeAttributesClass", name: "fast" };
const attributesClass = {
  apiVersion: STORAGE,
  kind: "VolumeAttributesClass",
  metadata: { name: "fast" },
  driverName: "disks.example.com",
  parameters: { iops: "1" },
};

export const STORAGE_STORIES: Readonly<Record<string, OwnStory>> = {
  binding: {
    explored: ["persistentvolume-binder", "pvc-protection", "pv-protection"],
    beside: ["garbage-collector", "namespace"],
    scenario: {
      name: "claims are bound to volumes, deleted, and made again",
      // Each claim fits one volume only: which of several it gets depends on what is known of them.
      start: [volume("small", "1Gi"), volume("large", "5Gi", { accessModes: ["ReadWriteMany"] })],
      steps: [
        { name: "claim", create: [claim("a", "1Gi"), claim("b", "3Gi", { accessModes: ["ReadWriteMany"] })] },
        { name: "delete one", do: (cluster) => deleteBound(cluster, "a") },
        { name: "make it again", create: claim("a", "1Gi") },
        { name: "another volume", create: volume("more", "1Gi") },
        {
          name: "free the old one",
          patch: { ...core("PersistentVolume", "small"), with: { spec: { claimRef: null } } },
        },
        {
          name: "a volume for a claim of a name",
          create: volume("kept", "1Gi", { claimRef: { namespace: "default", name: "d" } }),
        },
        { name: "which comes, and waits for a class first", create: claim("d", "1Gi", { storageClassName: "other" }) },
        { name: "it goes", delete: core("PersistentVolumeClaim", "d") },
        { name: "it comes again", create: claim("d", "1Gi") },
        { name: "its volume goes", delete: core("PersistentVolume", "kept") },
        { name: "and so does it", do: (cluster) => deleteBound(cluster, "d") },
        { name: "a claim that names its volume", create: claim("c", "1Gi", { volumeName: "small" }) },
        { name: "delete a volume in use", delete: core("PersistentVolume", "large") },
        { name: "and its claim", delete: core("PersistentVolumeClaim", "b") },
      ],
    },
  },
  freeing: {
    explored: ["persistentvolume-binder"],
    beside: [...BESIDE, "pvc-protection", "pv-protection"],
    scenario: {
      name: "a volume is freed when its claim is gone",
      start: [volume("one", "1Gi")],
      steps: [
        { name: "claim", create: claim("a", "1Gi") },
        { name: "delete it", delete: core("PersistentVolumeClaim", "a") },
        { name: "free the volume", patch: { ...core("PersistentVolume", "one"), with: { spec: { claimRef: null } } } },
      ],
    },
  },
  reclaim: {
    explored: ["persistentvolume-binder"],
    beside: [...BESIDE, "pvc-protection", "pv-protection"],
    scenario: {
      name: "volumes of deleted claims are deleted, and one is kept",
      nodes: 1,
      start: [
        {
          apiVersion: STORAGE,
          kind: "StorageClass",
          metadata: { name: "late" },
          provisioner: "simulated.keelson.dev",
          volumeBindingMode: "WaitForFirstConsumer",
        },
      ],
      steps: [
        {
          name: "claim",
          create: [
            claim("a", "1Gi", { storageClassName: "simulated" }),
            claim("b", "1Gi", { storageClassName: "simulated" }),
          ],
        },
        { name: "delete one", do: (cluster) => deleteBound(cluster, "a") },
        { name: "make it again", create: claim("a", "1Gi", { storageClassName: "simulated" }) },
        { name: "keep the volume of the other", do: (cluster) => keepVolume(cluster, "b") },
        { name: "delete the other", delete: core("PersistentVolumeClaim", "b") },
        { name: "make it again, too", create: claim("b", "1Gi", { storageClassName: "simulated" }) },
        { name: "one for a Pod that comes later", create: claim("late", "1Gi", { storageClassName: "late" }) },
        { name: "which comes", create: pod("p", of("late")) },
        { name: "delete the claim in use", delete: core("PersistentVolumeClaim", "late") },
        { name: "the Pod goes", delete: core("Pod", "p") },
        { name: "delete the kept volume", do: deleteReleased },
      ],
    },
  },
  "claims in use": {
    explored: ["pvc-protection", "pv-protection"],
    beside: BOUND,
    scenario: {
      name: "a claim that a Pod uses, and its volume, are deleted",
      start: [volume("v", "1Gi"), volume("w", "1Gi")],
      steps: [
        { name: "create", create: [claim("a", "1Gi", { volumeName: "v" }), pod("p", of("a"), { nodeName: "n" })] },
        { name: "delete the volume", delete: core("PersistentVolume", "v") },
        { name: "delete the claim", delete: core("PersistentVolumeClaim", "a") },
        { name: "the Pod goes", delete: core("Pod", "p") },
        { name: "make all again", create: [volume("v", "1Gi"), claim("a", "1Gi", { volumeName: "v" })] },
        { name: "delete what nobody uses", delete: core("PersistentVolume", "w") },
      ],
    },
  },
  "classes in use": {
    explored: ["vac-protection"],
    beside: [...BOUND, "pvc-protection"],
    scenario: {
      name: "a class of attributes that a claim names is deleted, and made again",
      start: [volume("v", "1Gi")],
      steps: [
        { name: "create", create: [attributesClass, claim("a", "1Gi", { volumeAttributesClassName: "fast" })] },
        { name: "delete", delete: CLASS },
        { name: "the claim goes", delete: core("PersistentVolumeClaim", "a") },
        { name: "make it again", create: attributesClass },
        { name: "delete it unused", delete: CLASS },
      ],
    },
  },
  expansion: {
    explored: ["persistentvolume-expander"],
    beside: BOUND,
    scenario: {
      name: "a claim asks for more, and its node does the rest",
      start: [
        {
          apiVersion: STORAGE,
          kind: "StorageClass",
          metadata: { name: "manual" },
          provisioner: "example.com/disk",
          allowVolumeExpansion: true,
        },
        volume("v", "1Gi", { csi: undefined, flexVolume: { driver: "example.com/disk" } }),
      ],
      steps: [
        { name: "claim", create: claim("a", "1Gi") },
        {
          name: "ask for more",
          patch: {
            ...core("PersistentVolumeClaim", "a"),
            with: { spec: { resources: { requests: { storage: "2Gi" } } } },
          },
        },
        { name: "the node is done", do: (cluster) => growOnNode(cluster, "a") },
        {
          name: "ask for still more",
          patch: {
            ...core("PersistentVolumeClaim", "a"),
            with: { spec: { resources: { requests: { storage: "3Gi" } } } },
          },
        },
        { name: "delete", delete: core("PersistentVolumeClaim", "a") },
      ],
    },
  },
  "ephemeral volumes": {
    explored: ["ephemeral-volume"],
    beside: BOUND,
    scenario: {
      name: "a Pod brings its claim, goes with it, and comes again by the same name",
      steps: [
        { name: "create", create: pod("p", scratch) },
        { name: "somebody deletes the claim", delete: core("PersistentVolumeClaim", "p-scratch") },
        { name: "delete", delete: core("Pod", "p") },
        { name: "make it again", create: pod("p", scratch) },
        { name: "a claim of that name is there", create: [claim("q-scratch", "1Gi"), pod("q", scratch)] },
        { name: "it goes", delete: core("PersistentVolumeClaim", "q-scratch") },
      ],
    },
  },
  attachments: {
    explored: ["attachdetach"],
    beside: BOUND,
    scenario: {
      name: "volumes are attached to the nodes of Pods, and taken off",
      start: [
        driver,
        node("one"),
        node("two"),
        volume("v", "1Gi"),
        volume("w", "1Gi"),
        claim("a", "1Gi", { volumeName: "v" }),
        claim("b", "1Gi", { volumeName: "w" }),
      ],
      steps: [
        beReady,
        { name: "Pods come", create: [pod("p", of("a"), { nodeName: "one" }), pod("q", of("b"), { nodeName: "one" })] },
        { name: "they are attached", do: (cluster) => attach(cluster, "one") },
        { name: "one goes", delete: core("Pod", "p") },
        { name: "it comes to another node", create: pod("p", of("a"), { nodeName: "two" }) },
        { name: "it is attached there", do: (cluster) => attach(cluster, "two") },
        {
          name: "the other one ends",
          patch: { ...core("Pod", "q"), subresource: "status", with: { status: { phase: "Succeeded" } } },
        },
        { name: "all go", delete: core("Pod", "p") },
      ],
    },
  },
};
