/**
 * image: the files of an image, read-only, from a directory in which images lie as directories (NODE-63, VOL-38..45).
 *
 *     DIRECTORY/registry.example/tools/editor:1.2/…
 *     DIRECTORY/registry.example/tools/editor@sha256:…/…
 *
 * A directory may be a link, which is followed when a Pod starts, and not again for that Pod (VOL-42). Nothing is pulled, whatever
 * the pull policy is.
 *
 * @module
 */
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { type MadeVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { type PlainGround, demandFileSystem, makeDirectory, removeMount } from "./ground.ts";

/** See the head of this file. */
export function imagePlugin(ground: PlainGround, directory: string | undefined): VolumePlugin {
  const { mounter } = ground;
  return {
    kind: "kubernetes.io~image",
    makes: ({ volume, persistent }) => !persistent && volume.image !== undefined,

    async setUp(needed): Promise<MadeVolume> {
      const { path, volume } = needed;
      demandFileSystem(needed, "image");
      if (await mounter.isMountPoint(path)) return { source: path };
      if (directory === undefined) {
        throw new VolumeError(
          "image volumes need a container runtime, which this agent has not, or a directory of images: start it with --image-dir",
        );
      }
      const files = await resolve(directory, volume.image?.reference ?? "");
      await makeDirectory(path);
      await mounter.bind(files, path, { readOnly: true });
      return { source: path };
    },

    tearDown: ({ path }) => removeMount(ground, path),
  };
}

async function resolve(directory: string, reference: string): Promise<string> {
  const name = nameOf(reference);
  const place = join(directory, name);
  const stats = await stat(place).catch(ignoreMissing);
  if (!stats)
    throw new VolumeError(`image volume: ${reference} is not in the directory of images: ${place} does not exist`);
  if (!stats.isDirectory()) throw new VolumeError(`image volume: ${place} is not a directory`);
  return realpath(place);
}

/** The directory of a reference: with its tag, which is `latest` where none is given, or its digest. */
export function nameOf(reference: string): string {
  if (reference === "") throw new VolumeError("image volume: it names no image");
  const elements = reference.split("/");
  if (elements.some((element) => element === "" || element === "." || element === "..") || /[\0\s]/.test(reference)) {
    throw new VolumeError(`image volume: ${reference} is no reference of an image`);
  }
  return /[:@]/.test(elements.at(-1)!) ? reference : `${reference}:latest`;
}
