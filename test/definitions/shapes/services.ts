/**
 * Services that grow and shrink, secrets from elsewhere, and snapshots of volumes.
 *
 * @module
 */
import { type Sample, STATUS, sample } from "../sample.ts";
import { env, podMetadata, podSpec } from "./pods.ts";
import {
  type Json,
  duration,
  int32,
  int64,
  list,
  mapOf,
  object,
  oneOf,
  quantity,
  ruled,
  setOf,
  status,
  text,
  texts,
  time,
  yesNo,
} from "../words.ts";

export const knative: Sample = sample({
  of: "a service that sleeps when nobody asks",
  group: "serving.example.com",
  kind: "Service",
  plural: "services",
  names: { shortNames: ["ksvc"], categories: ["all"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: object({
          template: object({
            metadata: { ...podMetadata, "x-kubernetes-preserve-unknown-fields": true },
            spec: object(
              {
                ...(podSpec["properties"] as Json),
                containerConcurrency: int64(),
                idleTimeoutSeconds: int64(),
                timeoutSeconds: int64(),
              },
              { required: ["containers"] },
            ),
          }),
          traffic: list(
            object({
              configurationName: text(),
              latestRevision: yesNo(),
              percent: int64(),
              revisionName: text(),
              tag: text(),
              url: text(),
            }),
          ),
        }),
        status: status({ address: object({ url: text() }), latestReadyRevisionName: text(), url: text() }),
      },
      more: { ...STATUS, additionalPrinterColumns: [{ name: "URL", type: "string", jsonPath: ".status.url" }] },
    },
  ],
  valid: {
    spec: {
      template: {
        metadata: { name: "one", creationTimestamp: null },
        spec: { containerConcurrency: 0, containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] },
      },
      traffic: [{ latestRevision: true, percent: 100 }],
    },
  },
  becomes: {
    spec: {
      template: {
        metadata: { name: "one", creationTimestamp: null },
        spec: {
          containerConcurrency: 0,
          containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, protocol: "TCP" }] }],
        },
      },
      traffic: [{ latestRevision: true, percent: 100 }],
    },
  },
  misfits: [
    {
      why: "with half a percent and a container without name",
      body: { spec: { traffic: [{ percent: 0.5 }], template: { spec: { containers: [{ image: "i" }] } } } },
      causes: [
        "FieldValueRequired spec.template.spec.containers[0].name",
        "FieldValueTypeInvalid spec.traffic[0].percent",
      ],
    },
  ],
});

export const scaledObject: Sample = sample({
  of: "what makes a workload grow and shrink",
  group: "scaling.example.com",
  kind: "ScaledObject",
  plural: "scaledobjects",
  names: { shortNames: ["so"] },
  versions: [
    {
      name: "v1alpha1",
      members: {
        spec: ruled(
          object(
            {
              advanced: object({
                horizontalPodAutoscalerConfig: object({
                  behavior: object({
                    scaleDown: object({
                      policies: list(
                        object(
                          { periodSeconds: int32(), type: text(), value: int32() },
                          { required: ["periodSeconds", "type", "value"] },
                        ),
                        { "x-kubernetes-list-type": "atomic" },
                      ),
                      tolerance: quantity,
                    }),
                  }),
                }),
                scalingModifiers: object({ formula: text(), target: text() }),
              }),
              cooldownPeriod: int32(),
              fallback: object(
                {
                  behavior: { ...oneOf("static", "currentReplicas"), default: "static" },
                  failureThreshold: int32(),
                  replicas: int32(),
                },
                { required: ["failureThreshold", "replicas"] },
              ),
              idleReplicaCount: int32(),
              maxReplicaCount: int32(),
              minReplicaCount: int32(),
              pollingInterval: int32(),
              scaleTargetRef: object(
                { apiVersion: text(), envSourceContainerName: text(), kind: text(), name: text() },
                { required: ["name"] },
              ),
              triggers: list(
                object(
                  {
                    authenticationRef: object({ kind: text(), name: text() }, { required: ["name"] }),
                    metadata: texts,
                    name: text(),
                    type: text(),
                    useCachedMetrics: yesNo(),
                  },
                  { required: ["metadata", "type"] },
                ),
              ),
            },
            { required: ["scaleTargetRef", "triggers"] },
          ),
          [
            "!has(self.minReplicaCount) || !has(self.maxReplicaCount) || self.minReplicaCount <= self.maxReplicaCount",
            "least and most in this order",
            { fieldPath: ".minReplicaCount" },
          ],
          [
            "!has(self.idleReplicaCount) || (has(self.minReplicaCount) && self.idleReplicaCount < self.minReplicaCount)",
            "fewer when idle",
          ],
        ),
        status: object({
          externalMetricNames: list(text()),
          health: mapOf(object({ numberOfFailures: int32(), status: text() })),
          originalReplicaCount: int32(),
        }),
      },
      root: { required: ["spec"] },
      more: {
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.maxReplicaCount", statusReplicasPath: ".status.originalReplicaCount" },
        },
      },
    },
  ],
  valid: {
    spec: {
      scaleTargetRef: { name: "shop" },
      minReplicaCount: 1,
      maxReplicaCount: 9,
      idleReplicaCount: 0,
      fallback: { failureThreshold: 3, replicas: 2 },
      triggers: [{ type: "cron", metadata: { start: "0 6 * * *" } }],
    },
  },
  becomes: {
    spec: {
      scaleTargetRef: { name: "shop" },
      minReplicaCount: 1,
      maxReplicaCount: 9,
      idleReplicaCount: 0,
      fallback: { behavior: "static", failureThreshold: 3, replicas: 2 },
      triggers: [{ type: "cron", metadata: { start: "0 6 * * *" } }],
    },
  },
  misfits: [
    {
      why: "with least above most, and more when idle",
      body: {
        spec: {
          scaleTargetRef: { name: "s" },
          triggers: [],
          minReplicaCount: 5,
          maxReplicaCount: 2,
          idleReplicaCount: 5,
        },
      },
      causes: ["FieldValueInvalid spec", "FieldValueInvalid spec.minReplicaCount"],
    },
    {
      why: "with a trigger of numbers; rules wait",
      body: { spec: { scaleTargetRef: { name: "s" }, triggers: [{ type: "cron", metadata: { n: 5 } }] } },
      causes: ["FieldValueInvalid <nil>", "FieldValueTypeInvalid spec.triggers[0].metadata.n"],
    },
  ],
});

const remoteRef = object(
  {
    conversionStrategy: { ...oneOf("Default", "Unicode"), default: "Default" },
    decodingStrategy: { ...oneOf("Auto", "Base64", "None"), default: "None" },
    key: text(),
    property: text(),
    version: text(),
  },
  { required: ["key"] },
);
const storeRef = object({
  kind: oneOf("SecretStore", "ClusterSecretStore"),
  name: text({ minLength: 1, maxLength: 253 }),
});

export const externalSecret: Sample = sample({
  of: "a secret that is kept elsewhere",
  group: "secrets.example.com",
  kind: "ExternalSecret",
  plural: "externalsecrets",
  names: { shortNames: ["exs"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: object({
          data: list(
            object(
              {
                remoteRef,
                secretKey: text({ minLength: 1, maxLength: 253, pattern: "^[-._a-zA-Z0-9]+$" }),
                sourceRef: object({ storeRef }, { minProperties: 1, maxProperties: 1 }),
              },
              { required: ["remoteRef", "secretKey"] },
            ),
          ),
          dataFrom: list(
            object({
              extract: remoteRef,
              find: object({ name: object({ regexp: text() }), path: text(), tags: texts }),
              rewrite: list(
                object(
                  {
                    regexp: object({ source: text(), target: text() }, { required: ["source", "target"] }),
                    transform: object({ template: text() }, { required: ["template"] }),
                  },
                  { minProperties: 1, maxProperties: 1 },
                ),
              ),
            }),
          ),
          refreshInterval: { ...duration, default: "1h" },
          refreshPolicy: oneOf("CreatedOnce", "Periodic", "OnChange"),
          secretStoreRef: storeRef,
          target: object(
            {
              creationPolicy: { ...oneOf("Owner", "Orphan", "Merge", "None"), default: "Owner" },
              deletionPolicy: { ...oneOf("Delete", "Merge", "Retain"), default: "Retain" },
              immutable: yesNo(),
              name: text(),
              template: object({
                data: texts,
                engineVersion: { ...oneOf("v2"), default: "v2" },
                metadata: object({ annotations: texts, finalizers: setOf(text()), labels: texts }),
                type: text(),
              }),
            },
            { default: { creationPolicy: "Owner", deletionPolicy: "Retain" } },
          ),
        }),
        status: status({ refreshTime: { ...time, nullable: true }, syncedResourceVersion: text() }),
      },
      more: { ...STATUS, selectableFields: [{ jsonPath: ".spec.secretStoreRef.name" }] },
    },
  ],
  valid: {
    spec: {
      secretStoreRef: { kind: "SecretStore", name: "far" },
      data: [{ secretKey: "password", remoteRef: { key: "shop" } }],
    },
  },
  becomes: {
    spec: {
      refreshInterval: "1h",
      secretStoreRef: { kind: "SecretStore", name: "far" },
      target: { creationPolicy: "Owner", deletionPolicy: "Retain" },
      data: [
        { secretKey: "password", remoteRef: { key: "shop", conversionStrategy: "Default", decodingStrategy: "None" } },
      ],
    },
  },
  misfits: [
    {
      why: "with a rewrite that does two things and a key of spaces",
      body: {
        spec: {
          data: [{ secretKey: "a b", remoteRef: { key: "k" } }],
          dataFrom: [{ rewrite: [{ regexp: { source: "a", target: "b" }, transform: { template: "t" } }, {}] }],
        },
      },
      causes: [
        "FieldValueInvalid spec.dataFrom[0].rewrite[1]",
        "FieldValueInvalid spec.data[0].secretKey",
        "FieldValueTooMany spec.dataFrom[0].rewrite[0]",
      ],
    },
  ],
});

const SNAPSHOTS = "snapshots.example.k8s.io";
const approved = { "api-approved.kubernetes.io": "unapproved, a shape for tests" };

export const snapshotClass: Sample = sample({
  of: "a class of snapshots: no spec, members of its own",
  group: SNAPSHOTS,
  kind: "VolumeSnapshotClass",
  plural: "volumesnapshotclasses",
  scope: "Cluster",
  annotations: approved,
  versions: [
    {
      name: "v1",
      members: { deletionPolicy: oneOf("Delete", "Retain"), driver: text(), parameters: texts },
      root: { required: ["deletionPolicy", "driver"] },
    },
  ],
  valid: { deletionPolicy: "Delete", driver: "disks.example.com", parameters: { a: "b" } },
  misfits: [
    {
      why: "without a driver, with a policy that is none",
      body: { deletionPolicy: "Recycle" },
      causes: ["FieldValueNotSupported deletionPolicy", "FieldValueRequired driver"],
    },
  ],
});

const snapshotSource = ruled(
  object({
    persistentVolumeClaimName: ruled(text({ maxLength: 253 }), ["self == oldSelf", "the claim stays"]),
    volumeSnapshotContentName: ruled(text({ maxLength: 253 }), ["self == oldSelf", "the content stays"]),
  }),
  ["!has(oldSelf.persistentVolumeClaimName) || has(self.persistentVolumeClaimName)", "the claim stays"],
  ["has(self.volumeSnapshotContentName) != has(self.persistentVolumeClaimName)", "either a claim or a content"],
);

export const snapshot: Sample = sample({
  of: "a snapshot of a volume",
  group: SNAPSHOTS,
  kind: "VolumeSnapshot",
  plural: "volumesnapshots",
  names: { shortNames: ["vsn"] },
  annotations: approved,
  versions: [
    {
      name: "v1",
      members: {
        spec: object(
          {
            source: snapshotSource,
            volumeSnapshotClassName: ruled(text({ maxLength: 253 }), ["size(self) > 0", "a name is not empty"]),
          },
          { required: ["source"] },
        ),
        status: object({
          boundVolumeSnapshotContentName: text(),
          creationTime: time,
          error: object({ message: text(), time }),
          readyToUse: yesNo(),
          restoreSize: quantity,
        }),
      },
      root: { required: ["spec"] },
      more: STATUS,
    },
  ],
  valid: { spec: { source: { persistentVolumeClaimName: "data" }, volumeSnapshotClassName: "own" } },
  misfits: [
    {
      why: "of nothing, in a class without name",
      body: { spec: { source: {}, volumeSnapshotClassName: "" } },
      causes: ["FieldValueInvalid spec.source", "FieldValueInvalid spec.volumeSnapshotClassName"],
    },
  ],
});

const boundRef = ruled(
  object(
    { apiVersion: text(), kind: text(), name: text(), namespace: text(), uid: text() },
    { "x-kubernetes-map-type": "atomic" },
  ),
  ["has(self.name) && has(self.__namespace__)", "both name and namespace"],
);

export const snapshotContent: Sample = sample({
  of: "what a snapshot is bound to",
  group: SNAPSHOTS,
  kind: "VolumeSnapshotContent",
  plural: "volumesnapshotcontents",
  scope: "Cluster",
  names: { shortNames: ["vsc"] },
  annotations: approved,
  versions: [
    {
      name: "v1",
      members: {
        spec: ruled(
          object(
            {
              deletionPolicy: oneOf("Delete", "Retain"),
              driver: text(),
              source: ruled(
                object({
                  snapshotHandle: ruled(text({ maxLength: 1024 }), ["self == oldSelf", "the handle stays"]),
                  volumeHandle: text({ maxLength: 1024 }),
                }),
                ["has(self.volumeHandle) != has(self.snapshotHandle)", "one handle"],
              ),
              sourceVolumeMode: text({ maxLength: 32 }),
              volumeSnapshotRef: boundRef,
            },
            { required: ["deletionPolicy", "driver", "source", "volumeSnapshotRef"] },
          ),
          ["!has(oldSelf.sourceVolumeMode) || has(self.sourceVolumeMode)", "the mode stays"],
        ),
        status: object({
          creationTime: int64(),
          readyToUse: yesNo(),
          restoreSize: int64({ minimum: 0 }),
          snapshotHandle: text(),
        }),
      },
      root: { required: ["spec"] },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      deletionPolicy: "Retain",
      driver: "d",
      source: { snapshotHandle: "h" },
      volumeSnapshotRef: { name: "n", namespace: "default" },
    },
  },
  misfits: [
    {
      why: "with two handles, bound to half a name",
      body: {
        spec: {
          deletionPolicy: "Retain",
          driver: "d",
          source: { snapshotHandle: "h", volumeHandle: "v" },
          volumeSnapshotRef: { name: "n" },
        },
      },
      causes: ["FieldValueInvalid spec.source", "FieldValueInvalid spec.volumeSnapshotRef"],
    },
  ],
});

export const runner: Sample = sample({
  of: "a set of runners",
  group: "serving.example.com",
  kind: "RunnerSet",
  plural: "runnersets",
  versions: [
    {
      name: "v1",
      members: {
        spec: object({
          env,
          retries: int32({ multipleOf: 5 }),
          load: { type: "number", minimum: 0, maximum: 1, exclusiveMaximum: true },
        }),
      },
    },
  ],
  valid: { spec: { env: [{ name: "A", value: "" }], retries: 10, load: 0.99 } },
  misfits: [
    {
      why: "with numbers that do not fit",
      body: { spec: { retries: 7, load: 1 } },
      causes: ["FieldValueInvalid spec.load", "FieldValueInvalid spec.retries"],
    },
  ],
});
