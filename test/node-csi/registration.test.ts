/** How drivers are found on a node, and what the API says of them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { type Socket, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CSIDriver, CSINode, Node } from "../../src/client/kinds/index.ts";
import { serveServices } from "../../src/csi/serve.ts";
import { systemClock } from "../../src/util/clock.ts";
import { ModelDriver } from "./model-driver.ts";
import { NodeWorld } from "./node-world.ts";

let node: NodeWorld;
beforeEach(async () => {
  node = await NodeWorld.create();
});
afterEach(() => node[Symbol.asyncDispose]());

const MARK = "csi.volume.kubernetes.io/nodeid";
const NAME = "d.example.com";
const entries = async () => (await node.csiNode())?.spec.drivers ?? [];
const names = async () => (await entries()).map(({ name }) => name).toSorted();
const theNode = () => node.resource(Node).get({ name: "n1" });
const markOf = async (): Promise<object> =>
  JSON.parse((await theNode()).metadata.annotations?.[MARK] ?? "{}") as object;

describe("sockets", () => {
  test("CSIN-22, CSIN-2, CSIN-5: a registrar is found that was there before the agent, and one that comes later, also in a directory", async () => {
    await node.addDriver("first.example.com");
    await node.start();
    expect(await names()).toEqual(["first.example.com"]);
    await node.addDriver("second.example.com");
    await node.until(async () => (await names()).length === 2);
    await node.addDriver("third.example.com", { file: "sub/deeper/third.sock" });
    await node.until(async () => (await names()).length === 3);
    expect(await names()).toEqual(["first.example.com", "second.example.com", "third.example.com"]);
  });

  test("CSIN-22: however many registrars do not answer, another one is heard, and they are tried again", async () => {
    const registry = join(node.root, "plugins_registry");
    mkdirSync(registry, { recursive: true });
    const sockets = new Set<Socket>();
    const servers = Array.from({ length: 20 }, (_, number) =>
      createServer((socket) => void sockets.add(socket)).listen(join(registry, `${number}.sock`)),
    );
    try {
      await node.addDriver();
      const starting = node.start();
      await expect.poll(names, { timeout: 10_000 }).toEqual([NAME]);
      const silent = (): number => {
        node.clock.advance(1000);
        return new Set(node.warnings).size;
      };
      await expect.poll(silent, { timeout: 20_000 }).toBe(20);
      expect(node.warnings[0]).toContain("GetInfo: no response within 10 s");
      await starting;
    } finally {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    }
  });

  test("CSIN-22: names that begin with a dot, files and links are passed over", async () => {
    await node.addDriver("a.example.com", { file: ".hidden.sock" });
    await node.addDriver("b.example.com", { file: ".hidden/b.sock" });
    mkdirSync(join(node.root, "plugins_registry"), { recursive: true });
    writeFileSync(join(node.root, "plugins_registry", "file.sock"), "");
    await node.start();
    await node.pass(20_000);
    expect([await names(), node.warnings, node.drivers.flatMap(({ answers }) => answers)]).toEqual([[], [], []]);
  });

  test("CSIN-30, CSIN-11: when the socket goes the driver is taken out; labels and mounted volumes stay, and the empty list is an object", async () => {
    const driver = await node.addDriver();
    await node.describe({ attachRequired: false });
    driver.info = { nodeId: "i", accessibleTopology: { segments: { "topology.example.com/rack": "r1" } } };
    await node.start();
    const needed = node.persistent(node.pod());
    await node.setUp(needed);
    await driver.unregister();
    await node.until(
      async () => (await names()).length === 0 && (await theNode()).metadata.annotations?.[MARK] === undefined,
    );
    expect(await node.csiNode()).toBeDefined();
    expect((await theNode()).metadata.labels).toMatchObject({ "topology.example.com/rack": "r1" });
    expect([driver.mounted.has(needed.path), driver.done]).toEqual([true, ["NodeStageVolume", "NodePublishVolume"]]);
    await expect(node.tearDown(needed)).rejects.toThrow("not found in the list of registered CSI drivers");
    await driver.register(node.root);
    await node.until(async () => (await names()).length === 1);
    await node.tearDown(needed);
    expect(node.left()).toEqual([]);
  });
});

describe("registration", () => {
  test("CSIN-23, CSIN-24, CSIN-25, CSIN-26, CSIN-20, CSIN-3, CSIN-4: the driver is asked for its name and its node ID; annotation, labels and entry are written, and it is notified", async () => {
    const driver = await node.addDriver();
    driver.info = {
      nodeId: "i-1",
      maxVolumesPerNode: 23n,
      accessibleTopology: { segments: { "topology.example.com/zone": "z", "topology.example.com/rack": "r" } },
    };
    const seen: (readonly [string, number])[] = [];
    driver.fault = (method) => void seen.push([method, driver.answers.length]) as undefined;
    await node.start();
    expect(seen).toEqual([["NodeGetInfo", 0]]);
    expect(driver.answers).toEqual([{ registered: true, error: "" }]);
    expect(await markOf()).toEqual({ [NAME]: "i-1" });
    const { labels, uid } = (await theNode()).metadata;
    expect(labels).toMatchObject({ "topology.example.com/zone": "z", "topology.example.com/rack": "r" });
    const csiNode = await node.csiNode();
    expect(csiNode?.metadata.ownerReferences).toEqual([{ apiVersion: "v1", kind: "Node", name: "n1", uid }]);
    expect(csiNode?.spec.drivers).toEqual([
      {
        name: NAME,
        nodeID: "i-1",
        topologyKeys: ["topology.example.com/rack", "topology.example.com/zone"],
        allocatable: { count: 23 },
      },
    ]);
  });

  test("CSIN-26: they are written in that order, with the rights of a node", async () => {
    await node.addDriver();
    const writes: string[] = [];
    const { cluster } = node.world;
    const watching = new AbortController();
    const follow = async (
      kind: typeof Node | typeof CSINode,
      what: (object: never) => string | undefined,
    ): Promise<void> => {
      for await (const { object } of cluster
        .client("test")
        .resource(kind as typeof Node)
        .watch({ signal: watching.signal })) {
        const said = what(object as never);
        if (said && !writes.includes(said)) writes.push(said);
      }
    };
    const following = [
      follow(Node, ({ metadata }: Node) => (metadata.annotations?.[MARK] ? "mark" : undefined)),
      follow(CSINode, ({ spec }: CSINode) => ((spec.drivers ?? []).length > 0 ? "entry" : undefined)),
    ].map((one) => one.catch(() => {}));
    await node.settled();
    await node.start();
    await node.until(() => writes.length === 2);
    watching.abort();
    await Promise.all(following);
    expect(writes).toEqual(["mark", "entry"]);
  });

  test("CSIN-2, CSIN-26, CSIN-29: so it is in the neutral dialect, under its names and with the same rights", async () => {
    await using own = await NodeWorld.create({ dialect: "neutral" });
    await own.addDriver();
    await own.start();
    expect(own.driver.answers).toEqual([{ registered: true, error: "" }]);
    const csiNode = await own.csiNode();
    expect(csiNode?.apiVersion).toBe("storage.svc.io/v1");
    expect(csiNode?.spec.drivers).toMatchObject([{ name: NAME, nodeID: "node-of-the-driver" }]);
    const { annotations } = (await own.resource(Node).get({ name: "n1" })).metadata;
    expect(annotations).toEqual({ "csi.volume.svc.io/nodeid": `{"${NAME}":"node-of-the-driver"}` });
    const client = own.world.cluster.client("test", { user: "system:node:n2", groups: ["system:nodes"] });
    const other = client.resource(own.kind(CSINode)).get({ name: "n1" });
    await expect(other).rejects.toThrow("can only access CSINode with the same name");
  });

  test("CSIN-26: a count of 0 is no limit", async () => {
    const driver = await node.addDriver();
    driver.info = { nodeId: "i", maxVolumesPerNode: 0n };
    await node.start();
    expect(await entries()).toEqual(
      [{ name: NAME, nodeID: "i", topologyKeys: [] }].map(
        (entry) => expect.objectContaining({ name: entry.name, nodeID: "i" }) as never,
      ),
    );
    expect((await entries())[0]!.allocatable).toBeUndefined();
  });

  test("CSIN-24, CSIN-25: an error or an empty id of NodeGetInfo fails it, which is reported; it is tried again", async () => {
    const driver = await node.addDriver();
    driver.fault = (method) => (method === "NodeGetInfo" ? { when: "before", code: "Internal" } : undefined);
    await node.start();
    expect(driver.answers.at(-1)).toEqual({
      registered: false,
      error: "NodeGetInfo: injected before the work (Internal)",
    });
    driver.fault = () => undefined;
    driver.info = { nodeId: "" };
    await node.pass(5000);
    expect(driver.answers.at(-1)).toMatchObject({
      registered: false,
      error: expect.stringContaining("to return a node_id"),
    });
    expect([await names(), await markOf()]).toEqual([[], {}]);
    driver.info = { nodeId: "i" };
    await node.pass(60_000);
    expect(driver.answers.at(-1)).toMatchObject({ registered: true });
    expect(await names()).toEqual([NAME]);
  });

  test("CSIN-23: other types, and drivers without a version 1.x, are refused", async () => {
    await node.addDriver(NAME, { versions: ["0.3.0", "2.0.0"] });
    const told: unknown[] = [];
    const other = await serveServices(
      join(node.root, "plugins_registry", "other.sock"),
      [
        ({ registration }) => [
          registration.Registration,
          {
            getInfo: async () => ({
              type: "DevicePlugin",
              name: "x.example.com",
              endpoint: "",
              supportedVersions: ["1.0.0"],
            }),
            notifyRegistrationStatus: async (answer: object) => {
              told.push(answer);
              return {};
            },
          } as never,
        ],
      ],
      { clock: systemClock, graceMs: 1 },
    );
    await node.start();
    expect(told).toMatchObject([{ pluginRegistered: false, error: expect.stringContaining("CSIPlugin") }]);
    expect(node.driver.answers).toMatchObject([{ registered: false, error: expect.stringContaining("version 1.x") }]);
    expect(await names()).toEqual([]);
    await other.close();
  });

  test("CSIN-27, CSIN-20: a label that the Node has with another value fails it; labels are never changed", async () => {
    await node
      .resource(Node)
      .patch({ name: "n1" }, { metadata: { labels: { "topology.example.com/zone": "z1", mine: "1" } } });
    const driver = await node.addDriver();
    driver.info = { nodeId: "i", accessibleTopology: { segments: { "topology.example.com/zone": "z2" } } };
    await node.start();
    expect(driver.answers).toMatchObject([
      { registered: false, error: expect.stringContaining("topology.example.com/zone") },
    ]);
    expect((await theNode()).metadata.labels).toEqual({ "topology.example.com/zone": "z1", mine: "1" });
    expect([await names(), await markOf()]).toEqual([[], {}]);
  });

  test("CSIN-28: two drivers have two entries; one is replaced as a whole and the other stays", async () => {
    const driver = await node.addDriver();
    driver.info = { nodeId: "old", maxVolumesPerNode: 4n };
    await node.addDriver("other.example.com");
    await node.start();
    driver.info = { nodeId: "new" };
    await driver.unregister();
    await driver.register(node.root);
    await node.until(async () => (await entries()).some(({ nodeID }) => nodeID === "new"));
    expect(await names()).toEqual([NAME, "other.example.com"]);
    expect(await markOf()).toEqual({ [NAME]: "new", "other.example.com": "node-of-the-driver" });
    expect((await entries()).find(({ name }) => name === NAME)!.allocatable).toBeUndefined();
  });

  test("CSIN-29, CSIN-3, CSIN-4: the CSINode is made when the agent starts; one of an earlier Node of that name is put right", async () => {
    await node.start();
    const { uid } = (await theNode()).metadata;
    expect((await node.csiNode())?.metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "n1", uid }]);
    expect((await node.csiNode())?.spec.drivers ?? []).toEqual([]);
    const found = (await node.csiNode())!;
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "of-another" }];
    await node.resource(CSINode).update({ ...found, metadata: { ...found.metadata, ownerReferences } });
    await node.restart();
    expect((await node.csiNode())?.metadata.ownerReferences).toMatchObject([{ uid }]);
  });

  test("CSIN-29: an agent that is there before its Node makes the CSINode when that comes", async () => {
    await node.resource(Node).delete({ name: "n1" });
    await node.start();
    expect(await node.csiNode()).toBeUndefined();
    await node.resource(Node).create({ metadata: { name: "n1" } } as NewObject<Node>);
    await node.pass(5000);
    expect(await node.csiNode()).toBeDefined();
  });

  test("CSIN-26, CSIN-29: a Node that is deleted and made again has its drivers again", async () => {
    const driver = await node.addDriver();
    driver.info = {
      nodeId: "i",
      maxVolumesPerNode: 7n,
      accessibleTopology: { segments: { "topology.example.com/rack": "r" } },
    };
    await node.start();
    const { uid } = (await theNode()).metadata;
    await node.resource(Node).delete({ name: "n1" });
    await node.resource(CSINode).delete({ name: "n1" });
    await node.resource(Node).create({ metadata: { name: "n1" } } as NewObject<Node>);
    await node.pass(61_000);
    const { metadata } = await theNode();
    expect(metadata.uid).not.toBe(uid);
    expect(metadata.labels).toMatchObject({ "topology.example.com/rack": "r" });
    expect(await markOf()).toEqual({ [NAME]: "i" });
    expect(await entries()).toMatchObject([{ name: NAME, allocatable: { count: 7 } }]);
    expect((await node.csiNode())?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid }]);
    expect(driver.of("NodeGetInfo")).toHaveLength(1);
  });

  test("CSIN-31: a second registration of a name counts only with a higher version, or when the first has gone", async () => {
    const first = await node.addDriver(NAME, { file: "first.sock" });
    await node.start();
    const second = new ModelDriver(NAME);
    await second.serve(join(node.root, "plugins", "second", "csi.sock"));
    node.drivers.push(second);
    second.info = { nodeId: "second" };
    await second.register(node.root, { file: "second.sock" });
    await node.until(() => second.answers.length > 0);
    expect(second.answers[0]).toMatchObject({
      registered: false,
      error: expect.stringContaining("already registered"),
    });
    expect(await markOf()).toEqual({ [NAME]: "node-of-the-driver" });
    await second.unregister();
    await second.register(node.root, { file: "newer.sock", versions: ["1.0.0", "1.5.0"] });
    await node.until(() => second.answers.length > 1);
    expect(second.answers[1]).toMatchObject({ registered: true });
    expect(await markOf()).toEqual({ [NAME]: "second" });
    await second.unregister();
    await node.until(async () => JSON.stringify(await markOf()) === JSON.stringify({ [NAME]: "node-of-the-driver" }));
    expect(first.answers.filter(({ registered }) => registered)).toHaveLength(2);
  });
});

describe("how many volumes a driver takes", () => {
  const counts = async () => (await entries()).map(({ allocatable }) => allocatable?.count);
  const asked = () => node.driver.of("NodeGetInfo").length;

  test("CSIN-32, CSID-10: it is asked again at the interval of its CSIDriver, and what differs is written", async () => {
    await node.describe({ attachRequired: false, nodeAllocatableUpdatePeriodSeconds: 20 });
    const driver = await node.addDriver();
    driver.info = { nodeId: "i", maxVolumesPerNode: 5n };
    await node.start();
    expect(await counts()).toEqual([5]);
    const { resourceVersion } = (await node.csiNode())!.metadata;
    await node.pass(20_000);
    expect([asked(), (await node.csiNode())!.metadata.resourceVersion]).toEqual([2, resourceVersion]);
    driver.info = { nodeId: "i", maxVolumesPerNode: 4n };
    await node.pass(19_000);
    expect(await counts()).toEqual([5]);
    await node.pass(1000);
    expect(await counts()).toEqual([4]);
    driver.fault = () => ({ when: "before", code: "Internal" });
    await node.pass(20_000);
    driver.fault = () => undefined;
    driver.info = { nodeId: "i", maxVolumesPerNode: 3n };
    await node.pass(20_000);
    expect(await counts()).toEqual([3]);
  });

  test("CSIN-32, CSID-11: another interval restarts the updates; without one, or without a CSIDriver, there are none", async () => {
    await node.describe({ attachRequired: false, nodeAllocatableUpdatePeriodSeconds: 20 });
    await node.addDriver();
    await node.start();
    await node.pass(15_000);
    await node.describe({ nodeAllocatableUpdatePeriodSeconds: 30 });
    await node.pass(29_000);
    expect(asked()).toBe(1);
    await node.pass(1000);
    expect(asked()).toBe(2);
    const found = await node.resource(CSIDriver).get({ name: NAME });
    const { nodeAllocatableUpdatePeriodSeconds: _, ...spec } = found.spec;
    await node.resource(CSIDriver).update({ ...found, spec });
    await node.pass(600_000);
    expect(asked()).toBe(2);
    await node.describe({ nodeAllocatableUpdatePeriodSeconds: 10 });
    await node.resource(CSIDriver).delete({ name: NAME });
    await node.pass(600_000);
    expect(asked()).toBe(2);
  });

  test("CSIN-33, CSID-10: when nothing more can be attached it is asked at once, and the Pod ends", async () => {
    await node.describe({ attachRequired: true, nodeAllocatableUpdatePeriodSeconds: 600 });
    const driver = await node.addDriver();
    driver.info = { nodeId: "i", maxVolumesPerNode: 5n };
    await node.start();
    const needed = node.persistent(node.pod(), { name: "v" });
    const failed = (errorCode: number) =>
      node.attachment(
        { driver: NAME, handle: "h-v" },
        { attached: false, attachError: { message: "full", errorCode } },
      );
    expect(await node.plugin.notAttached!(needed, failed(13))).toBeUndefined();
    expect(asked()).toBe(1);
    driver.info = { nodeId: "i", maxVolumesPerNode: 2n };
    const end = await node.plugin.notAttached!(needed, failed(8));
    expect(end).toMatchObject({ reason: "VolumeAttachmentLimitExceeded", message: expect.stringContaining("full") });
    expect(await counts()).toEqual([2]);
  });

  test("CSIN-33, CSID-11: not where the CSIDriver does not want updates", async () => {
    await node.describe({ attachRequired: true });
    await node.addDriver();
    await node.start();
    const attachment = node.attachment(
      { driver: NAME, handle: "h-v" },
      { attached: false, attachError: { errorCode: 8 } },
    );
    expect(await node.plugin.notAttached!(node.persistent(node.pod(), { name: "v" }), attachment)).toBeUndefined();
    expect(asked()).toBe(1);
  });
});
