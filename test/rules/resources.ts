/**
 * The thirteen resources of the documents: where they are and the smallest object of each that the documents allow.
 *
 * @module
 */
import { fresh } from "./api.ts";

/** One resource, in one dialect. */
export interface Resource {
  readonly kind: string;
  readonly plural: string;
  /** `/api/v1` or `/apis/{group}/{version}`. */
  readonly prefix: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  /** Whether it has a status path. */
  readonly status: boolean;
  /** What a delete of one object answers (EP-30..50). */
  readonly deleteReturns: "Status" | "object";
  /** The smallest valid object, without metadata. */
  readonly minimal: object;
  /** A valid change of the object beside metadata, as a merge patch; undefined when all of it is immutable. */
  readonly change?: object;
}

const part = (prefix: string): Pick<Resource, "prefix" | "apiVersion"> => ({
  prefix,
  apiVersion: prefix.replace(/^\/apis?\//, ""),
});

/** A valid Event, without metadata. */
export const EVENT = {
  eventTime: "2026-01-02T03:04:05.000006Z",
  action: "Doing",
  reason: "Because",
  type: "Normal",
  reportingController: "example.com/controller",
  reportingInstance: "one",
};

/** A valid LeaseCandidate spec. */
export const CANDIDATE = {
  leaseName: "lease",
  binaryVersion: "1.33.0",
  emulationVersion: "1.32.0",
  strategy: "OldestEmulationVersion",
};

/** The resources of the neutral dialect. */
export const RESOURCES: readonly Resource[] = [
  {
    kind: "ConfigMap",
    plural: "configmaps",
    ...part("/api/v1"),
    namespaced: true,
    status: false,
    deleteReturns: "Status",
    minimal: {},
    change: { data: { changed: "yes" } },
  },
  {
    kind: "Secret",
    plural: "secrets",
    ...part("/api/v1"),
    namespaced: true,
    status: false,
    deleteReturns: "Status",
    minimal: {},
    change: { data: { changed: "eWVz" } },
  },
  {
    kind: "LeaseCandidate",
    plural: "leasecandidates",
    ...part("/apis/coordination.svc.io/v1beta1"),
    namespaced: true,
    status: false,
    deleteReturns: "Status",
    minimal: { spec: CANDIDATE },
    change: { spec: { renewTime: "2026-01-02T03:04:05.000006Z" } },
  },
  {
    kind: "Event",
    plural: "events",
    ...part("/apis/events.svc.io/v1"),
    namespaced: true,
    status: false,
    deleteReturns: "Status",
    minimal: EVENT,
    change: { note: "changed" },
  },
  {
    kind: "CSIDriver",
    plural: "csidrivers",
    ...part("/apis/storage.svc.io/v1"),
    namespaced: false,
    status: false,
    deleteReturns: "object",
    minimal: { spec: {} },
    change: { spec: { podInfoOnMount: true } },
  },
  {
    kind: "CSINode",
    plural: "csinodes",
    ...part("/apis/storage.svc.io/v1"),
    namespaced: false,
    status: false,
    deleteReturns: "object",
    minimal: { spec: { drivers: [] } },
    change: { spec: { drivers: [{ name: "d", nodeID: "n" }] } },
  },
  {
    kind: "CSIStorageCapacity",
    plural: "csistoragecapacities",
    ...part("/apis/storage.svc.io/v1"),
    namespaced: true,
    status: false,
    deleteReturns: "Status",
    minimal: { storageClassName: "fast" },
    change: { capacity: "1Gi" },
  },
  {
    kind: "StorageClass",
    plural: "storageclasses",
    ...part("/apis/storage.svc.io/v1"),
    namespaced: false,
    status: false,
    deleteReturns: "object",
    minimal: {},
    change: { mountOptions: ["ro"] },
  },
  {
    kind: "VolumeAttachment",
    plural: "volumeattachments",
    ...part("/apis/storage.svc.io/v1"),
    namespaced: false,
    status: true,
    deleteReturns: "object",
    minimal: { spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "v" } } },
  },
  {
    kind: "VolumeAttributesClass",
    plural: "volumeattributesclasses",
    ...part("/apis/storage.svc.io/v1"),
    namespaced: false,
    status: false,
    deleteReturns: "object",
    minimal: { parameters: { iops: "100" } },
  },
  {
    kind: "StorageVersionMigration",
    plural: "storageversionmigrations",
    ...part("/apis/storagemigration.svc.io/v1alpha1"),
    namespaced: false,
    status: true,
    deleteReturns: "Status",
    minimal: { spec: { resource: { version: "v1", resource: "configmaps" } } },
    change: { spec: { continueToken: "t" } },
  },
  {
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    ...part("/api/v1"),
    namespaced: true,
    status: true,
    deleteReturns: "object",
    minimal: { spec: {} },
    change: { spec: { resources: { requests: { storage: "2Gi" } } } },
  },
  {
    kind: "PersistentVolume",
    plural: "persistentvolumes",
    ...part("/api/v1"),
    namespaced: false,
    status: true,
    deleteReturns: "object",
    minimal: { spec: { hostPath: { path: "/data" } } },
    change: { spec: { mountOptions: ["ro"] } },
  },
];

/** The resource of a kind. */
export function resource(kind: string): Resource {
  const found = RESOURCES.find((r) => r.kind === kind);
  if (!found) throw new Error(`expected the kind of one of the resources, got ${kind}`);
  return found;
}

/** The collection of a resource, in a namespace when it has one. */
export const collection = (r: Resource, namespace: string): string =>
  r.namespaced ? `${r.prefix}/namespaces/${namespace}/${r.plural}` : `${r.prefix}/${r.plural}`;

/** The smallest object of a resource, under a name. */
export const objectOf = (r: Resource, name: string, metadata: object = {}): object => ({
  apiVersion: r.apiVersion,
  kind: r.kind,
  metadata: { name, ...metadata },
  ...r.minimal,
});

/** A place for a new object: its namespace, its name and its paths. */
export interface Place {
  readonly ns: string;
  readonly name: string;
  readonly collection: string;
  readonly item: string;
}

/** A place for an object of a resource that no other test uses. */
export function place(kind: string): Place {
  const r = resource(kind);
  const ns = fresh("ns");
  const name = fresh("n");
  const path = collection(r, ns);
  return { ns, name, collection: path, item: `${path}/${name}` };
}
