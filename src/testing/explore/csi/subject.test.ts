import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DriverServices, type SocketServer, serveDriver } from "../../../csi/serve.ts";
import { systemClock } from "../../../util/clock.ts";
import { ReturnedObjects } from "./call.ts";
import { MemoryDriver } from "./testing/memory-driver.ts";
import { externalSource } from "./subject.ts";

const clock = systemClock;
const SIGNAL = new AbortController().signal;
let home: string;
let memory: MemoryDriver;
let server: SocketServer | undefined;

const serve = async (change: (services: DriverServices) => DriverServices = (services) => services) => {
  server = await serveDriver(join(home, "driver.sock"), change(memory.services), { clock, graceMs: 100 });
  return { endpoint: `unix://${server.socket}`, clock };
};
/** A driver that has no lists. */
const withoutLists = (services: DriverServices): DriverServices => ({
  ...services,
  controller: {
    ...services.controller,
    controllerGetCapabilities: async (request, context) => {
      const { capabilities = [] } = await services.controller!.controllerGetCapabilities!(request, context);
      const isList = (one: (typeof capabilities)[number]): boolean =>
        one.type?.case === "rpc" && [3, 6].includes(one.type.value?.type ?? 0);
      return { capabilities: capabilities.filter((one) => !isList(one)) };
    },
  },
});

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "keelson-subject-"));
  memory = new MemoryDriver();
});
afterEach(async () => {
  await server?.close();
  rmSync(home, { recursive: true });
});

const volume = (name: string) => ({
  name,
  capacityRange: { requiredBytes: 1n },
  volumeCapabilities: [],
  parameters: {},
  secrets: {},
  mutableParameters: {},
});
const have = (driver: MemoryDriver) => driver.storage.objects().map(({ kind, name }) => `${kind} ${name}`);

test("a driver behind a socket shows what a run has made, and loses it after the run; what was there before stays", async () => {
  const source = await externalSource(await serve());
  expect(source.notJudged).toEqual(["the data of volumes: it cannot be read from outside"]);
  memory.storage.volumes.set("old", { id: "old", name: "old", bytes: 1n, data: "", nodes: new Set() });
  const returned = new ReturnedObjects();
  const subject = await source.open(returned);
  const { calls } = subject.driver;
  const response = await calls.createVolume(volume("a"), { signal: SIGNAL });
  returned.learn("CreateVolume", volume("a"), response);
  const { volumeId } = response.volume!;
  const attach = { volumeId, nodeId: "n", secrets: {}, readonly: false, volumeContext: {} };
  await calls.controllerPublishVolume({ ...attach, volumeCapability: undefined as never }, { signal: SIGNAL });
  await calls.createSnapshot({ name: "s", sourceVolumeId: volumeId, parameters: {}, secrets: {} }, { signal: SIGNAL });
  expect(await subject.objects()).toEqual([
    { kind: "Volume", id: volumeId, name: "a" },
    { kind: "Snapshot", id: "snap-2" },
  ]);
  await subject[Symbol.asyncDispose]();
  expect(have(memory)).toEqual(["Volume old"]);
});

test("a driver that cannot list is judged by its responses, and says so", async () => {
  const source = await externalSource(await serve(withoutLists));
  expect(source.notJudged).toEqual([
    "volumes that the driver made without a response: it has no ListVolumes, so only those with a response count",
    "snapshots that the driver made without a response: it has no ListSnapshots, so only those with a response count",
    "the data of volumes: it cannot be read from outside",
  ]);
  const returned = new ReturnedObjects();
  const subject = await source.open(returned);
  const make = async (name: string) => {
    const response = await subject.driver.calls.createVolume(volume(name), { signal: SIGNAL });
    returned.learn("CreateVolume", volume(name), response);
    return response.volume!.volumeId;
  };
  const [a] = [await make("a"), await make("b")];
  await subject.driver.calls.deleteVolume({ volumeId: a, secrets: {} }, { signal: SIGNAL });
  returned.learn("DeleteVolume", { volumeId: a }, {});
  expect(await subject.objects()).toMatchObject([{ kind: "Volume", name: "b" }]);
  await subject[Symbol.asyncDispose]();
  expect(have(memory)).toEqual([]);
});

test("a driver that does not remove what a run has left is said to be at fault", async () => {
  const source = await externalSource(
    await serve((services) => ({
      ...services,
      controller: { ...services.controller, deleteVolume: () => Promise.reject(new Error("no")) },
    })),
  );
  const subject = await source.open(new ReturnedObjects());
  await subject.driver.calls.createVolume(volume("a"), { signal: SIGNAL });
  await expect(subject[Symbol.asyncDispose]()).rejects.toThrow(
    /it did not: Volume vol-1: .*Pass a command that starts it again/,
  );
});

test("a driver that is not there is an error that names its socket", async () => {
  await expect(externalSource({ endpoint: join(home, "none.sock"), clock })).rejects.toThrow("none.sock");
});
