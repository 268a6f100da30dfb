/**
 * Why a volume is not bound, or is still there after its claim has gone.
 *
 * @module
 */
import { type PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { fateOf } from "../controllers/binder/fate.ts";
import { objections } from "../controllers/binder/fit.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { type Facts, firstOf, refOf, textOf } from "./facts.ts";

const BINDER = "the controller persistentvolume-binder";

/** See the head of this file. */
export async function explainVolume(facts: Facts, volume: PersistentVolume): Promise<readonly ReportedReason[]> {
  switch (volume.status.phase) {
    case "Bound":
      return [];
    case "Released":
      return [ofReleased(facts, volume)];
    case "Failed": {
      const why = volume.status.message ?? "nothing says why";
      return [
        { says: `it could not be reclaimed: ${why}`, who: "an administrator; it is tried again when it changes" },
      ];
    }
    default:
      return facts.tell(() => ofFree(facts, volume));
  }
}

function ofReleased(facts: Facts, volume: PersistentVolume): ReportedReason {
  const { claimRef } = volume.spec;
  const gone = `its claim ${claimRef?.namespace}/${claimRef?.name} has gone, and its reclaim policy is`;
  const fate = fateOf(volume, facts);
  switch (fate.is) {
    case "kept":
      return {
        says: `${gone} Retain: it is kept with its data`,
        who: "an administrator deletes it, or takes spec.claimRef off so that another claim may have it",
      };
    case "deleted elsewhere":
      return { says: `${gone} Delete, which is up to who made it`, who: `the provisioner ${fate.who}` };
    case "recycled":
      return { says: `${gone} Recycle: a Pod empties it`, who: "whatever runs Pods" };
    case "deleted":
      return { says: `${gone} Delete`, who: BINDER };
    case "failed":
      return { says: `${gone} Delete, and ${fate.why}`, who: "an administrator" };
  }
}

/** A volume that nobody has: the claim that it is put by for, or those that wait and are not given it. */
async function ofFree(facts: Facts, volume: PersistentVolume): Promise<readonly ReportedReason[]> {
  const { claimRef } = volume.spec;
  if (claimRef && !(claimRef.name && claimRef.namespace)) {
    return [{ says: "its spec.claimRef names no claim of a namespace", who: "whoever wrote that" }];
  }
  if (claimRef) {
    const key = { namespace: claimRef.namespace!, name: claimRef.name! };
    const claim = await facts.client.resource(PersistentVolumeClaim).find(key, { signal: facts.signal });
    if (!claim) {
      return [
        {
          says: `it is put by for the claim ${key.namespace}/${key.name}, which does not exist`,
          who: "whoever makes that claim",
        },
      ];
    }
    return [judged(facts, volume, claim)];
  }
  const waiting: PersistentVolumeClaim[] = [];
  for await (const claim of facts.each(PersistentVolumeClaim)) {
    if (!claim.spec.volumeName && claim.metadata.deletionTimestamp === undefined) waiting.push(claim);
  }
  if (waiting.length === 0) return [{ says: "no claim waits for a volume", who: "whoever makes a claim that it fits" }];
  const all = waiting.map((claim) => ({ claim, lacks: objections(volume, claim, facts.names).length }));
  const nearest = all.sort((a, b) => a.lacks - b.lacks).map(({ claim }) => claim);
  return firstOf(nearest, (claim) => judged(facts, volume, claim as PersistentVolumeClaim));
}

function judged({ names }: Facts, volume: PersistentVolume, claim: PersistentVolumeClaim): ReportedReason {
  const lacks = objections(volume, claim, names);
  const about = refOf(claim);
  if (lacks.length > 0) return { says: `it does not fit ${textOf(claim)}: ${lacks.join("; ")}`, about };
  if (claim.spec.volumeName && claim.spec.volumeName !== volume.metadata.name) {
    return { says: `${textOf(claim)} has the volume ${claim.spec.volumeName}`, about };
  }
  return { says: `it fits ${textOf(claim)}, which waits: what for, that claim tells`, about };
}
