/**
 * What a Deployment and a Pod of 8 KiB cost in process: a whole create and a whole apply, and decoding, defaults and
 * rules alone, with a copy of the body for each time.
 *
 * The floor reads the JSON of the same body and writes it again. `CPU` is that of the whole process, in microseconds.
 *
 *     node bench/workloads.ts [seconds per row]
 *
 * @module
 */
import { createCluster } from "../src/cluster/index.ts";
import { builtInDefinitions } from "../src/kinds/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { KindUnderTest, contextOf } from "../src/schema/testing/kind.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import { kitPlugins } from "../src/testing/plugins.ts";

const SECONDS = Number(process.argv[2] ?? 3);
const KIB = 1024;

const container = (i: number): object => ({
  name: `part-${i}`,
  image: `registry.example/team/part-${i}:1.${i}.0`,
  command: ["/bin/part", "--config=/etc/part/config.yaml", `--listen=:80${i}0`],
  ports: [
    { name: `http-${i}`, containerPort: 8000 + i, protocol: "TCP" },
    { name: `metrics-${i}`, containerPort: 9000 + i, protocol: "TCP" },
  ],
  env: [
    { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
    { name: "POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
    { name: "TOKEN", valueFrom: { secretKeyRef: { name: "part", key: "token" } } },
    ...Array.from({ length: 8 }, (_, n) => ({ name: `SETTING_${n}`, value: `the value of setting ${n} of part ${i}` })),
  ],
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } },
  livenessProbe: {
    httpGet: { path: "/live", port: `http-${i}`, scheme: "HTTP" },
    periodSeconds: 10,
    timeoutSeconds: 2,
  },
  readinessProbe: {
    httpGet: { path: "/ready", port: `http-${i}`, scheme: "HTTP" },
    periodSeconds: 5,
    timeoutSeconds: 2,
  },
  securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  volumeMounts: [
    { name: "config", mountPath: "/etc/part", readOnly: true },
    { name: "data", mountPath: "/var/lib/part", subPath: `part-${i}` },
  ],
});

const labels = { app: "bench", "app.kubernetes.io/name": "bench", "app.kubernetes.io/part-of": "bench" };
const podSpec = {
  serviceAccountName: "default",
  automountServiceAccountToken: false,
  containers: Array.from({ length: 3 }, (_, i) => container(i)),
  initContainers: [{ ...container(3), restartPolicy: "Always" }],
  volumes: [
    { name: "config", configMap: { name: "part", items: [{ key: "config.yaml", path: "config.yaml" }] } },
    { name: "data", emptyDir: { sizeLimit: "1Gi" } },
  ],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: { labelSelector: { matchLabels: labels }, topologyKey: "kubernetes.io/hostname" },
        },
      ],
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "topology.kubernetes.io/zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: labels },
    },
  ],
  tolerations: [{ key: "dedicated", operator: "Equal", value: "bench", effect: "NoSchedule" }],
};

/** What is measured: a resource, and a body with a name in it. */
interface Subject {
  readonly kind: string;
  readonly path: string;
  readonly body: (name: string) => object;
}

/** Annotations that fill a body up to 8 KiB. */
const filled = (body: (annotations: object) => object): object => {
  const missing = 8 * KIB - JSON.stringify(body({ note: "" })).length;
  return body({ note: "x".repeat(Math.max(0, missing)) });
};

const SUBJECTS: readonly Subject[] = [
  {
    kind: "Deployment",
    path: "/apis/apps/v1/namespaces/default/deployments",
    body: (name) =>
      filled((annotations) => ({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name, labels, annotations },
        spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
      })),
  },
  {
    kind: "Pod",
    path: "/api/v1/namespaces/default/pods",
    body: (name) =>
      filled((annotations) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, labels, annotations },
        spec: podSpec,
      })),
  },
];

const ctx = contextOf(kubernetes);
const definitions = builtInDefinitions(ctx, "all");
const { server } = await createCluster({ store: await openMemoryStore(), dialect: kubernetes, plugins: kitPlugins() });
const identity = { user: "bench", groups: ["system:masters"] };

async function ask(method: string, url: string, body: string, type: string): Promise<void> {
  const headers = { "user-agent": "bench/1.0", "content-type": type };
  const answer = await server.inject({ method, url, headers, identity, body });
  const bytes = await answer.bytes();
  if (answer.code >= 300) throw new Error(`${method} ${url}: ${answer.code} ${Buffer.from(bytes).toString()}`);
}

let count = 0;

const WINDOWS = 5;

/** Microseconds of CPU for one time: the least of some windows, since other programs only add. */
async function measure(once: () => Promise<void> | void): Promise<number> {
  const micros: number[] = [];
  for (let i = 0; i <= WINDOWS; i++) {
    const [begin, cpu] = [performance.now(), process.cpuUsage()];
    let times = 0;
    for (; performance.now() - begin < (SECONDS * 1000) / WINDOWS; times++) await once();
    const { user, system } = process.cpuUsage(cpu);
    micros.push((user + system) / times);
  }
  return Math.round(Math.min(...micros.slice(1)));
}

for (const { kind, path, body } of SUBJECTS) {
  const sent = JSON.stringify(body("the-name"));
  const named = (name: string): string => sent.replace("the-name", name);
  const text = (): string => named(`b-${count++}`);
  const floor = await measure(() => void JSON.stringify(JSON.parse(sent)));
  const making = await measure(() => void text());
  const definition = definitions.find((one) => one.kind === kind)!;
  const alone = new KindUnderTest(definition, ctx);
  const object = JSON.parse(sent) as object;
  const applyOne = (more: string): Promise<void> => {
    const name = `b-${count++}`;
    return ask("PATCH", `${path}/${name}?fieldManager=bench${more}`, named(name), "application/apply-patch+yaml");
  };
  const rows: Readonly<Record<string, () => Promise<void> | void>> = {
    "defaults and rules alone": () => {
      const { causes } = alone.create(object);
      if (causes.length > 0) throw new Error(causes.join(", "));
    },
    create: () => ask("POST", path, text(), "application/json"),
    "create, dry run": () => ask("POST", `${path}?dryRun=All`, text(), "application/json"),
    apply: () => applyOne(""),
    "apply, dry run": () => applyOne("&dryRun=All"),
  };
  for (const [verb, once] of Object.entries(rows)) {
    const micros = (await measure(once)) - (verb.endsWith("alone") ? 0 : making);
    console.log(JSON.stringify({ kind, bytes: sent.length, verb, micros, floorMicros: floor }));
  }
}
process.exit(0);
