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
    const [name, about] = claim ? [textOf(claim), refOf(claim)] : [];
    switch (decision.is) {
      case "available":
        return ofFree(facts, volume);
      case "bound":
        return [];
      case "awaited":
        return [{ says: `${name} is to be bound to it`, who: BINDER, ...(about && { about }) }];
      case "misfit":
        return [{ says: decision.note, who: ADMINISTRATOR, ...(about && { about }) }];
      case "released":
        return [volume.status.phase === "Failed" ? ofFailed(volume) : ofReleased(facts, volume)];
      case "given back": {
        const says = `${name} has the volume ${decision.other}: this one becomes available`;
        return [{ says, who: BINDER, ...(about && { about }) }];
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

const ofFailed = ({ status: { message = "no reason is reported" } }: PersistentVolume): ReportedReason => ({
  says: `it could not be reclaimed: ${message}`,
  who: `${ADMINISTRATOR}; it is retried when it changes`,
});

function ofReleased(facts: Facts, volume: PersistentVolume): ReportedReason {
  const { claimRef } = volume.spec;
  const deleted = `its claim ${claimRef?.namespace}/${claimRef?.name} was deleted, and its reclaim policy is`;
  const action = reclaimActionOf(volume, facts);
  switch (action.is) {
    case "kept":
      return {
        says: `${deleted} Retain: it is kept with its data`,
        who: `an administrator deletes it, or gives it to another claim: keelson rebind ${volume.metadata.name} NAMESPACE/CLAIM`,
      };
    case "deleted elsewhere":
      return { says: `${deleted} Delete, which its provisioner does`, who: `the provisioner ${action.who}` };
    case "recycled":
      return { says: `${deleted} Recycle: a Pod empties it`, who: "whatever runs Pods" };
    case "deleted":
      return { says: `${deleted} Delete`, who: BINDER };
    case "failed":
      return { says: `${deleted} Delete, and ${action.why}`, who: ADMINISTRATOR };
  }
}

/** An available volume: its reserved claim, or the waiting claims that it does not fit. */
async function ofFree(facts: Facts, volume: PersistentVolume): Promise<readonly ReportedReason[]> {
  const { claimRef } = volume.spec;
  const key = namedClaim(volume);
  if (claimRef && !key) {
    return [{ says: "its spec.claimRef names no claim of a namespace", who: "the user who wrote that" }];
  }
  if (key) {
    const claim = await findClaim(facts, volume);
    if (claim) return [fitOf(facts, volume, claim)];
    const says = `it is reserved for the claim ${key.namespace}/${key.name}, which does not exist`;
    return [{ says, who: "a user who creates that claim" }];
  }
  const waiting = new First<Waiting>(MAX_NAMED, (a, b) => a.lacks - b.lacks);
  for await (const claim of facts.each(PersistentVolumeClaim)) {
    if (isWaiting(claim, facts.names)) waiting.add({ claim, lacks: objections(volume, claim, facts.names).length });
  }
  if (waiting.count === 0) {
    return [
      { says: `no claim${facts.thatWasSeen} waits for a volume`, who: "a user who creates a claim that it fits" },
    ];
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
  return { says: `it fits ${textOf(claim)}, which waits; the report about that claim has the reason`, about };
}
