/**
 * How long a claim waits for its volume: from its create request until a watch shows it Bound. Server (store on disk),
 * driver of directories and sidecars are a process each, as `keelson serve`, `keelson driver` and `keelson csi`. One JSON line per case;
 * CPU is that of each process, in ms for each claim.
 *
 *     node bench/provisioning.ts [claims] [options of the server ...]
 *
 * The figure to keep is 30 ms in the middle for one claim at a time.
 *
 * @module
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../src/client/client.ts";
import type { NewObject } from "../src/client/index.ts";
import { PersistentVolumeClaim, StorageClass } from "../src/client/kinds/index.ts";
import { nodeTransport } from "../src/client/transport-node.ts";
import { Keelson, Scratch, read } from "../test/serve/keelson.ts";

const [claimCount = "100", ...options] = process.argv.slice(2);
const COUNT = Number(claimCount);
const DRIVER = "disks.example.com";

const scratch = new Scratch();
const data = scratch.fresh();
const socket = join(scratch.path, "csi.sock");
const server = await Keelson.serve(["--dialect", "kubernetes", "--data-dir", data, "--port", "0", ...options]);
const env = { KUBECONFIG: join(data, "admin.kubeconfig") };
const begun = async (...args: readonly string[]): Promise<Keelson> => {
  const keelson = new Keelson(args, { env });
  while (!/^(ready: |driver .* listens)/m.test(keelson.stdout)) await sleep(20);
  return keelson;
};
const driver = await begun("driver", "--socket", socket, "--dir", scratch.fresh(), "--name", DRIVER);
const sidecars = await begun("csi", "--driver", socket);
const parts = { server, driver, sidecars };

const token = read(data, "admin.token").trim();
const transport = nodeTransport({ url: server.url, ca: read(data, "pki/ca.crt"), token });
const client = new Client(transport, { userAgent: "bench" });
const claims = client.resource(PersistentVolumeClaim);
await client
  .resource(StorageClass)
  .create({ metadata: { name: "fast" }, provisioner: DRIVER } as NewObject<StorageClass>);

const waiting = new Map<string, () => void>();
const over = new AbortController();
const following = (async () => {
  for await (const { type, object } of claims.watch({ namespace: "default", signal: over.signal })) {
    if (type !== "BOOKMARK" && object.status.phase === "Bound") waiting.get(object.metadata.name)?.();
  }
})().catch(() => {});

/** The milliseconds that a claim waited. */
async function provision(name: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(name, resolve);
  const began = performance.now();
  await claims.create({
    metadata: { namespace: "default", name },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "fast", resources: { requests: { storage: "1Mi" } } },
  } as NewObject<PersistentVolumeClaim>);
  await promise;
  return performance.now() - began;
}

async function measure(name: string, atOnce: number): Promise<void> {
  const before = Object.values(parts).map((part) => part.cpuMillis);
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (next < COUNT) times.push(await provision(`${name}-${next++}`));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const seconds = (performance.now() - began) / 1000;
  const cpu = Object.values(parts).map((part, i) => Number(((part.cpuMillis - before[i]!) / COUNT).toFixed(1)));
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => Number(sorted[Math.min(COUNT - 1, Math.floor(COUNT * part))]!.toFixed(1));
  const cpuMillisEach = Object.fromEntries(Object.keys(parts).map((part, i) => [part, cpu[i]]));
  const line = {
    case: name,
    claims: COUNT,
    middle: at(0.5),
    p90: at(0.9),
    worst: at(1),
    seconds: Number(seconds.toFixed(2)),
    cpuMillisEach,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

await Promise.all(Array.from({ length: 20 }, (_, i) => provision(`warm-${i}`)));
await measure("one-by-one", 1);
await measure("sixteen-at-once", 16);
over.abort();
await following;
transport.close();
for (const part of [sidecars, driver, server]) await part.stop();
scratch.remove();
