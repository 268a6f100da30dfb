/** Explains why a volume is not attached or detached, by the error of its attacher. */
import { type Kind, inDomain } from "../client/index.ts";
import { CSINode, PersistentVolume, type VolumeAttachment } from "../client/kinds/index.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { type RecentEvent, lastWarning, quoteOf, quoted } from "./events.ts";
import { type Facts, prefixed, missing, refOf, refTo, textOf } from "./facts.ts";
import { whoCanRepair } from "./refusals.ts";

/** Explains an attachment that is not attached. */
export async function explainAttachment(
  facts: Facts,
  attachment: VolumeAttachment,
): Promise<readonly ReportedReason[]> {
  const { metadata, status, spec } = attachment;
  if (status.attached || metadata.deletionTimestamp !== undefined) return [];
  const { persistentVolumeName: name } = spec.source;
  if (name !== undefined && (await facts.find(PersistentVolume, { name })) === "absent")
    return prefixed("its volume is missing", [missing(PersistentVolume, { name })]);
  const csiNodes: Kind<CSINode, "Cluster"> = inDomain(CSINode, facts.dialect.domain);
  const node = await facts.find(csiNodes, { name: spec.nodeName });
  const drivers = node === "absent" ? [] : node === "unknown" ? undefined : node.spec.drivers;
  if (drivers && !drivers.some((driver) => driver.name === spec.attacher)) {
    const says = `the driver ${spec.attacher} is not registered on the node ${spec.nodeName}`;
    const who = `whoever runs the node part of ${spec.attacher} there`;
    return [{ says, who, about: refTo(csiNodes, { name: spec.nodeName }) }];
  }
  return [attachmentReason(attachment, [])];
}

/** The failure of an attach. */
export function attachmentReason(attachment: VolumeAttachment, words: readonly RecentEvent[]): ReportedReason {
  return failureReason(
    attachment,
    { error: attachment.status.attachError, did: "attach", member: "attachError" },
    words,
  );
}

/** The failure of a detach. */
export function detachmentReason(attachment: VolumeAttachment, words: readonly RecentEvent[]): ReportedReason {
  return failureReason(
    attachment,
    { error: attachment.status.detachError, did: "detach", member: "detachError" },
    words,
  );
}

interface AttachmentFailure {
  readonly error: VolumeAttachment["status"]["attachError"];
  readonly did: "attach" | "detach";
  readonly member: "attachError" | "detachError";
}

function failureReason(
  attachment: VolumeAttachment,
  { error, did, member }: AttachmentFailure,
  words: readonly RecentEvent[],
): ReportedReason {
  const { attacher, nodeName, source } = attachment.spec;
  const volume = source.persistentVolumeName ?? "of a Pod";
  const who = `the attacher of ${attacher}`;
  const about = refOf(attachment);
  const what = `the volume ${volume} ${did === "attach" ? "to" : "from"} the node ${nodeName}`;
  const refused = { asks: textOf(attachment), driver: attacher, otherwise: `whoever runs ${who}` };
  if (error?.message) {
    const quotes = { in: "status", reason: member, ...(error.time ? { time: error.time } : {}) } as const;
    const says = `${who} could not ${did} ${what}: ${quoted(error.message)}`;
    return { says, who: whoCanRepair(error.message, refused), about, quotes };
  }
  const word = lastWarning(words);
  if (word) {
    const says = `${who} could not ${did} ${what}: ${word.message}`;
    return { says, who: whoCanRepair(word.message, refused), about, quotes: quoteOf(word) };
  }
  const says = `${who} is to ${did} ${what}, and has said nothing about it yet`;
  return { says, who: `${who}: is it running?`, about };
}
