import { type PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { reclaimActionOf } from "../claims/reclaim.ts";
import { isWaiting, objections } from "../claims/fit.ts";
import { namedClaim } from "../claims/claim-ref.ts";
import { decideVolume } from "../claims/volume-decision.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { type Facts, First, MAX_NAMED, firstOf, refOf, textOf } from "./facts.ts";

const BINDER = "the controller persistentvolume-binder";
const ADMINISTRATOR = "an administrator";

/** Explains why a volume is not bound, or still exists after the deletion of its claim. */
export function explainVolume(facts: Facts, volume: PersistentVolume): Promise<readonly ReportedReason[]> {
  return facts.reasonsOrRefusal(async () => {
    const { claimRef } = volume.spec;
    const claim = claimRef?.uid ? await findClaim(facts, volume) : undefined;
    const decision = decideVolume(volume, claim?.metadata.uid === claimRef?.uid ? claim : undefined, facts.names);
    switch (decision.is) {
      case "available":
        return ofFree(facts, volume);
      case "bound":
        return [];
      case "awaited":
        return [{ says: `${textOf(claim!)} is to take it`, who: BINDER, about: refOf(claim!) }];
      case "misfit":
        return [{ says: decision.note, who: ADMINISTRATOR, about: refOf(claim!) }];
      case "released":
        return [volume.status.phase === "Failed" ? ofFailed(volume) : ofReleased(facts, volume)];
      case "given back": {
        const says = `${textOf(claim!)} has the volume ${decision.other}: anybody may have this one`;
        return [{ says, who: BINDER, about: refOf(claim!) }];
      }
    }
  });
}

async function findClaim(
  { client, signal }: Facts,
  volume: PersistentVolume,
): Promise<PersistentVolumeClaim | undefined> {
  const key = namedClaim(volume);
  return key && client.resource(PersistentVolumeClaim).find(key, { signal });
}

const ofFailed = ({ status: { message = "nothing says why" } }: PersistentVolume): ReportedReason => ({
  says: `it could not be reclaimed: ${message}`,
  who: `${ADMINISTRATOR}; it is tried again when it changes`,
});

function ofReleased(facts: Facts, volume: PersistentVolume): ReportedReason {
  const { claimRef } = volume.spec;
  const gone = `its claim ${claimRef?.namespace}/${claimRef?.name} has gone, and its reclaim policy is`;
  const fate = reclaimActionOf(volume, facts);
  switch (fate.is) {
    case "kept":
      return {
        says: `${gone} Retain: it is kept with its data`,
        who: `an administrator deletes it, or gives it to another claim: keelson rebind ${volume.metadata.name} NAMESPACE/CLAIM`,
      };
    case "deleted elsewhere":
      return { says: `${gone} Delete, which is up to who made it`, who: `the provisioner ${fate.who}` };
    case "recycled":
      return { says: `${gone} Recycle: a Pod empties it`, who: "whatever runs Pods" };
    case "deleted":
      return { says: `${gone} Delete`, who: BINDER };
    case "failed":
      return { says: `${gone} Delete, and ${fate.why}`, who: ADMINISTRATOR };
  }
}

/** An available volume: its reserved claim, or the waiting claims that it does not fit. */
async function ofFree(facts: Facts, volume: PersistentVolume): Promise<readonly ReportedReason[]> {
  const { claimRef } = volume.spec;
  const key = namedClaim(volume);
  if (claimRef && !key) {
    return [{ says: "its spec.claimRef names no claim of a namespace", who: "whoever wrote that" }];
  }
  if (key) {
    const claim = await findClaim(facts, volume);
    if (claim) return [fitOf(facts, volume, claim)];
    const says = `it is put by for the claim ${key.namespace}/${key.name}, which does not exist`;
    return [{ says, who: "whoever makes that claim" }];
  }
  const waiting = new First<Waiting>(MAX_NAMED, (a, b) => a.lacks - b.lacks);
  for await (const claim of facts.each(PersistentVolumeClaim)) {
    if (isWaiting(claim, facts.names)) waiting.add({ claim, lacks: objections(volume, claim, facts.names).length });
  }
  if (waiting.count === 0) {
    return [{ says: `no claim${facts.thatWasSeen} waits for a volume`, who: "whoever makes a claim that it fits" }];
  }
  return firstOf(waiting, ({ claim }) => fitOf(facts, volume, claim));
}

interface Waiting {
  readonly claim: PersistentVolumeClaim;
  /** The number of objections. */
  readonly lacks: number;
}

function fitOf({ names }: Facts, volume: PersistentVolume, claim: PersistentVolumeClaim): ReportedReason {
  const lacks = objections(volume, claim, names);
  const about = refOf(claim);
  if (lacks.length > 0) return { says: `it does not fit ${textOf(claim)}: ${lacks.join("; ")}`, about };
  if (claim.spec.volumeName && claim.spec.volumeName !== volume.metadata.name) {
    return { says: `${textOf(claim)} has the volume ${claim.spec.volumeName}`, about };
  }
  return { says: `it fits ${textOf(claim)}, which waits: what for, that claim tells`, about };
}
