import type { Clock } from "../../util/clock.ts";
import type { Slice } from "../../util/loop.ts";
import type { Pod } from "../../client/kinds/index.ts";
import { contentOf } from "../../volumes/content.ts";
import type { ContentOwner, ContentSource, PodVolume } from "../../volumes/contract.ts";
import { writeVolume } from "./atomic-writer.ts";
import { makeVolumeDirectory } from "./volume-directory.ts";
import type { WriterFiles } from "./writer-files.ts";

/** A volume to write, and its options. */
export interface WrittenVolume {
  readonly pod: Pod;
  readonly volume: PodVolume;
  readonly path: string;
  readonly source: ContentSource;
  readonly owner: ContentOwner;
  readonly clock: Pick<Clock, "now" | "loop">;
  /** Whether to set owners, which needs rights; true by default. */
  readonly owners?: boolean;
  readonly files?: WriterFiles;
  /** Shared by all simultaneous writes. */
  readonly turns?: Slice;
  /** Prepares the file system of the directory, when the content is known. */
  readonly prepare?: () => Promise<void>;
}

/**
 * Writes a volume of a Pod. Changes nothing where its content cannot be read (PROJ-53).
 *
 * @returns whether readers see other content than before
 * @throws ContentError
 */
export async function setUpWritten(written: WrittenVolume): Promise<boolean> {
  const { pod, volume, path, source, owner, clock, owners = true, files, turns, prepare } = written;
  const content = await contentOf(pod, volume, source, owner);
  await prepare?.();
  const options = { group: owner.fsGroup, owners, ...(files ? { files } : {}) };
  makeVolumeDirectory(path, options);
  return writeVolume(path, content, { ...options, clock, ...(turns ? { turns } : {}) });
}
