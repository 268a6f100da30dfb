/**
 * Objects of the stories.
 *
 * @module
 */
import type { Manifest } from "../../../src/client/index.ts";
import type { Step } from "../../../src/testing/explore/scenario.ts";

const inDefault = (name: string) => ({ name, namespace: "default" });

/** Names an object of the core group. */
export const core = (kind: string, name: string) => ({ apiVersion: "v1", kind, name });

export const claim = (name: string, storageClassName?: string, more: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: inDefault(name),
  spec: {
    ...(storageClassName !== undefined && { storageClassName }),
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...more,
  },
});

export const volume = (name: string, storageClassName: string, more: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    storageClassName,
    ...("hostPath" in more ? {} : { csi: { driver: "disks.example.com", volumeHandle: name } }),
    ...more,
  },
});

/** A volume of a directory, which the binder deletes or empties itself. */
export const directory = (name: string, persistentVolumeReclaimPolicy: "Delete" | "Recycle", more: object = {}) =>
  volume(name, name, { hostPath: { path: `/tmp/${name}` }, persistentVolumeReclaimPolicy, ...more });

export const storageClass = (name: string, more: object = {}, annotations: Record<string, string> = {}): Manifest => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name, annotations },
  provisioner: "disks.example.com",
  ...more,
});

/** A Pod that uses a claim. */
export const pod = (name: string, claimName: string, more: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: inDefault(name),
  spec: {
    containers: [{ name: "c", image: "c" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    ...more,
  },
});

export const secret = (name: string): Manifest => ({ apiVersion: "v1", kind: "Secret", metadata: inDefault(name) });

export const configMap = (name: string, metadata: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { ...inDefault(name), ...metadata },
});

/** A step that deletes an object. */
export const remove = (kind: string, name: string, more: object = {}): Step => ({
  name: `delete ${kind} ${name}`,
  delete: { ...core(kind, name), ...more },
});
