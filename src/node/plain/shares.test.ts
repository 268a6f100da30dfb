import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NeededVolume, VolumePlugin } from "../contract.ts";
import { ManualMounter } from "../mounts/testing/manual-mounter.ts";
import { sharePlugins } from "./shares.ts";
import { type TestContext, found, going, needed, noPrograms, somePrograms, testContext } from "./testing/context.ts";

let root: string;
let mounter: ManualMounter;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "plain-"));
  mounter = new ManualMounter();
});
afterEach(() => rm(root, { recursive: true }));

const programs = somePrograms("mount.nfs", "mount.ceph", "mount.glusterfs");

/** The plugin for a volume, on a machine with all programs. */
function pluginOf(volume: NeededVolume, more: Partial<TestContext> = {}): VolumePlugin {
  const context = testContext({ root, mounter, programs, ...more });
  const [plugin, ...others] = sharePlugins.map((maker) => maker(context)).filter((each) => each.makes(volume));
  expect(others).toEqual([]);
  return plugin!;
}

/** The mount of a volume, without its path. */
async function mounted(volume: NeededVolume, more: Partial<TestContext> = {}): Promise<string> {
  await pluginOf(volume, more).setUp(volume, going);
  return mounter.calls.at(-1)!.replace(` ${volume.path}`, "");
}

describe("nfs", () => {
  const nfs = { server: "files.example", path: "/exports/a" };

  test("NODE-60: it is mounted by the system, once, and unmounted", async () => {
    const volume = needed(root, "kubernetes.io~nfs", { volume: { nfs } });
    const plugin = pluginOf(volume);
    expect(await plugin.setUp(volume, going)).toEqual({ source: volume.path });
    await plugin.setUp(volume, going);
    expect(mounter.calls).toEqual([`mount nfs files.example:/exports/a ${volume.path}`]);
    await plugin.tearDown(found(volume, plugin), going);
    expect(mounter.calls.at(-1)).toBe(`unmount ${volume.path}`);
    expect(existsSync(volume.path)).toBe(false);
  });

  test("NODE-60: options of the PersistentVolume, read-only where source or Pod want it, addresses in brackets", async () => {
    const persistent = { nfs: { ...nfs, server: "2001:db8::1" }, mountOptions: ["vers=4.1", "hard"] };
    expect(await mounted(needed(root, "kubernetes.io~nfs", { persistent }))).toBe(
      "mount nfs [2001:db8::1]:/exports/a vers=4.1,hard",
    );
    mounter = new ManualMounter();
    expect(await mounted(needed(root, "kubernetes.io~nfs", { persistent, readOnly: true }))).toContain(" ro,vers=4.1");
    const volume = { nfs: { ...nfs, readOnly: true } };
    mounter = new ManualMounter();
    expect(await mounted(needed(root, "kubernetes.io~nfs", { volume }))).toBe("mount nfs files.example:/exports/a ro");
  });

  test("NODE-60: no group is applied", async () => {
    const pod = { securityContext: { fsGroup: 4321 } } as never;
    const volume = needed(root, "kubernetes.io~nfs", { volume: { nfs }, pod });
    await pluginOf(volume).setUp(volume, going);
    expect(statSync(volume.path).gid).not.toBe(4321);
  });

  test("NODE-60: without the program it fails, with its name and what to install", async () => {
    const volume = needed(root, "kubernetes.io~nfs", { volume: { nfs } });
    await expect(pluginOf(volume, { programs: noPrograms }).setUp(volume, going)).rejects.toThrow(
      "nfs volumes need the program mount.nfs, which is not installed: install the NFS client",
    );
    const cannot = new ManualMounter({ canMount: false });
    await expect(pluginOf(volume, { mounter: cannot }).setUp(volume, going)).rejects.toThrow(
      "nfs volumes need the right to mount",
    );
    expect([...mounter.calls, ...cannot.calls]).toEqual([]);
    expect(existsSync(volume.path)).toBe(false);
  });

  test("NODE-9: files below a share that is unmounted stay", async () => {
    const volume = needed(root, "kubernetes.io~nfs", { volume: { nfs } });
    const plugin = pluginOf(volume);
    await plugin.setUp(volume, going);
    await writeFile(join(volume.path, "precious"), "");
    mounter.fail(/^unmount/, "target is busy");
    await expect(plugin.tearDown(found(volume, plugin), going)).rejects.toThrow("busy");
    await expect(plugin.tearDown(found(volume, plugin), going)).rejects.toThrow("ENOTEMPTY");
    expect(existsSync(join(volume.path, "precious"))).toBe(true);
  });
});

describe("cephfs", () => {
  const monitors = ["10.0.0.1:6789", "10.0.0.2:6789"];

  test("PVS-27: the default user is admin, with the key of that user on the node", async () => {
    expect(await mounted(needed(root, "kubernetes.io~cephfs", { volume: { cephfs: { monitors } } }))).toBe(
      "mount ceph 10.0.0.1:6789,10.0.0.2:6789:/ name=admin,secretfile=/etc/ceph/admin.secret",
    );
    mounter = new ManualMounter();
    const cephfs = { monitors, user: "app", path: "/data", readOnly: true };
    expect(await mounted(needed(root, "kubernetes.io~cephfs", { volume: { cephfs } }))).toBe(
      "mount ceph 10.0.0.1:6789,10.0.0.2:6789:/data ro,name=app,secretfile=/etc/ceph/app.secret",
    );
  });

  test("the key of a Secret is in a file that only the agent can read, and only while it is mounted", async () => {
    const objects = { "Secret space/keys": { data: { key: Buffer.from("top secret").toString("base64") } } };
    const volume = needed(root, "kubernetes.io~cephfs", {
      volume: { cephfs: { monitors, secretRef: { name: "keys" } } },
    });
    let seen: string | undefined;
    class Reading extends ManualMounter {
      override async mount(what: Parameters<ManualMounter["mount"]>[0]): Promise<void> {
        const file = what.options!.find((option) => option.startsWith("secretfile="))!.slice("secretfile=".length);
        seen = `${readFileSync(file, "utf8")} ${(statSync(file).mode & 0o777).toString(8)} ${file}`;
        await super.mount(what);
      }
    }
    await pluginOf(volume, { objects, mounter: new Reading() }).setUp(volume, going);
    expect(seen).toMatch(/^top secret 600 /);
    expect(existsSync(seen!.split(" ").at(-1)!)).toBe(false);
    await expect(pluginOf(volume).setUp(volume, going)).rejects.toThrow('secret "keys" not found in namespace space');
  });
});

describe("glusterfs", () => {
  const objects = {
    "Endpoints space/servers": { subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] }] },
    "Endpoints other/servers": { subsets: [{ addresses: [{ ip: "10.0.0.9" }] }] },
    "Endpoints space/empty": { subsets: [] },
  };

  test("SUP-16, PVS-37, PVS-38: it is mounted for writing without readOnly", async () => {
    const glusterfs = { endpoints: "servers", path: "vol" };
    expect(await mounted(needed(root, "kubernetes.io~glusterfs", { volume: { glusterfs } }), { objects })).toBe(
      "mount glusterfs 10.0.0.1:vol backup-volfile-servers=10.0.0.2",
    );
    mounter = new ManualMounter();
    const reading = needed(root, "kubernetes.io~glusterfs", {
      volume: { glusterfs: { ...glusterfs, readOnly: true } },
    });
    expect(await mounted(reading, { objects })).toContain(" ro,");
  });

  test("PVS-37: endpoints are in the claim's namespace by default", async () => {
    const source = { endpoints: "servers", path: "vol" };
    const own = needed(root, "kubernetes.io~glusterfs", { persistent: { glusterfs: source } });
    expect(await mounted(own, { objects })).toContain("10.0.0.1:vol");
    mounter = new ManualMounter();
    const persistent = { glusterfs: { ...source, endpointsNamespace: "other" } };
    expect(await mounted(needed(root, "kubernetes.io~glusterfs", { persistent }), { objects })).toContain(
      "10.0.0.9:vol",
    );
  });

  test.each([
    ["missing", 'endpoints "missing" not found in namespace space'],
    ["empty", 'endpoints "empty" list no address'],
  ])("endpoints that are %s are named", async (endpoints, message) => {
    const volume = needed(root, "kubernetes.io~glusterfs", { volume: { glusterfs: { endpoints, path: "vol" } } });
    await expect(pluginOf(volume, { objects }).setUp(volume, going)).rejects.toThrow(message);
  });
});
