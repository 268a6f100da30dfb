import { type Kind, inDomain } from "../client/index.ts";
import {
  PersistentVolume,
  type PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttributesClass,
} from "../client/kinds/index.ts";
import { type ClaimSources, type ClaimDecision, decideClaim } from "../claims/claim-decision.ts";
import { classOf, hasNoClass, isMeantFor, isWaiting, mismatches, objections } from "../claims/fit.ts";
import { defaultClassOf } from "../claims/provisioner.ts";
import { isBetter } from "../claims/available-volumes.ts";
import { claimsOfPod } from "../claims/pod-claims.ts";
import { waitsForNode } from "../claims/usage.ts";
import type { ConsideredVolume, ReportedReason, WhyReport } from "../meta/why-report.ts";
import { ACTORS } from "./actors.ts";
import { type RecentEvent, lastFailure, quoteOf, eventsAbout } from "./events.ts";
import { type Facts, First, MAX_NAMED, firstOf, prefixed, missing, refOf, refTo, textOf } from "./facts.ts";
import { explainGrowth } from "./growth.ts";
import { whoCanRepair } from "./refusals.ts";
import { explainSource } from "./volume-sources.ts";

/** The part of a report about a claim. */
export type ClaimPart = Pick<WhyReport, "reasons" | "considered" | "leftOut">;

const BINDER = "the controller persistentvolume-binder";
const ADMINISTRATOR = "an administrator";

/**
 * Explains why a claim has no volume, or not the requested one: by the decision of the binder, the objections to every
 * volume, and the actors that it waits for.
 *
 * @param limit the maximum number of considered volumes
 */
export async function explainClaim(facts: Facts, claim: PersistentVolumeClaim, limit: number): Promise<ClaimPart> {
  if (!isWaiting(claim, facts.names)) {
    const reasons = await facts.reasonsOrRefusal(async () => {
      const sources = await namedBy(facts, claim);
      const volume = claim.status.phase === "Bound" ? sources.volume(claim.spec.volumeName ?? "") : undefined;
      const growth = volume ? await explainGrowth(facts, claim, volume) : [];
      return [...(await ofDecision(facts, claim, sources)), ...growth];
    });
    return { reasons };
  }
  const considered = new First<Considered>(limit, byFewestObjections);
  const reasons = await facts.reasonsOrRefusal(async () => {
    const found = await consider(facts, claim, considered);
    const misfits = found.reserved.filter(({ lacks }) => lacks.length > 0).map(misfit);
    return [...misfits, ...(await ofDecision(facts, claim, found.sources))];
  });
  const volumes = considered.items.map(({ volume, lacks }) => ({ volume: volume.metadata.name, lacks }));
  return { reasons, considered: volumes, leftOut: considered.more };
}

/** Returns the decision as reasons. */
async function ofDecision(
  facts: Facts,
  claim: PersistentVolumeClaim,
  sources: ClaimSources,
): Promise<readonly ReportedReason[]> {
  const decision = decideClaim(claim, sources);
  switch (decision.is) {
    case "nothing":
      return [{ says: decision.note }];
    case "bind":
      if (claim.status.phase === "Bound") return [];
      return [{ says: decision.note, who: BINDER, about: refOf(decision.volume) }];
    case "lost":
      return [ofLoss(claim, decision.volume)];
    case "absent": {
      const reason = missing(PersistentVolume, { name: claim.spec.volumeName ?? "" });
      return prefixed("it names a volume that does not exist", [reason]);
    }
    case "taken": {
      const { volume } = decision;
      const { namespace = "", name = "" } = volume.spec.claimRef ?? {};
      const says = `it names the volume ${volume.metadata.name}, which belongs to the claim ${namespace}/${name}`;
      return [{ says, who: "a user who creates the claim again for another volume", about: refOf(volume) }];
    }
    case "misfit": {
      const { volume } = decision;
      const lacks = mismatches(volume, claim, facts.names).join("; ");
      const says = `it names the volume ${volume.metadata.name}, which does not fit: ${lacks}`;
      return [{ says, who: "a user who creates a claim, or a volume, that fits", about: refOf(volume) }];
    }
    case "first consumer":
      return [...(await ofLastTry(facts, claim, sources)), ...(await ofConsumers(facts, claim))];
    case "default class":
      return [{ says: decision.note, who: BINDER }];
    case "provision":
      return ofProvisioning(facts, claim, decision);
  }
}

/** A claim that has lost its volume. The disk may still exist. */
function ofLoss({ spec, metadata }: PersistentVolumeClaim, volume: PersistentVolume | undefined): ReportedReason {
  const { volumeName: name } = spec;
  if (volume) {
    const { namespace = "", name: other = "" } = volume.spec.claimRef ?? {};
    const says = `it was bound to the volume ${volume.metadata.name}, which is bound to the claim ${namespace}/${other} of another uid now`;
    return { says, who: "a user who deletes this claim, or gives it a copy of the volume", about: refOf(volume) };
  }
  if (!name) return { says: "it was bound, and names no volume any more", who: "a user who deletes this claim" };
  const says = `it was bound to the PersistentVolume ${name}, which was deleted; only its driver knows whether the disk still exists`;
  const claim = `${metadata.namespace ?? ""}/${metadata.name}`;
  return {
    says,
    who: `a user who creates the PersistentVolume ${name} again, of the same disk, with a claimRef to ${claim}; or deletes this claim`,
    about: refTo(PersistentVolume, { name }),
  };
}

/** The Events of provisioners; the decision of the binder is evaluated here. */
const eventsOfProvisioner = async (facts: Facts, claim: PersistentVolumeClaim): Promise<readonly RecentEvent[]> =>
  (await eventsAbout(facts, claim)).filter(({ from }) => from !== "persistentvolume-controller");

function ofFailure(
  claim: PersistentVolumeClaim,
  { provisioner, storageClass }: ChosenProvisioner,
  event: RecentEvent,
): ReportedReason {
  const who = `the provisioner ${provisioner}`;
  const asks = `${textOf(claim)}${storageClass ? ` or the StorageClass ${storageClass.metadata.name}` : ""}`;
  return {
    says: `${who} could not create its volume: ${event.message}`,
    // Without a gRPC code the provisioner itself refuses.
    who: whoCanRepair(event.message, {
      asks,
      driver: provisioner,
      otherwise: `a user who changes ${asks}, or the operator of ${provisioner}`,
    }),
    about: refOf(claim),
    quotes: quoteOf(event),
  };
}

/** The driver had no capacity on an earlier selected node. */
async function ofLastTry(
  facts: Facts,
  claim: PersistentVolumeClaim,
  sources: ClaimSources,
): Promise<readonly ReportedReason[]> {
  const failure = lastFailure(await eventsOfProvisioner(facts, claim), ACTORS.provisioner);
  if (!failure) return [];
  const storageClass = sources.storageClass(classOf(claim, facts.names));
  const provisioner = storageClass?.provisioner ?? "of its class";
  return [ofFailure(claim, { provisioner, storageClass }, failure)];
}

type ProvisionDecision = Extract<ClaimDecision, { readonly is: "provision" }>;

/** No volume fits: the faults of its source, then the last Event of the provisioner. */
async function ofProvisioning(
  facts: Facts,
  claim: PersistentVolumeClaim,
  { choice, storageClass }: ProvisionDecision,
): Promise<readonly ReportedReason[]> {
  if (choice.is === "external") {
    const lacks = [...(await explainSource(facts, claim)), ...(await ofAttributes(facts, claim))];
    return lacks.length > 0 ? lacks : [await ofProvisioner(facts, claim, { ...choice, storageClass })];
  }
  const about = storageClass ? { about: refOf(storageClass) } : {};
  return [{ says: choice.note, who: WHO_CAN_PROVISION[choice.is], ...about }];
}

/** Its VolumeAttributesClass must exist. */
async function ofAttributes(facts: Facts, { spec }: PersistentVolumeClaim): Promise<readonly ReportedReason[]> {
  const { volumeAttributesClassName: name } = spec;
  if (!name) return [];
  const kind: Kind<VolumeAttributesClass, "Cluster"> = inDomain(VolumeAttributesClass, facts.dialect.domain);
  return (await facts.find(kind, { name })) === "absent" ? [missing(kind, { name })] : [];
}

const WHO_CAN_PROVISION = {
  none: "a user who creates a volume that fits, or a default StorageClass",
  "class is absent": "a user who creates that StorageClass, or a volume of that class",
  "built in": "a user who creates a volume of that class",
} as const;

interface ChosenProvisioner {
  readonly provisioner: string;
  readonly storageClass: StorageClass | undefined;
}

/** The last Event of the provisioner: a failure, a begin, or none. */
async function ofProvisioner(
  facts: Facts,
  claim: PersistentVolumeClaim,
  { provisioner, storageClass }: ChosenProvisioner,
): Promise<ReportedReason> {
  const who = `the provisioner ${provisioner}`;
  const events = await eventsOfProvisioner(facts, claim);
  const failure = lastFailure(events, ACTORS.provisioner);
  if (failure) return ofFailure(claim, { provisioner, storageClass }, failure);
  const begun = events.find(({ reason }) => reason === "Provisioning");
  const about = storageClass ? { about: refOf(storageClass) } : {};
  if (begun) return { says: `${who} is creating its volume, and has not reported a result`, who, ...about };
  const says = `it waits for ${who} to create a volume; it has reported nothing yet`;
  return { says, who: `${who}: is it running?`, ...about };
}

const NOTHING = {
  volume: () => undefined,
  volumesNaming: () => [],
  best: () => undefined,
  storageClass: () => undefined,
  defaultClass: () => undefined,
};

/** The input of the decision for a claim that names its volume. */
async function namedBy(
  { client, signal, names, migration }: Facts,
  claim: PersistentVolumeClaim,
): Promise<ClaimSources> {
  const { volumeName: name = "" } = claim.spec;
  const volume = name === "" ? undefined : await client.resource(PersistentVolume).find({ name }, { signal });
  return { ...NOTHING, names, migration, volume: () => volume };
}

interface Considered {
  readonly volume: PersistentVolume;
  readonly lacks: ConsideredVolume["lacks"];
  readonly isOfClass: boolean;
  readonly isReserved: boolean;
}

/**
 * Sorts reserved volumes first, then those of its class, then by the number of objections; fitting ones by preference.
 */
function byFewestObjections(a: Considered, b: Considered): number {
  const rank = ({ isReserved, isOfClass }: Considered): number => (isReserved ? 0 : isOfClass ? 1 : 2);
  const isFirst = (): boolean =>
    a.lacks.length === 0 ? isBetter(a.volume, b.volume) : a.volume.metadata.name < b.volume.metadata.name;
  return rank(a) - rank(b) || a.lacks.length - b.lacks.length || (isFirst() ? -1 : 1);
}

interface Found {
  readonly sources: ClaimSources;
  /** The volumes reserved for it. */
  readonly reserved: readonly Considered[];
}

/** Considers every volume, and reads the other input of the decision. */
async function consider(facts: Facts, claim: PersistentVolumeClaim, all: First<Considered>): Promise<Found> {
  const { names, migration, client, dialect, signal } = facts;
  const className = classOf(claim, names);
  const reserved = new First<Considered>(MAX_NAMED, byFewestObjections);
  let best: PersistentVolume | undefined;
  for await (const volume of facts.each(PersistentVolume)) {
    const lacks = objections(volume, claim, names);
    const isReserved = isMeantFor(volume, claim);
    const one = { volume, lacks, isOfClass: classOf(volume, names) === className, isReserved };
    all.add(one);
    if (isReserved) reserved.add(one);
    else if (lacks.length === 0 && (!best || isBetter(volume, best))) best = volume;
  }
  const classes: Kind<StorageClass, "Cluster"> = inDomain(StorageClass, dialect.domain);
  const storageClass =
    className === "" ? undefined : await client.resource(classes).find({ name: className }, { signal });
  const standard = hasNoClass(claim, names) ? await defaultClass(facts, classes) : undefined;
  const sources = {
    ...NOTHING,
    names,
    migration,
    volumesNaming: () => reserved.items.map(({ volume }) => volume),
    best: () => best,
    storageClass: () => storageClass,
    defaultClass: () => standard,
  };
  return { sources, reserved: reserved.items };
}

/** Returns the default class, comparing two at a time: there may be many. */
async function defaultClass(facts: Facts, classes: Kind<StorageClass, "Cluster">): Promise<string | undefined> {
  let standard: StorageClass | undefined;
  for await (const one of facts.each(classes)) {
    standard = defaultClassOf(standard ? [standard, one] : [one], facts.dialect.labelDomain);
  }
  return standard?.metadata.name;
}

const misfit = ({ volume, lacks }: Considered): ReportedReason => ({
  says: `the volume ${volume.metadata.name} is reserved for it and does not fit: ${lacks.join("; ")}`,
  who: ADMINISTRATOR,
  about: refOf(volume),
});

/** The consumers that its class waits for (CTL-MODE-2, 3). */
async function ofConsumers(facts: Facts, claim: PersistentVolumeClaim): Promise<readonly ReportedReason[]> {
  const { name, namespace } = claim.metadata;
  const pods = new First<Pod>(MAX_NAMED);
  for await (const pod of facts.each(Pod, { namespace })) {
    if (waitsForNode(pod) && claimsOfPod(pod).some((key) => key.name === name)) pods.add(pod);
  }
  if (pods.count === 0) {
    const says = `no pod${facts.thatWasSeen} uses it yet, and its class waits for the first (WaitForFirstConsumer)`;
    return [{ says, who: "a user who creates a Pod that uses it" }];
  }
  return firstOf(pods, (pod) => ({
    says: `${textOf(pod)} uses it and has no node yet, which its class waits for (WaitForFirstConsumer)`,
    who: "the scheduler",
    about: refOf(pod),
  }));
}
