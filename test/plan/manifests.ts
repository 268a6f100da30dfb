/** Random manifests, by a seed, for a cluster that has some of their objects already. */
import type { Manifest } from "../../src/client/index.ts";
import type { Random } from "../../src/util/clock.ts";

/** The namespaces: the first is there from the start. */
const NAMESPACES = ["default", "team-a", "team-b"] as const;
const NAMES = ["one", "two", "three"] as const;

/** Draws values. */
class Draw {
  readonly #random: Pick<Random, "next">;

  constructor(random: Pick<Random, "next">) {
    this.#random = random;
  }

  of<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random.next() * values.length)]!;
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  number(most: number): number {
    return Math.floor(this.#random.next() * most);
  }
}

type Make = (draw: Draw) => object;

const placed = (draw: Draw, more: object = {}): object => ({
  name: draw.of(NAMES),
  namespace: draw.of(NAMESPACES),
  ...more,
});

const container = (draw: Draw): object => ({
  name: "c",
  image: draw.chance(0.9) ? "registry.example.com/i:1" : "",
  ...(draw.chance(0.3)
    ? { resources: { requests: { cpu: "100m" }, limits: { cpu: draw.chance(0.8) ? "200m" : "10m" } } }
    : {}),
});

const podSpec = (draw: Draw): object => ({
  containers: [container(draw)],
  ...(draw.chance(0.3) ? { priorityClassName: draw.of(["urgent", "missing"]) } : {}),
  ...(draw.chance(0.2) ? { serviceAccountName: draw.of(NAMES) } : {}),
  ...(draw.chance(0.3) ? { volumes: [{ name: "v", persistentVolumeClaim: { claimName: draw.of(NAMES) } }] } : {}),
});

const KINDS: readonly Make[] = [
  (draw) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name: draw.of(["team-a", "team-b"]) } }),
  (draw) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: placed(draw, draw.chance(0.3) ? { labels: { app: draw.of(NAMES) } } : {}),
    data: { [draw.of(["x", "y"])]: draw.of(["1", "2", "3"]), ...(draw.chance(0.1) ? { "bad key": "x" } : {}) },
    ...(draw.chance(0.1) ? { unknown: true } : {}),
  }),
  (draw) => ({ apiVersion: "v1", kind: "Secret", metadata: placed(draw), stringData: { a: draw.of(["1", "2"]) } }),
  (draw) => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: placed(draw, draw.chance(0.6) ? { name: "default" } : {}),
  }),
  (draw) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: placed(draw),
    spec: {
      ports: [{ port: draw.chance(0.9) ? 80 : 0 }],
      ...(draw.chance(0.2) ? { clusterIP: draw.of(["10.0.0.77", "10.0.0.78", "192.168.1.1"]) } : {}),
    },
  }),
  (draw) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: placed(draw),
    spec: {
      replicas: draw.number(4) - (draw.chance(0.1) ? 4 : 0),
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: draw.chance(0.9) ? "a" : "b" } }, spec: podSpec(draw) },
    },
  }),
  (draw) => ({ apiVersion: "v1", kind: "Pod", metadata: placed(draw), spec: podSpec(draw) }),
  (draw) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: placed(draw),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: draw.of(["1Gi", "2Gi"]) } },
      storageClassName: "fast",
    },
  }),
  () => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "fast" },
    provisioner: "x.example.com",
  }),
  (draw) => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "urgent" },
    value: draw.of([1000, 2000]),
  }),
  (draw) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: placed(draw),
    rules: [
      {
        apiGroups: [""],
        resources: [draw.of(["configmaps", "secrets", "secrets"])],
        verbs: [draw.of(["get", "*"])],
      },
    ],
  }),
  (draw) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: placed(draw),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: draw.of(NAMES) },
    subjects: [{ kind: "User", name: draw.of(["ann", "dee"]), apiGroup: "rbac.authorization.k8s.io" }],
  }),
  (draw) => ({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: placed(draw),
    spec: { limits: [{ type: "Container", max: { cpu: draw.of(["150m", "2"]) }, defaultRequest: { cpu: "50m" } }] },
  }),
  (draw) => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: placed(draw),
    spec: { hard: { configmaps: draw.of(["1", "9"]) } },
  }),
  () => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gadgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Gadget", plural: "gadgets", singular: "gadget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { size: { type: "integer", maximum: 5, default: 2 } } },
              },
            },
          },
        },
      ],
    },
  }),
  (draw) => ({
    apiVersion: "example.com/v1",
    kind: "Gadget",
    metadata: placed(draw),
    spec: draw.chance(0.8) ? { size: draw.number(8) } : draw.chance(0.5) ? {} : { size: "many" },
  }),
  (draw) => ({ apiVersion: "nothing.example.com/v1", kind: "Nothing", metadata: placed(draw) }),
];

/** Some documents. */
export function drawManifest(random: Pick<Random, "next">, most = 24): readonly Manifest[] {
  const draw = new Draw(random);
  return Array.from({ length: 1 + draw.number(most) }, () => draw.of(KINDS)(draw) as Manifest);
}
