/**
 * What a server and the programs beside it take while they wait, as they are shipped.
 *
 * Most of it is not theirs: of the file of Node itself some 40 MiB are mapped once it has spoken TLS.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openDriver } from "../../src/csi/driver.ts";
import { systemClock } from "../../src/util/clock.ts";
import { installPackage } from "../docs/installed-package.ts";
import { Keelson } from "../serve/keelson.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-small-"));
const kubeconfig = join(folder, "kubeconfig");
const socket = join(folder, "csi.sock");
const programs = new Set<Keelson>();
let executable: string;
let server: Keelson;

beforeAll(async () => {
  executable = await installPackage(folder);
  const options = ["--dev", "--port", "0", "--dialect", "kubernetes", "--kubeconfig-out", kubeconfig];
  server = await Keelson.serve(options);
}, 180_000);
afterEach(async () => {
  await Promise.all([...programs].map((one) => one.stop()));
  programs.clear();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Starts a program; resolves when it has said that it is ready. */
async function started(ready: RegExp, ...args: readonly string[]): Promise<Keelson> {
  const program = new Keelson(args, { executable });
  programs.add(program);
  await expect.poll(() => program.stdout + program.stderr, { timeout: 30_000 }).toMatch(ready);
  return program;
}

/**
 * Resident memory in MiB once what the start has left behind is collected, on Linux: eight seconds later, and
 * where others keep the machine busy up to half a minute later: as soon as it is less than `most`.
 */
async function idleMiB(program: Keelson, most: number): Promise<number> {
  await pause(8000);
  for (let i = 0; i < 22 && program.residentMiB >= most; i++) await pause(1000);
  return program.residentMiB;
}

/** What Node itself takes here, in MiB: most of it pages of its own file, which differ from machine to machine. */
async function bareMiB(): Promise<number> {
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  try {
    await pause(2000);
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${bare.pid}/status`, "utf8"))![1]) / 1024;
  } finally {
    bare.kill();
  }
}

// Where Node takes 42 MiB by itself, this is 60 together.
test.runIf(process.platform === "linux")(
  "keelson node takes less than 20 MiB more than Node itself while it waits",
  async () => {
    const node = await started(
      /the node is ready/,
      "node",
      "--name",
      "n1",
      "--dir",
      folder,
      "--kubeconfig",
      kubeconfig,
    );
    const bare = await bareMiB();
    const all = await idleMiB(node, bare + 20);
    console.log(`keelson node takes ${all.toFixed(1)} MiB, Node itself ${bare.toFixed(1)}`);
    expect(all - bare).toBeLessThan(20);
  },
);

// Where Node takes 42 MiB by itself, this is 100 together.
test.runIf(process.platform === "linux")(
  "keelson serve with every controller takes less than 58 MiB more than Node itself while it waits",
  async () => {
    const directory = join(folder, "data");
    const args = ["--dialect", "kubernetes", "--data-dir", directory, "--port", "0"];
    const serving = await started(/ready/i, "serve", ...args);
    const bare = await bareMiB();
    const all = await idleMiB(serving, bare + 58);
    console.log(`keelson serve takes ${all.toFixed(1)} MiB, Node itself ${bare.toFixed(1)}`);
    expect(all - bare).toBeLessThan(58);
  },
);

test.runIf(process.platform === "linux")("keelson driver takes less than 66 MiB, and keelson csi 70", async () => {
  const driver = await started(/listens on/, "driver", "--socket", `unix://${socket}`, "--dir", join(folder, "disks"));
  const csi = await started(/^ready: /m, "csi", "--driver", socket, "--kubeconfig", kubeconfig);
  expect(await idleMiB(csi, 70)).toBeLessThan(70);
  expect(await idleMiB(driver, 66)).toBeLessThan(66);
});

const PATIENT = { timeout: 300_000 };

test.runIf(process.platform === "linux")(
  "a driver does not grow with the calls that it has answered",
  PATIENT,
  async () => {
    const { path, calls } = { path: join(folder, "busy.sock"), calls: 18_000 };
    const program = await started(/listens on/, "driver", "--socket", `unix://${path}`, "--dir", join(folder, "busy"));
    const driver = openDriver(path, { clock: systemClock });
    const resident: number[] = [];
    let left = calls;
    const caller = async (): Promise<void> => {
      while (left-- > 0) {
        // oxlint-disable-next-line no-await-in-loop -- one after another
        await driver.identity.probe({});
        if (left % 500 === 0) resident.push(program.residentMiB);
      }
    };
    await Promise.all(Array.from({ length: 8 }, caller));
    await driver.close();
    expect(resident.length).toBeGreaterThanOrEqual(calls / 500 - 1);
    // V8 widens its room by some 30 MiB once, early or late; what grew with the calls, by 8 KiB each, would be 47 MiB more.
    const least = (third: number): number =>
      Math.min(...resident.slice((third * resident.length) / 3, ((third + 1) * resident.length) / 3));
    console.log(`the driver takes ${least(1).toFixed(0)} MiB after 6000 calls, ${least(2).toFixed(0)} after 12,000`);
    expect(least(2)).toBeLessThan(least(1) + 45);
  },
);
