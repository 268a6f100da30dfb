/**
 * The record next to a volume, which is enough to tear it down (NODE-20): JSON with string values and the names that a
 * kubelet uses.
 *
 * The record also has the state of the volume. It is written before and after each call that changes it, so that it is
 * known after a crash what may have been done: `staging` and `publishing` mean that a call may or may not have succeeded
 * (NODE-28).
 *
 * @module
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { removeWhole, writeWhole } from "../whole-file.ts";
import { type Seen, ignoreMissing } from "./disk.ts";
import { RECORD } from "./csi-paths.ts";
import type { Lifecycle, Mode } from "./volume.ts";

/** The members of both records. */
interface Common {
  readonly driver: string;
  readonly handle: string;
  /** The name of the node. */
  readonly node: string;
  /** The PersistentVolume, or the volume in the Pod's spec. */
  readonly name: string;
  readonly mode: Mode;
  readonly lifecycle: Lifecycle;
  /** The name of its VolumeAttachment, where it needs one. */
  readonly attachment?: string | undefined;
  readonly seen: Seen;
}

/** The record of a volume on the node. */
export interface StageRecord extends Common {
  readonly state: "new" | "staging" | "staged";
  /** The uid of the VolumeAttachment that it was staged by. */
  readonly attachmentUid?: string | undefined;
  /** The SELinux label that it was staged with. */
  readonly label?: string | undefined;
  /** The sizes when the driver said that it cannot expand the volume (NODE-49). */
  readonly refused?: string | undefined;
}

/** The record of a volume in a Pod: `ready` when the Pod uses it, `unpublished` when it is only staged. */
export interface PublishRecord extends Common {
  readonly podUid: string;
  readonly state: "new" | "publishing" | "published" | "ready" | "unpublished";
}

type Texts = Readonly<Record<string, string>>;

/** Writes a record, all of it or nothing; creates its directory. */
export async function writeRecord(directory: string, record: StageRecord | PublishRecord): Promise<void> {
  const { driver, handle, node, name, mode, lifecycle, attachment, seen, state } = record;
  const texts: Record<string, string | undefined> = {
    driverName: driver,
    volumeHandle: handle,
    nodeName: node,
    specVolID: name,
    volumeMode: mode,
    volumeLifecycleMode: lifecycle,
    attachmentID: attachment,
    seen,
    state,
    ...("podUid" in record
      ? { podUID: record.podUid }
      : { attachmentUID: record.attachmentUid, seLinuxMountContext: record.label, refusedSize: record.refused }),
  };
  const write = (): Promise<void> => writeWhole(join(directory, RECORD), JSON.stringify(texts));
  await write().catch(async (error: unknown) => {
    ignoreMissing(error);
    await mkdir(directory, { recursive: true, mode: 0o750 });
    await write();
  });
}

/** Removes a record; its directory stays. */
export async function removeRecord(directory: string): Promise<void> {
  await removeWhole(join(directory, RECORD));
}

/** The error of a record that cannot be read. */
export class DamagedRecord extends Error {
  override readonly name = "DamagedRecord";
}

/** Reads the record of a volume on the node; undefined where there is none. @throws DamagedRecord */
export async function readStage(directory: string, mode: Mode): Promise<StageRecord | undefined> {
  const texts = await readTexts(directory);
  if (!texts) return undefined;
  return {
    ...commonOf(texts, mode),
    state: oneOf(["new", "staging", "staged"], texts["state"], "staging"),
    attachmentUid: texts["attachmentUID"],
    label: texts["seLinuxMountContext"],
    refused: texts["refusedSize"],
  };
}

/** Reads the record of a volume in a Pod; undefined where there is none. @throws DamagedRecord */
export async function readPublication(
  directory: string,
  { podUid, mode }: { readonly podUid: string; readonly mode: Mode },
): Promise<PublishRecord | undefined> {
  const texts = await readTexts(directory);
  if (!texts) return undefined;
  const state = oneOf(["new", "publishing", "published", "ready", "unpublished"], texts["state"], "publishing");
  return { ...commonOf(texts, mode), podUid, state };
}

function commonOf(texts: Texts, mode: Mode): Common {
  return {
    driver: texts["driverName"]!,
    handle: texts["volumeHandle"]!,
    node: texts["nodeName"] ?? "",
    name: texts["specVolID"] ?? "",
    mode,
    lifecycle: oneOf(["Persistent", "Ephemeral"], texts["volumeLifecycleMode"], "Persistent"),
    attachment: texts["attachmentID"],
    seen: oneOf(["mount", "path", "none"], texts["seen"], "none"),
  };
}

/** Unknown values count as `other`: files of other agents do not have them. */
const oneOf = <T extends string>(known: readonly T[], text: string | undefined, other: T): T =>
  known.find((one) => one === text) ?? other;

async function readTexts(directory: string): Promise<Texts | undefined> {
  const path = join(directory, RECORD);
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  if (text === undefined) return undefined;
  const texts = parsed(text);
  if (texts?.["driverName"] && texts["volumeHandle"]) return texts;
  throw new DamagedRecord(`expected ${path} to name a driver and a volume: the record is damaged`);
}

function parsed(text: string): Texts | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member === "string"));
  } catch {
    return undefined;
  }
}
