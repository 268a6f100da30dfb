import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http2";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock, systemClock } from "../util/clock.ts";
import { MAX_SOCKET_PATH_BYTES } from "../util/socket-path.ts";
import { type Driver, openDriver } from "./driver.ts";
import { CODES, type CodeName, DriverError, isFinal, isInfeasible, mayStillRun } from "./driver-error.ts";
import { type DriverServices, type SocketServer, serveDriver } from "./serve.ts";
import { CONTROLLER_CAPABILITY, NODE_CAPABILITY, PLUGIN_SERVICE, VOLUME_EXPANSION } from "./terms.ts";

let home: string;
let socket: string;
const ends: (() => Promise<void>)[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "keelson-csi-"));
  socket = join(home, "csi.sock");
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  rmSync(home, { recursive: true });
});

async function serve(services: DriverServices, clock = systemClock): Promise<SocketServer> {
  const server = await serveDriver(`unix://${socket}`, services, { clock });
  ends.push(() => server.close());
  return server;
}

function open(options: Partial<Parameters<typeof openDriver>[1]> = {}): Driver {
  const driver = openDriver(`unix://${socket}`, { clock: systemClock, ...options });
  ends.push(() => driver.close());
  return driver;
}

const failureOf = async (answer: Promise<unknown>): Promise<DriverError> => {
  try {
    await answer;
  } catch (error) {
    if (error instanceof DriverError) return error;
    throw error;
  }
  throw new Error("expected a failure");
};

/** A method that responds when its call is cancelled, and a promise that resolves then. */
function held(): {
  method: (request: object, context: { signal: AbortSignal }) => Promise<object>;
  left: Promise<void>;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const method = (_: object, { signal }: { signal: AbortSignal }): Promise<object> =>
    new Promise((answer) => {
      signal.addEventListener("abort", () => {
        resolve();
        answer({});
      });
    });
  return { method, left: promise };
}

describe("a driver over its socket", () => {
  test("requests and responses are whole: maps, numbers of 64 bits, choices, and megabytes of them", async () => {
    const seen: unknown[] = [];
    await serve({
      identity: {},
      controller: {
        createVolume: async (request) => {
          seen.push(request);
          return { volume: { volumeId: "v", capacityBytes: 2n ** 60n, volumeContext: request.parameters } };
        },
      },
    });
    const parameters = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key-${i}`, "x".repeat(1000)]));
    const { volume } = await open().controller.createVolume({
      name: "claim",
      capacityRange: { requiredBytes: 2n ** 60n },
      parameters,
      volumeCapabilities: [{ accessType: { case: "mount", value: { fsType: "ext4" } }, accessMode: { mode: 1 } }],
    });
    expect(volume?.capacityBytes).toBe(2n ** 60n);
    expect(volume?.volumeContext).toEqual(parameters);
    expect(seen).toMatchObject([
      { name: "claim", volumeCapabilities: [{ accessType: { case: "mount", value: { fsType: "ext4" } } }] },
    ]);
  });

  test.each(Object.keys(CODES) as CodeName[])("the code %s of a driver arrives, with its reason", async (code) => {
    await serve({
      identity: {
        probe: async () => {
          throw new DriverError(code, "sagt „nein“ 100%");
        },
      },
    });
    const error = await failureOf(open().identity.probe({}));
    expect(error).toMatchObject({ code, reason: "sagt „nein“ 100%", method: "Probe" });
    expect(error.message).toBe(`Probe: sagt „nein“ 100% (${code})`);
  });

  test("SUP-18: a service or a method that a driver does not have is Unimplemented", async () => {
    await serve({ identity: {}, node: {} });
    const driver = open();
    expect((await failureOf(driver.node.nodeGetInfo({}))).code).toBe("Unimplemented");
    expect((await failureOf(driver.controller.listVolumes({}))).code).toBe("Unimplemented");
  });

  test("a bug in a driver is Internal, and is reported to its server", async () => {
    const reported: unknown[] = [];
    const probe = async (): Promise<object> => {
      throw new TypeError("no such thing");
    };
    const onError = (method: string, error: unknown) => reported.push(method, error);
    const options = { clock: systemClock, onError };
    const server = await serveDriver(socket, { identity: { probe } }, options);
    ends.push(() => server.close());
    expect(await failureOf(open().identity.probe({}))).toMatchObject({ code: "Internal", reason: "no such thing" });
    expect(reported).toEqual(["Probe", expect.any(TypeError)]);
  });

  test("NODE-28: a call without a response in time is DeadlineExceeded, and the driver is notified", async () => {
    const clock = new ManualClock();
    const { method, left } = held();
    await serve({ identity: {}, node: { nodePublishVolume: method } });
    const driver = open({ clock, deadlineMs: 10_000 });
    await driver.nodeCapabilities().catch(() => {});
    const call = failureOf(driver.node.nodePublishVolume({ volumeId: "v" }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    clock.advance(9_999);
    expect(await Promise.race([call, Promise.resolve("waits")])).toBe("waits");
    clock.advance(1);
    const error = await call;
    expect(error).toMatchObject({ code: "DeadlineExceeded", reason: "no response within 10 s" });
    expect(mayStillRun(error)).toBe(true);
    await left;
    expect(clock.timers()).toEqual([]);
  });

  test("a driver gets the deadline of its caller with the request", async () => {
    const { method, left } = held();
    await serve({ identity: { probe: method } });
    const clock = new ManualClock();
    const driver = open({ clock });
    void driver.identity.probe({}, { deadlineMs: 60 }).catch(() => {});
    // The clock of the caller stands still: the deadline that was sent with the call ends it.
    await expect(left).resolves.toBeUndefined();
  });

  test("NODE-28: a call that is cancelled is Canceled, and the driver is notified", async () => {
    const { method, left } = held();
    await serve({ identity: { probe: method } });
    const controller = new AbortController();
    const call = failureOf(open().identity.probe({}, { signal: controller.signal }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort();
    expect((await call).code).toBe("Canceled");
    await left;
    expect((await failureOf(open().identity.probe({}, { signal: controller.signal }))).code).toBe("Canceled");
  });

  test("NODE-28: a driver that does not listen, or ends during a call, is Unavailable", async () => {
    const driver = open();
    const error = await failureOf(driver.identity.probe({}));
    expect(error.code).toBe("Unavailable");
    expect(error.message).toContain("ENOENT");
    const { method } = held();
    const server = await serveDriver(socket, { identity: { probe: method } }, { clock: systemClock, graceMs: 10 });
    const call = failureOf(driver.identity.probe({}));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.close();
    expect((await call).code).toBe("Unavailable");
  });

  test.runIf(process.platform === "linux")(
    "a socket whose path is longer than the system takes is served, connected, and removed when its driver ends",
    async () => {
      const directory = join(home, ...Array.from({ length: 8 }, () => "a-directory-with-a-long-name"));
      mkdirSync(directory, { recursive: true });
      socket = join(directory, "csi.sock");
      const driver = open();
      const probe = (): Promise<unknown> => driver.identity.probe({}, { deadlineMs: 2000 });
      expect(await failureOf(probe())).toMatchObject({ code: "Unavailable" });
      const server = await serveDriver(
        `unix://${socket}`,
        { identity: { probe: async () => ({}) } },
        { clock: systemClock },
      );
      await probe();
      await server.close();
      expect(await failureOf(probe())).toMatchObject({ code: "Unavailable" });
      expect(existsSync(socket)).toBe(false);
    },
  );

  test("the error for a socket whose path is too long names path and limit, and the loop goes on", async () => {
    socket = join(home, "x".repeat(150));
    const looped = new Promise((resolve) => setImmediate(resolve));
    expect(await failureOf(open().identity.probe({}))).toMatchObject({
      code: "Unavailable",
      reason: `expected the path of a socket to have at most ${MAX_SOCKET_PATH_BYTES} bytes, got ${socket.length}: ${socket}`,
    });
    await looped;
  });

  test("a failed connection is not tried again at once, however many calls need it", async () => {
    const connections: number[] = [];
    const server = createTcpServer((client) => client.destroy());
    server.on("connection", () => connections.push(performance.now()));
    await new Promise<void>((listening) => server.listen(socket, listening));
    ends.push(() => new Promise((closed) => server.close(() => closed())));
    const driver = open();
    expect(await failureOf(driver.identity.probe({}, { deadlineMs: 500 }))).toMatchObject({ code: "Unavailable" });
    expect(connections.length).toBeLessThan(20);
  });

  test("a server that speaks no gRPC is Unavailable", async () => {
    const server = createServer((_, response) => void response.writeHead(404).end("hello"));
    await new Promise<void>((resolve) => void server.listen(socket, resolve));
    ends.push(() => new Promise((resolve) => void server.close(() => resolve())));
    expect((await failureOf(open().identity.probe({}))).code).toBe("Unavailable");
  });

  test("after a restart a driver is connected again, and its name requested again", async () => {
    const identity = (vendorVersion: string) => ({
      getPluginInfo: async () => ({ name: "d.example.com", vendorVersion }),
    });
    const first = await serveDriver(socket, { identity: identity("1") }, { clock: systemClock });
    const driver = open();
    expect(await driver.info()).toEqual({ name: "d.example.com", version: "1" });
    await first.close();
    await serve({ identity: identity("2") });
    expect(await driver.info()).toEqual({ name: "d.example.com", version: "2" });
  });

  test("capabilities are requested once", async () => {
    let requests = 0;
    const capabilities = async () => {
      requests++;
      return {
        capabilities: [
          { type: { case: "rpc" as const, value: { type: NODE_CAPABILITY.STAGE_UNSTAGE_VOLUME } } },
          { type: { case: "rpc" as const, value: { type: 4711 as never } } },
        ],
      };
    };
    await serve({
      identity: {
        getPluginCapabilities: async () => ({
          capabilities: [
            { type: { case: "service", value: { type: PLUGIN_SERVICE.CONTROLLER_SERVICE } } },
            { type: { case: "volumeExpansion", value: { type: VOLUME_EXPANSION.ONLINE } } },
          ],
        }),
      },
      controller: {
        controllerGetCapabilities: async () => ({
          capabilities: [{ type: { case: "rpc", value: { type: CONTROLLER_CAPABILITY.CLONE_VOLUME } } }],
        }),
      },
      node: { nodeGetCapabilities: capabilities },
    });
    const driver = open();
    expect(await driver.nodeCapabilities()).toEqual(new Set(["STAGE_UNSTAGE_VOLUME"]));
    expect(await driver.nodeCapabilities()).toEqual(new Set(["STAGE_UNSTAGE_VOLUME"]));
    expect(requests).toBe(1);
    expect(await driver.controllerCapabilities()).toEqual(new Set(["CLONE_VOLUME"]));
    expect(await driver.pluginCapabilities()).toEqual(new Set(["CONTROLLER_SERVICE", "VOLUME_EXPANSION_ONLINE"]));
    expect(await driver.groupControllerCapabilities()).toEqual(new Set());
  });

  test("the number of calls at once is bounded; a call that is cancelled in the queue is never sent", async () => {
    let running = 0;
    let most = 0;
    const names: string[] = [];
    const { promise: go, resolve } = Promise.withResolvers<void>();
    await serve({
      identity: {},
      controller: {
        createVolume: async ({ name }) => {
          names.push(name);
          most = Math.max(most, ++running);
          await go;
          running--;
          return {};
        },
      },
    });
    const driver = open({ maxCalls: 2 });
    const controller = new AbortController();
    const calls = ["a", "b", "c"].map((name) => driver.controller.createVolume({ name }));
    const gone = failureOf(driver.controller.createVolume({ name: "gone" }, { signal: controller.signal }));
    await expect.poll(() => names.length).toBe(2);
    controller.abort();
    expect((await gone).code).toBe("Canceled");
    resolve();
    await Promise.all(calls);
    expect(most).toBe(2);
    expect(names.toSorted()).toEqual(["a", "b", "c"]);
  });

  test("CSID-21: no error shows a secret, whatever the driver says", async () => {
    const tokens = JSON.stringify({ vault: { token: "abc.def.ghi", expirationTimestamp: "2026-01-01T00:00:00Z" } });
    await serve({
      identity: {},
      node: {
        nodePublishVolume: async ({ secrets, volumeContext }) => {
          const { token } = JSON.parse(volumeContext["csi.storage.k8s.io/serviceAccount.tokens"]!).vault;
          throw new DriverError("Unauthenticated", `cannot log in with ${secrets["password"]} and ${token}`);
        },
      },
    });
    const volumeContext = { "csi.storage.k8s.io/serviceAccount.tokens": tokens };
    const error = await failureOf(
      open().node.nodePublishVolume({ secrets: { password: "hunter2", user: "a" }, volumeContext }),
    );
    expect(error.reason).toBe("cannot log in with ***stripped*** and ***stripped***");
    expect(error.message).not.toMatch(/hunter2|abc\.def/);
  });

  test("after close every call is Canceled, running ones too", async () => {
    const { method } = held();
    await serve({ identity: { probe: method } });
    const driver = open();
    const call = failureOf(driver.identity.probe({}));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await driver.close();
    expect((await call).code).toBe("Canceled");
    expect((await failureOf(driver.identity.probe({}))).code).toBe("Canceled");
  });

  test("an endpoint has to be a unix socket", () => {
    expect(() => openDriver("tcp://127.0.0.1:1", { clock: systemClock })).toThrow(RangeError);
    expect(() => openDriver("csi.sock", { clock: systemClock })).toThrow("unix:///path/of/a/socket");
  });
});

describe("the socket of a driver", () => {
  test("its directory has to be there", async () => {
    const nowhere = join(home, "none", "csi.sock");
    const serving = serveDriver(nowhere, { identity: {} }, { clock: systemClock });
    await expect(serving).rejects.toThrow(
      `expected the directory ${join(home, "none")} of the socket ${nowhere} to be`,
    );
  });

  test("an unused socket is replaced; one on which a process listens is not, nor is another file", async () => {
    const first = await serve({ identity: {} });
    await expect(serveDriver(socket, { identity: {} }, { clock: systemClock })).rejects.toThrow("expected no process");
    await first.close();
    ends.pop();
    expect(existsSync(socket)).toBe(false);
    const left = `require("net").createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", left]);
    expect(existsSync(socket)).toBe(true);
    await serve({ identity: { getPluginInfo: async () => ({ name: "new" }) } });
    expect(await open().info()).toEqual({ name: "new", version: "" });
    writeFileSync(join(home, "file"), "");
    await expect(serveDriver(join(home, "file"), { identity: {} }, { clock: systemClock })).rejects.toThrow("file");
  });

  test("a server that ends lets a call under way finish", async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const getPluginInfo = async () => {
      await go;
      return { name: "late" };
    };
    const server = await serveDriver(socket, { identity: { getPluginInfo } }, { clock: systemClock });
    const call = open().info();
    await new Promise((wait) => setTimeout(wait, 50));
    const closed = server.close();
    resolve();
    expect(await call).toEqual({ name: "late", version: "" });
    await closed;
  });
});

test("a connection that is closed while its driver ends raises no unhandled error", async () => {
  const identity = { getPluginInfo: async () => ({ name: "ends", vendorVersion: "" }) };
  // The order of both is chance: now and then the end arrives just when the connection is closed.
  for (let round = 0; round < 150; round++) {
    const server = await serveDriver(socket, { identity }, { clock: systemClock });
    const driver = openDriver(socket, { clock: systemClock });
    await driver.info();
    const closed = server.close();
    for (let count = 0; count < round % 3; count++) await new Promise((next) => setImmediate(next));
    for (let steps = 0; steps < round % 40; steps++) await Promise.resolve();
    await driver.close();
    await closed;
    expect(existsSync(socket)).toBe(false);
  }
});

describe("what an error says about the work", () => {
  const unsure = ["DeadlineExceeded", "Canceled", "Unavailable", "Aborted", "ResourceExhausted"];

  test.each(Object.keys(CODES) as CodeName[])("NODE-28: whether work may still run after %s", (code) => {
    const error = new DriverError(code, "because");
    expect(mayStillRun(error)).toBe(unsure.includes(code));
    expect(isFinal(error)).toBe(!unsure.includes(code));
  });

  test("NODE-28: an error before any call is final", () => {
    expect(isFinal(new TypeError("no"))).toBe(true);
  });

  test("NODE-49: invalid, out of range and not found cannot succeed later", () => {
    const infeasible = (Object.keys(CODES) as CodeName[]).filter((code) => isInfeasible(new DriverError(code, "")));
    expect(infeasible.toSorted()).toEqual(["InvalidArgument", "NotFound", "OutOfRange"]);
  });
});
