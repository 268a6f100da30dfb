/**
 * How fast volumes of Pods are on disk: an agent and a server in one process, on a directory of its own.
 *
 *     node bench/node.ts              in process
 *     node bench/node.ts --http       the executables: keelson serve and keelson node, over HTTP
 *
 * Prints for each figure the time on the wall and, in process, the CPU that server and agent took together; and a floor of the same
 * minutes: what a hundred files and the links to them take on that disk, without anybody else. `TMPDIR=/dev/shm` takes the disk away.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, symlinkSync, watch, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { authorizerOf } from "../src/auth/authorizer.ts";
import { type Client, type NewObject, fromKubeconfig } from "../src/client/index.ts";
import { ConfigMap, Pod, Secret } from "../src/client/kinds/index.ts";
import { createCluster } from "../src/cluster/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { startAgent } from "../src/node/agent.ts";
import { openMounter } from "../src/node/mounts/index.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import { silentLog } from "../src/util/log.ts";
import { systemClock, systemRandom } from "../src/util/clock.ts";
import { kitPlugins } from "../src/testing/plugins.ts";

const NODE = "n1";
const PODS = Number(process.env["PODS"] ?? 1000);
const NAMESPACE = "default";

/** A server with an agent, by whatever way. */
interface SourceParts extends AsyncDisposable {
  readonly client: Client;
  readonly root: string;
}

async function inProcess(): Promise<SourceParts> {
  const root = await mkdtemp(join(tmpdir(), "keelson-bench-"));
  const around = { clock: systemClock, random: systemRandom };
  const cluster = await createCluster({
    ...around,
    store: await openMemoryStore(),
    dialect: kubernetes,
    plugins: kitPlugins(),
    authorizer: authorizerOf(["Node", "RBAC"]),
    defaultRoles: true,
  });
  await cluster.makeRoles();
  const identity = { user: `system:node:${NODE}`, groups: ["system:nodes", "system:authenticated"] };
  const client = cluster.client("agent", identity);
  const mounter = await openMounter({ directory: root, log: silentLog });
  const agent = await startAgent({
    name: NODE,
    root,
    client,
    dialect: kubernetes,
    version: "0",
    mounter,
    freeze: false,
  });
  return {
    client: cluster.client("bench"),
    root,
    async [Symbol.asyncDispose]() {
      await drain(cluster.client("bench"), root);
      await agent.stop();
      await cluster.close(0);
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function overHttp(): Promise<SourceParts> {
  const directory = await mkdtemp(join(tmpdir(), "keelson-bench-"));
  const kubeconfig = join(directory, "kubeconfig");
  const root = join(directory, "node");
  const program = new URL("../bin/keelson.js", import.meta.url).pathname;
  const run = (...args: string[]) => spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const serve = run("serve", "--dev", "--port", "0", "--dialect", "kubernetes", "--kubeconfig-out", kubeconfig);
  await told(serve.stdout, "ready in");
  const agent = run("node", "--name", NODE, "--dir", root, "--kubeconfig", kubeconfig);
  await told(agent.stderr, "the node is ready");
  const connection = await fromKubeconfig({ path: kubeconfig });
  const { client } = connection;
  return {
    client,
    root,
    async [Symbol.asyncDispose]() {
      await drain(client, root);
      const worked = await residentMib(agent.pid!);
      await pause(10_000);
      console.log(
        `the agent takes ${worked} MiB right after all that, ${await residentMib(agent.pid!)} MiB ten seconds later`,
      );
      connection.close();
      for (const process of [agent, serve]) {
        process.kill();
        await once(process, "close");
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const residentMib = async (pid: number): Promise<number> =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))![1]) / 102.4) / 10;

async function told(stream: NodeJS.ReadableStream, words: string): Promise<void> {
  let text = "";
  for await (const piece of stream) {
    text += String(piece);
    if (text.includes(words)) break;
  }
  stream.resume();
}

const pause = (millis: number): Promise<void> =>
  new Promise((resolve) => void systemClock.after(millis, resolve, { holds: true }));

async function until(holds: () => boolean | Promise<boolean>, every = 1): Promise<void> {
  while (!(await holds())) await pause(every);
}

/** Deletes every Pod and waits for their directories to be gone: nothing of them stays mounted. */
async function drain(client: Client, root: string): Promise<void> {
  const { items } = await client.resource(Pod).list({ namespace: NAMESPACE });
  const began = performance.now();
  for (const pod of items) await client.resource(Pod).delete(pod);
  await until(async () => (await readdir(join(root, "pods"))).length === 0, 20);
  if (items.length > 10) console.log(`${items.length} Pods taken down: ${Math.round(performance.now() - began)} ms`);
}

const podOf = (name: string, volumes: readonly object[]): NewObject<Pod> =>
  ({
    metadata: { namespace: NAMESPACE, name },
    spec: {
      nodeName: NODE,
      automountServiceAccountToken: false,
      containers: [
        {
          name: "c",
          image: "i",
          volumeMounts: volumes.map((volume) => {
            const { name: mounted } = volume as { readonly name: string };
            return { name: mounted, mountPath: `/${mounted}` };
          }),
        },
      ],
      volumes,
    },
  }) as NewObject<Pod>;

const placeOf = (root: string, { metadata }: Pod, kind: string, name: string): string =>
  join(root, "pods", metadata.uid, "volumes", kind, name);

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const shown = (values: readonly number[]): string =>
  `median ${median(values).toFixed(1)} ms, longest ${Math.max(...values).toFixed(1)} ms of ${values.length}`;

/** What a volume of these files takes when nothing but the file system is asked. */
function floor(data: Readonly<Record<string, string>>): number {
  const directory = mkdtempSync(join(tmpdir(), "keelson-floor-"));
  const began = performance.now();
  for (const [name, content] of Object.entries(data)) {
    writeFileSync(join(directory, `file-${name}`), content);
    symlinkSync(`file-${name}`, join(directory, name));
  }
  const millis = performance.now() - began;
  rmSync(directory, { recursive: true });
  return millis;
}

/** A volume of 100 files in a new Pod, and an update of one of its keys. */
async function oneVolume({ client, root }: SourceParts): Promise<void> {
  const data = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key-${i}`, `value ${i}`.repeat(20)]));
  const key = { namespace: NAMESPACE, name: "files" };
  await client.resource(ConfigMap).create({ metadata: key, data });
  const [floors, made, updated]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 20; round++) {
    floors.push(floor(data));
    const began = performance.now();
    const pod = await client.resource(Pod).create(podOf(`one-${round}`, [{ name: "v", configMap: { name: "files" } }]));
    const path = placeOf(root, pod, "kubernetes.io~configmap", "v");
    await until(() => existsSync(join(path, "key-99")));
    made.push(performance.now() - began);
    await pause(50);
    const value = `round ${round}`;
    using swung = new DisposableStack();
    swung.adopt(watch(path), (watcher) => watcher.close());
    const changed = performance.now();
    await client.resource(ConfigMap).patch(key, { data: { "key-7": value } });
    await until(async () => (await readFile(join(path, "key-7"), "utf8")) === value);
    updated.push(performance.now() - changed);
    await client.resource(Pod).delete(pod);
    await until(() => !existsSync(join(root, "pods", pod.metadata.uid)));
  }
  console.log(`100 files and links, written by nobody but this disk: ${shown(floors)}`);
  console.log(`100 files on disk after the Pod was asked for (50 ms): ${shown(made)}`);
  console.log(`an update of one key on disk after it was asked for (100 ms): ${shown(updated)}`);
}

/** Many Pods with three volumes each. */
async function manyPods({ client, root }: SourceParts, isAlone: boolean): Promise<void> {
  const key = { namespace: NAMESPACE };
  await client.resource(ConfigMap).create({ metadata: { ...key, name: "c" }, data: { a: "1", b: "2" } });
  await client.resource(Secret).create({ metadata: { ...key, name: "s" }, stringData: { password: "x" } });
  const volumes = [
    { name: "c", configMap: { name: "c" } },
    { name: "s", secret: { secretName: "s" } },
    { name: "e", emptyDir: {} },
  ];
  const isReady = ({ status }: Pod): boolean =>
    status.conditions?.some(({ type, status: is }) => type === "PodReadyToStartContainers" && is === "True") === true;
  const over = new AbortController();
  const ready = (async () => {
    const names = new Set<string>();
    for await (const { type, object } of client.resource(Pod).watch({ ...key, signal: over.signal })) {
      if (type !== "BOOKMARK" && isReady(object)) names.add(object.metadata.name);
      if (names.size === PODS) break;
    }
  })();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const left = Array.from({ length: PODS }, (_, i) => `many-${i}`);
  const create = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      await client.resource(Pod).create(podOf(name, volumes));
    }
  };
  await Promise.all(Array.from({ length: 10 }, create));
  const asked = performance.now() - began;
  await ready;
  over.abort();
  const millis = performance.now() - began;
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const turn = isAlone
    ? `, CPU ${Math.round((user + system) / 1000)} ms, longest turn ${(delay.max / 1e6).toFixed(0)} ms`
    : "";
  console.log(
    `${PODS} Pods with 3 volumes each (10 s): ${Math.round(millis)} ms, asked for in ${Math.round(asked)} ms${turn}`,
  );
  const places = await readdir(join(root, "pods"));
  if (places.length !== PODS) throw new Error(`expected ${PODS} directories of Pods, found ${places.length}`);
}

const isHttp = process.argv.includes("--http");
await mkdir(tmpdir(), { recursive: true });
await using ground = isHttp ? await overHttp() : await inProcess();
await oneVolume(ground);
await manyPods(ground, !isHttp);
