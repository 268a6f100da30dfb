/**
 * Databases, queues and searches that an operator runs.
 *
 * @module
 */
import { type Sample, STATUS, sample } from "../sample.ts";
import { affinity, claimSpec, env, podTemplate, resources, tolerations, volumes } from "./pods.ts";
import {
  type Json,
  OPEN,
  conditions,
  int32,
  int64,
  intOrString,
  keyRef,
  keyed,
  list,
  mapOf,
  number,
  object,
  oneOf,
  openObject,
  ruled,
  status,
  text,
  texts,
  yesNo,
} from "../words.ts";

const secretRef = object({ name: text() }, { required: ["name"] });
const storage = object({
  pvcTemplate: claimSpec,
  resizeInUseVolumes: yesNo({ default: true }),
  size: text(),
  storageClass: text(),
});
const bootstrap = object({
  initdb: ruled(
    object({
      database: text(),
      encoding: text(),
      owner: text(),
      postInitSQL: list(text()),
      secret: secretRef,
      walSegmentSize: integerOf(1, 1024),
    }),
    ["!has(self.encoding) || self.encoding != ''", "an encoding has a name"],
  ),
  pg_basebackup: object({ database: text({ default: "" }), source: text({ minLength: 1 }) }, { required: ["source"] }),
  recovery: object({
    backup: secretRef,
    recoveryTarget: object({ targetTime: text(), targetXID: text() }),
    source: text(),
  }),
});

function integerOf(minimum: number, maximum: number): Json {
  return { type: "integer", minimum, maximum };
}

export const postgres: Sample = sample({
  of: "a cluster of databases",
  group: "databases.example.com",
  kind: "Cluster",
  plural: "clusters",
  versions: [
    {
      name: "v1",
      members: {
        spec: ruled(
          object(
            {
              affinity: object({
                additionalPodAffinity: affinity,
                enablePodAntiAffinity: yesNo(),
                nodeSelector: texts,
                podAntiAffinityType: text(),
                tolerations,
                topologyKey: text(),
              }),
              backup: object({
                barmanObjectStore: object(
                  {
                    data: object({
                      compression: oneOf("bzip2", "gzip", "lz4", "snappy", "zstd"),
                      jobs: int32({ minimum: 1 }),
                    }),
                    destinationPath: text({ minLength: 1 }),
                    s3Credentials: object({ accessKeyId: keyRef, secretAccessKey: keyRef }),
                  },
                  { required: ["destinationPath"] },
                ),
                retentionPolicy: text({ pattern: "^[1-9][0-9]*[dwm]$" }),
                target: { ...oneOf("primary", "prefer-standby"), default: "prefer-standby" },
              }),
              bootstrap,
              enablePDB: yesNo({ default: true }),
              env,
              imageName: text(),
              instances: { ...int32({ minimum: 1 }), default: 1 },
              managed: object({
                roles: keyed(
                  ["name"],
                  object(
                    {
                      connectionLimit: int64({ default: -1 }),
                      ensure: { ...oneOf("present", "absent"), default: "present" },
                      inherit: yesNo({ default: true }),
                      inRoles: list(text()),
                      name: text(),
                      superuser: yesNo(),
                    },
                    { required: ["name"] },
                  ),
                ),
              }),
              maxSyncReplicas: int32({ default: 0, minimum: 0 }),
              minSyncReplicas: int32({ default: 0, minimum: 0 }),
              monitoring: object({
                customQueriesConfigMap: list(keyRef),
                disableDefaultQueries: yesNo({ default: false }),
              }),
              postgresql: object({
                parameters: texts,
                pg_hba: list(text()),
                synchronous: ruled(
                  object(
                    { dataDurability: oneOf("required", "preferred"), method: oneOf("any", "first"), number: int32() },
                    { required: ["method", "number"] },
                  ),
                  ["self.number > 0", "at least one is waited for", { fieldPath: ".number" }],
                ),
              }),
              resources,
              storage,
              tablespaces: list(
                object(
                  { name: text(), storage, temporary: yesNo({ default: false }) },
                  { required: ["name", "storage"] },
                ),
              ),
              walStorage: storage,
            },
            { required: ["instances"] },
          ),
          [
            "!has(self.imageName) || self.imageName.contains(':') || self.imageName.contains('@')",
            "an image has a tag",
            {
              fieldPath: ".imageName",
              reason: "FieldValueForbidden",
              messageExpression: "'%s has no tag'.format([self.imageName])",
            },
          ],
          ["self.minSyncReplicas <= self.maxSyncReplicas", "least and most in this order"],
        ),
        status: object({ conditions, instances: int32(), selector: text() }),
      },
      root: { required: ["metadata", "spec"] },
      more: {
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.instances", statusReplicasPath: ".status.instances" },
        },
      },
    },
  ],
  valid: {
    spec: {
      storage: { size: "1Gi" },
      backup: {},
      managed: { roles: [{ name: "app" }] },
      tablespaces: [{ name: "t", storage: {} }],
    },
  },
  becomes: {
    spec: {
      instances: 1,
      enablePDB: true,
      maxSyncReplicas: 0,
      minSyncReplicas: 0,
      storage: { size: "1Gi", resizeInUseVolumes: true },
      backup: { target: "prefer-standby" },
      managed: { roles: [{ name: "app", connectionLimit: -1, ensure: "present", inherit: true }] },
      tablespaces: [{ name: "t", storage: { resizeInUseVolumes: true }, temporary: false }],
    },
  },
  misfits: [
    {
      why: "with an image without tag and least above most",
      body: { spec: { imageName: "db", minSyncReplicas: 2, maxSyncReplicas: 1 } },
      causes: ["FieldValueForbidden spec.imageName", "FieldValueInvalid spec"],
    },
    {
      why: "that waits for nobody, with a retention that is none",
      body: { spec: { postgresql: { synchronous: { method: "any", number: 0 } }, backup: { retentionPolicy: "0d" } } },
      causes: ["FieldValueInvalid spec.backup.retentionPolicy", "FieldValueInvalid spec.postgresql.synchronous.number"],
    },
  ],
});

const kafkaStorage: Json = object(
  {
    class: text(),
    deleteClaim: yesNo(),
    id: { type: "integer", minimum: 0 },
    size: text(),
    sizeLimit: text({ pattern: "^([0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$" }),
    type: oneOf("ephemeral", "persistent-claim", "jbod"),
    volumes: list(
      object(
        {
          class: text(),
          id: { type: "integer", minimum: 0 },
          size: text(),
          type: oneOf("ephemeral", "persistent-claim"),
        },
        { required: ["type"] },
      ),
    ),
  },
  { required: ["type"] },
);
const kafkaListener = object(
  {
    authentication: object(
      {
        sasl: yesNo(),
        secrets: list(object({ key: text(), secretName: text() }, { required: ["key", "secretName"] })),
        type: oneOf("tls", "scram-sha-512", "oauth", "custom"),
      },
      { required: ["type"] },
    ),
    configuration: object({
      bootstrap: object({ host: text(), nodePort: { type: "integer" } }),
      brokers: list(object({ broker: { type: "integer" }, host: text() }, { required: ["broker"] })),
    }),
    name: text({ pattern: "^[a-z0-9]{1,11}$" }),
    port: { type: "integer", minimum: 9092 },
    tls: yesNo(),
    type: oneOf("internal", "route", "loadbalancer", "nodeport", "ingress", "cluster-ip"),
  },
  { required: ["name", "port", "type", "tls"] },
);
const jvmOptions = object({
  "-XX": texts,
  "-Xms": text({ pattern: "^[0-9]+[mMgG]?$" }),
  "-Xmx": text({ pattern: "^[0-9]+[mMgG]?$" }),
  gcLoggingEnabled: yesNo(),
});

export const kafka: Sample = sample({
  of: "a cluster of brokers",
  group: "queues.example.com",
  kind: "Kafka",
  plural: "kafkas",
  names: { shortNames: ["k"], categories: ["queues"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: object(
          {
            clusterCa: object({ generateCertificateAuthority: yesNo(), validityDays: { type: "integer", minimum: 1 } }),
            entityOperator: object({
              template: openObject,
              topicOperator: object({ jvmOptions, resources }),
              userOperator: object({ resources }),
            }),
            kafka: object(
              {
                authorization: object(
                  { superUsers: list(text()), type: oneOf("simple", "opa", "custom") },
                  { required: ["type"] },
                ),
                config: openObject,
                jvmOptions,
                listeners: keyed(["name"], kafkaListener, { minItems: 1 }),
                metricsConfig: object(
                  { type: oneOf("jmxPrometheusExporter"), valueFrom: object({ configMapKeyRef: keyRef }) },
                  { required: ["type", "valueFrom"] },
                ),
                rack: object(
                  { envVarName: text(), topologyKey: text() },
                  { oneOf: [{ required: ["envVarName"] }, { required: ["topologyKey"] }] },
                ),
                replicas: { type: "integer", minimum: 1 },
                resources,
                storage: kafkaStorage,
                template: object({
                  pod: object({
                    affinity,
                    metadata: object({ annotations: texts, labels: texts }),
                    tolerations,
                    volumes,
                  }),
                }),
                version: text(),
              },
              { required: ["listeners"] },
            ),
            maintenanceTimeWindows: list(text()),
          },
          { required: ["kafka"] },
        ),
        status: openObject,
      },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      kafka: {
        replicas: 3,
        config: { "offsets.topic.replication.factor": 3, "log.message.format.version": "3.0" },
        listeners: [
          { name: "plain", port: 9092, type: "internal", tls: false },
          { name: "tls", port: 9093, type: "internal", tls: true, authentication: { type: "tls" } },
        ],
        storage: { type: "jbod", volumes: [{ id: 0, type: "persistent-claim", size: "100Gi" }] },
        jvmOptions: { "-Xmx": "2g", "-XX": { UseG1GC: "true" } },
      },
    },
  },
  misfits: [
    {
      why: "with listeners nobody can use",
      body: { spec: { kafka: { listeners: [{ name: "Plain", port: 80, type: "internal" }], rack: {} } } },
      causes: [
        "FieldValueInvalid <nil>",
        "FieldValueInvalid spec.kafka.listeners[0].name",
        "FieldValueInvalid spec.kafka.listeners[0].port",
        "FieldValueRequired spec.kafka.listeners[0].tls",
        "FieldValueRequired spec.kafka.rack.envVarName",
      ],
    },
  ],
});

export const elasticsearch: Sample = sample({
  of: "a cluster that searches",
  group: "search.example.com",
  kind: "Elasticsearch",
  plural: "elasticsearches",
  names: { shortNames: ["es"] },
  versions: [
    {
      name: "v1beta1",
      members: { spec: { type: "object", ...OPEN } },
      more: { served: false },
    },
    {
      name: "v1",
      members: {
        spec: object(
          {
            auth: object({
              fileRealm: list(object({ secretName: text() })),
              roles: list(object({ secretName: text() })),
            }),
            http: object({
              service: object({
                metadata: object({ annotations: texts, labels: texts }),
                spec: object({
                  ports: keyed(
                    ["port", "protocol"],
                    object(
                      { name: text(), port: int32(), protocol: text({ default: "TCP" }), targetPort: intOrString },
                      { required: ["port"] },
                    ),
                  ),
                  type: text(),
                }),
              }),
              tls: object({
                selfSignedCertificate: object({
                  disabled: yesNo(),
                  subjectAltNames: list(object({ dns: text(), ip: text() })),
                }),
              }),
            }),
            monitoring: object({
              logs: object({ elasticsearchRefs: list(object({ name: text(), namespace: text() })) }),
            }),
            nodeSets: list(
              object(
                {
                  config: { type: "object", ...OPEN },
                  count: int32(),
                  name: text({ maxLength: 23, pattern: "[a-zA-Z0-9-]+" }),
                  podTemplate: { ...podTemplate, ...OPEN },
                  volumeClaimTemplates: list(
                    object({
                      apiVersion: text(),
                      kind: text(),
                      metadata: object({ labels: texts, name: text() }),
                      spec: claimSpec,
                    }),
                  ),
                },
                { required: ["name"] },
              ),
              { minItems: 1 },
            ),
            secureSettings: list(
              object(
                { entries: list(object({ key: text(), path: text() }, { required: ["key"] })), secretName: text() },
                { required: ["secretName"] },
              ),
            ),
            updateStrategy: object({ changeBudget: object({ maxSurge: int32(), maxUnavailable: int32() }) }),
            version: text(),
            volumeClaimDeletePolicy: oneOf("DeleteOnScaledownOnly", "DeleteOnScaledownAndClusterDeletion"),
            weights: mapOf(number({ minimum: 0, exclusiveMinimum: true })),
          },
          { required: ["nodeSets", "version"] },
        ),
        status: object({ availableNodes: int32(), health: text(), phase: text() }),
      },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      version: "9.0.0",
      weights: { a: 0.25, b: 1 },
      nodeSets: [
        {
          name: "default",
          count: 3,
          config: { "node.store.allow_mmap": false },
          podTemplate: { spec: { containers: [{ name: "es" }], someday: "known" } },
        },
      ],
    },
  },
  becomes: {
    spec: {
      version: "9.0.0",
      weights: { a: 0.25, b: 1 },
      nodeSets: [
        {
          name: "default",
          count: 3,
          config: { "node.store.allow_mmap": false },
          podTemplate: { spec: { containers: [{ name: "es" }] } },
        },
      ],
    },
  },
  misfits: [
    {
      why: "without nodes",
      body: { spec: { version: "1", nodeSets: [] } },
      causes: ["FieldValueInvalid spec.nodeSets"],
    },
    {
      why: "with a weight of nothing, and text that is no weight",
      body: { spec: { version: "1", nodeSets: [{ name: "a" }], weights: { a: 0, b: "1" } } },
      causes: ["FieldValueInvalid spec.weights.a", "FieldValueTypeInvalid spec.weights.b"],
    },
  ],
});

const device = object({ config: texts, name: text() });
const storageNode = {
  config: { ...texts, nullable: true, ...OPEN },
  deviceFilter: text(),
  devices: { ...list(device), nullable: true, ...OPEN },
  useAllDevices: yesNo(),
};

export const ceph: Sample = sample({
  of: "a cluster of disks, whose members may be null or anything",
  group: "disks.example.com",
  kind: "CephCluster",
  plural: "cephclusters",
  names: { shortNames: ["ceph"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: object({
          annotations: { ...mapOf(texts), nullable: true, ...OPEN },
          cephVersion: {
            ...object({
              allowUnsupported: yesNo(),
              image: text(),
              imagePullPolicy: oneOf("IfNotPresent", "Always", "Never", ""),
            }),
            nullable: true,
          },
          cleanupPolicy: {
            ...object({
              confirmation: text({ pattern: "^$|^yes-really-destroy-data$" }),
              sanitizeDisks: { ...object({ iteration: int32(), method: oneOf("complete", "quick") }), nullable: true },
            }),
            nullable: true,
          },
          csi: object({ readAffinity: object({ crushLocationLabels: list(text()), enabled: yesNo() }) }),
          dashboard: {
            ...object({ enabled: yesNo(), port: int32({ minimum: 0, maximum: 65_535 }), ssl: yesNo() }),
            nullable: true,
          },
          dataDirHostPath: ruled(text({ maxLength: 1024, pattern: "^/(\\S+)" }), [
            "self == oldSelf",
            "the directory stays",
          ]),
          healthCheck: {
            ...object({
              daemonHealth: { ...object({ mon: object({ disabled: yesNo(), interval: text() }) }), nullable: true },
            }),
            nullable: true,
          },
          mgr: {
            ...object({
              count: int32({ minimum: 0, maximum: 5 }),
              modules: { ...list(object({ enabled: yesNo(), name: text() })), nullable: true },
            }),
            nullable: true,
          },
          mon: {
            ...object({
              allowMultiplePerNode: yesNo(),
              count: int32({ minimum: 0, maximum: 9 }),
              volumeClaimTemplate: {
                ...object({ metadata: object({ labels: texts, name: text() }), spec: claimSpec }),
                ...OPEN,
              },
            }),
            nullable: true,
            "x-kubernetes-validations": [
              { rule: "!has(self.count) || self.count % 2 == 1", message: "an odd number of monitors" },
            ],
          },
          network: {
            ...object({
              connections: {
                ...object({ encryption: { ...object({ enabled: yesNo() }), nullable: true }, requireMsgr2: yesNo() }),
                nullable: true,
              },
              hostNetwork: yesNo(),
              provider: ruled(oneOf("", "host", "multus"), [
                "self == '' || oldSelf == '' || self == oldSelf",
                "the network stays",
              ]),
            }),
            nullable: true,
          },
          placement: {
            ...mapOf({ ...object({ nodeAffinity: { type: "object", ...OPEN }, tolerations }), ...OPEN }),
            nullable: true,
            ...OPEN,
          },
          priorityClassNames: { ...texts, nullable: true, ...OPEN },
          resources: { ...mapOf(resources), nullable: true, ...OPEN },
          storage: {
            ...object({
              ...storageNode,
              nodes: { ...list(object({ name: text(), resources, ...storageNode })), nullable: true },
              scheduleAlways: yesNo(),
              useAllNodes: yesNo(),
            }),
            nullable: true,
          },
        }),
        status: { ...status({ phase: text(), storage: openObject }), ...OPEN },
      },
      root: { required: ["metadata", "spec"] },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      dataDirHostPath: "/var/lib/disks",
      annotations: { all: { a: "b" } },
      cephVersion: null,
      mon: { count: 3, volumeClaimTemplate: { spec: {}, more: 1 } },
      network: { provider: "host", connections: { encryption: null } },
      placement: { mon: { nodeAffinity: { any: 1 }, unknown: true } },
      storage: { useAllNodes: true, config: null, devices: [{ name: "sda" }] },
    },
  },
  misfits: [
    {
      why: "with an even number of monitors and too many managers",
      body: { spec: { mon: { count: 2 }, mgr: { count: 6 } } },
      causes: ["FieldValueInvalid spec.mgr.count", "FieldValueInvalid spec.mon"],
    },
    {
      why: "with half a confirmation and an amount that is none",
      body: { spec: { cleanupPolicy: { confirmation: "yes" }, resources: { mon: { limits: { cpu: "x" } } } } },
      causes: ["FieldValueInvalid spec.cleanupPolicy.confirmation", "FieldValueInvalid spec.resources.mon.limits.cpu"],
    },
  ],
});
