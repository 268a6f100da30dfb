/**
 * `keelson csi` beside `keelson serve` and `keelson driver`, each a process of its own; some are killed.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import type { NewObject } from "../../src/client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../src/client/kinds/index.ts";
import { nodeTransport } from "../../src/client/transport-node.ts";
import { openRegistration } from "../../src/csi/registration.ts";
import { systemClock } from "../../src/util/clock.ts";
import { Keelson, Scratch, read, run } from "./keelson.ts";

const DRIVER = "disks.example.com";

const scratch = new Scratch();
afterAll(() => scratch.remove());

// Each test has its own, also when it is tried once more.
let disks = "";
let agent = "";
let socket = "";
const processes = new Set<Keelson>();
let client: Client;
let env: Record<string, string>;

const started = async (...args: readonly string[]): Promise<Keelson> => {
  const keelson = new Keelson(args, { env });
  processes.add(keelson);
  const isUp = (): boolean => /^(ready: |driver .* listens)/m.test(keelson.stdout);
  void keelson.ended.then(() => processes.delete(keelson));
  while (!isUp()) {
    if (keelson.process.exitCode !== null) throw new Error(keelson.stdout + keelson.stderr);
    // oxlint-disable-next-line no-await-in-loop -- until it is there
    await pause(20);
  }
  return keelson;
};
const startDriver = () => started("driver", "--socket", `unix://${socket}`, "--dir", disks, "--name", DRIVER);
const startSidecars = (...more: string[]) => started("csi", "--driver", `unix://${socket}`, ...more);

async function prepare(): Promise<void> {
  const data = scratch.fresh();
  disks = scratch.fresh();
  agent = scratch.fresh();
  socket = `${disks}.sock`;
  const server = await Keelson.serve(["--dialect", "kubernetes", "--data-dir", data, "--port", "0"]);
  processes.add(server);
  env = { KUBECONFIG: join(data, "admin.kubeconfig") };
  const token = read(data, "admin.token").trim();
  client = new Client(nodeTransport({ url: server.url, ca: read(data, "pki/ca.crt"), token }), { userAgent: "test" });
  await client.resource(StorageClass).create({
    metadata: { name: "fast" },
    provisioner: DRIVER,
    allowVolumeExpansion: true,
  } as NewObject<StorageClass>);
}

const claims = () => client.resource(PersistentVolumeClaim);
const key = (name: string) => ({ namespace: "default", name });
const makeClaim = (name: string) =>
  claims().create({
    metadata: key(name),
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "fast", resources: { requests: { storage: "1Mi" } } },
  } as NewObject<PersistentVolumeClaim>);
const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  const end = Date.now() + 120_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`expected this to become true: ${holds.toString()}`);
    await pause(50);
  }
};
const isBound = async (name: string) => (await claims().get(key(name))).status.phase === "Bound";
const volumesOfDriver = () =>
  existsSync(join(disks, "volumes")) ? readdirSync(join(disks, "volumes")).filter((name) => !name.startsWith(".")) : [];

describe("keelson csi", { timeout: 300_000 }, () => {
  beforeEach(prepare);
  afterEach(async () => {
    await Promise.all([...processes].map((one) => one.stop("SIGKILL")));
    processes.clear();
  });

  test("waits for its driver, creates volumes, and ends in order on a signal", async () => {
    const sidecars = new Keelson(["csi", "--driver", socket], { env });
    processes.add(sidecars);
    await until(() => sidecars.stderr.includes("the driver does not respond; retrying"));
    await startDriver();
    await makeClaim("a");
    await until(() => isBound("a"));
    expect(sidecars.stdout).toContain(`ready: ${DRIVER} has provisioner, deleter`);
    await claims().patch(key("a"), { spec: { resources: { requests: { storage: "2Mi" } } } });
    await until(async () => (await claims().get(key("a"))).status.capacity?.["storage"] === "2Mi");
    await claims().delete(key("a"));
    await until(async () => (await client.resource(PersistentVolume).list()).items.length === 0);
    expect(volumesOfDriver()).toEqual([]);
    expect(await sidecars.stop()).toEqual({ code: 0, signal: null });
  });

  test("NODE-70: killed again and again while claims come and go, the next one goes on, and nothing is left", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `busy-${i}`);
    await startDriver();
    let sidecars = await startSidecars();
    for (const [i, name] of names.entries()) {
      await makeClaim(name);
      if (i % 4 === 3) {
        await sidecars.stop("SIGKILL");
        await claims().delete(key(names[i - 1]!));
        sidecars = await startSidecars();
      }
    }
    const left = (await claims().list({ namespace: "default" })).items.map(({ metadata }) => metadata.name);
    await until(async () =>
      (
        await Promise.all(left.filter((name) => !names.some((one, i) => i % 4 === 2 && one === name)).map(isBound))
      ).every(Boolean),
    );
    await claims().deleteCollection({ namespace: "default" });
    await until(async () => (await client.resource(PersistentVolume).list()).items.length === 0);
    await until(async () => (await claims().list()).items.length === 0);
    expect(volumesOfDriver()).toEqual([]);
    await sidecars.stop();
  });

  test("CSIN-23, CSIN-24: makes the driver known to the agent of the node, and again where that does not want it", async () => {
    await startDriver();
    const sidecars = await startSidecars("--only", "registration", "--agent-dir", agent);
    const registrar = join(agent, "plugins_registry", `${DRIVER}-reg.sock`);
    await until(() => existsSync(registrar));
    const first = openRegistration(registrar, { clock: systemClock });
    expect(await first.calls.getInfo({})).toMatchObject({ type: "CSIPlugin", name: DRIVER, endpoint: socket });
    await first.calls.notifyRegistrationStatus({ pluginRegistered: false, error: "not today" });
    await first.close();
    await until(() => sidecars.stderr.includes("not today"));
    await until(() => !existsSync(registrar));
    await until(() => existsSync(registrar));
    const again = openRegistration(registrar, { clock: systemClock });
    await again.calls.notifyRegistrationStatus({ pluginRegistered: true, error: "" });
    await again.close();
    await until(() => sidecars.stderr.includes("the agent of the node has registered the driver"));
    expect(await sidecars.stop()).toEqual({ code: 0, signal: null });
    expect(existsSync(registrar)).toBe(false);
  });

  test("one of two works, and the other one when that has gone", async () => {
    await startDriver();
    const first = await startSidecars("--leader-election");
    const second = await startSidecars("--leader-election", "--verbose");
    await makeClaim("led");
    await until(() => isBound("led"));
    expect(second.stderr).not.toContain("createVolume");
    await first.stop();
    await makeClaim("led-again");
    await until(() => isBound("led-again"));
    await until(() => second.stderr.includes("createVolume"));
    await second.stop();
  });
});

test.each<[string, string[], string]>([
  ["no driver", ["csi"], "--driver"],
  ["an unknown part", ["csi", "--driver", "x", "--only", "everything"], 'got "everything"'],
  ["registration without a place", ["csi", "--driver", "x", "--only", "registration"], "--agent-dir"],
  ["a duration that is none", ["csi", "--driver", "x", "--timeout", "soon"], "a duration such as"],
])("%s is refused in words", async (_, args, words) => {
  const end = await run(args);
  expect(end.code).toBe(2);
  expect(end.stderr).toContain(words);
});
