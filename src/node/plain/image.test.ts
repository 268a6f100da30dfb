import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { linkingMounter } from "../mounts/linking-mounter.ts";
import { ManualMounter } from "../mounts/testing/manual-mounter.ts";
import { mountSubPath, subPathTarget } from "../subpath/mount-sub-path.ts";
import { runScene, whyNoMounts } from "../testing/scene.ts";
import { imagePlugin, nameOf } from "./image.ts";
import { found, going, needed, testContext } from "./testing/context.ts";

const scenes = new URL("./testing/plain-scenes.ts", import.meta.url).href;

let root: string;
let images: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "plain-"));
  images = join(root, "images");
  await mkdir(join(images, "registry:5000/tools:1.2"), { recursive: true });
  await writeFile(join(images, "registry:5000/tools:1.2/file"), "text");
});
afterEach(() => rm(root, { recursive: true }));

const image = (reference?: string) =>
  needed(root, "kubernetes.io~image", { volume: { image: reference === undefined ? {} : { reference } } });

test("NODE-63: without a directory of images it fails, with the option to set", async () => {
  const plugin = imagePlugin(testContext({ root }), undefined);
  await expect(plugin.setUp(image("registry:5000/tools:1.2"), going)).rejects.toThrow("start it with --image-dir");
});

test("VOL-41: the directory of an image is bound read-only", async () => {
  const mounter = new ManualMounter();
  const plugin = imagePlugin(testContext({ root, mounter }), images);
  const volume = image("registry:5000/tools:1.2");
  expect(await plugin.setUp(volume, going)).toEqual({ source: volume.path });
  expect(mounter.calls).toEqual([`bind ${images}/registry:5000/tools:1.2 ${volume.path} ro`]);
});

test.each([
  ["tools", "tools:latest"],
  ["registry:5000/tools", "registry:5000/tools:latest"],
  ["registry:5000/tools:1.2", "registry:5000/tools:1.2"],
  ["tools@sha256:abc", "tools@sha256:abc"],
])("VOL-38: the reference %s is the directory %s", (reference, name) => {
  expect(nameOf(reference)).toBe(name);
});

test.each(["../outside", "a/../../outside", "/etc", "a//b", "./a", "a b", "a\0b"])(
  "an invalid reference is refused: %j",
  async (reference) => {
    const plugin = imagePlugin(testContext({ root }), images);
    await expect(plugin.setUp(image(reference), going)).rejects.toThrow("expected the reference of an image");
  },
);

test("VOL-45: a missing image, or a volume without a reference, fails until the image exists", async () => {
  const mounter = new ManualMounter();
  const plugin = imagePlugin(testContext({ root, mounter }), images);
  await expect(plugin.setUp(image("registry:5000/tools:1.3"), going)).rejects.toThrow(
    "registry:5000/tools:1.3 is not in the directory of images",
  );
  await expect(plugin.setUp(image(), going)).rejects.toThrow("expected the reference of an image, got none");
  expect(mounter.calls).toEqual([]);
  await mkdir(join(images, "registry:5000/tools:1.3"));
  await plugin.setUp(image("registry:5000/tools:1.3"), going);
  expect(mounter.calls).toHaveLength(1);
});

test("VOL-43: a part of an image is mounted by subPath", async () => {
  const mounter = linkingMounter({ mounts: () => Promise.resolve([]) });
  const plugin = imagePlugin(testContext({ root, mounter }), images);
  const volume = image("registry:5000/tools:1.2");
  const { source } = await plugin.setUp(volume, going);
  const target = subPathTarget(root, "uid", ["volume", "container", 0]);
  await mountSubPath({ volume: source, subPath: "file", target, readOnly: true }, mounter);
  expect(await readFile(target, "utf8")).toBe("text");
  await plugin.tearDown(found(volume, plugin), going);
  expect(await readdir(join(images, "registry:5000/tools:1.2"))).toEqual(["file"]);
});

describe.skipIf(whyNoMounts !== undefined)("with mounts", () => {
  test("VOL-41, VOL-42, VOL-44: it is read-only, a Pod keeps the image of its start, no group is applied", () =>
    runScene(scenes, "imageIsReadOnly"));
});
