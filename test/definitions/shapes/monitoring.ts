/**
 * Monitoring: a server of metrics with much of a Pod inside, and what it looks at.
 *
 * @module
 */
import { type Sample, sample } from "../sample.ts";
import { affinity, claimSpec, container, podMetadata, resources, tolerations, volumes } from "./pods.ts";
import {
  type Json,
  duration,
  int32,
  int64,
  intOrString,
  keyRef,
  keyed,
  labelSelector,
  list,
  mapOf,
  object,
  oneOf,
  quantity,
  setOf,
  status,
  text,
  texts,
  yesNo,
} from "../words.ts";

const GROUP = "monitoring.example.com";

const orKey = object({ configMap: keyRef, secret: keyRef });
const tlsConfig = object({
  ca: orKey,
  cert: orKey,
  insecureSkipVerify: yesNo(),
  keySecret: keyRef,
  maxVersion: oneOf("TLS10", "TLS11", "TLS12", "TLS13"),
  minVersion: oneOf("TLS10", "TLS11", "TLS12", "TLS13"),
  serverName: text(),
});
const authorization = object({ credentials: keyRef, type: text() });
const basicAuth = object({ password: keyRef, username: keyRef });
const oauth2 = object(
  {
    clientId: orKey,
    clientSecret: keyRef,
    endpointParams: texts,
    scopes: list(text()),
    tlsConfig,
    tokenUrl: text({ minLength: 1 }),
  },
  { required: ["clientId", "clientSecret", "tokenUrl"] },
);
const relabelings: Json = list(
  object({
    action: text({ default: "replace", enum: ["replace", "keep", "drop", "hashmod", "labelmap", "labeldrop"] }),
    modulus: int64(),
    regex: text(),
    replacement: text(),
    separator: text(),
    sourceLabels: list(text({ pattern: "^[a-zA-Z_][a-zA-Z0-9_]*$" })),
    targetLabel: text(),
  }),
  { minItems: 1 },
);
const selectorOfNames = object({ any: yesNo(), matchNames: list(text()) });
const size = text({ pattern: String.raw`^(0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$` });
const interval = text({
  pattern: "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
});

const remote = object(
  {
    authorization,
    basicAuth,
    bearerTokenFile: text(),
    headers: texts,
    name: text(),
    oauth2,
    queueConfig: object({ batchSendDeadline: interval, capacity: int64(), maxShards: int64(), minShards: int64() }),
    remoteTimeout: interval,
    tlsConfig,
    url: text({ minLength: 1, pattern: "^(http|https)://.+$" }),
    writeRelabelConfigs: relabelings,
  },
  { required: ["url"] },
);

const prometheusSpec = object({
  additionalArgs: list(object({ name: text({ minLength: 1 }), value: text() }, { required: ["name"] })),
  additionalScrapeConfigs: keyRef,
  affinity,
  alerting: object({
    alertmanagers: list(
      object(
        {
          apiVersion: oneOf("v1", "V1", "v2", "V2"),
          authorization,
          basicAuth,
          name: text({ minLength: 1 }),
          port: intOrString,
          tlsConfig,
        },
        { required: ["name", "port"] },
      ),
    ),
  }),
  containers: list(container),
  enableFeatures: setOf(text({ minLength: 1 })),
  evaluationInterval: { ...interval, default: "30s" },
  externalLabels: texts,
  hostAliases: keyed(["ip"], object({ hostnames: list(text()), ip: text() }, { required: ["hostnames", "ip"] })),
  initContainers: list(container),
  image: text(),
  listenLocal: yesNo(),
  logLevel: oneOf("", "debug", "info", "warn", "error"),
  nodeSelector: texts,
  podMetadata,
  podMonitorSelector: labelSelector,
  portName: text({ default: "web" }),
  remoteRead: list(remote),
  remoteWrite: list(remote),
  replicas: int32(),
  resources,
  retention: interval,
  retentionSize: size,
  rules: object({ alert: object({ forGracePeriod: interval, resendDelay: interval }) }),
  scrapeInterval: { ...interval, default: "30s" },
  securityContext: object({ fsGroup: int64(), runAsNonRoot: yesNo(), runAsUser: int64() }),
  serviceMonitorNamespaceSelector: labelSelector,
  serviceMonitorSelector: labelSelector,
  shards: int32(),
  storage: object({
    emptyDir: object({ medium: text(), sizeLimit: quantity }),
    volumeClaimTemplate: object({ apiVersion: text(), kind: text(), metadata: podMetadata, spec: claimSpec }),
  }),
  thanos: object({ image: text(), objectStorageConfig: keyRef, resources, version: text() }),
  tolerations,
  tsdb: object({ outOfOrderTimeWindow: interval }),
  version: text(),
  volumes,
  walCompression: yesNo(),
});

export const prometheus: Sample = sample({
  of: "a server of metrics",
  group: GROUP,
  kind: "Prometheus",
  plural: "prometheuses",
  names: { shortNames: ["prom"], categories: ["monitoring"] },
  versions: [
    {
      name: "v1",
      members: { spec: prometheusSpec, status: status({ replicas: int32(), selector: text(), shards: int32() }) },
      root: { required: ["spec"] },
      more: {
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.shards",
            statusReplicasPath: ".status.shards",
            labelSelectorPath: ".status.selector",
          },
        },
      },
    },
  ],
  valid: {
    spec: {
      replicas: 2,
      resources: { requests: { memory: "400Mi", cpu: 1 } },
      alerting: {
        alertmanagers: [
          { name: "main", port: "web" },
          { name: "other", port: 9093 },
        ],
      },
      containers: [
        { name: "side", image: "i", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] },
      ],
      remoteWrite: [{ url: "https://far.example.com", writeRelabelConfigs: [{ sourceLabels: ["a"] }] }],
      serviceMonitorSelector: {},
      storage: { volumeClaimTemplate: { spec: { resources: { requests: { storage: "50Gi" } } } } },
    },
  },
  becomes: {
    spec: {
      replicas: 2,
      evaluationInterval: "30s",
      scrapeInterval: "30s",
      portName: "web",
      resources: { requests: { memory: "400Mi", cpu: 1 } },
      alerting: {
        alertmanagers: [
          { name: "main", port: "web" },
          { name: "other", port: 9093 },
        ],
      },
      containers: [
        {
          name: "side",
          image: "i",
          ports: [
            { containerPort: 80, protocol: "TCP" },
            { containerPort: 80, protocol: "UDP" },
          ],
        },
      ],
      remoteWrite: [
        { url: "https://far.example.com", writeRelabelConfigs: [{ action: "replace", sourceLabels: ["a"] }] },
      ],
      serviceMonitorSelector: {},
      storage: { volumeClaimTemplate: { spec: { resources: { requests: { storage: "50Gi" } } } } },
    },
  },
  misfits: [
    {
      why: "with an amount that is none",
      body: { spec: { resources: { limits: { memory: "lots" } } } },
      causes: ["FieldValueInvalid spec.resources.limits.memory"],
    },
    {
      why: "with one port twice, one of them by its default",
      body: {
        spec: { containers: [{ name: "c", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }] }] },
      },
      causes: ["FieldValueDuplicate spec.containers[0].ports[1]"],
    },
    {
      why: "with one feature twice",
      body: { spec: { enableFeatures: ["a", "b", "a"] } },
      causes: ["FieldValueDuplicate spec.enableFeatures[2]"],
    },
  ],
});

const endpoint = object({
  authorization,
  basicAuth,
  enableHttp2: yesNo(),
  honorLabels: yesNo(),
  interval,
  metricRelabelings: relabelings,
  oauth2,
  params: mapOf(list(text())),
  path: text(),
  port: text(),
  relabelings,
  scheme: oneOf("http", "https"),
  scrapeTimeout: interval,
  targetPort: intOrString,
  tlsConfig,
});

export const serviceMonitor: Sample = sample({
  of: "what a server of metrics looks at",
  group: GROUP,
  kind: "ServiceMonitor",
  plural: "servicemonitors",
  names: { shortNames: ["smon"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: object(
          {
            attachMetadata: object({ node: yesNo() }),
            endpoints: list(endpoint),
            jobLabel: text(),
            namespaceSelector: selectorOfNames,
            sampleLimit: int64({ minimum: 0 }),
            scrapeProtocols: setOf(oneOf("PrometheusProto", "OpenMetricsText1.0.0", "PrometheusText0.0.4")),
            selector: labelSelector,
            targetLabels: list(text()),
            timeout: duration,
          },
          { required: ["endpoints", "selector"] },
        ),
      },
      root: { required: ["spec"] },
    },
  ],
  valid: {
    spec: {
      selector: { matchExpressions: [{ key: "app", operator: "In", values: ["a"] }] },
      endpoints: [{ targetPort: 8080, interval: "15s", params: { format: ["text"] } }, { targetPort: "web" }],
    },
  },
  misfits: [
    {
      why: "with an interval and a scheme that are none",
      body: { spec: { selector: {}, endpoints: [{ interval: "often", scheme: "ftp", targetPort: true }] } },
      causes: [
        "FieldValueInvalid <nil>",
        "FieldValueInvalid spec.endpoints[0].interval",
        "FieldValueNotSupported spec.endpoints[0].scheme",
        "FieldValueTypeInvalid spec.endpoints[0].targetPort",
        "FieldValueTypeInvalid spec.endpoints[0].targetPort",
      ],
    },
    {
      why: "with operators that say nothing",
      body: { spec: { selector: { matchExpressions: [{ key: "a" }] }, endpoints: [{ relabelings: [] }] } },
      causes: [
        "FieldValueInvalid spec.endpoints[0].relabelings",
        "FieldValueRequired spec.selector.matchExpressions[0].operator",
      ],
    },
  ],
});
