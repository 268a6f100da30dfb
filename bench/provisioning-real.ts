/**
 * From claim to bound with others' parts: external-provisioner and the provisioner of `keelson csi` on this server or, where a kubeconfig
 * is given, external-provisioner on the server of that, which needs a binder (kube-controller-manager). The driver is
 * `keelson driver` in all of them. Claims are made one after the other, each when the one before is bound, then all at once; a claim
 * counts from its request to the event of a watch that tells it bound. CPU is that of each part for a claim; the
 * other server's is known by its process ids. One JSON line per case.
 *
 *     node bench/provisioning-real.ts [claims] [KUBECONFIG PID,PID,...]
 *
 * @module
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect } from "../src/cli/connect.ts";
import { CSIDriver, PersistentVolumeClaim, StorageClass } from "../src/client/kinds/index.ts";
import type { NewObject, ResourceClient } from "../src/client/index.ts";
import { Beside } from "../test/clients/beside.ts";
import { built } from "../test/clients/built.ts";
import { SIDECARS_SOURCE, startSidecar } from "../test/clients/sidecars/programs.ts";
import { STORY_DRIVER, startBuiltIn } from "../test/clients/storage/programs.ts";
import { EXECUTABLE } from "../test/serve/keelson.ts";

type Claims = ResourceClient<PersistentVolumeClaim, "Namespaced">;

const [count = "100", otherServer, otherPids = ""] = process.argv.slice(2);
const CLAIMS = Number(count);
const NAMESPACE = "default";
const TICK_MS = 10;

/** The processes of a case by what they are. */
type Parts = Readonly<Record<string, readonly number[]>>;

/** CPU of processes so far, in milliseconds. */
function cpuOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}

const cpuOfEach = (parts: Parts): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(parts).map(([name, pids]) => [name, cpuOf(pids)]));

/** Follows claims: what it answers resolves when the claim of a name is bound, or gone. */
function follow(claims: Claims, signal: AbortSignal): (what: "bound" | "gone", name: string) => Promise<void> {
  const waiting = new Map<string, () => void>();
  const see = ({ metadata, status }: PersistentVolumeClaim): void => {
    if (status.phase === "Bound") waiting.get(`bound ${metadata.name}`)?.();
  };
  const gone = (name: string): void => waiting.get(`gone ${name}`)?.();
  /** The server may end a watch at any time; then everything is read again. */
  const following = async (): Promise<void> => {
    while (!signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one watch after the other
      const { metadata, items } = await claims.list({ namespace: NAMESPACE });
      const there = new Set(items.map((item) => item.metadata.name));
      items.forEach(see);
      for (const key of waiting.keys()) {
        if (key.startsWith("gone ") && !there.has(key.slice(5))) gone(key.slice(5));
      }
      const { resourceVersion } = metadata;
      // oxlint-disable-next-line no-await-in-loop -- one watch after the other
      for await (const { type, object } of claims.watch({ namespace: NAMESPACE, resourceVersion, signal })) {
        if (type === "DELETED") gone(object.metadata.name);
        else if (type !== "BOOKMARK") see(object);
      }
      console.error("the watch has ended");
    }
  };
  following().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return (what, name) => new Promise((resolve) => waiting.set(`${what} ${name}`, resolve));
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

async function measure(server: string, kubeconfig: string, parts: Parts): Promise<void> {
  const { client } = await connect({ version: "bench", terminal: { env: {} } as never }, { kubeconfig });
  const driver = { metadata: { name: STORY_DRIVER }, spec: { attachRequired: false } };
  await client.resource(CSIDriver).create(driver as NewObject<CSIDriver>);
  const storageClass = { metadata: { name: "disks" }, provisioner: STORY_DRIVER };
  await client.resource(StorageClass).create(storageClass as NewObject<StorageClass>);
  const claims = client.resource(PersistentVolumeClaim);
  const over = new AbortController();
  const wait = follow(claims, over.signal);

  const claim = async (name: string): Promise<number> => {
    const bound = wait("bound", name);
    const begin = performance.now();
    await claims.create({
      metadata: { namespace: NAMESPACE, name },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "disks", resources: { requests: { storage: "1Mi" } } },
    } as NewObject<PersistentVolumeClaim>);
    await bound;
    return performance.now() - begin;
  };
  const drop = async (names: readonly string[]): Promise<void> => {
    const gone = names.map((name) => wait("gone", name));
    await Promise.all(names.map((name) => claims.delete({ namespace: NAMESPACE, name })));
    await Promise.all(gone);
  };
  const run = async (how: string, all: (names: readonly string[]) => Promise<readonly number[]>): Promise<void> => {
    const names = Array.from({ length: CLAIMS }, (_, i) => `bench-${i}`);
    const before = cpuOfEach(parts);
    const begin = performance.now();
    const millis = (await all(names)).toSorted((a, b) => a - b);
    const totalMs = performance.now() - begin;
    const at = (part: number): number => rounded(millis[Math.floor((millis.length - 1) * part)]!);
    const figures = { medianMs: at(0.5), p90Ms: at(0.9), maxMs: at(1), totalMs: rounded(totalMs) };
    const after = Object.entries(cpuOfEach(parts));
    const cpuMsPerClaim = Object.fromEntries(after.map(([part, ms]) => [part, rounded((ms - before[part]!) / CLAIMS)]));
    console.log(JSON.stringify({ server, how, claims: CLAIMS, ...figures, cpuMsPerClaim }));
    await drop(names);
  };

  // The first ones find caches, connections and code cold.
  const warm = Array.from({ length: 100 }, (_, i) => `warm-${i}`);
  await Promise.all(warm.map(claim));
  await drop(warm);
  await run("one after the other", async (names) => {
    const millis: number[] = [];
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const name of names) millis.push(await claim(name));
    return millis;
  });
  await run("all at once", (names) => Promise.all(names.map(claim)));
  over.abort();
}

/** A world with a driver on a socket, on the server that is given or one of its own. */
class Bench extends Beside {
  readonly socket: string = join(this.scratch.fresh(), "..", "csi.sock");

  async driver(): Promise<number> {
    const told = ["--socket", `unix://${this.socket}`, "--dir", this.scratch.fresh(), "--name", STORY_DRIVER];
    const driver = this.run([process.execPath, EXECUTABLE, "driver", ...told]);
    await once(createInterface({ input: driver.stdout! }), "line");
    return driver.pid!;
  }
}

const bin = await built(SIDECARS_SOURCE);
if (bin === undefined) throw new Error("expected external-provisioner to be built");

async function ours(name: string, provision: (world: Bench) => ChildProcess): Promise<void> {
  const world = new Bench();
  try {
    await world.serve();
    const driver = await world.driver();
    const parts = { server: [world.pid], driver: [driver], provisioner: [provision(world).pid!] };
    await measure(name, world.kubeconfig, parts);
  } finally {
    await world.stop();
  }
}

if (otherServer === undefined) {
  await ours("Keelson, keelson csi", (world) => startBuiltIn(world, world.socket));
  await ours("Keelson, external-provisioner", (world) =>
    startSidecar(world, "provisioner", { bin, socket: world.socket }),
  );
} else {
  const world = new Bench();
  try {
    const driver = await world.driver();
    const provisioner = startSidecar(world, "provisioner", { bin, socket: world.socket, kubeconfig: otherServer });
    const pids = otherPids.split(",").filter(Boolean).map(Number);
    const parts = { server: pids, driver: [driver], provisioner: [provisioner.pid!] };
    await measure("the other server, external-provisioner", otherServer, parts);
  } finally {
    await world.stop();
  }
}
process.exit(0);
