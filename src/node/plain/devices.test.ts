import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualMounter } from "../mounts/testing/manual-mounter.ts";
import { runScene, whyNoMounts } from "../testing/scene.ts";
import { fibreChannelPlugin } from "./fibre-channel.ts";
import type { PlainOptions, Programs } from "./plain-context.ts";
import { iscsiPlugin } from "./iscsi.ts";
import { found, going, needed, testContext } from "./testing/context.ts";
import { systemClock } from "../../util/clock.ts";

const scenes = new URL("./testing/plain-scenes.ts", import.meta.url).href;

let root: string;
let mounter: ManualMounter;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "plain-"));
  mounter = new ManualMounter();
});
afterEach(() => rm(root, { recursive: true }));

/** A machine whose devices have nothing that blkid knows, and on which mkfs succeeds. */
function machine(calls: string[]): Programs {
  return {
    find: (program) => Promise.resolve(`/sbin/${program}`),
    run: (program, args) => {
      calls.push([program, ...args].join(" "));
      return Promise.resolve({ code: program === "blkid" ? 2 : 0, output: "", errors: "" });
    },
  };
}

/** An empty device in a list of devices. */
async function device(link: string): Promise<string> {
  const path = join(root, "dev/disk", link);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(join(root, "dev/disk0"), Buffer.alloc(8192));
  await symlink(join(root, "dev/disk0"), path);
  return path;
}

describe("fc", () => {
  const setUp = async (fc: object, options: PlainOptions = {}): Promise<string[]> => {
    const calls: string[] = [];
    const context = testContext({
      root,
      mounter,
      programs: machine(calls),
      devices: join(root, "dev"),
      system: join(root, "sys"),
      clock: systemClock,
      ...options,
    });
    const plugin = fibreChannelPlugin(context);
    const volume = needed(root, plugin.kind, { volume: { fc } });
    await plugin.setUp(volume, going);
    await plugin.setUp(volume, going);
    expect(await mounter.isMountPoint(volume.path)).toBe(true);
    await plugin.tearDown(found(volume, plugin), going);
    expect(await mounter.mounts(volume.path)).toEqual([]);
    return [...calls, ...mounter.calls.map((call) => call.replace(` ${volume.path}`, ""))];
  };

  test("PVS-29, NODE-62: a unit of a target is formatted with ext4 without fsType, and mounted", async () => {
    const path = await device("by-path/pci-0000:82:00.0-fc-0x500a0981891b8dc5-lun-0");
    expect(await setUp({ targetWWNs: ["500a0981891b8dc5"], lun: 0 })).toEqual([
      `blkid --probe --output export ${path}`,
      `mkfs.ext4 ${path}`,
      `mount ext4 ${path}`,
      "unmount",
    ]);
  });

  test("NODE-61: a unit is found by its identifier, too", async () => {
    const path = await device("by-id/scsi-3600508b4");
    expect(await setUp({ wwids: ["3600508b4"], fsType: "xfs" })).toContain(`mount xfs ${path}`);
  });

  test("NODE-62: no file system is created for a read-only mount", async () => {
    await device("by-id/scsi-3600508b4");
    await expect(setUp({ wwids: ["3600508b4"], readOnly: true })).rejects.toThrow("which is mounted read-only");
  });

  test("NODE-61: a missing adapter is reported; adapters scan for a missing unit", async () => {
    await expect(setUp({ wwids: ["1"] })).rejects.toThrow(
      "fc volumes need a Fibre Channel host adapter, and this machine has none",
    );
    for (const folder of ["fc_host/host3", "scsi_host/host3"]) {
      await mkdir(join(root, "sys/class", folder), { recursive: true });
    }
    await expect(setUp({ targetWWNs: ["50"], lun: 2 })).rejects.toThrow("unit 2 of 50 is not seen by host3");
    expect(await readFile(join(root, "sys/class/scsi_host/host3/scan"), "utf8")).toBe("- - -");
  });
});

describe("iscsi", () => {
  const iscsi = { targetPortal: "10.0.0.1", iqn: "iqn.test", lun: 0, iscsiInterface: "default" };
  const volume = (more = {}) => needed(root, "kubernetes.io~iscsi", { volume: { iscsi: { ...iscsi, ...more } } });

  test("PVS-41, PVS-44: a unit is formatted with ext4 without fsType, and mounted for writing without readOnly", async () => {
    const calls: string[] = [];
    const path = await device("by-path/ip-10.0.0.1:3260-iscsi-iqn.test-lun-0");
    const plugin = iscsiPlugin(testContext({ root, mounter, programs: machine(calls), devices: join(root, "dev") }));
    await plugin.setUp(volume(), going);
    expect(calls).toContain(`mkfs.ext4 ${path}`);
    expect(mounter.calls).toEqual([`mount ext4 ${path} ${volume().path}`]);
  });

  test("NODE-61: a missing iscsiadm is reported with the package to install", async () => {
    const plugin = iscsiPlugin(testContext({ root, mounter }));
    await expect(plugin.setUp(volume(), going)).rejects.toThrow(
      "iscsi volumes need the program iscsiadm, which is not installed: install open-iscsi, and start iscsid",
    );
    const cannot = iscsiPlugin(testContext({ root, mounter: new ManualMounter({ canMount: false }) }));
    await expect(cannot.setUp(volume(), going)).rejects.toThrow("iscsi volumes need the right to mount");
  });

  test("NODE-61: unsupported options are refused by name, and errors of iscsiadm are reported", async () => {
    const failing: Programs = {
      find: (program) => Promise.resolve(program),
      run: () => Promise.resolve({ code: 8, output: "", errors: "connection timed out" }),
    };
    const plugin = iscsiPlugin(testContext({ root, mounter, programs: failing }));
    await expect(plugin.setUp(volume({ chapAuthSession: true }), going)).rejects.toThrow("does not log in by CHAP");
    await expect(plugin.setUp(volume(), going)).rejects.toThrow("ended with code 8: connection timed out");
    expect(mounter.calls).toEqual([]);
  });

  test.skipIf(whyNoMounts !== undefined)(
    "NODE-61: a target is logged in to, and out of with its last volume, also after a restart",
    () => runScene(scenes, "iscsiWithAStandIn"),
  );
});
