/**
 * The schema of Pods inside of other objects, as operators embed it.
 *
 * @module
 */
import {
  type Json,
  int32,
  int64,
  intOrString,
  keyRef,
  keyed,
  labelSelector,
  list,
  localRef,
  mapOf,
  object,
  oneOf,
  quantity,
  setOf,
  text,
  texts,
  yesNo,
} from "../words.ts";

const atomic = (items: Json): Json => list(items, { "x-kubernetes-list-type": "atomic" });

const selectorTerm = object({
  matchExpressions: atomic(
    object({ key: text(), operator: text(), values: atomic(text()) }, { required: ["key", "operator"] }),
  ),
  matchFields: atomic(
    object({ key: text(), operator: text(), values: atomic(text()) }, { required: ["key", "operator"] }),
  ),
});
const podTerm = object(
  { labelSelector, namespaceSelector: labelSelector, namespaces: atomic(text()), topologyKey: text() },
  { required: ["topologyKey"] },
);
const weighted = atomic(
  object({ podAffinityTerm: podTerm, weight: int32() }, { required: ["podAffinityTerm", "weight"] }),
);
const podAffinity = object({
  preferredDuringSchedulingIgnoredDuringExecution: weighted,
  requiredDuringSchedulingIgnoredDuringExecution: atomic(podTerm),
});

export const affinity = object({
  nodeAffinity: object({
    preferredDuringSchedulingIgnoredDuringExecution: atomic(
      object({ preference: selectorTerm, weight: int32() }, { required: ["preference", "weight"] }),
    ),
    requiredDuringSchedulingIgnoredDuringExecution: object(
      { nodeSelectorTerms: atomic(selectorTerm) },
      { required: ["nodeSelectorTerms"], "x-kubernetes-map-type": "atomic" },
    ),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

export const resources = object({
  claims: keyed(["name"], object({ name: text(), request: text() }, { required: ["name"] })),
  limits: mapOf(quantity),
  requests: mapOf(quantity),
});

export const tolerations = list(
  object({ effect: text(), key: text(), operator: text(), tolerationSeconds: int64(), value: text() }),
);

const headers = atomic(object({ name: text(), value: text() }, { required: ["name", "value"] }));
const httpGet = object(
  { host: text(), httpHeaders: headers, path: text(), port: intOrString, scheme: text() },
  { required: ["port"] },
);
const exec = object({ command: atomic(text()) });
const tcpSocket = object({ host: text(), port: intOrString }, { required: ["port"] });
export const probe = object({
  exec,
  failureThreshold: int32(),
  grpc: object({ port: int32(), service: text({ default: "" }) }, { required: ["port"] }),
  httpGet,
  initialDelaySeconds: int32(),
  periodSeconds: int32(),
  successThreshold: int32(),
  tcpSocket,
  terminationGracePeriodSeconds: int64(),
  timeoutSeconds: int32(),
});
const handler = object({ exec, httpGet, tcpSocket, sleep: object({ seconds: int64() }, { required: ["seconds"] }) });

const securityContext = object({
  allowPrivilegeEscalation: yesNo(),
  capabilities: object({ add: atomic(text()), drop: atomic(text()) }),
  privileged: yesNo(),
  readOnlyRootFilesystem: yesNo(),
  runAsGroup: int64(),
  runAsNonRoot: yesNo(),
  runAsUser: int64(),
  seLinuxOptions: object({ level: text(), role: text(), type: text(), user: text() }),
  seccompProfile: object({ localhostProfile: text(), type: text() }, { required: ["type"] }),
});

const fieldRef = object(
  { apiVersion: text(), fieldPath: text() },
  { required: ["fieldPath"], "x-kubernetes-map-type": "atomic" },
);
const resourceFieldRef = object(
  { containerName: text(), divisor: quantity, resource: text() },
  { required: ["resource"], "x-kubernetes-map-type": "atomic" },
);
export const env = keyed(
  ["name"],
  object(
    {
      name: text(),
      value: text(),
      valueFrom: object({ configMapKeyRef: keyRef, fieldRef, resourceFieldRef, secretKeyRef: keyRef }),
    },
    { required: ["name"] },
  ),
);

export const container = object(
  {
    name: text(),
    image: text(),
    imagePullPolicy: text(),
    args: atomic(text()),
    command: atomic(text()),
    env,
    envFrom: atomic(object({ configMapRef: localRef, prefix: text(), secretRef: localRef })),
    lifecycle: object({ postStart: handler, preStop: handler, stopSignal: text() }),
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
    ports: keyed(
      ["containerPort", "protocol"],
      object(
        {
          containerPort: int32(),
          hostIP: text(),
          hostPort: int32(),
          name: text(),
          protocol: text({ default: "TCP" }),
        },
        { required: ["containerPort"] },
      ),
    ),
    resources,
    securityContext,
    stdin: yesNo(),
    terminationMessagePath: text(),
    terminationMessagePolicy: text(),
    tty: yesNo(),
    volumeDevices: keyed(
      ["devicePath"],
      object({ devicePath: text(), name: text() }, { required: ["devicePath", "name"] }),
    ),
    volumeMounts: keyed(
      ["mountPath"],
      object(
        { mountPath: text(), mountPropagation: text(), name: text(), readOnly: yesNo(), subPath: text() },
        { required: ["mountPath", "name"] },
      ),
    ),
    workingDir: text(),
  },
  { required: ["name"] },
);

const files = atomic(object({ key: text(), mode: int32(), path: text() }, { required: ["key", "path"] }));
export const claimSpec = object({
  accessModes: atomic(text()),
  dataSource: object(
    { apiGroup: text(), kind: text(), name: text() },
    { required: ["kind", "name"], "x-kubernetes-map-type": "atomic" },
  ),
  resources: object({ limits: mapOf(quantity), requests: mapOf(quantity) }),
  selector: labelSelector,
  storageClassName: text(),
  volumeMode: text(),
  volumeName: text(),
});
export const volumes = keyed(
  ["name"],
  object(
    {
      name: text(),
      configMap: object({ defaultMode: int32(), items: files, name: text({ default: "" }), optional: yesNo() }),
      csi: object(
        { driver: text(), fsType: text(), nodePublishSecretRef: localRef, readOnly: yesNo(), volumeAttributes: texts },
        { required: ["driver"] },
      ),
      emptyDir: object({ medium: text(), sizeLimit: quantity }),
      ephemeral: object({
        volumeClaimTemplate: object({ metadata: { type: "object" }, spec: claimSpec }, { required: ["spec"] }),
      }),
      hostPath: object({ path: text(), type: text() }, { required: ["path"] }),
      nfs: object({ path: text(), readOnly: yesNo(), server: text() }, { required: ["path", "server"] }),
      persistentVolumeClaim: object({ claimName: text(), readOnly: yesNo() }, { required: ["claimName"] }),
      projected: object({
        defaultMode: int32(),
        sources: atomic(
          object({
            configMap: object({ items: files, name: text({ default: "" }), optional: yesNo() }),
            secret: object({ items: files, name: text({ default: "" }), optional: yesNo() }),
            serviceAccountToken: object(
              { audience: text(), expirationSeconds: int64(), path: text() },
              { required: ["path"] },
            ),
          }),
        ),
      }),
      secret: object({ defaultMode: int32(), items: files, optional: yesNo(), secretName: text() }),
    },
    { required: ["name"] },
  ),
);

export const podMetadata = object({ annotations: texts, labels: texts, name: text() });

/** What a Pod is made of. */
export const podSpec = object(
  {
    activeDeadlineSeconds: int64(),
    affinity,
    automountServiceAccountToken: yesNo(),
    containers: keyed(["name"], container),
    dnsConfig: object({
      nameservers: atomic(text()),
      options: atomic(object({ name: text(), value: text() })),
      searches: atomic(text()),
    }),
    dnsPolicy: text(),
    hostAliases: keyed(["ip"], object({ hostnames: atomic(text()), ip: text() }, { required: ["ip"] })),
    hostNetwork: yesNo(),
    imagePullSecrets: keyed(["name"], object({ name: text({ default: "" }) }, { "x-kubernetes-map-type": "atomic" })),
    initContainers: keyed(["name"], container),
    nodeSelector: mapOf(text(), { "x-kubernetes-map-type": "atomic" }),
    overhead: mapOf(quantity),
    priorityClassName: text(),
    restartPolicy: oneOf("Always", "OnFailure", "Never"),
    securityContext: object({
      fsGroup: int64(),
      fsGroupChangePolicy: text(),
      runAsNonRoot: yesNo(),
      runAsUser: int64(),
      supplementalGroups: setOf(int64()),
      sysctls: atomic(object({ name: text(), value: text() }, { required: ["name", "value"] })),
    }),
    serviceAccountName: text(),
    terminationGracePeriodSeconds: int64(),
    tolerations,
    topologySpreadConstraints: keyed(
      ["topologyKey", "whenUnsatisfiable"],
      object(
        { labelSelector, maxSkew: int32(), minDomains: int32(), topologyKey: text(), whenUnsatisfiable: text() },
        { required: ["maxSkew", "topologyKey", "whenUnsatisfiable"] },
      ),
    ),
    volumes,
  },
  { required: ["containers"] },
);

/** A Pod that is to be. */
export const podTemplate = object({ metadata: podMetadata, spec: podSpec });
