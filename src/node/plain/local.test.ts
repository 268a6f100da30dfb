import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { linkingMounter } from "../mounts/linking-mounter.ts";
import { runScene, whyNoMounts } from "../testing/scene.ts";
import { localPlugin } from "./local.ts";
import { found, going, needed, testContext } from "./testing/context.ts";

const scenes = new URL("./testing/plain-scenes.ts", import.meta.url).href;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "plain-"));
});
afterEach(() => rm(root, { recursive: true }));

const local = (path: string) => needed(root, "kubernetes.io~local-volume", { persistent: { local: { path } } });

test("NODE-59: a path that is missing, or neither directory nor device, fails by name", async () => {
  const plugin = localPlugin(testContext({ root }));
  await expect(plugin.setUp(local(join(root, "nothing")), going)).rejects.toThrow(
    `local volume: ${root}/nothing is not on this machine: ENOENT`,
  );
  await writeFile(join(root, "file"), "");
  await expect(plugin.setUp(local(join(root, "file")), going)).rejects.toThrow(
    "neither a directory nor a block device",
  );
});

test("NODE-59: without the right to mount a directory is a link, and stays when the link is removed", async () => {
  const links = linkingMounter({ mounts: () => Promise.resolve([]) });
  const plugin = localPlugin(testContext({ root, mounter: links }));
  await mkdir(join(root, "data"));
  const volume = local(join(root, "data"));
  await plugin.setUp(volume, going);
  await plugin.setUp(volume, going);
  await writeFile(join(volume.path, "file"), "");
  await plugin.tearDown(found(volume, plugin), going);
  await expect(rm(join(root, "data/file"))).resolves.toBeUndefined();
});

describe.skipIf(whyNoMounts !== undefined)("with mounts and devices", () => {
  test("NODE-59, NODE-39: a directory is bound and gets the Pod's group", () => runScene(scenes, "localDirectory"));
  test("NODE-59, NODE-62, PVS-10: an empty device is formatted with ext4 and mounted, and its files stay", () =>
    runScene(scenes, "localDevice"));
  test("NODE-62: a device with other content is never formatted", () => runScene(scenes, "neverFormatsData"));
  test("NODE-62: what a machine without blkid or mkfs does", () => runScene(scenes, "formatsOnlyWithPrograms"));
  test("NODE-45: a block volume is a link to the device", () => runScene(scenes, "localBlock"));
});
