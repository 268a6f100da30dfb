/**
 * Our side of the protocol of storage drivers against a driver in Go, on the gRPC that most drivers are made with: the one of
 * `test/clients/sidecars/`, which fails on demand. What speaks to our own driver is `sanity.test.ts`.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Driver, openDriver } from "../../src/csi/driver.ts";
import { CODES, type CodeName, DriverError, mayStillRun } from "../../src/csi/driver-error.ts";
import { systemClock } from "../../src/util/clock.ts";
import { built } from "./built.ts";
import { SIDECARS_SOURCE } from "./sidecars/programs.ts";

const bin = await built(SIDECARS_SOURCE);

let home: string;
let process_: ChildProcess;
let driver: Driver;

async function start(): Promise<void> {
  rmSync(join(home, "csi.sock"), { force: true });
  const args = ["--socket", join(home, "csi.sock"), "--state", home];
  process_ = spawn(join(bin!, "sidecars"), args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(process_.stdout!, "data");
}

async function kill(): Promise<void> {
  const gone = once(process_, "exit");
  process_.kill("SIGKILL");
  await gone;
}

const failureOf = (answer: Promise<unknown>): Promise<DriverError> =>
  answer.then(
    () => Promise.reject(new Error("expected a failure")),
    (error: unknown) => (error instanceof DriverError ? error : Promise.reject(error as Error)),
  );

/** `OUT_OF_RANGE` for `OutOfRange`; American where Go is. */
const inGo = (name: string): string =>
  name === "Canceled" ? "CANCELLED" : name.replaceAll(/(?<!^)([A-Z])/g, "_$1").toUpperCase();

describe.skipIf(bin === undefined)("SUP-18: a driver on grpc-go", { timeout: 120_000 }, () => {
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "keelson-grpc-go-"));
    mkdirSync(join(home, "fail"));
    await start();
    driver = openDriver(`unix://${home}/csi.sock`, { clock: systemClock });
  });
  afterEach(async () => {
    await driver.close();
    await kill();
    rmSync(home, { recursive: true });
  });

  test("it tells what it is, and makes what it is asked for", async () => {
    expect(await driver.info()).toEqual({ name: "disks.example.com", version: "1" });
    expect(await driver.pluginCapabilities()).toEqual(
      new Set(["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS", "VOLUME_EXPANSION_ONLINE"]),
    );
    expect(await driver.controllerCapabilities()).toContain("CLONE_VOLUME");
    expect(await driver.groupControllerCapabilities()).toEqual(new Set());
    expect(await driver.node.nodeGetInfo({})).toMatchObject({
      nodeId: "one",
      accessibleTopology: { segments: { "topology.disks.example.com/node": "one" } },
    });
    const parameters = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`key-${i}`, "x".repeat(1000)]));
    const { volume } = await driver.controller.createVolume({
      name: "claim",
      parameters,
      capacityRange: { requiredBytes: 1n << 40n },
    });
    expect(volume).toMatchObject({ volumeId: "disk-claim", capacityBytes: 1n << 40n });
  });

  test.each(Object.keys(CODES) as CodeName[])("its code %s arrives with its reason", async (code) => {
    writeFileSync(join(home, "fail", "CreateVolume"), inGo(code));
    const error = await failureOf(driver.controller.createVolume({ name: "claim" }));
    expect(error).toMatchObject({ code, reason: "CreateVolume was told to fail", method: "CreateVolume" });
  });

  test("a request that is larger than it takes is ResourceExhausted, and the next one goes through", async () => {
    const parameters = { big: "x".repeat(5 << 20) };
    expect((await failureOf(driver.controller.createVolume({ name: "claim", parameters }))).code).toBe(
      "ResourceExhausted",
    );
    await driver.controller.createVolume({ name: "claim" });
  });

  test("NODE-28: one that stands still, or dies while it works, leaves it open what has become of the call", async () => {
    await driver.info();
    process_.kill("SIGSTOP");
    // A signal takes effect a moment later.
    await expect
      .poll(() => execFileSync("ps", ["-o", "stat=", "-p", String(process_.pid)], { encoding: "utf8" }))
      .toMatch(/^T/);
    const late = await failureOf(driver.controller.createVolume({ name: "claim" }, { deadlineMs: 100 }));
    expect([late.code, mayStillRun(late)]).toEqual(["DeadlineExceeded", true]);
    const call = failureOf(driver.controller.createVolume({ name: "claim" }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await kill();
    const lost = await call;
    expect([lost.code, mayStillRun(lost)]).toEqual(["Unavailable", true]);
    await start();
    expect(await driver.info()).toMatchObject({ name: "disks.example.com" });
    expect((await driver.controller.createVolume({ name: "claim" })).volume!.volumeId).toBe("disk-claim");
  });
});
