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
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDriver } from "../../src/csi/driver.ts";
import { systemClock } from "../../src/util/clock.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { installPackage } from "../docs/installed-package.ts";
import { Keelson } from "../serve/keelson.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-small-"));
const kubeconfig = join(folder, "kubeconfig");
const socket = join(folder, "csi.sock");
const programs: Keelson[] = [];
let executable: string;

beforeAll(async () => {
  executable = await installPackage(folder);
  const options = ["--dev", "--port", "0", "--dialect", "kubernetes", "--kubeconfig-out", kubeconfig];
  programs.push(await Keelson.serve(options));
}, 180_000);
afterAll(async () => {
  await Promise.all(programs.map((one) => one.stop()));
  rmSync(folder, { recursive: true });
});

/** Starts a program; resolves when it prints that it is ready. */
async function started(
  ready: RegExp,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Keelson> {
  const program = new Keelson(args, { executable, env });
  programs.push(program);
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

// They wait side by side.
describe.runIf(process.platform === "linux").concurrent("what a program takes while it waits", () => {
  // Where Node takes 42 MiB by itself, this is 60 together.
  test("keelson node takes less than 20 MiB more than Node itself", async () => {
    const args = ["--name", "n1", "--dir", folder, "--kubeconfig", kubeconfig];
    const node = await started(/the node is ready/, ["node", ...args]);
    const bare = await bareMiB();
    const all = await idleMiB(node, bare + 20);
    console.log(`keelson node takes ${all.toFixed(1)} MiB, Node itself ${bare.toFixed(1)}`);
    expect(all - bare).toBeLessThan(20);
  });

  // Where Node takes 42 MiB by itself, this is 100 together.
  test("keelson serve with every controller takes less than 58 MiB more than Node itself", async () => {
    const args = ["--dialect", "kubernetes", "--data-dir", join(folder, "data"), "--port", "0"];
    const serving = await started(/ready/i, ["serve", ...args]);
    const bare = await bareMiB();
    const all = await idleMiB(serving, bare + 58);
    console.log(`keelson serve takes ${all.toFixed(1)} MiB, Node itself ${bare.toFixed(1)}`);
    expect(all - bare).toBeLessThan(58);
  });

  test("keelson driver takes less than 66 MiB, and keelson csi 70", async () => {
    const driver = await started(/listens on/, [
      "driver",
      "--socket",
      `unix://${socket}`,
      "--dir",
      join(folder, "disks"),
    ]);
    const csi = await started(/^ready: /m, ["csi", "--driver", socket, "--kubeconfig", kubeconfig]);
    const [csiMiB, driverMiB] = await Promise.all([idleMiB(csi, 70), idleMiB(driver, 66)]);
    expect(csiMiB).toBeLessThan(70);
    expect(driverMiB).toBeLessThan(66);
  });
});

/** What the objects of the driver may take, in MiB: it begins with some 16, and 8 KiB for each call would be 23 more. */
const HEAP_MIB = 28;

test.runIf(process.platform === "linux")(
  "a driver does not grow with the calls that it has answered",
  { timeout: 300_000 },
  async () => {
    const path = join(folder, "busy.sock");
    const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
    const args = ["--socket", `unix://${path}`, "--dir", join(folder, "busy")];
    const program = await started(/listens on/, ["driver", ...args], env);
    const driver = openDriver(path, { clock: systemClock });
    const calls = amount("CALLS", 3000, 18_000);
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
    // V8 widens its room by some 30 MiB once, early or late; memory outside of the heap has no limit.
    const least = (third: number): number =>
      Math.min(...resident.slice((third * resident.length) / 3, ((third + 1) * resident.length) / 3));
    console.log(
      `the driver takes ${least(1).toFixed(0)} MiB after a third of ${calls} calls, ${least(2).toFixed(0)} after two`,
    );
    expect(least(2)).toBeLessThan(least(1) + 45);
  },
);
