import { isObject } from "../value/value.ts";
import { type ApiObject, type Kind, inDomain, metadataOf, preferredKinds } from "../client/index.ts";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../client/kinds/index.ts";
import { attachNames } from "../claims/attachment.ts";
import { isReady } from "../controllers/common/nodes.ts";
import { EXTERNAL_FINALIZER, builtInVolumeFinalizer } from "../claims/reclaim.ts";
import { FOREGROUND, ORPHAN, blocks, isCollected } from "../controllers/garbage/object-graph.ts";
import { classesOfClaim, classesOfVolume, isUsed, usesClaim } from "../claims/usage.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { sourceOf } from "../sidecars/provision/data-source.ts";
import { type VolumeSnapshot, snapshotKinds } from "../sidecars/snapshot/kinds.ts";
import { ACTORS } from "./actors.ts";
import { detachmentReason } from "./attachments.ts";
import { lastFailure, lastWarning, quoteOf, eventsAbout } from "./events.ts";
import { type Facts, First, MAX_NAMED, firstOf, refOf, refTo, textOf } from "./facts.ts";
import { whoCanRepair } from "./refusals.ts";

/** The finalizer of definitions. `definitions.ts` shows the remaining objects. */
export const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

type Explain = (facts: Facts, object: ApiObject, finalizer: string) => Promise<readonly ReportedReason[]>;

/** Explains what holds an object that is being deleted: each finalizer, and who removes it. */
export async function explainDeletion(facts: Facts, object: ApiObject): Promise<readonly ReportedReason[]> {
  const { finalizers = [], deletionGracePeriodSeconds: grace = 0, deletionTimestamp } = object.metadata;
  const known = explainers(facts);
  const reasons: ReportedReason[] = [];
  for (const finalizer of finalizers) {
    const explain = known[finalizer] ?? byPrefix(finalizer);
    reasons.push(...(await facts.reasonsOrRefusal(() => explain(facts, object, finalizer))));
  }
  if (finalizers.length === 0 && grace > 0) {
    const node = (object as Pod).spec?.nodeName;
    const says = `it has time to end until ${deletionTimestamp}`;
    reasons.push(
      ...(node
        ? await facts.reasonsOrRefusal(() => ofEnding(facts, object, { node, says }))
        : [{ says, who: "its operator" }]),
    );
  }
  return reasons;
}

const ATTACHER = "external-attacher/";
const PROVISIONER = "external-provisioner/";

/** A terminating Pod: a mount is busy, its node is lost, or its grace period is not over. */
async function ofEnding(
  facts: Facts,
  pod: ApiObject,
  { node: name, says }: { readonly node: string; readonly says: string },
): Promise<readonly ReportedReason[]> {
  const event = lastFailure(await eventsAbout(facts, pod), ACTORS.unmounts);
  if (event) {
    const isBusy = event.message.toLowerCase().includes("busy");
    const who = isBusy
      ? `an administrator who ends the process that uses the mount on the node ${name}`
      : `an administrator who repairs it on the node ${name}`;
    return [
      { says: `the agent of the node ${name} says: ${event.message}`, who, about: refOf(pod), quotes: quoteOf(event) },
    ];
  }
  const node = await facts.find(Node, { name });
  if (node === "absent" || (node !== "unknown" && !isReady(node))) {
    const what = node === "absent" ? "does not exist" : "is not Ready";
    const about = node === "absent" ? refTo(Node, { name }) : refOf(node);
    const taint = `${attachNames(facts.dialect).outOfService}:NoExecute`;
    const otherwise =
      node === "absent" ? "deletes the Pod with --force" : `taints a node that is shut down with ${taint}`;
    const who = `an administrator who starts the agent of that node, or ${otherwise}`;
    return [{ says: `${says}, and its node ${name} ${what}`, who, about }];
  }
  return [{ says, who: `the agent of the node ${name}` }];
}

const byPrefix = (finalizer: string): Explain =>
  finalizer.startsWith(ATTACHER) ? ofAttacher : finalizer.startsWith(PROVISIONER) ? ofProvisioner : ofForeign;

const explainers = ({ dialect: { labelDomain, domain } }: Facts): Readonly<Record<string, Explain>> => ({
  [`${labelDomain}/pvc-protection`]: ofClaim,
  [`${labelDomain}/pv-protection`]: ofVolume,
  [`${labelDomain}/vac-protection`]: ofAttributesClass,
  [builtInVolumeFinalizer(labelDomain)]: (_facts, _object, name) =>
    asReasons({
      says: `the finalizer ${name} keeps it until it is deleted`,
      who: "the controller persistentvolume-binder",
    }),
  [EXTERNAL_FINALIZER]: ofDeleter,
  [`external-provisioner.volume.${labelDomain}/finalizer`]: ofDeleter,
  [`provisioner.storage.${labelDomain}/cloning-protection`]: ofFilled,
  [`provisioner.storage.${labelDomain}/volumesnapshot-as-source-protection`]: ofFilled,
  [`snapshot.storage.${labelDomain}/pvc-as-source-protection`]: (facts, object, name) =>
    ofSnapshots(facts, object, { finalizer: name, group: `snapshot.storage.${domain}` }),
  [CLEANUP]: () => asReasons(),
  [FOREGROUND]: (facts, object) => ofDependents(facts, object, true),
  [ORPHAN]: (facts, object) => ofDependents(facts, object, false),
});

const asReasons = async (...reasons: ReportedReason[]): Promise<readonly ReportedReason[]> => reasons;

const provisionerOf = ({ names }: Facts, { metadata, spec }: PersistentVolume): string =>
  metadata.annotations?.[names.provisionedBy] ?? spec?.csi?.driver ?? "of the volume";

/** A finalizer that its controller is about to remove, as the object is unused. */
const idle = ({ isCut }: Pick<Facts, "isCut">, finalizer: string, controller: string): ReportedReason => ({
  says: isCut
    ? `nothing that was read uses it (finalizer ${finalizer})`
    : `nothing uses it any more, and the finalizer ${finalizer} is still there`,
  who: `the controller ${controller}`,
});

async function ofClaim(facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const users = new First<Pod>(MAX_NAMED);
  for await (const pod of facts.each(Pod, { namespace: object.metadata.namespace })) {
    if (usesClaim(pod, object as PersistentVolumeClaim)) users.add(pod);
  }
  if (users.count === 0) return [idle(facts, finalizer, "pvc-protection")];
  return firstOf(users, (pod) => ({
    says: `${textOf(pod)} uses it (finalizer ${finalizer})`,
    who: "a user who deletes that Pod",
    about: refOf(pod),
  }));
}

async function ofVolume(_facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const volume = object as PersistentVolume;
  if (!isUsed(volume)) return [idle({ isCut: false }, finalizer, "pv-protection")];
  const { namespace = "", name = "" } = volume.spec.claimRef ?? {};
  return [
    { says: `the claim ${namespace}/${name} has it (finalizer ${finalizer})`, who: "a user who deletes that claim" },
  ];
}

async function ofAttributesClass(
  facts: Facts,
  object: ApiObject,
  finalizer: string,
): Promise<readonly ReportedReason[]> {
  const { name } = object.metadata;
  const users = new First<ApiObject>(MAX_NAMED);
  for await (const claim of facts.each(PersistentVolumeClaim))
    if (classesOfClaim(claim).includes(name)) users.add(claim);
  for await (const volume of facts.each(PersistentVolume))
    if (classesOfVolume(volume).includes(name)) users.add(volume);
  if (users.count === 0) return [idle(facts, finalizer, "vac-protection")];
  return firstOf(users, (user) => ({
    says: `${textOf(user)} names it (finalizer ${finalizer})`,
    who: "a user who deletes that, or gives it another class",
    about: refOf(user),
  }));
}

/** A volume or an attachment with the finalizer of an attacher. */
async function ofAttacher(facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const attachments = new First<VolumeAttachment>(MAX_NAMED);
  const kind: Kind<VolumeAttachment, "Cluster"> = inDomain(VolumeAttachment, facts.dialect.domain);
  const isVolume = object.kind === PersistentVolume.kind && !object.apiVersion.includes("/");
  for await (const one of isVolume ? facts.each(kind) : []) {
    if (one.spec.source.persistentVolumeName === object.metadata.name) attachments.add(one);
  }
  if (object.kind === VolumeAttachment.kind) {
    const reason = detachmentReason(object as VolumeAttachment, await eventsAbout(facts, object));
    return [{ ...reason, says: `${reason.says} (finalizer ${finalizer})` }];
  }
  const who = `the attacher of ${finalizer.slice(ATTACHER.length)}`;
  if (attachments.count === 0) return [{ says: `the finalizer ${finalizer} keeps it`, who }];
  return firstOf(attachments, (one) => ({
    says: `${textOf(one)} attaches it (finalizer ${finalizer})`,
    who: "the controller attachdetach",
    about: refOf(one),
  }));
}

/** A volume whose driver deletes the disk first. */
async function ofDeleter(facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const provisioner = provisionerOf(facts, object as PersistentVolume);
  const who = `the provisioner ${provisioner}`;
  const event = lastFailure(await eventsAbout(facts, object), ACTORS.deleter);
  if (!event) return [{ says: `the finalizer ${finalizer} keeps it until its disk is deleted`, who }];
  const refused = { asks: textOf(object), driver: provisioner, otherwise: `the operator of ${who}` };
  const says = `${who} could not delete its disk: ${event.message} (finalizer ${finalizer})`;
  return [{ says, who: whoCanRepair(event.message, refused), about: refOf(object), quotes: quoteOf(event) }];
}

/** A claim whose provisioner may have created a disk. */
async function ofProvisioner(facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const driver = finalizer.slice(PROVISIONER.length);
  const who = `the provisioner ${driver}`;
  const events = await eventsAbout(facts, object);
  const event = lastFailure(events, ACTORS.cleanup) ?? lastFailure(events, ACTORS.provisioner);
  const says = `${who} was requested to create a volume, and deletes the result (finalizer ${finalizer})`;
  if (!event) return [{ says, who }];
  const refused = { asks: textOf(object), driver, otherwise: `the operator of ${who}` };
  const actor = whoCanRepair(event.message, refused);
  return [{ says: `${says}; it says: ${event.message}`, who: actor, about: refOf(object), quotes: quoteOf(event) }];
}

/** A claim or a snapshot that is the source of unbound claims. */
async function ofFilled(facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const { namespace, name } = object.metadata;
  const filled = new First<PersistentVolumeClaim>(MAX_NAMED);
  for await (const claim of facts.each(PersistentVolumeClaim)) {
    const source = sourceOf(claim);
    const isIt = source?.kind === object.kind && source.namespace === namespace && source.name === name;
    if (isIt && claim.status.phase !== "Bound") filled.add(claim);
  }
  if (filled.count === 0) return [idle(facts, finalizer, "of the provisioner")];
  return firstOf(filled, (claim) => ({
    says: `${textOf(claim)} is being filled from it (finalizer ${finalizer})`,
    who: "the provisioner of that claim, or a user who deletes it",
    about: refOf(claim),
  }));
}

/** A claim with pending snapshots. */
async function ofSnapshots(
  facts: Facts,
  object: ApiObject,
  { finalizer, group }: { readonly finalizer: string; readonly group: string },
): Promise<readonly ReportedReason[]> {
  const { namespace, name } = object.metadata;
  const isServed = (await facts.kinds()).some((kind) => kind.group === group && kind.kind === "VolumeSnapshot");
  if (!isServed) {
    const says = `snapshots of it were taken, and the kind VolumeSnapshot.${group} is not served any more (finalizer ${finalizer})`;
    return [
      { says, who: "an administrator who installs its CustomResourceDefinition again, or removes the finalizer" },
    ];
  }
  const taken = new First<VolumeSnapshot>(MAX_NAMED);
  for await (const snapshot of facts.each(snapshotKinds(group).snapshot, { namespace })) {
    const isOfIt = snapshot.spec.source.persistentVolumeClaimName === name;
    if (isOfIt && snapshot.status?.readyToUse !== true) taken.add(snapshot);
  }
  if (taken.count === 0) return [idle(facts, finalizer, "of snapshots")];
  return firstOf(taken, (snapshot) => ({
    says: `${textOf(snapshot)} is being taken of it (finalizer ${finalizer})`,
    who: "the snapshotter, or a user who deletes that snapshot",
    about: refOf(snapshot),
  }));
}

/** The dependents of an owner that block or orphan it. */
async function ofDependents(facts: Facts, owner: ApiObject, isForeground: boolean): Promise<readonly ReportedReason[]> {
  const { uid } = owner.metadata;
  const dependents = new First<ApiObject>(MAX_NAMED);
  for (const kind of preferredKinds(await facts.kinds()).filter(isCollected)) {
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
      ? `no dependent that was read holds it (finalizer ${finalizer})`
      : `no dependent holds it, and the finalizer ${finalizer} is still there`;
    return [{ says, who }];
  }
  const says = isForeground
    ? "belongs to it and blocks its deletion in the foreground"
    : "belongs to it and is to be orphaned";
  return firstOf(dependents, (one) => ({
    says: `${textOf(one)} ${says} (finalizer ${finalizer})`,
    who: one.metadata.deletionTimestamp === undefined ? who : "the holder of that one, which is being deleted",
    about: refOf(one),
  }));
}

/** A finalizer of another program, by its domain and the field manager that added it. */
async function ofForeign(facts: Facts, object: ApiObject, finalizer: string): Promise<readonly ReportedReason[]> {
  const domain = finalizer.includes("/") ? finalizer.slice(0, finalizer.indexOf("/")) : finalizer;
  const managers = (object.metadata.managedFields ?? []).flatMap(({ manager, fieldsV1 }) =>
    manager && Object.hasOwn(finalizersIn(fieldsV1), `v:${JSON.stringify(finalizer)}`) ? [manager] : [],
  );
  const by = managers.length === 0 ? "" : ` (${[...new Set(managers)].join(", ")} put it there)`;
  const says = `the finalizer ${finalizer} keeps it`;
  const who = `the program of ${domain}${by}`;
  const event = lastWarning(await eventsAbout(facts, object));
  if (!event) return [{ says, who }];
  return [
    { says: `${says}; ${event.from || "an unnamed component"} says: ${event.message}`, who, quotes: quoteOf(event) },
  ];
}

type Fields = Readonly<Record<string, unknown>>;

function finalizersIn(fields: unknown): Fields {
  const metadata = isObject(fields) ? fields["f:metadata"] : undefined;
  const finalizers = isObject(metadata) ? metadata["f:finalizers"] : undefined;
  return isObject(finalizers) ? finalizers : {};
}
