/**
 * What it takes to place Pods with volumes: a thousand of them over a thousand nodes, in process, with all usual controllers.
 *
 * Of four Pods two have a claim that waits for them, for a volume on the disk of a node; one has a claim that is bound to a volume
 * that one node reaches; one has both kinds. `seconds` is from the first Pod that is made to the last one that is placed, `cpuMillisEach`
 * all that the process has done meanwhile for each: server, store, binder and scheduler. `longestTurn` is of the event loop, in ms of CPU.
 * One JSON line per case; the budget is five seconds.
 *
 *     node bench/scheduler.ts [pods] [nodes]
 *     node --cpu-prof --cpu-prof-dir=DIR bench/scheduler.ts
 *
 * @module
 */
import { createCluster } from "../src/cluster/index.ts";
import type { Client, NewObject } from "../src/client/index.ts";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../src/client/kinds/index.ts";
import { builtInControllers } from "../src/controllers/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import { systemClock, systemRandom } from "../src/util/clock.ts";
import { kitPlugins } from "../src/testing/plugins.ts";

const [PODS = 1000, NODES = 1000] = process.argv.slice(2).map(Number);
const AT_ONCE = 16;
const BUDGET_SECONDS = 5;
const namespace = "default";
const HOSTNAME = "kubernetes.io/hostname";

/** Does something for each number, some side by side. */
async function forEach(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const nodeName = (i: number): string => `node-${i % NODES}`;
const makeNode = (client: Client, i: number): Promise<unknown> => {
  const labels = { [HOSTNAME]: nodeName(i), "topology.kubernetes.io/zone": `z${i % 3}` };
  const room = { cpu: "8", memory: "16Gi", pods: "110" };
  const status = { capacity: room, allocatable: room };
  return client.resource(Node).create({ metadata: { name: nodeName(i), labels }, spec: {}, status } as NewObject<Node>);
};
const onNode = (node: string): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: "In", values: [node] }] }] },
});
const makeVolume = (client: Client, name: string, node: string, more: object): Promise<unknown> =>
  client.resource(PersistentVolume).create({
    metadata: { name, labels: { pod: name.replace("late", "pod") } },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      local: { path: `/disks/${name}` },
      nodeAffinity: onNode(node),
      ...more,
    },
  } as NewObject<PersistentVolume>);
const makeClaim = (client: Client, name: string, more: object): Promise<unknown> =>
  client.resource(PersistentVolumeClaim).create({
    metadata: { name, namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...more },
  } as NewObject<PersistentVolumeClaim>);

const isLate = (i: number): boolean => i % 4 !== 2;
const isBound = (i: number): boolean => i % 4 >= 2;
const makePod = (client: Client, i: number): Promise<unknown> => {
  const claims = [...(isLate(i) ? [`late-${i}`] : []), ...(isBound(i) ? [`bound-${i}`] : [])];
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const resources = { requests: { cpu: "100m", memory: "64Mi" } };
  const spec = { containers: [{ name: "c", image: "i", resources }], volumes };
  return client.resource(Pod).create({ metadata: { name: `pod-${i}`, namespace }, spec } as NewObject<Pod>);
};

const cluster = await createCluster({
  store: await openMemoryStore(),
  dialect: kubernetes,
  plugins: kitPlugins(),
  clock: systemClock,
  random: systemRandom,
});
const client = cluster.client("bench");
const storageClass = { provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "WaitForFirstConsumer" };
for (const name of ["local", "near"]) {
  await client.resource(StorageClass).create({ metadata: { name }, ...storageClass } as NewObject<StorageClass>);
}
const { usual, onRequest } = builtInControllers({ dialect: kubernetes, eventTtlMillis: 3_600_000, caCertificate: "" });
await cluster.start([...usual, ...onRequest]);
await forEach(NODES, (i) => makeNode(client, i));
await forEach(PODS, async (i) => {
  const boundNode = nodeName(i * 7);
  if (isLate(i)) {
    // Who has both needs both on one node.
    const storageClassName = isBound(i) ? "near" : "local";
    await makeVolume(client, `late-${i}`, isBound(i) ? boundNode : nodeName(i), { storageClassName });
    const selector = { matchLabels: { pod: `pod-${i}` } };
    await makeClaim(client, `late-${i}`, { storageClassName, ...(isBound(i) ? { selector } : {}) });
  }
  if (isBound(i)) {
    const claimRef = { namespace, name: `bound-${i}` };
    await makeVolume(client, `bound-${i}`, boundNode, { storageClassName: "", claimRef });
    await makeClaim(client, `bound-${i}`, { storageClassName: "", volumeName: `bound-${i}` });
  }
});
await new Promise((resolve) => void setTimeout(resolve, 2000));

/** CPU of this thread, in ms: what others do on the machine does not count. */
const threadMillis = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let longest = 0;
let last = threadMillis();
let isMeasuring = true;
const tick = (): void => {
  const now = threadMillis();
  longest = Math.max(longest, now - last);
  last = now;
  if (isMeasuring) setImmediate(tick);
};
const placed = new Set<string>();
const over = new AbortController();
const done = Promise.withResolvers<void>();
const watching = (async () => {
  for await (const { type, object } of client.resource(Pod).watch({ namespace, signal: over.signal })) {
    if (type !== "BOOKMARK" && object.spec.nodeName) placed.add(object.metadata.name);
    if (placed.size === PODS) done.resolve();
  }
})().catch(() => {});
const began = performance.now();
const cpu = process.cpuUsage();
last = threadMillis();
tick();
await forEach(PODS, (i) => makePod(client, i));
const made = performance.now();
await done.promise;
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(cpu);
isMeasuring = false;
console.log(
  JSON.stringify({
    pods: PODS,
    nodes: NODES,
    seconds: Number(seconds.toFixed(2)),
    afterLastMade: Number(((performance.now() - made) / 1000).toFixed(2)),
    cpuMillisEach: Number(((user + system) / 1000 / PODS).toFixed(2)),
    longestTurn: Number(longest.toFixed(0)),
  }),
);
over.abort();
await watching;
await cluster.close(0);
process.exitCode = seconds <= BUDGET_SECONDS ? 0 : 1;
