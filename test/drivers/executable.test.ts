/** `keelson driver` as a process: what it says, how it is registered, how it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDriver } from "../../src/csi/driver.ts";
import { openRegistration, registrationSocket } from "../../src/csi/registration.ts";
import { systemClock } from "../../src/util/clock.ts";
import { EXECUTABLE } from "../serve/keelson.ts";

const clock = systemClock;
let home: string;
let child: ChildProcess;
let said: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "keelson-driver-"));
  said = "";
});
afterEach(() => rmSync(home, { recursive: true }));

async function start(options: { uid?: number }, ...flags: readonly string[]): Promise<void> {
  const args = ["driver", "--socket", `unix://${home}/csi.sock`, "--dir", join(home, "dir"), ...flags];
  child = spawn(process.execPath, [EXECUTABLE, ...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
}

const listens = (): Promise<void> => expect.poll(() => said, { timeout: 20_000 }).toContain("listens on");

async function stop(): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  expect(await gone).toEqual([0, null]);
}

test("CSIN-23, CSIN-24: it makes itself known to the agent of the node until that takes it, and tells what it says", async () => {
  const registry = join(home, "plugins_registry");
  mkdirSync(registry);
  await start({}, "--links", "--name", "disks.example.com", "--register", registry);
  await listens();
  const socket = registrationSocket(registry, "disks.example.com");
  await expect.poll(() => existsSync(socket), { timeout: 20_000 }).toBe(true);
  const agent = openRegistration(socket, { clock });
  const info = await agent.calls.getInfo({});
  expect(info).toMatchObject({ type: "CSIPlugin", name: "disks.example.com", supportedVersions: ["1.0.0"] });
  const driver = openDriver(info.endpoint, { clock });
  expect((await driver.info()).name).toBe("disks.example.com");
  await agent.calls.notifyRegistrationStatus({ pluginRegistered: false, error: "the node has no name" });
  await expect.poll(() => said).toContain("the agent has not registered disks.example.com: the node has no name");
  await agent.close();
  const next = openRegistration(socket, { clock });
  await expect
    .poll(() => next.calls.notifyRegistrationStatus({ pluginRegistered: true }).then(Boolean, () => false), {
      timeout: 10_000,
    })
    .toBe(true);
  await expect.poll(() => said).toContain("the agent has registered disks.example.com");
  await driver.close();
  await next.close();
  await stop();
  expect(existsSync(socket)).toBe(false);
  expect(existsSync(join(home, "csi.sock"))).toBe(false);
});

test("a second one on the same socket says so and ends", async () => {
  await start({}, "--links");
  await listens();
  const first = child;
  await start({}, "--links");
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(said).toContain(`keelson: expected no process to listen on ${home}/csi.sock, found one`);
  child = first;
  await stop();
});

test("what cannot be on the command line ends with 2", async () => {
  await start({}, "--with", "wings");
  expect(await once(child, "exit")).toEqual([2, null]);
  expect(said).toContain("got wings");
});

test.skipIf(process.getuid?.() !== 0)(
  "a user who may not mount gets a warning that volumes are links (needs root)",
  async () => {
    chmodSync(home, 0o777);
    await start({ uid: 65_534 });
    await listens();
    await stop();
    expect(said).toContain("volumes are symbolic links, since this process may not mount");
  },
);
