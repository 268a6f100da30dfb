import type { Clock } from "../../util/clock.ts";
import type { Slice } from "../../util/loop.ts";
import type { Pod } from "../../client/kinds/index.ts";
import { contentOf } from "../../volumes/content.ts";
import type { ContentOwner, ContentSource, PodVolume } from "../../volumes/contract.ts";
import { writeVolume } from "./atomic-writer.ts";
import { makeVolumeDirectory } from "./volume-directory.ts";
import type { WriterFiles } from "./writer-files.ts";

/** A volume that is to be written, and how. */
export interface WrittenVolume {
  readonly pod: Pod;
  readonly volume: PodVolume;
  readonly path: string;
  readonly source: ContentSource;
  readonly owner: ContentOwner;
  readonly clock: Pick<Clock, "now" | "loop">;
  /** Whether owners are set, which takes rights; by default they are. */
  readonly owners?: boolean;
  readonly files?: WriterFiles;
  /** Shared by all who write at the same time. */
  readonly turns?: Slice;
  /** Makes what the directory is to lie on, when it is known what comes into it. */
  readonly prepare?: () => Promise<void>;
}

/**
 * Writes a volume of a Pod as it is to be now. Nothing is touched where its contents cannot be found out (PROJ-53).
 *
 * @returns whether readers see something else than before
 * @throws ContentError
 */
export async function setUpWritten(written: WrittenVolume): Promise<boolean> {
  const { pod, volume, path, source, owner, clock, owners = true, files, turns, prepare } = written;
  const content = await contentOf(pod, volume, source, owner);
  await prepare?.();
  const how = { group: owner.fsGroup, owners, ...(files ? { files } : {}) };
  makeVolumeDirectory(path, how);
  // The user of a file is known to the contents.
  return writeVolume(path, content, { ...how, clock, ...(turns ? { turns } : {}) });
}
