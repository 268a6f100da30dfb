import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRegistration, registrationSocket } from "../../csi/registration.ts";
import { systemClock } from "../../util/clock.ts";
import { MAX_SOCKET_PATH_BYTES } from "../../util/socket-path.ts";
import { keepRegistered } from "./csi-registration.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-registered-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("CSIN-22: a registration that cannot be served is reported and retried", async () => {
  const registry = join(directory, "registry");
  writeFileSync(registry, "not a directory");
  const failure = Promise.withResolvers<unknown>();
  const response = Promise.withResolvers<unknown>();
  await using _registered = keepRegistered({
    name: "d.example.com",
    driver: join(directory, "csi.sock"),
    registry,
    clock: systemClock,
    onStatus: response.resolve,
    onError: failure.resolve,
  });
  expect(await failure.promise).toMatchObject({ code: "EEXIST", path: registry });

  rmSync(registry);
  mkdirSync(registry);
  const agent = openRegistration(registrationSocket(registry, "d.example.com"), { clock: systemClock });
  await expect.poll(() => agent.calls.getInfo({}), { timeout: 10_000 }).toMatchObject({ name: "d.example.com" });
  await agent.calls.notifyRegistrationStatus({ pluginRegistered: true });
  expect(await response.promise).toEqual({ registered: true, error: "" });
  await agent.close();
});

test("CSIN-22: a driver is registered with long paths of its socket and of the registry", async () => {
  const deep = join(directory, ...Array.from({ length: 8 }, () => "a-long-name-of-a-folder"));
  const registry = join(deep, "plugins registry");
  const driver = join(deep, "csi.sock");
  expect(Buffer.byteLength(registry)).toBeGreaterThan(MAX_SOCKET_PATH_BYTES);
  mkdirSync(registry, { recursive: true });
  const failure = Promise.withResolvers<unknown>();
  const response = Promise.withResolvers<unknown>();
  await using _registered = keepRegistered({
    name: "d.example.com",
    driver,
    registry,
    clock: systemClock,
    onStatus: response.resolve,
    onError: failure.resolve,
  });
  const agent = openRegistration(registrationSocket(registry, "d.example.com"), { clock: systemClock });
  await expect.poll(() => agent.calls.getInfo({}), { timeout: 10_000 }).toMatchObject({ endpoint: driver });
  await agent.calls.notifyRegistrationStatus({ pluginRegistered: true });
  expect(await Promise.race([response.promise, failure.promise])).toEqual({ registered: true, error: "" });
  await agent.close();
});
