/**
 * What field ownership costs in process, and the budgets it has to keep.
 *
 * Every iteration gets freshly parsed objects where a server would have them: parsing is measured apart and subtracted
 * nowhere, since the objects are parsed before the clock starts. Run: `node bench/apply.ts`; exits 1 above a budget.
 *
 * @module
 */
import { applyIntent, recordUpdate, singleVersion, typeOf, withEntries } from "../src/apply/index.ts";
import type { JsonSchema, UpdateRecord } from "../src/apply/index.ts";
import type { Value } from "../src/value/value.ts";

const text: JsonSchema = { type: "string" };
const map: JsonSchema = { type: "object", additionalProperties: text };
const struct = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: "object", properties });
const atomic = (items: JsonSchema): JsonSchema => ({ type: "array", "x-kubernetes-list-type": "atomic", items });
const keyed = (keys: string[], properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: struct(properties),
});

const metadata = struct({
  ...Object.fromEntries(
    ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"].map((name) => [name, text]),
  ),
  labels: map,
  annotations: map,
  finalizers: { type: "array", "x-kubernetes-list-type": "set", items: text },
});

const root = (properties: Record<string, JsonSchema>): JsonSchema =>
  struct({ apiVersion: text, kind: text, metadata, ...properties });

const configMap = root({ data: map });

const volume = root({
  spec: struct({
    capacity: map,
    accessModes: atomic(text),
    mountOptions: atomic(text),
    storageClassName: text,
    volumeMode: text,
    persistentVolumeReclaimPolicy: text,
    claimRef: struct(
      Object.fromEntries(["kind", "namespace", "name", "uid", "apiVersion"].map((name) => [name, text])),
    ),
    csi: struct({ driver: text, volumeHandle: text, fsType: text, volumeAttributes: map }),
    nodeAffinity: struct({
      required: { ...struct({ nodeSelectorTerms: atomic({}) }), "x-kubernetes-map-type": "atomic" },
    }),
  }),
  status: struct({ phase: text, lastPhaseTransitionTime: text }),
});

const env = keyed(["name"], { name: text, value: text });
const ports = keyed(["containerPort", "protocol"], {
  containerPort: { type: "integer" },
  protocol: { type: "string", default: "TCP" },
  name: text,
});
const container = {
  name: text,
  image: text,
  command: atomic(text),
  env,
  ports,
  imagePullPolicy: text,
  resources: struct({ limits: map, requests: map }),
  volumeMounts: keyed(["mountPath"], { mountPath: text, name: text, readOnly: { type: "boolean" } as JsonSchema }),
};
const pod = root({
  spec: struct({
    containers: keyed(["name"], container),
    volumes: keyed(["name"], { name: text, configMap: struct({ name: text }), emptyDir: struct({ medium: text }) }),
    nodeName: text,
    restartPolicy: text,
    nodeSelector: { ...map, "x-kubernetes-map-type": "atomic" },
  }),
  status: struct({ phase: text, conditions: keyed(["type"], { type: text, status: text, reason: text }) }),
});

const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const entries = (count: number, key: string, value: string): Record<string, string> =>
  Object.fromEntries(range(count, (i) => [`${key}${i}`, `${value}-${i}`]));

const identity = (kind: string, name: string) => ({ apiVersion: "v1", kind, metadata: { name, namespace: "default" } });

const aVolume = {
  ...identity("PersistentVolume", "pv"),
  metadata: {
    name: "pv",
    uid: "0b1b",
    labels: entries(8, "label-", "value"),
    annotations: entries(4, "note-", "some text"),
    finalizers: ["kubernetes.io/pv-protection"],
  },
  spec: {
    capacity: { storage: "10Gi" },
    accessModes: ["ReadWriteOnce"],
    mountOptions: ["ro", "noatime"],
    storageClassName: "fast",
    volumeMode: "Filesystem",
    persistentVolumeReclaimPolicy: "Delete",
    claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "claim", uid: "1c2c", apiVersion: "v1" },
    csi: {
      driver: "d.example.com",
      volumeHandle: "h",
      fsType: "ext4",
      volumeAttributes: entries(36, "attribute-", "value"),
    },
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["z"] }] }] },
    },
  },
  status: { phase: "Available", lastPhaseTransitionTime: "2030-01-01T00:00:00Z" },
};

const aPod = (containers: number) => ({
  ...identity("Pod", "pod"),
  metadata: { ...identity("Pod", "pod").metadata, uid: "2d3d", labels: entries(6, "label-", "value") },
  spec: {
    containers: range(containers, (i) => ({
      name: `container-${i}`,
      image: `registry.example.com/team/image-${i}:v1.2.3`,
      imagePullPolicy: "IfNotPresent",
      command: ["/bin/run", "--verbose"],
      env: range(8, (j) => ({ name: `VARIABLE_${j}`, value: `value-${j}` })),
      ports: range(2, (j) => ({ containerPort: 8080 + j, name: `port-${j}` })),
      resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m", memory: "64Mi" } },
      volumeMounts: range(3, (j) => ({ mountPath: `/data/${j}`, name: `volume-${j}` })),
    })),
    volumes: range(4, (i) => ({ name: `volume-${i}`, configMap: { name: `config-${i}` } })),
    restartPolicy: "Always",
  },
  status: { phase: "Running", conditions: range(4, (i) => ({ type: `Condition${i}`, status: "True", reason: "Ok" })) },
});

interface Case {
  readonly name: string;
  /** Microseconds. */
  readonly budget: number;
  /** Prepares fresh objects, and gives the work to be measured. */
  readonly prepare: () => () => unknown;
}

const contextOf = (schema: JsonSchema) => ({
  converter: singleVersion("v1", typeOf(schema)),
  apiVersion: "v1",
  zero: { metadata: {} },
  time: "2030-01-01T00:00:00Z",
});

/** The object as stored after a create and a few appliers. */
function stored(schema: JsonSchema, object: Value, managers: number): string {
  const context = contextOf(schema);
  let live = withEntries(object, recordUpdate({ ...context, manager: "creator", live: undefined, updated: object }));
  for (let i = 0; i < managers; i++) {
    const intent = { ...identity("x", "pod"), metadata: { labels: { [`extra-${i}`]: "x" } } };
    const result = applyIntent({ ...context, manager: `applier-${i}`, live, intent });
    if (result.kind !== "applied") throw new Error(JSON.stringify(result));
    live = withEntries(result.object, result.managedFields);
  }
  return JSON.stringify(live);
}

function update(schema: JsonSchema, object: Value, change: (object: never) => void): () => () => unknown {
  const json = stored(schema, object, 2);
  const context = contextOf(schema);
  return () => {
    const record: UpdateRecord = { ...context, manager: "u", live: JSON.parse(json), updated: JSON.parse(json) };
    change(record.updated as never);
    return () => recordUpdate(record);
  };
}

function apply(schema: JsonSchema, live: Value, intent: Value, second?: Value): () => () => unknown {
  const context = contextOf(schema);
  const first = applyIntent({
    ...context,
    manager: "applier",
    live: JSON.parse(stored(schema, live, 1)),
    intent,
    force: true,
  });
  if (first.kind !== "applied") throw new Error(JSON.stringify(first));
  const json = JSON.stringify(withEntries(first.object, first.managedFields));
  return () => {
    const request = {
      ...context,
      manager: "applier",
      live: JSON.parse(json),
      intent: structuredClone(second ?? intent),
    };
    return () => applyIntent({ ...request, force: true });
  };
}

const bigMap = { ...identity("ConfigMap", "c"), data: entries(10_000, "key-", "value") };
const smallMap = { ...identity("ConfigMap", "c"), data: entries(30, "key-", "some longer value") };
const fewer = { ...identity("Pod", "pod"), spec: { ...aPod(7).spec, volumes: aPod(7).spec.volumes.slice(1) } };
const podIntent = { ...identity("Pod", "pod"), spec: aPod(7).spec };

const cases: Case[] = [
  {
    name: "update of a PersistentVolume of 4 KiB, nothing changed",
    budget: 60,
    prepare: update(volume, aVolume, () => {}),
  },
  {
    name: "update of a PersistentVolume of 4 KiB, one label and the phase",
    budget: 60,
    prepare: update(volume, aVolume, (pv: typeof aVolume) => {
      pv.metadata.labels["label-1"] = "other";
      pv.status.phase = "Bound";
    }),
  },
  {
    name: "update of a Pod, one container's image",
    budget: 150,
    prepare: update(pod, aPod(7), (it: ReturnType<typeof aPod>) => {
      it.spec.containers[3]!.image = "other";
    }),
  },
  {
    name: "create of a PersistentVolume",
    budget: 100,
    prepare: () => {
      const updated = structuredClone(aVolume);
      return () => recordUpdate({ ...contextOf(volume), manager: "u", live: undefined, updated });
    },
  },
  { name: "apply to a ConfigMap of 1 KiB, the same again", budget: 100, prepare: apply(configMap, smallMap, smallMap) },
  {
    name: "apply to a ConfigMap of 1 KiB, one key more",
    budget: 100,
    prepare: apply(configMap, smallMap, { ...smallMap, data: { k: "v" } }, { ...smallMap, data: { k: "v", l: "w" } }),
  },
  {
    name: "apply to a ConfigMap of 1 KiB, one key less",
    budget: 100,
    prepare: apply(configMap, smallMap, { ...smallMap, data: { k: "v", l: "w" } }, { ...smallMap, data: { k: "v" } }),
  },
  {
    name: "apply of a Pod of 6 KiB (24 with entries), the same again",
    budget: 400,
    prepare: apply(pod, aPod(7), podIntent),
  },
  {
    name: "apply of a Pod of 6 KiB (24 with entries), a volume less",
    budget: 400,
    prepare: apply(pod, aPod(7), podIntent, fewer),
  },
  { name: "apply of 10 000 keys, the same again", budget: 60_000, prepare: apply(configMap, bigMap, bigMap) },
  {
    name: "apply of 10 000 keys, half of them less",
    budget: 60_000,
    prepare: apply(configMap, bigMap, bigMap, { ...bigMap, data: entries(5000, "key-", "value") }),
  },
  {
    name: "apply of 10 000 keys that are new",
    budget: 60_000,
    prepare: () => () =>
      applyIntent({ ...contextOf(configMap), manager: "a", live: undefined, intent: structuredClone(bigMap) }),
  },
];

function measure({ prepare }: Case): { best: number; median: number; p99: number } {
  const until = performance.now() + 1500;
  const times: number[] = [];
  for (let i = 0; performance.now() < until || times.length < 20; i++) {
    const run = prepare();
    const start = performance.now();
    run();
    const took = (performance.now() - start) * 1000;
    if (i >= 5) times.push(took);
  }
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor(times.length * part)]!;
  return { best: at(0.1), median: at(0.5), p99: at(0.99) };
}

let failed = false;
for (const one of cases) {
  const { best, median, p99 } = measure(one);
  // The best tenth: what the code costs, on a machine that has other things to do as well.
  const over = best > one.budget;
  failed ||= over;
  const column = (figure: number, name: string): string => `${figure.toFixed(1).padStart(9)} µs ${name}`;
  const figures = column(best, "p10") + column(median, "p50") + column(p99, "p99");
  console.log(`${figures}  budget ${String(one.budget).padStart(6)}  ${one.name}${over ? "  OVER" : ""}`);
}
process.exitCode = failed ? 1 : 0;
