import { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import {
  type SnapshotError,
  type SnapshotKinds,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  snapshotKinds,
} from "../sidecars/snapshot/kinds.ts";
import { ACTORS } from "./actors.ts";
import { lastFailure, quoteOf, quoted, eventsAbout } from "./events.ts";
import { type Facts, prefixed, prefixedOr, missing, refOf, textOf } from "./facts.ts";
import { whoCanRepair } from "./refusals.ts";

const kindsOf = ({ dialect }: Facts): SnapshotKinds => snapshotKinds(`snapshot.storage.${dialect.domain}`);

/** Explains why a snapshot is not ready to use: by its class, source, content, or the error of the driver. */
export async function explainSnapshot(facts: Facts, snapshot: VolumeSnapshot): Promise<readonly ReportedReason[]> {
  const { spec, status = {}, metadata } = snapshot;
  if (status.readyToUse === true || metadata.deletionTimestamp !== undefined) return [];
  const kinds = kindsOf(facts);
  const name = status.boundVolumeSnapshotContentName ?? spec.source.volumeSnapshotContentName;
  if (name !== undefined) {
    const content = await facts.find(kinds.content, { name });
    if (content === "absent") return prefixed("its content is missing", [missing(kinds.content, { name })]);
    if (content !== "unknown") return ofContent(facts, snapshot, content);
  }
  const own = [...(await ofClass(facts, snapshot, kinds)), ...(await ofSource(facts, snapshot))];
  if (own.length > 0) return own;
  return ofError(facts, snapshot, { error: status.error, who: "the snapshot controller", driver: "its driver" });
}

/** Its class, or the missing default one. */
async function ofClass(
  facts: Facts,
  { spec, status }: VolumeSnapshot,
  kinds: SnapshotKinds,
): Promise<readonly ReportedReason[]> {
  const { volumeSnapshotClassName: name } = spec;
  if (name !== undefined) {
    const found = await facts.find(kinds.class, { name });
    return found === "absent" ? prefixed("its class is missing", [missing(kinds.class, { name })]) : [];
  }
  if (status?.error?.message) return [];
  const says = "it names no VolumeSnapshotClass, and has not been given the default one of its driver yet";
  return [
    { says, who: "whoever marks one VolumeSnapshotClass of the driver as the default, or the snapshot controller" },
  ];
}

/** Its source claim, which must be bound. */
async function ofSource(facts: Facts, { spec, metadata }: VolumeSnapshot): Promise<readonly ReportedReason[]> {
  const { persistentVolumeClaimName: name } = spec.source;
  if (name === undefined) return [];
  const key = { namespace: metadata.namespace ?? "", name };
  const claim = await facts.find(PersistentVolumeClaim, key);
  if (claim === "unknown") return [];
  if (claim === "absent") return prefixed("its source is missing", [missing(PersistentVolumeClaim, key)]);
  if (claim.status.phase !== "Bound") {
    const before = `its source, ${textOf(claim)}, is ${claim.status.phase ?? "not bound"}`;
    return prefixedOr(before, claim, await facts.reasonsOf(claim));
  }
  const volume = await facts.find(PersistentVolume, { name: claim.spec.volumeName ?? "" });
  if (volume === "unknown" || volume === "absent" || volume.spec.csi) return [];
  const says = `its source, ${textOf(claim)}, has a volume of no CSI driver, of which no snapshot can be taken`;
  return [{ says, who: "whoever takes the snapshot of another claim", about: refOf(volume) }];
}

/** Explains the content of a snapshot. */
function ofContent(
  facts: Facts,
  snapshot: VolumeSnapshot,
  content: VolumeSnapshotContent,
): Promise<readonly ReportedReason[]> {
  const { volumeSnapshotRef: ref } = content.spec;
  const isIts = ref.name === snapshot.metadata.name && ref.namespace === snapshot.metadata.namespace;
  if (!isIts || (ref.uid && ref.uid !== snapshot.metadata.uid)) {
    const says = `${textOf(content)} belongs to the snapshot ${ref.namespace ?? ""}/${ref.name ?? ""}`;
    return Promise.resolve([{ says, who: "whoever names another content", about: refOf(content) }]);
  }
  return explainContent(facts, content);
}

/** Explains a snapshot content. */
export async function explainContent(facts: Facts, content: VolumeSnapshotContent): Promise<readonly ReportedReason[]> {
  const { spec, status = {}, metadata } = content;
  if (status.readyToUse === true || metadata.deletionTimestamp !== undefined) return [];
  const { driver, volumeSnapshotClassName: name } = spec;
  const kinds = kindsOf(facts);
  if (name !== undefined && (await facts.find(kinds.class, { name })) === "absent")
    return prefixed("its class is missing", [missing(kinds.class, { name })]);
  return ofError(facts, content, { error: status.error, who: `the snapshotter of ${driver}`, driver });
}

interface SnapshotFailure {
  readonly error: SnapshotError | undefined;
  readonly who: string;
  readonly driver: string;
}

/** The error in the status, or the last Event. */
async function ofError(
  facts: Facts,
  object: VolumeSnapshot | VolumeSnapshotContent,
  { error, who, driver }: SnapshotFailure,
): Promise<readonly ReportedReason[]> {
  const about = refOf(object);
  const refused = { asks: `${textOf(object)} or its class`, driver, otherwise: `whoever runs ${who}` };
  if (error?.message) {
    const { message, time } = error;
    const quotes = { in: "status", reason: "error", ...(time === undefined ? {} : { time }) } as const;
    return [{ says: `${who} says: ${quoted(message)}`, who: whoCanRepair(message, refused), about, quotes }];
  }
  const topic = "driver" in object.spec ? ACTORS.snapshotter : ACTORS.snapshots;
  const word = lastFailure(await eventsAbout(facts, object), topic);
  if (word) {
    return [
      { says: `${who} says: ${word.message}`, who: whoCanRepair(word.message, refused), about, quotes: quoteOf(word) },
    ];
  }
  return [{ says: `it waits for ${who}, which has said nothing about it`, who: `whoever runs ${who}`, about }];
}
