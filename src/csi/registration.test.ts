import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../util/clock.ts";
import {
  RegistrationRefused,
  type Registrar,
  type RegistrationStatus,
  type RegistrationClient,
  openRegistration,
  registrationSocket,
  serveRegistration,
} from "./registration.ts";

const clock = systemClock;
const info = { name: "d.example.com", endpoint: "/plugins/d/csi.sock" };
let directory: string;
let registrar: Registrar;
let agent: RegistrationClient;
let results: RegistrationStatus[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "keelson-registration-"));
  results = [];
  const socket = registrationSocket(directory, info.name);
  registrar = await serveRegistration(socket, info, { clock, onStatus: (status) => results.push(status) });
  agent = openRegistration(socket, { clock });
});
afterEach(async () => {
  await agent.close();
  await registrar.close();
  rmSync(directory, { recursive: true });
});

test("CSIN-22: the socket of a registrar is named by its driver", () => {
  expect(registrar.socket).toBe(join(directory, "d.example.com-reg.sock"));
});

test("CSIN-23: a registrar reports type, name, endpoint and versions", async () => {
  expect(await agent.calls.getInfo({})).toMatchObject({
    type: "CSIPlugin",
    name: "d.example.com",
    endpoint: "/plugins/d/csi.sock",
    supportedVersions: ["1.0.0"],
  });
});

test("CSIN-24: a registrar is notified of success, and of a later result", async () => {
  await agent.calls.notifyRegistrationStatus({ pluginRegistered: true });
  await registrar.registered;
  await agent.calls.notifyRegistrationStatus({ pluginRegistered: false, error: "gone since" });
  await registrar.registered;
  expect(results).toEqual([
    { registered: true, error: "" },
    { registered: false, error: "gone since" },
  ]);
});

test("CSIN-24: a registrar is notified of a refusal and its reason", async () => {
  await agent.calls.notifyRegistrationStatus({ pluginRegistered: false, error: "no node id" });
  await expect(registrar.registered).rejects.toThrow(RegistrationRefused);
  await expect(registrar.registered).rejects.toThrow("did not register d.example.com: no node id");
});
