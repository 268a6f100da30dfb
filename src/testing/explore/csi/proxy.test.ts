import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Driver, openDriver } from "../../../csi/driver.ts";
import { openRegistration, serveRegistration } from "../../../csi/registration.ts";
import { type SocketServer, serveDriver } from "../../../csi/serve.ts";
import type { Perturbation, RequestPoint } from "../../../explore/contract/plan.ts";
import type { RequestEntry } from "../../../explore/contract/trace.ts";
import { ManualClock, systemClock } from "../../../util/clock.ts";
import { CallPlayer, type CallStage, type MetCall } from "./call-player.ts";
import { MemoryDriver } from "./testing/memory-driver.ts";
import { type CsiProxy, type ProxiedCall, serveProxy } from "./proxy.ts";

const clock = systemClock;
let home: string;
let memory: MemoryDriver;
let server: SocketServer;
let proxy: CsiProxy;
let caller: Driver;
/** What the stage saw. */
let entries: Omit<RequestEntry, "seq" | "at">[];
let killed: string[];
let waiting: (() => void)[];
let plan: Perturbation[];
/** The clock of responses that are slow. */
let manual: ManualClock;
/** Called when a call reaches the driver. */
let reached: string[];

const at = (verb: string, name = "a", kind = "Volume"): RequestPoint => ({
  actor: "sidecar",
  protocol: "csi",
  verb,
  group: "csi",
  kind,
  name,
  occurrence: 0,
});
/** The perturbation of the plan that is at a call, the first time. */
const meet = ({ verb, object }: MetCall): { index: number; perturbation: Perturbation } | undefined => {
  const index = plan.findIndex(
    (one) => "at" in one && "verb" in one.at && one.at.verb === verb && one.at.name === object.name,
  );
  if (index < 0) return undefined;
  const [perturbation] = plan.splice(index, 1);
  return { index, perturbation: perturbation! };
};

const serve = () => {
  const { services } = memory;
  const { controller } = services;
  const createVolume: NonNullable<typeof controller>["createVolume"] = async (request, context) => {
    reached.push(request.name);
    return controller!.createVolume!(request, context);
  };
  return serveDriver(
    join(home, "driver.sock"),
    { ...services, controller: { ...controller, createVolume } },
    { clock, graceMs: 100 },
  );
};

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "keelson-proxy-"));
  [entries, killed, waiting, plan, reached] = [[], [], [], [], []];
  manual = new ManualClock();
  memory = new MemoryDriver();
  server = await serve();
  const stage: CallStage = {
    clock: manual,
    meet,
    record: (entry) => void entries.push(entry),
    kill: ({ actor }) => {
      killed.push(actor);
      proxy.breakConnections();
    },
    killDriver: async () => {
      killed.push("driver");
      await server.close();
      server = await serve();
    },
    atRest: (_why, _actor, work) => void waiting.push(work),
  };
  const player = new CallPlayer(stage);
  proxy = await serveProxy({
    socket: join(home, "proxy.sock"),
    driver: `unix://${server.socket}`,
    play: (call: ProxiedCall) => player.play({ actor: "sidecar", life: 0, ...call }),
  });
  caller = openDriver(proxy.socket, { clock });
});
afterEach(async () => {
  await caller.close();
  await proxy[Symbol.asyncDispose]();
  await server.close();
  rmSync(home, { recursive: true });
});

const codeOf = (response: Promise<unknown>): Promise<unknown> =>
  response.then(
    () => "OK",
    (error: { code: unknown }) => error.code,
  );
const create = (name: string, options = {}) =>
  codeOf(caller.controller.createVolume({ name, secrets: { key: "hunter2" } }, options));
const made = () => [...memory.storage.volumes.values()].map(({ name }) => name);
const codes = () => entries.map(({ verb, object, code, changed }) => [verb, object.name, code, changed]);

describe("without a plan", () => {
  test("calls pass with their responses, errors and metadata, and the trace says what they were about", async () => {
    const { volume } = await caller.controller.createVolume({ name: "a", secrets: { key: "hunter2" } });
    expect(volume).toMatchObject({ volumeId: "vol-1", capacityBytes: 2n ** 30n });
    await caller.controller.controllerPublishVolume({ volumeId: "vol-1", nodeId: "n" });
    await expect(caller.controller.deleteVolume({ volumeId: "vol-1" })).rejects.toMatchObject({
      code: "FailedPrecondition",
      reason: "volume vol-1 is attached",
    });
    expect(await create("a")).toBe("OK");
    expect(entries.map(({ protocol, object }) => [protocol, object.kind])).toEqual(Array(4).fill(["csi", "Volume"]));
    // The second creation changed nothing, and an ID is shown as the name that was requested.
    expect(codes()).toEqual([
      ["CreateVolume", "a", 0, true],
      ["ControllerPublishVolume", "a", 0, true],
      ["DeleteVolume", "a", 9, false],
      ["CreateVolume", "a", 0, false],
    ]);
    expect(entries[2]!.message).toBe("volume vol-1 is attached");
    expect(entries[0]!.sent).toMatchObject({ name: "a", secrets: { key: "***stripped***" } });
    expect(JSON.stringify(entries)).not.toContain("hunter2");
  });

  test("a method that the protocol does not have passes as bytes, both ways", async () => {
    await server.close();
    const info = { name: "memory.csi.example", endpoint: "/x", versions: ["1.0.0"] };
    await using _registrar = {
      registrar: await serveRegistration(join(home, "driver.sock"), info, { clock }),
      async [Symbol.asyncDispose]() {
        await this.registrar.close();
      },
    };
    const agent = openRegistration(proxy.socket, { clock });
    expect(await agent.calls.getInfo({})).toMatchObject({ name: "memory.csi.example", endpoint: "/x" });
    await agent.close();
    expect(entries).toMatchObject([{ verb: "GetInfo", object: { group: "csi", kind: "Plugin" }, code: 0, sent: {} }]);
  });

  test("a method that the driver does not have gets the response of the driver", async () => {
    expect(await codeOf(caller.groupController.createVolumeGroupSnapshot({ name: "g" }))).toBe("Unimplemented");
  });

  test("a driver that does not listen is unavailable, and is found again", async () => {
    await server.close();
    expect(await create("a")).toBe("Unavailable");
    server = await serve();
    await expect.poll(() => create("a")).toBe("OK");
  });

  test("a large response passes whole", async () => {
    for (let i = 0; i < 3000; i++)
      memory.storage.volumes.set(`v${i}`, {
        id: `v${i}`,
        name: "x".repeat(100),
        bytes: 1n,
        data: "",
        nodes: new Set(),
      });
    expect((await caller.controller.listVolumes({})).entries).toHaveLength(3000);
  });
});

describe("a plan", () => {
  test("loses the response: the work is done, and the connection breaks", async () => {
    plan.push({ type: "answer-lost", at: at("CreateVolume") });
    expect(await create("a")).toBe("Unavailable");
    expect(made()).toEqual(["a"]);
    expect(await create("a")).toBe("OK");
    expect(codes()).toEqual([
      ["CreateVolume", "a", undefined, true],
      ["CreateVolume", "a", 0, false],
    ]);
    expect(entries.map(({ perturbation }) => perturbation)).toEqual([0, undefined]);
  });

  test.each([
    ["unavailable", "Unavailable", []],
    ["aborted", "Aborted", []],
    ["internal-error", "Internal", []],
    ["too-many-requests", "ResourceExhausted", []],
    ["deadline-exceeded", "DeadlineExceeded", ["a"]],
  ] as const)("refuses with %s: the caller gets %s, and the driver has %j", async (refusal, code, volumes) => {
    plan.push({ type: "refused", at: at("CreateVolume"), with: refusal, times: 1 });
    expect(await create("a")).toBe(code);
    expect(made()).toEqual(volumes);
    expect(entries).toMatchObject([{ perturbation: 0, changed: volumes.length > 0 }]);
  });

  test("makes a response slow: the work is done at once", async () => {
    plan.push({ type: "slow", at: at("CreateVolume"), byMillis: 60_000 });
    const response = create("a");
    await expect.poll(made).toEqual(["a"]);
    expect(entries).toEqual([]);
    await expect.poll(() => manual.timers()).toHaveLength(1);
    manual.advance(60_000);
    expect(await response).toBe("OK");
  });

  test("makes a response so slow that the caller gives up", async () => {
    plan.push({ type: "slow", at: at("CreateVolume"), byMillis: 60_000 });
    expect(await create("a", { deadlineMs: 50 })).toBe("DeadlineExceeded");
    await expect.poll(codes).toEqual([["CreateVolume", "a", undefined, true]]);
  });

  test("sends a call twice", async () => {
    plan.push({ type: "repeated", at: at("CreateVolume") });
    expect(await create("a")).toBe("OK");
    expect(reached).toEqual(["a", "a"]);
    expect(made()).toEqual(["a"]);
  });

  test("lets the next call overtake one", async () => {
    plan.push({ type: "overtaken", at: at("CreateVolume") });
    const first = create("a");
    await expect.poll(() => waiting).toHaveLength(1);
    expect([await create("b"), await first]).toEqual(["OK", "OK"]);
    expect(reached).toEqual(["b", "a"]);
  });

  test("lets a call go on that no other one overtakes, when all else is at rest", async () => {
    plan.push({ type: "overtaken", at: at("CreateVolume") });
    const response = create("a");
    await expect.poll(() => waiting).toHaveLength(1);
    expect(reached).toEqual([]);
    waiting[0]!();
    expect(await response).toBe("OK");
  });

  test("handles a held call for which the caller has not waited", async () => {
    plan.push({ type: "overtaken", at: at("CreateVolume") });
    expect(await create("a", { deadlineMs: 50 })).toBe("DeadlineExceeded");
    await expect.poll(() => entries).toMatchObject([{ changed: false, perturbation: 0 }]);
    expect(await create("a")).toBe("Aborted");
    waiting[0]!();
    await expect.poll(made).toEqual(["a"]);
  });

  test.each([
    ["before", []],
    ["after", ["a"]],
  ] as const)("kills the caller %s the work", async (when, volumes) => {
    plan.push({ type: "crash", at: at("CreateVolume"), when, downMillis: 0 });
    expect(await create("a")).toBe("Unavailable");
    expect(killed).toEqual(["sidecar"]);
    expect(made()).toEqual(volumes);
    expect(entries).toMatchObject([{ perturbation: 0, changed: volumes.length > 0 }]);
    expect(entries[0]).not.toHaveProperty("code");
  });

  test("kills the caller while its call is on its way: the driver handles it when all is at rest again", async () => {
    plan.push({ type: "crash", at: at("CreateVolume"), when: "late", downMillis: 0 });
    expect(await create("a")).toBe("Unavailable");
    expect(made()).toEqual([]);
    // Until then the driver works on it, and does one thing at a time.
    expect([await create("a"), await create("b")]).toEqual(["Aborted", "OK"]);
    waiting[0]!();
    await expect.poll(made).toEqual(["b", "a"]);
    expect(await create("a")).toBe("OK");
  });

  test.each([
    ["before", []],
    ["after", ["a"]],
  ] as const)("kills the driver %s its work", async (when, volumes) => {
    plan.push({ type: "crash", at: at("CreateVolume"), when, downMillis: 0, victim: "driver" });
    expect(await create("a")).toBe("Unavailable");
    expect(killed).toEqual(["driver"]);
    expect(made()).toEqual(volumes);
    expect(await create("a")).toBe("OK");
    expect(made()).toEqual(["a"]);
  });
});
