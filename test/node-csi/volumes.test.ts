/** Persistent volumes of drivers on a node: which calls come, in which order, and what lies on disk. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCESS_MODE } from "../../src/csi/terms.ts";
import type { CodeName } from "../../src/csi/driver-error.ts";
import type { Asked, ModelDriver, NodeMethod } from "./model-driver.ts";
import type { NeededVolume } from "../../src/node/contract.ts";
import { NodeWorld } from "./node-world.ts";

let node: NodeWorld;
beforeAll(async () => {
  node = await NodeWorld.create();
  await node.start();
});
afterAll(async () => {
  const broken = node.drivers.flatMap((driver) => driver.broken);
  await node[Symbol.asyncDispose]();
  if (broken.length > 0) throw new Error(broken.join("\n"));
});

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const only = (driver: ModelDriver, method: NodeMethod): Asked => driver.of(method)[0]!.request;

describe("calls", () => {
  test("NODE-16, NODE-17: a volume is staged once for the node and published once for each Pod, and taken down the other way round", async () => {
    const { name, ...driver } = await begun();
    const first = node.persistent(node.pod(), { name: "shared", csi: { driver: name } });
    const second = node.persistent(node.pod(), { name: "shared", csi: { driver: name } });
    expect(await node.setUp(first)).toEqual({ source: first.path });
    await node.setUp(second);
    await node.setUp(first);
    expect(driver.done()).toEqual(["NodeStageVolume", "NodePublishVolume", "NodePublishVolume"]);
    await node.tearDown(first);
    expect(driver.done().slice(3)).toEqual(["NodeUnpublishVolume"]);
    await node.tearDown(second);
    expect(driver.done().slice(4)).toEqual(["NodeUnpublishVolume", "NodeUnstageVolume"]);
    await node.tearDown(second);
    expect(driver.done()).toHaveLength(6);
    expect(node.left()).toEqual([]);
  });

  test("NODE-16: a driver without STAGE_UNSTAGE_VOLUME only publishes", async () => {
    const driver = await node.fresh(null, (one) => (one.capabilities = []));
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name }, isAttached: { attached: true } });
    await node.setUp(needed);
    expect(driver.done).toEqual(["NodePublishVolume"]);
    expect(only(driver, "NodePublishVolume")).toMatchObject({ stagingTargetPath: "", secrets: {} });
    await node.tearDown(needed);
    expect(driver.done).toEqual(["NodePublishVolume", "NodeUnpublishVolume"]);
    expect(node.left()).toEqual([]);
  });

  test("NODE-17: a volume is not unstaged while another Pod is about to get it", async () => {
    const driver = await node.fresh();
    const going = node.persistent(node.pod(), { name: "busy", csi: { driver: driver.name } });
    const coming = node.persistent(node.pod(), { name: "busy", csi: { driver: driver.name } });
    await node.setUp(going);
    await Promise.all([node.setUp(coming), node.tearDown(going)]);
    expect(driver.done).not.toContain("NodeUnstageVolume");
    await node.tearDown(coming);
    expect(driver.done.at(-1)).toBe("NodeUnstageVolume");
    expect(driver.broken).toEqual([]);
  });

  test("a volume that was detached and attached again is staged again, as soon as the earlier Pods are deleted", async () => {
    const driver = await node.fresh({ attachRequired: true });
    const of = (uid: string, more: object = {}): NeededVolume => {
      const options = { name: `again-${driver.name}`, csi: { driver: driver.name }, isAttached: { attached: true } };
      const needed = node.persistent(node.pod(), options);
      const { attachment } = needed;
      return { ...needed, ...more, attachment: { ...attachment!, metadata: { ...attachment!.metadata, uid } } };
    };
    const [before, now] = [of("one"), of("two")];
    await node.setUp(before);
    await expect(node.setUp(now)).rejects.toThrow("detached and attached again");
    await node.tearDown(before);
    await node.setUp(now);
    expect(driver.done).toEqual([
      "NodeStageVolume",
      "NodePublishVolume",
      "NodeUnpublishVolume",
      "NodeUnstageVolume",
      "NodeStageVolume",
      "NodePublishVolume",
    ]);
    // A second Pod of the same attachment has it as it is.
    const beside = of("two");
    await node.setUp(beside);
    expect(driver.done.slice(6)).toEqual(["NodePublishVolume"]);
    expect(driver.broken).toEqual([]);
    for (const needed of [now, beside]) await node.tearDown(needed);
  });

  test("NODE-18, NODE-19: the agent makes the staging path and the parent of the target, 0750", async () => {
    const driver = await node.fresh();
    const pod = node.pod();
    const needed = node.persistent(pod, { name: "placed", csi: { driver: driver.name, volumeHandle: "a/b" } });
    await node.setUp(needed);
    const staging = join(node.root, "plugins/kubernetes.io/csi", driver.name, hash("a/b"), "globalmount");
    const target = join(node.root, "pods", pod.metadata.uid, "volumes/kubernetes.io~csi/placed/mount");
    expect(needed.path).toBe(target);
    expect(only(driver, "NodeStageVolume").stagingTargetPath).toBe(staging);
    expect(only(driver, "NodePublishVolume")).toMatchObject({ stagingTargetPath: staging, targetPath: target });
    expect([modeOf(staging), modeOf(dirname(target))]).toEqual(["750", "750"]);
    await node.tearDown(needed);
    expect(only(driver, "NodeUnpublishVolume")).toMatchObject({ volumeId: "a/b", targetPath: target });
    expect(only(driver, "NodeUnstageVolume")).toMatchObject({ volumeId: "a/b", stagingTargetPath: staging });
  });

  test("NODE-19, NODE-9: what a driver leaves is removed when it is empty; nothing else is, and nothing that is mounted", async () => {
    const driver = await node.fresh();
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    await node.setUp(needed);
    driver.fault = (method) => {
      if (method === "NodeUnpublishVolume") mkdirSync(needed.path, { recursive: true });
      return undefined;
    };
    writeFileSync(join(needed.path, "data"), "kept");
    driver.published.clear();
    await expect(node.tearDown(needed)).rejects.toThrow("to be empty");
    expect(readFileSync(join(needed.path, "data"), "utf8")).toBe("kept");
    rmSync(join(needed.path, "data"));
    driver.mounted.add(needed.path);
    driver.fault = () => ({ when: "before", code: "Internal" });
    await expect(node.tearDown(needed)).rejects.toThrow("injected");
    expect(existsSync(needed.path)).toBe(true);
    driver.fault = () => undefined;
    await node.tearDown(needed);
    expect(node.left()).toEqual([]);
  });

  test("NODE-20: beside both paths lies what is needed to take the volume down, before the driver is called", async () => {
    const driver = await node.fresh(null);
    const pod = node.pod();
    const needed = node.persistent(pod, {
      name: "noted",
      csi: { driver: driver.name, volumeHandle: "h" },
      isAttached: { attached: true },
    });
    const seen: Record<string, object> = {};
    driver.fault = (method, request) => {
      const path = method === "NodeStageVolume" ? request.stagingTargetPath : request.targetPath;
      if (/Stage|Publish/.test(method))
        seen[method] ??= JSON.parse(readFileSync(join(dirname(path), "vol_data.json"), "utf8")) as object;
      return undefined;
    };
    await node.setUp(needed);
    const facts = {
      driverName: driver.name,
      volumeHandle: "h",
      nodeName: "n1",
      specVolID: "noted",
      volumeLifecycleMode: "Persistent",
      attachmentID: `csi-${hash(`h${driver.name}n1`)}`,
    };
    expect(seen["NodeStageVolume"]).toMatchObject(facts);
    expect(seen["NodePublishVolume"]).toMatchObject(facts);
    expect(Object.values(seen["NodePublishVolume"]!).every((value) => typeof value === "string")).toBe(true);
    // Everything else that is known of the volume is gone.
    await node.restart();
    await node.until(() => driver.answers.length > 1);
    for (const found of node.foundVolumes()) await node.plugin.tearDown(found, new AbortController().signal);
    expect(driver.done.slice(2)).toEqual(["NodeUnpublishVolume", "NodeUnstageVolume"]);
    expect(node.left()).toEqual([]);
  });

  test("NODE-5, NODE-20: after a restart nothing is made a second time; a mount that has gone is made again", async () => {
    const driver = await node.fresh();
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    await node.setUp(needed);
    await node.restart();
    await node.until(() => driver.answers.length > 1);
    await node.setUp(needed);
    expect(driver.done).toHaveLength(2);
    driver.mounted.clear();
    await node.setUp(needed);
    expect(driver.done.slice(2)).toEqual(["NodeStageVolume", "NodePublishVolume"]);
    await node.tearDown(needed);
  });

  test("NODE-20: a damaged record is no reason to lose what is mounted", async () => {
    const driver = await node.fresh();
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    await node.setUp(needed);
    const record = join(dirname(needed.path), "vol_data.json");
    const text = readFileSync(record);
    writeFileSync(record, "{");
    await expect(node.tearDown(needed)).rejects.toThrow("damaged");
    writeFileSync(record, text);
    await node.tearDown(needed);
    expect(node.left()).toEqual([]);
  });

  test("NODE-21: volume_id is the handle, volume_context the attributes of the volume", async () => {
    const driver = await node.fresh();
    const csi = { driver: driver.name, volumeHandle: "h-21", volumeAttributes: { a: "1" } };
    const needed = node.persistent(node.pod(), { csi });
    await node.setUp(needed);
    for (const method of ["NodeStageVolume", "NodePublishVolume"] as const) {
      expect(only(driver, method)).toMatchObject({ volumeId: "h-21", volumeContext: { a: "1" } });
    }
    await node.tearDown(needed);
  });

  test.each([
    ["ReadWriteOnce", ACCESS_MODE.SINGLE_NODE_WRITER, ACCESS_MODE.SINGLE_NODE_MULTI_WRITER],
    ["ReadOnlyMany", ACCESS_MODE.MULTI_NODE_READER_ONLY, ACCESS_MODE.MULTI_NODE_READER_ONLY],
    ["ReadWriteMany", ACCESS_MODE.MULTI_NODE_MULTI_WRITER, ACCESS_MODE.MULTI_NODE_MULTI_WRITER],
    ["ReadWriteOncePod", ACCESS_MODE.SINGLE_NODE_WRITER, ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER],
  ])("NODE-22, NODE-23: the mode %s is told as the driver can understand it", async (mode, plain, finer) => {
    for (const [more, expected] of [
      [[], plain],
      [["SINGLE_NODE_MULTI_WRITER"], finer],
    ] as const) {
      const driver = await node.fresh(null, (one) => (one.capabilities = ["STAGE_UNSTAGE_VOLUME", ...more]));
      const needed = node.persistent(node.pod(), {
        csi: { driver: driver.name, fsType: "xfs" },
        spec: {
          accessModes: [mode, ...(mode === "ReadWriteOnce" ? ["ReadOnlyMany"] : [])],
          mountOptions: ["noatime", "x"],
        },
        isAttached: { attached: true },
      });
      await node.setUp(needed);
      for (const method of ["NodeStageVolume", "NodePublishVolume"] as const) {
        expect(only(driver, method).volumeCapability).toMatchObject({
          accessMode: { mode: expected },
          accessType: { case: "mount", value: { fsType: "xfs", mountFlags: ["noatime", "x"], volumeMountGroup: "" } },
        });
      }
      await node.tearDown(needed);
    }
  });

  test("NODE-24: readonly of publish is what the Pod says of its claim, not what the volume says", async () => {
    const driver = await node.fresh();
    for (const [readOnly, csi] of [
      [true, {}],
      [false, { readOnly: true }],
    ] as const) {
      const needed = node.persistent(node.pod(), { readOnly, csi: { driver: driver.name, ...csi } });
      await node.setUp(needed);
      expect(driver.of("NodePublishVolume").at(-1)!.request.readonly).toBe(readOnly);
      await node.tearDown(needed);
    }
    const inline = node.inline(node.pod(), {
      driver: (await node.fresh({ attachRequired: false, volumeLifecycleModes: ["Ephemeral"] })).name,
      readOnly: true,
    });
    await node.setUp(inline);
    expect(only(node.drivers.at(-1)!, "NodePublishVolume").readonly).toBe(true);
    await node.tearDown(inline);
  });
});

describe("life cycles", () => {
  test("NODE-26, CSID-34, AMB-6: an inline volume is only published, under a handle of its own, and never attached or staged", async () => {
    const driver = await node.fresh({ volumeLifecycleModes: ["Ephemeral"] });
    const pod = node.pod();
    const needed = node.inline(pod, { driver: driver.name, fsType: "ext4", volumeAttributes: { size: "1" } }, "x");
    expect(node.plugin.attached!(needed)).toBeUndefined();
    await node.setUp(needed);
    const handle = `csi-${hash(`${pod.metadata.uid}x`)}`;
    expect(only(driver, "NodePublishVolume")).toMatchObject({
      volumeId: handle,
      stagingTargetPath: "",
      publishContext: {},
      volumeContext: { size: "1" },
      volumeCapability: {
        accessMode: { mode: ACCESS_MODE.SINGLE_NODE_WRITER },
        accessType: { value: { fsType: "ext4" } },
      },
    });
    expect(await node.plugin.inUse!()).toEqual([]);
    await node.tearDown(needed);
    expect(driver.done).toEqual(["NodePublishVolume", "NodeUnpublishVolume"]);
    expect(node.left()).toEqual([]);
  });

  test("NODE-26, CSID-34: without a CSIDriver that lists Ephemeral an inline volume is not mounted", async () => {
    const unknown = await node.fresh(null);
    await expect(node.setUp(node.inline(node.pod(), { driver: unknown.name }))).rejects.toThrow("no CSIDriver object");
    const driver = await node.fresh({ volumeLifecycleModes: ["Persistent"] });
    await expect(node.setUp(node.inline(node.pod(), { driver: driver.name }))).rejects.toThrow("lists Persistent");
    expect([...unknown.done, ...driver.done]).toEqual([]);
    expect(node.left()).toEqual([]);
  });

  test("NODE-27: a persistent volume is not mounted where the CSIDriver does not list Persistent", async () => {
    const driver = await node.fresh({ attachRequired: false, volumeLifecycleModes: ["Ephemeral"] });
    await expect(node.setUp(node.persistent(node.pod(), { csi: { driver: driver.name } }))).rejects.toThrow(
      "lists Ephemeral",
    );
    expect(driver.done).toEqual([]);
  });

  test("NODE-67: a volume of the mode ReadWriteOncePod is not mounted for a second Pod of the node", async () => {
    const driver = await node.fresh();
    const more = { name: "alone", csi: { driver: driver.name }, spec: { accessModes: ["ReadWriteOncePod"] } };
    const [first, second] = [node.persistent(node.pod(), more), node.persistent(node.pod(), more)];
    await node.setUp(first);
    await expect(node.setUp(second)).rejects.toThrow("ReadWriteOncePod");
    await node.tearDown(first);
    await node.setUp(second);
    await node.tearDown(second);
    expect(node.left()).toEqual([]);
  });
});

describe("failures", () => {
  const UNSURE = ["DeadlineExceeded", "Canceled", "Unavailable", "Aborted", "ResourceExhausted"] as const;
  const FINAL = [
    "Unknown",
    "InvalidArgument",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "FailedPrecondition",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "DataLoss",
    "Unauthenticated",
  ] as const;

  const failing = async (method: "NodeStageVolume" | "NodePublishVolume", code: CodeName) => {
    const driver = await node.fresh();
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    driver.fault = (called) => (called === method ? { when: "before", code } : undefined);
    await expect(node.setUp(needed)).rejects.toThrow(`${method}: injected before the work (${code})`);
    await node.tearDown(needed);
    expect(node.left()).toEqual([]);
    return driver.done;
  };

  test("NODE-28: after an error that leaves it open whether the work goes on, unpublish and unstage are called all the same", async () => {
    for (const code of UNSURE) {
      expect(await failing("NodePublishVolume", code)).toEqual([
        "NodeStageVolume",
        `NodePublishVolume ${code}`,
        "NodeUnpublishVolume",
        "NodeUnstageVolume",
      ]);
      expect(await failing("NodeStageVolume", code)).toEqual([`NodeStageVolume ${code}`, "NodeUnstageVolume"]);
    }
  });

  test("NODE-28: after any other error only what the agent made is cleaned up", async () => {
    for (const code of FINAL) {
      expect(await failing("NodePublishVolume", code)).toEqual([
        "NodeStageVolume",
        `NodePublishVolume ${code}`,
        "NodeUnstageVolume",
      ]);
      expect(await failing("NodeStageVolume", code)).toEqual([`NodeStageVolume ${code}`]);
    }
  });

  test("NODE-28: an error that is final, but left something behind, is not taken at its word; nor is one after an open one", async () => {
    const driver = await node.fresh();
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    driver.fault = (method) => (method === "NodePublishVolume" ? { when: "after", code: "Internal" } : undefined);
    await expect(node.setUp(needed)).rejects.toThrow("Internal");
    await node.tearDown(needed);
    expect(driver.done.slice(2)).toEqual(["NodeUnpublishVolume", "NodeUnstageVolume"]);
    const codes: CodeName[] = ["Aborted", "Internal"];
    driver.fault = (method) => (method === "NodeStageVolume" ? { when: "before", code: codes.shift()! } : undefined);
    await expect(node.setUp(needed)).rejects.toThrow("Aborted");
    await expect(node.setUp(needed)).rejects.toThrow("Internal");
    await node.tearDown(needed);
    expect(driver.done.at(-1)).toBe("NodeUnstageVolume");
    expect(node.left()).toEqual([]);
  });

  test("NODE-29: a call that is not answered is given up after two minutes", async () => {
    const driver = await node.fresh();
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    driver.fault = (method) => (method === "NodePublishVolume" ? { when: "before", code: "never" } : undefined);
    const outcome = node.setUp(needed).catch((error: unknown) => error as Error);
    await node.until(() => driver.hanging === 1);
    node.clock.advance(119_000);
    expect(await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 20, "waits"))])).toBe("waits");
    node.clock.advance(1000);
    expect(((await outcome) as Error).message).toContain("DeadlineExceeded");
    driver.fault = () => undefined;
    await node.tearDown(needed);
    expect(driver.done.slice(2)).toEqual(["NodeUnpublishVolume", "NodeUnstageVolume"]);
  });

  test("NODE-29: a driver that is not registered is a failure, and its Pods are looked at when it comes", async () => {
    const name = `d${node.drivers.length}.example.com`;
    await node.describe({ attachRequired: false }, name);
    const pod = node.pod();
    const needed = node.persistent(pod, { csi: { driver: name } });
    await expect(node.setUp(needed)).rejects.toThrow(
      `driver name ${name} not found in the list of registered CSI drivers`,
    );
    expect(node.lookedAt).not.toContain(pod.metadata.uid);
    await node.fresh();
    expect(node.lookedAt).toContain(pod.metadata.uid);
    await node.setUp(needed);
    await node.tearDown(needed);
  });

  test("NODE-5, NODE-28, NODE-70: an agent that is killed while its driver is at work knows that, and takes down what may be there", async () => {
    const calls = {
      NodeStageVolume: ["NodeUnstageVolume"],
      NodePublishVolume: ["NodeUnpublishVolume", "NodeUnstageVolume"],
    };
    for (const [method, expected] of Object.entries(calls)) {
      for (const when of ["before", "after"] as const) {
        const driver = await node.fresh();
        const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
        driver.fault = (called) => (called === method ? { when, code: "never" } : undefined);
        const outcome = node.setUp(needed).catch((error: unknown) => error as Error);
        await node.until(() => driver.hanging === 1);
        await node.restart();
        await node.until(() => driver.answers.length === 2);
        expect(((await outcome) as Error).message).toContain("Canceled");
        const before = driver.done.length;
        await node.tearDown(needed);
        expect(driver.done.slice(before)).toEqual(expected);
        expect(node.left()).toEqual([]);
      }
    }
  });

  test("NODE-72: what is staged for Pods whose directories are gone is taken off the node when an agent begins", async () => {
    const driver = await node.fresh(null);
    const pod = node.pod();
    const needed = node.persistent(pod, { csi: { driver: driver.name }, isAttached: { attached: true } });
    await node.setUp(needed);
    expect(await node.plugin.inUse!()).toHaveLength(1);
    driver.mounted.delete(needed.path);
    driver.published.clear();
    rmSync(join(node.root, "pods", pod.metadata.uid), { recursive: true });
    await node.restart();
    await node.until(() => driver.done.at(-1) === "NodeUnstageVolume");
    await node.until(async () => (await node.plugin.inUse!()).length === 0);
    expect(node.left()).toEqual([]);
  });
});

describe("attached volumes", () => {
  test("NODE-10, NODE-11, NODE-12, NODE-13, NODE-15: what has to be attached, by which names, and what is in use", async () => {
    const without = await node.fresh(null);
    const driver = await node.fresh({ attachRequired: true });
    const none = await node.fresh({ attachRequired: false });
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name, volumeHandle: "h" } });
    const attached = { entry: `kubernetes.io/csi/${driver.name}^h`, attachment: `csi-${hash(`h${driver.name}n1`)}` };
    expect(node.plugin.attached!(needed)).toEqual(attached);
    expect(node.plugin.attached!(node.persistent(node.pod(), { csi: { driver: without.name } }))).toBeDefined();
    expect(node.plugin.attached!(node.persistent(node.pod(), { csi: { driver: none.name } }))).toBeUndefined();
    await expect(node.setUp(needed)).rejects.toThrow("not attached");
    await expect(
      node.setUp({ ...needed, attachment: node.attachment({ driver: driver.name, handle: "h" }, { attached: false }) }),
    ).rejects.toThrow("not attached");
    expect([driver.done, await node.plugin.inUse!()]).toEqual([[], []]);
    const there = { ...needed, attachment: node.attachment({ driver: driver.name, handle: "h" }, { attached: true }) };
    await node.setUp(there);
    expect(await node.plugin.inUse!()).toEqual([attached.entry]);
    const free = node.persistent(node.pod(), { csi: { driver: none.name } });
    await node.setUp(free);
    expect(await node.plugin.inUse!()).toEqual([attached.entry]);
    driver.fault = (method) => (method === "NodeUnstageVolume" ? { when: "before", code: "Internal" } : undefined);
    await expect(node.tearDown(there)).rejects.toThrow("Internal");
    expect(await node.plugin.inUse!()).toEqual([attached.entry]);
    driver.fault = () => undefined;
    await node.tearDown(there);
    expect(await node.plugin.inUse!()).toEqual([]);
    await node.tearDown(free);
  });

  test("NODE-14, VA-10: the attachment metadata is passed when the volume is staged and published", async () => {
    const driver = await node.fresh({ attachRequired: true });
    const isAttached = { attached: true, attachmentMetadata: { device: "/dev/x" } };
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name }, isAttached });
    await node.setUp(needed);
    expect(only(driver, "NodeStageVolume").publishContext).toEqual({ device: "/dev/x" });
    expect(only(driver, "NodePublishVolume").publishContext).toEqual({ device: "/dev/x" });
    await node.tearDown(needed);
  });
});

/** A driver whose calls are read later. */
async function begun() {
  const driver = await node.fresh();
  return { name: driver.name, done: () => driver.done };
}
