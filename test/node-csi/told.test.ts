/** The inputs of drivers about Pods: identity, tokens, secrets, groups and labels. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  CSIDriver,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  ServiceAccount,
} from "../../src/client/kinds/index.ts";
import { TokenKeeper } from "../../src/node/tokens.ts";
import type { ModelDriver, NodeMethod } from "./model-driver.ts";
import { NodeWorld } from "./node-world.ts";

const asked = (driver: ModelDriver, method: NodeMethod = "NodePublishVolume") => driver.of(method).at(-1)!.request;

let node: NodeWorld;
let neutral: NodeWorld;
beforeAll(async () => {
  node = await NodeWorld.create();
  neutral = await NodeWorld.create({ dialect: "neutral" });
  await Promise.all([node.start(), neutral.start()]);
});
afterAll(async () => {
  const broken = [...node.drivers, ...neutral.drivers].flatMap((driver) => driver.broken);
  await node[Symbol.asyncDispose]();
  await neutral[Symbol.asyncDispose]();
  if (broken.length > 0) throw new Error(broken.join("\n"));
});

describe("who the Pod is", () => {
  test.each(["kubernetes", "neutral"] as const)(
    "NODE-21, NODE-30, CSID-3, CSID-37, CSID-38: with podInfoOnMount publish says it, in the %s dialect, and stage does not",
    async (dialect) => {
      const on = dialect === "neutral" ? neutral : node;
      const domain = `csi.storage.${dialect === "neutral" ? "svc" : "k8s"}.io`;
      const driver = await on.fresh({
        attachRequired: false,
        podInfoOnMount: true,
        volumeLifecycleModes: ["Persistent", "Ephemeral"],
      });
      const pod = on.pod({ name: "web" });
      const volumeAttributes = { a: "1", [`${domain}/pod.name`]: "forged" };
      const persistent = on.persistent(pod, { csi: { driver: driver.name, volumeAttributes } });
      await on.setUp(persistent);
      const who = {
        [`${domain}/pod.name`]: "web",
        [`${domain}/pod.namespace`]: "default",
        [`${domain}/pod.uid`]: pod.metadata.uid,
        [`${domain}/serviceAccount.name`]: "runner",
      };
      expect(asked(driver).volumeContext).toEqual({ a: "1", ...who, [`${domain}/ephemeral`]: "false" });
      expect(asked(driver, "NodeStageVolume").volumeContext).toEqual(volumeAttributes);
      const inline = on.inline(pod, { driver: driver.name });
      await on.setUp(inline);
      expect(asked(driver).volumeContext).toEqual({ ...who, [`${domain}/ephemeral`]: "true" });
      await on.tearDown(persistent);
      await on.tearDown(inline);
    },
  );

  test("NODE-31, NODE-32, CSID-14, CSID-16: it says nothing without that, and from the next call on when the CSIDriver changes", async () => {
    const bare = await node.fresh(null);
    await node.setUp(node.persistent(node.pod(), { csi: { driver: bare.name }, isAttached: { attached: true } }));
    expect(asked(bare).volumeContext).toEqual({});
    const driver = await node.fresh();
    await node.setUp(node.persistent(node.pod(), { csi: { driver: driver.name } }));
    expect(asked(driver).volumeContext).toEqual({});
    await node.describe({ podInfoOnMount: true }, driver.name);
    await node.setUp(node.persistent(node.pod({ name: "later" }), { csi: { driver: driver.name } }));
    expect(asked(driver).volumeContext).toMatchObject({ "csi.storage.k8s.io/pod.name": "later" });
  });
});

describe("publishing again", () => {
  test("NODE-33, NODE-34, CSID-17, CSID-18, CSID-41: with requiresRepublish a volume is published about once a minute, at the same place, with fresh tokens", async () => {
    const driver = await node.fresh({
      attachRequired: false,
      requiresRepublish: true,
      tokenRequests: [{ audience: "vault" }],
    });
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    expect((await node.setUp(needed)).againAfter).toBe(60_000);
    const first = asked(driver);
    node.clock.advance(20_000);
    expect((await node.setUp(needed)).againAfter).toBe(40_000);
    expect(driver.done).toHaveLength(2);
    node.clock.advance(40_000);
    await node.setUp(needed);
    expect(driver.done).toEqual(["NodeStageVolume", "NodePublishVolume", "NodePublishVolume"]);
    expect(asked(driver).targetPath).toBe(first.targetPath);
    expect(asked(driver).volumeContext).not.toEqual(first.volumeContext);
    node.clock.advance(60_000);
    for (const code of ["Internal", "DeadlineExceeded"] as const) {
      driver.fault = () => ({ when: "before", code });
      await expect(node.setUp(needed)).rejects.toThrow(code);
    }
    expect([...driver.published.values()].map(({ size }) => size)).toEqual([1]);
    driver.fault = () => undefined;
    expect((await node.setUp(needed)).againAfter).toBe(60_000);
    expect(driver.done.filter((call) => call.startsWith("NodeUnp"))).toEqual([]);
    await node.tearDown(needed);
    expect(node.left(needed.pod.metadata.uid)).toEqual([]);
  });

  test("NODE-33, CSID-17: without requiresRepublish it is published once", async () => {
    const driver = await node.fresh();
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    expect(await node.setUp(needed)).toEqual({ source: needed.path });
    node.clock.advance(600_000);
    await node.setUp(needed);
    expect(driver.of("NodePublishVolume")).toHaveLength(1);
  });
});

describe("tokens", () => {
  const TOKENS = "csi.storage.k8s.io/serviceAccount.tokens";

  test("NODE-35, NODE-36, CSID-22, CSID-28, CSID-40: one for each audience, in volume_context, each with its end", async () => {
    const driver = await node.fresh({
      attachRequired: false,
      tokenRequests: [{ audience: "vault", expirationSeconds: 700 }, { audience: "" }],
    });
    const before = node.tokens.length;
    await node.setUp(node.persistent(node.pod({ name: "asks" }), { csi: { driver: driver.name } }));
    expect(node.tokens.slice(before)).toEqual([
      { pod: "asks", audience: "vault", expirationSeconds: 700 },
      { pod: "asks", audience: undefined, expirationSeconds: undefined },
    ]);
    const { volumeContext, secrets } = asked(driver);
    expect(JSON.parse(volumeContext[TOKENS]!)).toEqual({
      vault: { token: `token ${before + 1}`, expirationTimestamp: "2026-01-01T01:00:00Z" },
      "": { token: `token ${before + 2}`, expirationTimestamp: "2026-01-01T01:00:00Z" },
    });
    expect(secrets).toEqual({});
    expect(asked(driver, "NodeStageVolume").volumeContext).toEqual({});
  });

  test.each(["kubernetes", "neutral"] as const)(
    "NODE-36, CSID-21: with serviceAccountTokenInSecrets they are in secrets only, in the %s dialect",
    async (dialect) => {
      const on = dialect === "neutral" ? neutral : node;
      const driver = await on.fresh({
        attachRequired: false,
        tokenRequests: [{ audience: "vault" }],
        serviceAccountTokenInSecrets: true,
      });
      await on.setUp(on.persistent(on.pod(), { csi: { driver: driver.name } }));
      const { volumeContext, secrets } = asked(driver);
      expect(volumeContext).toEqual({});
      const key = dialect === "neutral" ? "csi.storage.svc.io/serviceAccount.tokens" : TOKENS;
      expect(Object.keys(secrets)).toEqual([key]);
      expect(Object.keys(JSON.parse(secrets[key]!) as object)).toEqual(["vault"]);
    },
  );

  test("NODE-35, NODE-37, CSID-30, CSID-41, LIM-12: real ones are asked for with the rights of the node, live an hour by default, and are renewed at 80 % of that", async () => {
    await using own = await NodeWorld.create({
      settings: (context) => ({ tokens: new TokenKeeper(context) }),
    });
    await own.start();
    const driver = await own.fresh({
      volumeLifecycleModes: ["Ephemeral"],
      requiresRepublish: true,
      tokenRequests: [{ audience: "vault" }],
    });
    await own
      .resource(ServiceAccount)
      .create({ metadata: { name: "runner", namespace: "default" } } as NewObject<ServiceAccount>);
    const pod = await own.resource(Pod).create({
      metadata: { name: "real", namespace: "default" },
      spec: {
        nodeName: "n1",
        serviceAccountName: "runner",
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "x", csi: { driver: driver.name } }],
      },
    } as NewObject<Pod>);
    const needed = own.inline(pod, { driver: driver.name });
    const tokenNow = async (): Promise<{ readonly token: string; readonly expirationTimestamp: string }> => {
      await own.setUp(needed);
      return (JSON.parse(asked(driver).volumeContext[TOKENS]!) as { vault: never }).vault;
    };
    const first = await tokenNow();
    expect(Date.parse(first.expirationTimestamp) - own.clock.now()).toBe(3600_000);
    const said: unknown = JSON.parse(Buffer.from(first.token.split(".")[1]!, "base64url").toString());
    expect(said).toMatchObject({
      aud: ["vault"],
      sub: "system:serviceaccount:default:runner",
      "kubernetes.io": { pod: { name: "real", uid: pod.metadata.uid } },
    });
    await own.pass(0.75 * 3600_000);
    expect(await tokenNow()).toEqual(first);
    await own.pass(0.06 * 3600_000);
    const second = await tokenNow();
    expect(second.token).not.toBe(first.token);
    expect(driver.of("NodePublishVolume")).toHaveLength(3);
  });
});

test("NODE-25, PVS-14: each secret is in the request of its own call only; one that is missing is a failure that is tried again", async () => {
  const driver = await node.fresh({ attachRequired: false });
  const refs = Object.fromEntries(
    ["nodeStage", "nodePublish", "nodeExpand"].map((call) => [
      `${call}SecretRef`,
      { name: call.toLowerCase(), namespace: "default" },
    ]),
  );
  const csi = { driver: driver.name, volumeHandle: "h-25", ...refs };
  await node.resource(PersistentVolume).create({
    metadata: { name: "v-25" },
    spec: {
      capacity: { storage: "2Gi" },
      accessModes: ["ReadWriteOnce"],
      csi,
      claimRef: { name: "claim-of-v-25", namespace: "default" },
    },
  } as NewObject<PersistentVolume>);
  const made = await node.resource(PersistentVolumeClaim).create({
    metadata: { name: "claim-of-v-25", namespace: "default" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      volumeName: "v-25",
      storageClassName: "",
      resources: { requests: { storage: "2Gi" } },
    },
  } as NewObject<PersistentVolumeClaim>);
  const claim = await node
    .resource(PersistentVolumeClaim)
    .status.update({ ...made, status: { phase: "Bound", capacity: { storage: "1Gi" } } });
  const pod = await node.resource(Pod).create({
    metadata: { name: "secretive", namespace: "default" },
    spec: {
      nodeName: "n1",
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "claim-of-v-25" } }],
    },
  } as NewObject<Pod>);
  const needed = node.persistent(pod, { name: "v-25", csi, claim, spec: { capacity: { storage: "2Gi" } } });
  await expect(node.setUp(needed)).rejects.toThrow("secret default/nodestage");
  expect(driver.done).toEqual([]);
  for (const call of ["nodestage", "nodepublish", "nodeexpand"]) {
    const data = { user: Buffer.from(call).toString("base64") };
    await node.resource(Secret).create({ metadata: { name: call, namespace: "default" }, data } as NewObject<Secret>);
  }
  await node.setUp(needed);
  expect(driver.of().map(({ method, request }) => [method, request.secrets])).toEqual([
    ["NodeStageVolume", { user: "nodestage" }],
    ["NodePublishVolume", { user: "nodepublish" }],
    ["NodeExpandVolume", { user: "nodeexpand" }],
  ]);
  await node.tearDown(needed);
});

describe("groups", () => {
  const GROUP = { securityContext: { fsGroup: 2000, fsGroupChangePolicy: "OnRootMismatch" } };
  const applied = async (
    policy: string | undefined,
    more: { readonly fsType?: string; readonly modes?: readonly string[]; readonly readOnly?: boolean } = {},
  ) => {
    const driver = await node.fresh({
      attachRequired: false,
      ...(policy === undefined ? {} : { fsGroupPolicy: policy }),
    });
    const { fsType = "ext4", modes = ["ReadWriteOnce"], readOnly = false } = more;
    const needed = node.persistent(node.pod({ spec: GROUP }), {
      readOnly,
      csi: { driver: driver.name, fsType },
      spec: { accessModes: modes },
    });
    const before = node.groups.length;
    await node.setUp(needed);
    const done = node.groups.slice(before);
    if (done.length > 0)
      expect(done).toEqual([{ path: needed.path, wish: { gid: 2000, changePolicy: "OnRootMismatch" } }]);
    await node.tearDown(needed);
    return done.length === 1;
  };

  test("NODE-38, CSID-8, AMB-21: ReadWriteOnceWithFSType is the default: a file system type, and a mode for one node or one Pod", async () => {
    for (const policy of [undefined, "ReadWriteOnceWithFSType"]) {
      expect(await applied(policy)).toBe(true);
      expect(await applied(policy, { modes: ["ReadOnlyMany", "ReadWriteOnce"] })).toBe(true);
      expect(await applied(policy, { modes: ["ReadWriteOncePod"] })).toBe(true);
      expect(await applied(policy, { modes: ["ReadWriteMany"] })).toBe(false);
      expect(await applied(policy, { fsType: "" })).toBe(false);
      expect(await applied(policy, { readOnly: true })).toBe(false);
    }
  });

  test("NODE-38: File always, None never, and never where it is published read-only; an inline volume counts as ReadWriteOnce", async () => {
    expect(await applied("File", { modes: ["ReadWriteMany"], fsType: "" })).toBe(true);
    expect(await applied("File", { readOnly: true })).toBe(false);
    expect(await applied("None")).toBe(false);
    const driver = await node.fresh({ volumeLifecycleModes: ["Ephemeral"] });
    const before = node.groups.length;
    await node.setUp(node.inline(node.pod({ spec: GROUP }), { driver: driver.name, fsType: "ext4" }));
    expect(node.groups).toHaveLength(before + 1);
    await node.setUp(node.inline(node.pod({ spec: GROUP }), { driver: driver.name }));
    await node.setUp(node.inline(node.pod(), { driver: driver.name, fsType: "ext4" }));
    expect(node.groups).toHaveLength(before + 1);
  });

  test("NODE-41: a driver with VOLUME_MOUNT_GROUP gets the group, and the agent changes nothing", async () => {
    const driver = await node.fresh(
      { attachRequired: false, fsGroupPolicy: "File" },
      (one) => (one.capabilities = ["STAGE_UNSTAGE_VOLUME", "VOLUME_MOUNT_GROUP"]),
    );
    const before = node.groups.length;
    await node.setUp(node.persistent(node.pod({ spec: GROUP }), { csi: { driver: driver.name } }));
    for (const method of ["NodeStageVolume", "NodePublishVolume"] as const) {
      expect(asked(driver, method).volumeCapability!.accessType.value!.volumeMountGroup).toBe("2000");
    }
    expect(node.groups).toHaveLength(before);
  });

  test("NODE-42: the group comes after publish; a failure leaves the volume mounted and is tried again", async () => {
    let fails = true;
    await using own = await NodeWorld.create({
      settings: () => ({
        applyGroup: async (path) => {
          order.push(`group ${own.driver.mounted.has(path)}`);
          if (fails) throw new Error("EPERM");
        },
      }),
    });
    const order: string[] = [];
    await own.start();
    const driver = await own.fresh({ attachRequired: false, fsGroupPolicy: "File" });
    const needed = own.persistent(own.pod({ spec: GROUP }), { csi: { driver: driver.name } });
    await expect(own.setUp(needed)).rejects.toThrow("applyFSGroup failed for vol");
    expect(driver.mounted.has(needed.path)).toBe(true);
    fails = false;
    await own.setUp(needed);
    await own.setUp(needed);
    expect(order).toEqual(["group true", "group true"]);
    expect(driver.done).toEqual(["NodeStageVolume", "NodePublishVolume"]);
    await own.tearDown(needed);
    expect(own.left()).toEqual([]);
  });
});

describe("SELinux", () => {
  const flags = (driver: ModelDriver, method: NodeMethod) =>
    asked(driver, method).volumeCapability!.accessType.value!.mountFlags;
  const LEVEL = { securityContext: { seLinuxOptions: { level: "s0:c1,c2" } } };

  test("NODE-43, CSID-19, CSID-20: on a node with SELinux a volume for one Pod is mounted with its label, if the driver can do that", async () => {
    await using own = await NodeWorld.create({ settings: () => ({ hasSELinux: true }) });
    await own.start();
    const flagsOf = async (seLinuxMount: boolean, mode: string, spec: object) => {
      const driver = await own.fresh({ attachRequired: false, seLinuxMount });
      const more = { csi: { driver: driver.name }, spec: { accessModes: [mode], mountOptions: ["noatime"] } };
      const needed = own.persistent(own.pod({ spec }), more);
      await own.setUp(needed);
      const [staged, published] = [flags(driver, "NodeStageVolume"), flags(driver, "NodePublishVolume")];
      expect(staged).toEqual(published);
      await own.tearDown(needed);
      return staged;
    };
    expect(await flagsOf(true, "ReadWriteOncePod", LEVEL)).toEqual([
      "noatime",
      'context="system_u:object_r:container_file_t:s0:c1,c2"',
    ]);
    expect(await flagsOf(false, "ReadWriteOncePod", LEVEL)).toEqual(["noatime"]);
    expect(await flagsOf(true, "ReadWriteOnce", LEVEL)).toEqual(["noatime"]);
    expect(await flagsOf(true, "ReadWriteOncePod", {})).toEqual(["noatime"]);
  });

  test("NODE-43: a second Pod with another label waits until the first has gone", async () => {
    await using own = await NodeWorld.create({ settings: () => ({ hasSELinux: true }) });
    await own.start();
    const driver = await own.fresh({ attachRequired: false, seLinuxMount: true });
    const more = { name: "one", csi: { driver: driver.name }, spec: { accessModes: ["ReadWriteOncePod"] } };
    const first = own.persistent(own.pod({ spec: LEVEL }), more);
    const spec = { securityContext: { seLinuxOptions: { level: "s0:c3" } } };
    const second = own.persistent(own.pod({ spec }), more);
    await own.setUp(first);
    await expect(own.setUp(second)).rejects.toThrow("in use by the Pod");
    await own.tearDown(first);
    await own.setUp(second);
    expect(flags(driver, "NodeStageVolume")).toEqual(['context="system_u:object_r:container_file_t:s0:c3"']);
  });

  test("NODE-43: on a node without SELinux nothing changes", async () => {
    const driver = await node.fresh({ attachRequired: false, seLinuxMount: true });
    await node.setUp(
      node.persistent(node.pod({ spec: LEVEL }), {
        csi: { driver: driver.name },
        spec: { accessModes: ["ReadWriteOncePod"] },
      }),
    );
    expect(flags(driver, "NodeStageVolume")).toEqual([]);
  });
});

test("CSID-3: what a CSIDriver says is read from the server, and nothing is kept of one that is gone", async () => {
  const driver = await node.fresh({ attachRequired: false, podInfoOnMount: true });
  await node.resource(CSIDriver).delete({ name: driver.name });
  await node.settled();
  const needed = node.persistent(node.pod(), { csi: { driver: driver.name }, isAttached: { attached: true } });
  await node.setUp(needed);
  expect(asked(driver).volumeContext).toEqual({});
});
