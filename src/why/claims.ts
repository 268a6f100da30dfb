/**
 * Why a claim has no volume: what the binder would say of every volume, and who it waits for.
 *
 * @module
 */
import { type Kind, inDomain } from "../client/index.ts";
import { PersistentVolume, type PersistentVolumeClaim, Pod, StorageClass } from "../client/kinds/index.ts";
import { classOf, hasNoClass, isMeantFor, lossOf, mismatches, objections } from "../controllers/binder/fit.ts";
import { defaultClassOf, makerOf } from "../controllers/binder/maker.ts";
import { YES } from "../controllers/binder/names.ts";
import { claimsOfPod } from "../controllers/pod-claims.ts";
import { waitsForNode } from "../controllers/usage.ts";
import type { ConsideredVolume, ReportedReason, WhyReport } from "../meta/why-report.ts";
import { type Facts, firstOf, refOf, textOf } from "./facts.ts";

/** What a claim adds to a report. */
export type ClaimPart = Pick<WhyReport, "reasons" | "considered" | "leftOut">;

const BINDER = "the controller persistentvolume-binder";
const ADMINISTRATOR = "an administrator";

/** See the head of this file. @param most so many volumes are told */
export async function explainClaim(facts: Facts, claim: PersistentVolumeClaim, most: number): Promise<ClaimPart> {
  const { names } = facts;
  const { volumeName = "" } = claim.spec;
  if (claim.metadata.annotations?.[names.bindCompleted] === YES) {
    return { reasons: await facts.tell(() => ofBound(facts, claim, volumeName)) };
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    return { reasons: [{ says: "it is being deleted, and who is leaving is given no volume" }] };
  }
  if (volumeName !== "") return { reasons: await facts.tell(() => ofNamed(facts, claim, volumeName)) };
  const considered: Considered[] = [];
  const reasons = await facts.tell(async () => {
    considered.push(...(await consider(facts, claim)));
    return ofWaiting(facts, claim, considered);
  });
  const told = considered.slice(0, most).map(({ volume, lacks }) => ({ volume, lacks }));
  return { reasons, considered: told, leftOut: considered.length - told.length };
}

async function ofBound(facts: Facts, claim: PersistentVolumeClaim, name: string): Promise<readonly ReportedReason[]> {
  const volume = await findVolume(facts, name);
  const loss = lossOf(claim, volume);
  if (loss === undefined) return [];
  return [{ says: `it has lost its volume: ${loss}`, who: "whoever has a copy of the data makes a new claim" }];
}

async function ofNamed(facts: Facts, claim: PersistentVolumeClaim, name: string): Promise<readonly ReportedReason[]> {
  const volume = await findVolume(facts, name);
  if (!volume) {
    return [{ says: `it names the volume ${name}, which does not exist`, who: "whoever makes that volume" }];
  }
  const about = refOf(volume);
  if (isMeantFor(volume, claim)) return [{ says: `the volume ${name} is put by for it`, who: BINDER, about }];
  const { claimRef } = volume.spec;
  if (claimRef) {
    const owner = `${claimRef.namespace}/${claimRef.name}`;
    return [{ says: `it names the volume ${name}, which belongs to the claim ${owner}`, who: ADMINISTRATOR, about }];
  }
  const lacks = mismatches(volume, claim, facts.names);
  if (lacks.length === 0) return [{ says: `the volume ${name} that it names fits it`, who: BINDER, about }];
  const says = `it names the volume ${name}, which does not fit: ${lacks.join("; ")}`;
  return [{ says, who: "whoever makes a claim, or a volume, that fits", about }];
}

async function findVolume({ client, signal }: Facts, name: string): Promise<PersistentVolume | undefined> {
  return name === "" ? undefined : client.resource(PersistentVolume).find({ name }, { signal });
}

interface Considered extends ConsideredVolume {
  readonly isOfClass: boolean;
  readonly isMeant: boolean;
}

/** Every volume, those first that come nearest: put by for the claim, of its class, with the fewest objections. */
async function consider(facts: Facts, claim: PersistentVolumeClaim): Promise<readonly Considered[]> {
  const { names } = facts;
  const className = classOf(claim, names);
  const all: Considered[] = [];
  for await (const volume of facts.each(PersistentVolume)) {
    all.push({
      volume: volume.metadata.name,
      lacks: objections(volume, claim, names),
      isOfClass: classOf(volume, names) === className,
      isMeant: isMeantFor(volume, claim),
    });
  }
  const rank = ({ isMeant, isOfClass }: Considered): number => (isMeant ? 0 : isOfClass ? 1 : 2);
  return all.sort((a, b) => rank(a) - rank(b) || a.lacks.length - b.lacks.length || (a.volume < b.volume ? -1 : 1));
}

async function ofWaiting(
  facts: Facts,
  claim: PersistentVolumeClaim,
  considered: readonly Considered[],
): Promise<readonly ReportedReason[]> {
  const { names, dialect } = facts;
  const reserved = considered.filter(({ isMeant }) => isMeant);
  const ready = reserved.find(({ lacks }) => lacks.length === 0);
  if (ready) return [{ says: `the volume ${ready.volume} is put by for it`, who: BINDER }];
  const misfits = reserved.map(({ volume, lacks }) => ({
    says: `the volume ${volume} is put by for it and does not fit: ${lacks.join("; ")}`,
    who: ADMINISTRATOR,
  }));
  const storageClass = await classOfClaim(facts, claim);
  if (storageClass?.volumeBindingMode === "WaitForFirstConsumer") {
    const isChosen = claim.metadata.annotations?.[names.selectedNode] !== undefined;
    if (!isChosen) return [...misfits, ...(await ofConsumers(facts, claim))];
  } else {
    const fitting = considered.find(({ lacks }) => lacks.length === 0);
    if (fitting) return [...misfits, { says: `the volume ${fitting.volume} fits it`, who: BINDER }];
    if (hasNoClass(claim, names)) {
      const classes: StorageClass[] = [];
      for await (const one of facts.each(classKind(facts))) classes.push(one);
      const standard = defaultClassOf(classes, dialect.labelDomain);
      if (standard) {
        return [
          ...misfits,
          { says: `it has no class and is given the default one, ${standard.metadata.name}`, who: BINDER },
        ];
      }
    }
  }
  return [...misfits, makerReason(claim, storageClass, facts)];
}

/** Who makes a volume for it, and who has to act for that. */
function makerReason(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  facts: Facts,
): ReportedReason {
  const maker = makerOf(claim, storageClass, facts);
  const about = storageClass ? { about: refOf(storageClass) } : {};
  switch (maker.is) {
    case "nobody":
      return { says: maker.note, who: "whoever makes a volume that fits, or a default StorageClass" };
    case "class is absent":
      return { says: maker.note, who: "whoever makes that StorageClass, or a volume of that class" };
    case "built in":
      return { says: maker.note, who: "whoever makes a volume of that class", ...about };
    case "outside":
      return { says: maker.note, who: `the provisioner ${maker.provisioner}`, ...about };
  }
}

const classKind = ({ dialect }: Facts): Kind<StorageClass, "Cluster"> => inDomain(StorageClass, dialect.domain);

async function classOfClaim(facts: Facts, claim: PersistentVolumeClaim): Promise<StorageClass | undefined> {
  const name = classOf(claim, facts.names);
  return name === "" ? undefined : facts.client.resource(classKind(facts)).find({ name }, { signal: facts.signal });
}

/** The first consumer that its class waits for (CTL-MODE-2, 3). */
async function ofConsumers(facts: Facts, claim: PersistentVolumeClaim): Promise<readonly ReportedReason[]> {
  const { name, namespace } = claim.metadata;
  const pods: Pod[] = [];
  for await (const pod of facts.each(Pod, { namespace })) {
    if (waitsForNode(pod) && claimsOfPod(pod).some((key) => key.name === name)) pods.push(pod);
  }
  if (pods.length === 0) {
    const says = "no pod uses it yet, and its class waits for the first (WaitForFirstConsumer)";
    return [{ says, who: "whoever makes a Pod that uses it" }];
  }
  return firstOf(pods, (pod) => ({
    says: `${textOf(pod)} uses it and has no node yet, which its class waits for (WaitForFirstConsumer)`,
    who: "the scheduler",
    about: refOf(pod),
  }));
}
