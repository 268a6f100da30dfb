/**
 * Continuous delivery: what is brought into a cluster, from where, and how fast.
 *
 * @module
 */
import { type Sample, STATUS, sample } from "../sample.ts";
import { podTemplate } from "./pods.ts";
import {
  type Json,
  anything,
  duration,
  int32,
  int64,
  intOrString,
  label,
  labelSelector,
  list,
  object,
  oneOf,
  openObject,
  ruled,
  setOf,
  status,
  text,
  texts,
  time,
  yesNo,
} from "../words.ts";

const source = object(
  {
    chart: text(),
    directory: object({ exclude: text(), include: text(), jsonnet: object({ libs: list(text()) }), recurse: yesNo() }),
    helm: object({
      parameters: list(object({ forceString: yesNo(), name: text(), value: text() })),
      releaseName: text(),
      valueFiles: list(text()),
      values: text(),
      valuesObject: openObject,
      version: text(),
    }),
    kustomize: object({ commonLabels: texts, images: list(text()), namePrefix: text(), patches: list(openObject) }),
    path: text(),
    ref: text(),
    repoURL: text(),
    targetRevision: text(),
  },
  { required: ["repoURL"] },
);
const destination = object({ name: text(), namespace: text(), server: text() });
const info = list(object({ name: text(), value: text() }, { required: ["name", "value"] }));

export const application: Sample = sample({
  of: "an application that is kept as its repository has it",
  group: "delivery.example.com",
  kind: "Application",
  plural: "applications",
  names: { shortNames: ["app", "apps"] },
  versions: [
    {
      name: "v1alpha1",
      members: {
        operation: object({
          info,
          retry: object({ limit: int64() }),
          sync: object({ prune: yesNo(), revision: text() }),
        }),
        spec: object(
          {
            destination,
            ignoreDifferences: list(
              object(
                {
                  group: text(),
                  jqPathExpressions: list(text()),
                  jsonPointers: list(text()),
                  kind: text(),
                  name: text(),
                },
                { required: ["kind"] },
              ),
            ),
            info,
            project: text(),
            revisionHistoryLimit: int64(),
            source,
            sources: list(source),
            syncPolicy: object({
              automated: object({ allowEmpty: yesNo(), prune: yesNo(), selfHeal: yesNo() }),
              retry: object({
                backoff: object({ duration: text(), factor: int64(), maxDuration: text() }),
                limit: int64(),
              }),
              syncOptions: list(text()),
            }),
          },
          { required: ["destination", "project"] },
        ),
        status: object({
          health: object({ message: text(), status: text() }),
          history: list(
            object({ deployedAt: time, id: int64(), revision: text(), source }, { required: ["deployedAt", "id"] }),
          ),
          resources: list(object({ group: text(), kind: text(), name: text(), status: text() })),
          sync: object({ comparedTo: object({ destination, source, sources: list(source) }), status: text() }),
        }),
      },
      root: { required: ["metadata", "spec"] },
    },
  ],
  valid: {
    spec: {
      project: "default",
      destination: { server: "https://here", namespace: "shop" },
      sources: [
        { repoURL: "https://git.example.com/a", helm: { valuesObject: { deep: { er: [1, { x: null }] } } } },
        { repoURL: "https://git.example.com/b", path: "base", kustomize: { patches: [{ op: "add" }] } },
      ],
      syncPolicy: { automated: { prune: true } },
    },
    operation: { sync: { prune: true } },
  },
  misfits: [
    {
      why: "without a project, with a source from nowhere",
      body: { spec: { destination: {}, sources: [{ path: "x" }], revisionHistoryLimit: "3" } },
      causes: [
        "FieldValueRequired spec.project",
        "FieldValueRequired spec.sources[0].repoURL",
        "FieldValueTypeInvalid spec.revisionHistoryLimit",
      ],
    },
  ],
});

const kustomizationV1 = (more: Json = {}): Json =>
  object(
    {
      components: list(text()),
      decryption: object({ provider: oneOf("sops"), secretRef: object({ name: text() }, { required: ["name"] }) }),
      dependsOn: list(object({ name: text(), namespace: text() }, { required: ["name"] })),
      force: yesNo({ default: false }),
      healthChecks: list(object({ apiVersion: text(), kind: text(), name: text() }, { required: ["kind", "name"] })),
      images: list(object({ digest: text(), name: text(), newName: text(), newTag: text() }, { required: ["name"] })),
      interval: duration,
      patches: list(object({ patch: text(), target: openObject }, { required: ["patch"] })),
      path: text(),
      postBuild: object({
        substitute: texts,
        substituteFrom: list(
          object({ kind: oneOf("Secret", "ConfigMap"), name: label }, { required: ["kind", "name"] }),
        ),
      }),
      prune: yesNo(),
      sourceRef: object(
        {
          apiVersion: text(),
          kind: oneOf("OCIRepository", "GitRepository", "Bucket"),
          name: text(),
          namespace: text(),
        },
        { required: ["kind", "name"] },
      ),
      suspend: yesNo(),
      targetNamespace: text({ minLength: 1, maxLength: 63 }),
      timeout: duration,
      ...more,
    },
    { required: ["interval", "prune", "sourceRef"] },
  );

export const kustomization: Sample = sample({
  of: "a tree of manifests that is applied again and again, in two versions",
  group: "kustomize.delivery.example.com",
  kind: "Kustomization",
  plural: "kustomizations",
  names: { shortNames: ["ks"] },
  versions: [
    {
      name: "v1beta2",
      members: { spec: kustomizationV1({ validation: oneOf("none", "client", "server") }), status: status() },
      more: { ...STATUS, deprecated: true, deprecationWarning: "v1beta2 Kustomization is deprecated, upgrade to v1" },
    },
    { name: "v1", members: { spec: kustomizationV1({ wait: yesNo() }), status: status() }, more: STATUS },
  ],
  valid: {
    spec: {
      interval: "10m",
      path: "./deploy",
      prune: true,
      wait: true,
      sourceRef: { kind: "GitRepository", name: "shop" },
      postBuild: { substitute: { region: "here", "": "empty key" } },
    },
  },
  becomes: {
    spec: {
      force: false,
      interval: "10m",
      path: "./deploy",
      prune: true,
      wait: true,
      sourceRef: { kind: "GitRepository", name: "shop" },
      postBuild: { substitute: { region: "here", "": "empty key" } },
    },
  },
  misfits: [
    {
      why: "with a source of no known kind and an interval without unit",
      body: { spec: { interval: "10", prune: true, sourceRef: { kind: "Svn", name: "s" } } },
      causes: ["FieldValueInvalid spec.interval", "FieldValueNotSupported spec.sourceRef.kind"],
    },
    {
      why: "with null where a value is needed",
      body: { spec: { interval: "1m", prune: null, sourceRef: { kind: "Bucket", name: "s" } } },
      causes: ["FieldValueRequired spec.prune"],
    },
  ],
});

const chart = object(
  {
    metadata: object({ annotations: texts, labels: texts }),
    spec: object(
      {
        chart: text({ minLength: 1, maxLength: 2048 }),
        interval: duration,
        reconcileStrategy: text({ default: "ChartVersion", enum: ["ChartVersion", "Revision"] }),
        sourceRef: object({ kind: text(), name: text({ minLength: 1, maxLength: 253 }) }, { required: ["name"] }),
        version: text({ default: "*" }),
      },
      { required: ["chart", "sourceRef"] },
    ),
  },
  { required: ["spec"] },
);
const chartRef = object(
  { kind: oneOf("OCIRepository", "HelmChart"), name: text({ maxLength: 253 }) },
  { required: ["kind", "name"] },
);
const remediation = object({ ignoreTestFailures: yesNo(), remediateLastFailure: yesNo(), retries: int32() });

export const helmRelease: Sample = sample({
  of: "a chart that is installed, with any values",
  group: "helm.delivery.example.com",
  kind: "HelmRelease",
  plural: "helmreleases",
  names: { shortNames: ["hr"] },
  versions: [
    {
      name: "v2",
      members: {
        spec: ruled(
          object(
            {
              chart,
              chartRef,
              dependsOn: list(object({ name: text(), readyExpr: text() }, { required: ["name"] })),
              driftDetection: object({
                ignore: list(object({ paths: list(text()) }, { required: ["paths"] })),
                mode: oneOf("enabled", "warn", "disabled"),
              }),
              install: object({ crds: oneOf("Skip", "Create", "CreateReplace"), remediation, timeout: duration }),
              interval: duration,
              maxHistory: int64(),
              postRenderers: list(object({ kustomize: object({ patches: list(openObject) }) })),
              releaseName: text({ minLength: 1, maxLength: 53 }),
              upgrade: object({ cleanupOnFail: yesNo(), force: yesNo(), remediation, timeout: duration }),
              values: anything,
              valuesFrom: list(
                object(
                  { kind: oneOf("Secret", "ConfigMap"), name: text(), optional: yesNo(), valuesKey: text() },
                  { required: ["kind", "name"] },
                ),
              ),
            },
            { required: ["interval"] },
          ),
          ["has(self.chart) != has(self.chartRef)", "either chart or chartRef must be set"],
        ),
        status: {
          ...status({ history: list(openObject), lastAppliedRevision: text() }),
          default: { observedGeneration: -1 },
        },
      },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      interval: "5m",
      chart: { spec: { chart: "shop", sourceRef: { kind: "HelmRepository", name: "all" } } },
      values: { replicas: 3, list: [1, "two", null, { three: 3 }], nested: { a: { b: { c: true } } } },
    },
  },
  becomes: {
    spec: {
      interval: "5m",
      chart: {
        spec: {
          chart: "shop",
          reconcileStrategy: "ChartVersion",
          sourceRef: { kind: "HelmRepository", name: "all" },
          version: "*",
        },
      },
      values: { replicas: 3, list: [1, "two", null, { three: 3 }], nested: { a: { b: { c: true } } } },
    },
    status: { observedGeneration: -1 },
  },
  misfits: [
    {
      why: "with a chart and a reference to one",
      body: {
        spec: {
          interval: "5m",
          chart: { spec: { chart: "c", sourceRef: { name: "n" } } },
          chartRef: { kind: "HelmChart", name: "n" },
        },
      },
      causes: ["FieldValueInvalid spec"],
    },
    {
      why: "with a name that is too long; rules wait",
      body: { spec: { interval: "5m", releaseName: "n".repeat(54) } },
      causes: ["FieldValueInvalid <nil>", "FieldValueTooLong spec.releaseName"],
    },
  ],
});

const percentOrCount = { ...intOrString, default: "25%" };

export const rollout: Sample = sample({
  of: "a workload that is replaced step by step",
  group: "rollouts.example.com",
  kind: "Rollout",
  plural: "rollouts",
  names: { shortNames: ["ro"] },
  versions: [
    {
      name: "v1alpha1",
      members: {
        spec: object({
          minReadySeconds: int32(),
          paused: yesNo(),
          progressDeadlineSeconds: int32(),
          replicas: int32(),
          revisionHistoryLimit: int32(),
          selector: labelSelector,
          strategy: object(
            {
              blueGreen: object(
                {
                  activeService: text(),
                  autoPromotionEnabled: yesNo(),
                  previewService: text(),
                  scaleDownDelaySeconds: int32(),
                },
                { required: ["activeService"] },
              ),
              canary: object({
                maxSurge: percentOrCount,
                maxUnavailable: percentOrCount,
                steps: list(
                  object({
                    analysis: object({
                      args: list(object({ name: text(), value: text() }, { required: ["name"] })),
                      templates: list(object({ templateName: text() })),
                    }),
                    pause: object({ duration: intOrString }),
                    setCanaryScale: object({ matchTrafficWeight: yesNo(), replicas: int32(), weight: int32() }),
                    setWeight: int32({ minimum: 0, maximum: 100 }),
                  }),
                ),
                trafficRouting: object({
                  managedRoutes: list(object({ name: text() }, { required: ["name"] })),
                  plugins: openObject,
                }),
              }),
            },
            { oneOf: [{ required: ["blueGreen"] }, { required: ["canary"] }] },
          ),
          template: podTemplate,
        }),
        status: object({
          HPAReplicas: int32(),
          conditions: setOf(text()),
          currentPodHash: text(),
          pauseConditions: list(object({ reason: text(), startTime: time }, { required: ["reason", "startTime"] })),
          replicas: int32(),
          selector: text(),
        }),
      },
      more: {
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.HPAReplicas",
            labelSelectorPath: ".status.selector",
          },
        },
      },
    },
  ],
  valid: {
    spec: {
      replicas: 5,
      selector: { matchLabels: { app: "shop" } },
      strategy: {
        canary: {
          steps: [{ setWeight: 20 }, { pause: {} }, { pause: { duration: "10m" } }, { pause: { duration: 600 } }],
        },
      },
      template: { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "shop", image: "shop:1" }] } },
    },
  },
  becomes: {
    spec: {
      replicas: 5,
      selector: { matchLabels: { app: "shop" } },
      strategy: {
        canary: {
          maxSurge: "25%",
          maxUnavailable: "25%",
          steps: [{ setWeight: 20 }, { pause: {} }, { pause: { duration: "10m" } }, { pause: { duration: 600 } }],
        },
      },
      template: { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "shop", image: "shop:1" }] } },
    },
  },
  misfits: [
    {
      why: "with two strategies at once",
      body: { spec: { strategy: { canary: {}, blueGreen: { activeService: "a" } } } },
      causes: ["FieldValueInvalid <nil>"],
    },
    {
      why: "with more weight than there is, and a Pod of nothing",
      body: { spec: { strategy: { canary: { steps: [{ setWeight: 101 }] } }, template: { spec: {} } } },
      causes: [
        "FieldValueInvalid spec.strategy.canary.steps[0].setWeight",
        "FieldValueRequired spec.template.spec.containers",
      ],
    },
  ],
});
