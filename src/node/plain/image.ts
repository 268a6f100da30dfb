/**
 * image: the files of an image, read-only, from a directory that has images as directories (NODE-63, VOL-38..45).
 *
 *     DIRECTORY/registry.example/tools/editor:1.2/…
 *     DIRECTORY/registry.example/tools/editor@sha256:…/…
 *
 * A directory may be a link, which is followed once for each Pod, at its start (VOL-42). Nothing is pulled, whatever the
 * pull policy is.
 *
 * @module
 */
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { type MadeVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { type PlainContext, makeDirectory, removeMount, requireFileSystem } from "./plain-context.ts";

/** See the head of this file. */
export function imagePlugin(context: PlainContext, directory: string | undefined): VolumePlugin {
  const { mounter } = context;
  return {
    kind: "kubernetes.io~image",
    makes: ({ volume, persistent }) => !persistent && volume.image !== undefined,

    async setUp(needed): Promise<MadeVolume> {
      const { path, volume } = needed;
      requireFileSystem(needed, "image");
      if (await mounter.isMountPoint(path)) return { source: path };
      if (directory === undefined) {
        throw new VolumeError(
          "image volumes need a container runtime, which this agent does not have, or a directory of images: start it with --image-dir",
        );
      }
      const files = await resolve(directory, volume.image?.reference ?? "");
      await makeDirectory(path);
      await mounter.bind(files, path, { readOnly: true });
      return { source: path };
    },

    tearDown: ({ path }) => removeMount(context, path),
  };
}

async function resolve(directory: string, reference: string): Promise<string> {
  const name = nameOf(reference);
  const path = join(directory, name);
  const stats = await stat(path).catch(ignoreMissing);
  if (!stats) {
    throw new VolumeError(`image volume: ${reference} is not in the directory of images: ${path} does not exist`);
  }
  if (!stats.isDirectory()) throw new VolumeError(`image volume: ${path} is not a directory`);
  return realpath(path);
}

/** The directory of a reference: with its digest or its tag, which is `latest` by default. */
export function nameOf(reference: string): string {
  if (reference === "") throw new VolumeError("image volume: expected the reference of an image, got none");
  const elements = reference.split("/");
  if (elements.some((element) => element === "" || element === "." || element === "..") || /[\0\s]/.test(reference)) {
    throw new VolumeError(`image volume: expected the reference of an image, got ${reference}`);
  }
  return /[:@]/.test(elements.at(-1) ?? "") ? reference : `${reference}:latest`;
}
