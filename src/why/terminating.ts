/**
 * What holds an object that is being deleted: each of its finalizers, and who takes it off.
 *
 * @module
 */
import {
  type ApiObject,
  type Kind,
  type ServedKind,
  Discovery,
  inDomain,
  metadataOf,
  preferredKinds,
} from "../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../client/kinds/index.ts";
import { EXTERNAL_FINALIZER, builtInVolumeFinalizer } from "../controllers/binder/fate.ts";
import { FOREGROUND, ORPHAN, blocks, takesPart } from "../controllers/garbage/population.ts";
import { classesOfClaim, classesOfVolume, isUsed, usesClaim } from "../controllers/usage.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { type Facts, First, MOST_NAMED, firstOf, refOf, textOf } from "./facts.ts";

type Explain = (facts: Facts, object: ApiObject, finalizer: string) => Promise<readonly ReportedReason[]>;

/** What holds an object. */
export async function explainDeletion(facts: Facts, object: ApiObject): Promise<readonly ReportedReason[]> {
  const { finalizers = [], deletionGracePeriodSeconds: grace = 0, deletionTimestamp } = object.metadata;
  const known = explainers(facts);
  const reasons: ReportedReason[] = [];
  for (const finalizer of finalizers) {
    const explain = known[finalizer] ?? (finalizer.startsWith(ATTACHER) ? ofAttacher : ofForeign);
    reasons.push(...(await facts.tell(() => explain(facts, object, finalizer))));
  }
  if (finalizers.length === 0 && grace > 0) {
    const node = (object as Pod).spec?.nodeName;
    reasons.push({
      says: `it is given time to end, until ${deletionTimestamp}`,
      who: node ? `the agent of the node ${node}` : "whoever runs it",
    });
  }
  return reasons;
}

const ATTACHER = "external-attacher/";

const explainers = ({ dialect: { labelDomain } }: Facts): Readonly<Record<string, Explain>> => ({
  [`${labelDomain}/pvc-protection`]: ofClaim,
  [`${labelDomain}/pv-protection`]: ofVolume,
  [`${labelDomain}/vac-protection`]: ofAttributesClass,
  [builtInVolumeFinalizer(labelDomain)]: (_facts, _object, name) =>
    told({ says: `the finalizer ${name} keeps it until it is deleted`, who: "the controller persistentvolume-binder" }),
  [EXTERNAL_FINALIZER]: (facts, object, name) =>
    told({
      says: `the finalizer ${name} keeps it until what it stands for is deleted`,
      who: `the provisioner ${provisionerOf(facts, object as PersistentVolume)}`,
    }),
  [FOREGROUND]: (facts, object) => ofDependents(facts, object, true),
  [ORPHAN]: (facts, object) => ofDependents(facts, object, false),
});

const told = async (...reasons: ReportedReason[]): Promise<readonly ReportedReason[]> => reasons;

const provisionerOf = ({ names }: Facts, { metadata, spec }: PersistentVolume): string =>
  metadata.annotations?.[names.provisionedBy] ?? spec?.csi?.driver ?? "that made it";

/** A finalizer that only its controller holds on to, because nobody needs the object any more. */
const idle = ({ isCut }: Pick<Facts, "isCut">, finalizer: string, controller: string): ReportedReason => ({
  says: isCut
    ? `nothing that was looked at uses it (finalizer ${finalizer})`
    : `nothing uses it any more, and the finalizer ${finalizer} is still there`,
  who: `the controller ${controller}`,
});

/** The pods that use a claim. */
async function ofClaim(facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const users = new First<Pod>(MOST_NAMED);
  for await (const pod of facts.each(Pod, { namespace: object.metadata.namespace })) {
    if (usesClaim(pod, object as PersistentVolumeClaim)) users.add(pod);
  }
  if (users.count === 0) return [idle(facts, finalizer, "pvc-protection")];
  return firstOf(users, (pod) => ({
    says: `${textOf(pod)} uses it (finalizer ${finalizer})`,
    who: "whoever deletes that Pod",
    about: refOf(pod),
  }));
}

async function ofVolume(_facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const volume = object as PersistentVolume;
  if (!isUsed(volume)) return [idle({ isCut: false }, finalizer, "pv-protection")];
  const { namespace = "", name = "" } = volume.spec.claimRef ?? {};
  return [
    { says: `the claim ${namespace}/${name} has it (finalizer ${finalizer})`, who: "whoever deletes that claim" },
  ];
}

async function ofAttributesClass(
  facts: Facts,
  object: ApiObject,
  finalizer: string,
): Promise<readonly ReportedReason[]> {
  const { name } = object.metadata;
  const users = new First<ApiObject>(MOST_NAMED);
  for await (const claim of facts.each(PersistentVolumeClaim))
    if (classesOfClaim(claim).includes(name)) users.add(claim);
  for await (const volume of facts.each(PersistentVolume))
    if (classesOfVolume(volume).includes(name)) users.add(volume);
  if (users.count === 0) return [idle(facts, finalizer, "vac-protection")];
  return firstOf(users, (user) => ({
    says: `${textOf(user)} names it (finalizer ${finalizer})`,
    who: "whoever deletes that, or gives it another class",
    about: refOf(user),
  }));
}

/** A volume, or an attachment, that a driver attaches. */
async function ofAttacher(facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const attachments = new First<VolumeAttachment>(MOST_NAMED);
  const kind: Kind<VolumeAttachment, "Cluster"> = inDomain(VolumeAttachment, facts.dialect.domain);
  const isVolume = object.kind === PersistentVolume.kind && !object.apiVersion.includes("/");
  for await (const one of isVolume ? facts.each(kind) : []) {
    if (one.spec.source.persistentVolumeName === object.metadata.name) attachments.add(one);
  }
  const who = `the attacher of ${finalizer.slice(ATTACHER.length)}`;
  if (attachments.count === 0) return [{ says: `the finalizer ${finalizer} keeps it`, who }];
  return firstOf(attachments, (one) => ({
    says: `${textOf(one)} attaches it (finalizer ${finalizer})`,
    who: "the controller attachdetach",
    about: refOf(one),
  }));
}

/** Who depends on an owner: who holds it in the foreground, or is to be left behind. */
async function ofDependents(facts: Facts, owner: ApiObject, isForeground: boolean): Promise<readonly ReportedReason[]> {
  const { uid } = owner.metadata;
  const dependents = new First<ApiObject>(MOST_NAMED);
  for (const kind of preferredKinds(await readKinds(facts)).filter(takesPart)) {
    for await (const one of facts.each(metadataOf(kind))) {
      const references = (one.metadata.ownerReferences ?? []).filter((reference) => reference.uid === uid);
      const counts = references.some((reference) => !isForeground || blocks(reference, one.metadata.uid));
      if (counts) dependents.add({ ...one, kind: kind.kind });
    }
  }
  const who = "the controller garbage-collector";
  const finalizer = isForeground ? FOREGROUND : ORPHAN;
  if (dependents.count === 0) {
    const says = facts.isCut
      ? `no dependent that was looked at holds it (finalizer ${finalizer})`
      : `no dependent holds it, and the finalizer ${finalizer} is still there`;
    return [{ says, who }];
  }
  const says = isForeground
    ? "belongs to it and blocks its deletion in the foreground"
    : "belongs to it and is to be left behind";
  return firstOf(dependents, (one) => ({
    says: `${textOf(one)} ${says} (finalizer ${finalizer})`,
    who: one.metadata.deletionTimestamp === undefined ? who : "whoever holds that one, which is being deleted",
    about: refOf(one),
  }));
}

/** Every kind that is served. */
export const readKinds = ({ client, signal }: Facts): Promise<readonly ServedKind[]> =>
  new Discovery(client).read(signal ? { signal } : {});

/** A finalizer of another program: its name has the domain of that, and who put it there is recorded. */
async function ofForeign(_facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const domain = finalizer.includes("/") ? finalizer.slice(0, finalizer.indexOf("/")) : finalizer;
  const managers = (object.metadata.managedFields ?? []).flatMap(({ manager, fieldsV1 }) =>
    manager && Object.hasOwn(finalizersIn(fieldsV1), `v:${JSON.stringify(finalizer)}`) ? [manager] : [],
  );
  const by = managers.length === 0 ? "" : ` (${[...new Set(managers)].join(", ")} put it there)`;
  return [{ says: `the finalizer ${finalizer} keeps it`, who: `the program of ${domain}${by}` }];
}

type Fields = Readonly<Record<string, unknown>>;

const finalizersIn = (fields: unknown): Fields =>
  (fields as { "f:metadata"?: { "f:finalizers"?: Fields } } | undefined)?.["f:metadata"]?.["f:finalizers"] ?? {};
