/**
 * What is written down of a volume beside it, before its driver is called, so that it can be taken down by what lies on
 * disk alone (NODE-20): JSON whose values are texts, with the names that other agents write and read.
 *
 * How far a volume is stands there as well. It is written before a call that changes it and after it, so that whoever comes
 * after a crash knows what may have been done: `staging` and `publishing` say that it may or may not (NODE-28).
 *
 * @module
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { removeWhole, writeWhole } from "../whole-file.ts";
import { type Seen, ignoreMissing } from "./disk.ts";
import { RECORD } from "./places.ts";
import type { Lifecycle, Mode } from "./volume.ts";

/** What both records say. */
interface Common {
  readonly driver: string;
  readonly handle: string;
  /** The name of the node. */
  readonly node: string;
  /** The PersistentVolume, or the volume as its Pod names it. */
  readonly name: string;
  readonly mode: Mode;
  readonly lifecycle: Lifecycle;
  /** The name of its VolumeAttachment, where it needs one. */
  readonly attachment?: string | undefined;
  readonly seen: Seen;
}

/** A volume on the node. */
export interface StageRecord extends Common {
  readonly state: "new" | "staging" | "staged";
  /** The uid of the VolumeAttachment that it was staged by. */
  readonly attachmentUid?: string | undefined;
  /** The SELinux label that it was staged with. */
  readonly label?: string | undefined;
  /** What the claim asked for and the volume had when the driver said that it cannot grow (NODE-49). */
  readonly refused?: string | undefined;
}

/** A volume in a Pod. It is `ready` when it was given to the Pod, and `unpublished` when only the node still has it. */
export interface PublishRecord extends Common {
  readonly podUid: string;
  readonly state: "new" | "publishing" | "published" | "ready" | "unpublished";
}

type Texts = Readonly<Record<string, string>>;

/** What is to become the record: a crash leaves the old one or the new one. */

/** Writes a record, all of it or nothing; its directory is made. */
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

/** A record that cannot be read. */
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

/** What is not known counts as `other`: files of other agents do not say it. */
const oneOf = <T extends string>(known: readonly T[], text: string | undefined, other: T): T =>
  known.find((one) => one === text) ?? other;

async function readTexts(directory: string): Promise<Texts | undefined> {
  const path = join(directory, RECORD);
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  if (text === undefined) return undefined;
  const texts = parsed(text);
  if (texts?.["driverName"] && texts["volumeHandle"]) return texts;
  throw new DamagedRecord(`expected ${path} to name a driver and a volume, it is damaged`);
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
