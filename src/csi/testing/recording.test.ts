import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { type Driver, openDriver } from "../driver.ts";
import { serveRecorded } from "./recording.ts";

const clock = systemClock;
let home: string;
let served: Awaited<ReturnType<typeof serveRecorded>>;
let driver: Driver;
let made: string[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "keelson-recording-"));
  made = [];
  const createVolume = async ({ name }: { name: string }) => {
    made.push(name);
    return { volume: { volumeId: name } };
  };
  const services = { identity: { probe: async () => ({}) }, controller: { createVolume } };
  served = await serveRecorded(join(home, "csi.sock"), services, { clock });
  driver = openDriver(served.socket, { clock });
});
afterEach(async () => {
  await driver.close();
  await served.close();
  rmSync(home, { recursive: true });
});

const codeOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => "OK",
    (error: { code: unknown }) => error.code,
  );
const create = (name: string, options = {}): Promise<unknown> =>
  codeOf(driver.controller.createVolume({ name, secrets: { key: "hunter2" } }, options));

test("SUP-18: calls are recorded in order, with requests without secrets, and with their outcome", async () => {
  served.driver.fail("CreateVolume", { code: "ResourceExhausted", nth: 2 });
  await driver.identity.probe({});
  expect([await create("a"), await create("b"), await create("c")]).toEqual(["OK", "ResourceExhausted", "OK"]);
  const { calls } = served.driver;
  expect(calls.map(({ method, outcome }) => [method, outcome])).toEqual([
    ["Probe", "OK"],
    ["CreateVolume", "OK"],
    ["CreateVolume", "ResourceExhausted"],
    ["CreateVolume", "OK"],
  ]);
  expect(served.driver.methods()).toEqual(["CreateVolume", "CreateVolume", "CreateVolume"]);
  expect(calls[1]!.request).toMatchObject({ name: "a", secrets: { key: "***stripped***" } });
  expect(JSON.stringify(calls)).not.toContain("hunter2");
  expect(made).toEqual(["a", "c"]);
});

test("SUP-18: a response can be lost after the work was done, several times", async () => {
  served.driver.fail("CreateVolume", { code: "Unavailable", afterWork: true, times: 2 });
  expect([await create("a"), await create("b"), await create("c")]).toEqual(["Unavailable", "Unavailable", "OK"]);
  expect(made).toEqual(["a", "b", "c"]);
  served.driver.fail("CreateVolume", { code: "Internal", times: Infinity });
  expect([await create("d"), await create("e")]).toEqual(["Internal", "Internal"]);
  served.driver.clear();
  expect(await create("f")).toBe("OK");
  expect(served.driver.of("CreateVolume")).toHaveLength(1);
});

test("calls can be held and delayed; a call that times out reaches the driver as cancelled", async () => {
  const release = served.driver.hold("CreateVolume");
  const held = create("a");
  await expect.poll(() => served.driver.calls.length).toBe(1);
  expect(made).toEqual([]);
  expect(await create("b", { deadlineMs: 30 })).toBe("DeadlineExceeded");
  await expect.poll(() => served.driver.calls[1]?.outcome).toBe("Canceled");
  release();
  expect(await held).toBe("OK");
  served.driver.delay("CreateVolume", 40);
  const began = clock.steady();
  expect(await create("c")).toBe("OK");
  expect(clock.steady() - began).toBeGreaterThanOrEqual(35);
  expect(made).toEqual(["a", "c"]);
});
