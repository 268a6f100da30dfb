import { type Key, type Kind, inDomain, keyText } from "../client/index.ts";
import {
  ConfigMap,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  VolumeAttachment,
} from "../client/kinds/index.ts";
import { type Disk, attachmentName } from "../claims/attachment.ts";
import { isReady } from "../controllers/common/nodes.ts";
import { isSingleNode } from "../claims/attachment.ts";
import { claimKeyOf } from "../claims/pod-claims.ts";
import { hasEnded } from "../claims/usage.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { ACTORS } from "./actors.ts";
import { attachmentReason } from "./attachments.ts";
import { type RecentEvent, lastFailure, quoteOf, quoted, eventsAbout } from "./events.ts";
import { type Facts, First, MAX_NAMED, firstOf, prefixed, prefixedOr, missing, refOf, refTo, textOf } from "./facts.ts";
import { whoCanRepairOnNode } from "./mounts.ts";
import { whenText } from "./waits.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];
type ContainerStatus = NonNullable<Pod["status"]["containerStatuses"]>[number];

/**
 * Explains why a Pod on a node does not run: a claim, an attachment, a missing ConfigMap or Secret, or an error of the
 * agent or a container.
 *
 * Objects come first, as they show the current state; Events show the past.
 */
export async function explainPlaced(facts: Facts, pod: Pod, node: string): Promise<readonly ReportedReason[]> {
  const reasons = await ofPlaced(facts, pod, node);
  const ready = pod.status.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return reasons;
  return [...(await ofLostNode(facts, node)), ...ofRestarts(pod, facts.client.clock.now()), ...reasons];
}

/** A node that is not ready: its agent is silent, or reports that. */
async function ofLostNode(facts: Facts, name: string): Promise<readonly ReportedReason[]> {
  const node = await facts.find(Node, { name });
  if (typeof node === "string") return [];
  const ready = node.status.conditions?.find(({ type }) => type === "Ready");
  if (!ready || ready.status === "True") return [];
  const { reason = "no reason is reported", lastTransitionTime: since } = ready;
  const says = `its node ${name} is not ready (${quoted(reason)})${since ? ` since ${since}` : ""}`;
  return [{ says, who: `an administrator who repairs the node ${name}`, about: refOf(node) }];
}

/** The first back-off of a container that has ended, and the longest, as of a kubelet. */
const BACK_OFF = { first: 10_000, most: 300_000 } as const;

/** Containers that wait for their next start, and until when. */
function ofRestarts({ status }: Pod, now: number): readonly ReportedReason[] {
  return (status.containerStatuses ?? []).flatMap(({ name, restartCount, state, lastState }) => {
    const ended = Date.parse(lastState?.terminated?.finishedAt ?? "");
    if (state?.waiting?.reason !== "CrashLoopBackOff" || Number.isNaN(ended)) return [];
    const wait = Math.min(BACK_OFF.most, BACK_OFF.first * 2 ** Math.min(restartCount, 10));
    const left = ended + wait - now;
    const times = restartCount === 0 ? "once" : `${restartCount + 1} times`;
    return left <= 0
      ? []
      : [{ says: `its container ${name} has ended ${times}, and starts again at ${whenText(now, left)}` }];
  });
}

async function ofPlaced(facts: Facts, pod: Pod, node: string): Promise<readonly ReportedReason[]> {
  if (pod.status.phase !== "Pending" && isStarted(pod)) return ofUnready(pod);
  const isMounted = hasVolumes(pod);
  const volumes = isMounted ? [] : await ofVolumes(facts, pod, node);
  if (volumes.length > 0) return volumes;
  const events = await eventsAbout(facts, pod);
  const mount = isMounted ? undefined : lastFailure(events, ACTORS.mounts);
  if (mount) return [ofEvent(mount, node, pod)];
  const containers = ofContainers(pod, node);
  if (containers.length > 0) return containers;
  const failure = lastFailure(events, ACTORS.containers);
  if (failure) return [ofEvent(failure, node, pod)];
  return pod.status.phase === "Pending" ? ofSilence(facts, pod, node) : [];
}

/** A running Pod that is not ready: its containers, or a readiness gate. */
function ofUnready({ status, spec }: Pod): readonly ReportedReason[] {
  const condition = status.conditions?.find(({ type }) => type === "Ready");
  if (status.phase !== "Running" || condition?.status !== "False") return [];
  const says = `it runs and is not ready: ${quoted(condition.message || condition.reason || "no reason is reported")}`;
  const isGated = condition.reason === "ReadinessGatesNotReady" && (spec.readinessGates ?? []).length > 0;
  const who = isGated
    ? "the program that sets the conditions of its readiness gates"
    : "a user who changes its containers, or their probes";
  return [{ says, who, quotes: { in: "condition", reason: "Ready" } }];
}

/** Whether the volumes are mounted; earlier Events about volumes are obsolete then. */
const hasVolumes = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: said }) => type === "PodReadyToStartContainers" && said === "True") === true;

const isStarted = ({ status: { containerStatuses: all } }: Pod): boolean =>
  all !== undefined &&
  all.every(({ state, restartCount }) => restartCount > 0 || !state?.waiting) &&
  !all.some(isStuck);

/** Whether a container waits for more than the ones before it. */
const isStuck = ({ state }: ContainerStatus): boolean => {
  const { reason = "" } = state?.waiting ?? {};
  return reason !== "" && !IDLE.has(reason);
};

/** Reasons of containers that wait for earlier steps. */
const IDLE: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing", "VolumesReady"]);

const ofEvent = (event: RecentEvent, node: string, pod: Pod): ReportedReason => ({
  says: `the agent of the node ${node} says: ${event.message}`,
  who: whoCanRepairOnNode(event.message, node, pod),
  about: refOf(pod),
  quotes: quoteOf(event),
});

/** The faults of each volume in the objects. */
async function ofVolumes(facts: Facts, pod: Pod, node: string): Promise<readonly ReportedReason[]> {
  const faults = new First<ReportedReason>(MAX_NAMED);
  const checked = new Set<string>();
  for (const volume of pod.spec.volumes ?? []) {
    const claim = claimKeyOf(pod, volume);
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that few requests run at once
    for (const reason of claim ? await ofClaim(facts, pod, { key: claim, volume, node }) : []) faults.add(reason);
    for (const { kind, key } of contentsOf(pod, volume)) {
      if (checked.has(`${kind.kind} ${key.name}`)) continue;
      checked.add(`${kind.kind} ${key.name}`);
      // oxlint-disable-next-line no-await-in-loop -- likewise
      for (const reason of await ofContent(facts, volume, { kind, key })) faults.add(reason);
    }
  }
  return firstOf(faults, (reason) => reason);
}

interface Content {
  readonly kind: Kind<ConfigMap, "Namespaced"> | Kind<Secret, "Namespaced">;
  readonly key: Key<"Namespaced">;
}

/** Returns the required ConfigMaps and Secrets of a volume. */
function contentsOf({ metadata }: Pod, { configMap, secret, projected }: Volume): readonly Content[] {
  const { namespace = "" } = metadata;
  const named = (kind: Content["kind"], name: string | undefined, optional: boolean | undefined): readonly Content[] =>
    name && !optional ? [{ kind, key: { namespace, name } }] : [];
  return [
    ...named(ConfigMap, configMap?.name, configMap?.optional),
    ...named(Secret, secret?.secretName, secret?.optional),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...named(ConfigMap, source.configMap?.name, source.configMap?.optional),
      ...named(Secret, source.secret?.name, source.secret?.optional),
    ]),
  ];
}

async function ofContent(facts: Facts, { name }: Volume, { kind, key }: Content): Promise<readonly ReportedReason[]> {
  const found = await facts.find(kind as Kind<ConfigMap, "Namespaced">, key);
  return found === "absent" ? prefixed(`its volume ${name} cannot be written`, [missing(kind, key)]) : [];
}

interface OfClaim {
  readonly key: Key<"Namespaced">;
  readonly volume: Volume;
  readonly node: string;
}

/** A claim that is not bound, or a volume that is not attached. */
async function ofClaim(facts: Facts, pod: Pod, { key, volume, node }: OfClaim): Promise<readonly ReportedReason[]> {
  const claim = await facts.find(PersistentVolumeClaim, key);
  if (claim === "unknown") return [];
  if (claim === "absent") {
    if (!volume.ephemeral) return [missing(PersistentVolumeClaim, key)];
    return [{ ...missing(PersistentVolumeClaim, key), who: "the controller ephemeral-volume" }];
  }
  if (claim.status.phase !== "Bound") {
    const before = `its claim ${key.name} is ${claim.status.phase ?? "not bound"}`;
    return prefixedOr(before, claim, await facts.reasonsOf(claim));
  }
  const found = await facts.find(PersistentVolume, { name: claim.spec.volumeName ?? "" });
  if (found === "unknown" || found === "absent") return [];
  return ofAttachment(facts, pod, { claim, volume: found, node });
}

interface Bound {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
  readonly node: string;
}

/** An attachment that failed, or is on another node. */
async function ofAttachment(
  facts: Facts,
  pod: Pod,
  { claim, volume, node }: Bound,
): Promise<readonly ReportedReason[]> {
  const { csi } = volume.spec;
  const disk = csi ? { driver: csi.driver, handle: csi.volumeHandle } : facts.migration.ofSource(volume);
  if (!disk) return [];
  const kind: Kind<VolumeAttachment, "Cluster"> = inDomain(VolumeAttachment, facts.dialect.domain);
  const own = await facts.find(kind, { name: attachmentName(disk, node) });
  if (own === "unknown") return [];
  if (own !== "absent") return own.status.attached ? [] : [attachmentReason(own, await eventsAbout(facts, own))];
  if (!isSingleNode(volume.spec)) return [];
  const other = await facts.tryRead(() => elsewhere(facts, kind, (one) => isOnDisk(one, volume, disk), node));
  return other ? ofOther(facts, pod, { claim, volume, other }) : [];
}

/** Whether an attachment is of a disk, whatever volume it names. */
const isOnDisk = ({ metadata, spec }: VolumeAttachment, volume: PersistentVolume, disk: Disk): boolean =>
  spec.source.persistentVolumeName === volume.metadata.name || metadata.name === attachmentName(disk, spec.nodeName);

async function elsewhere(
  facts: Facts,
  kind: Kind<VolumeAttachment, "Cluster">,
  isIt: (attachment: VolumeAttachment) => boolean,
  node: string,
): Promise<VolumeAttachment | undefined> {
  for await (const one of facts.each(kind)) if (one.spec.nodeName !== node && isIt(one)) return one;
  return undefined;
}

/** The users of a volume on another node, or that node itself. */
async function ofOther(
  facts: Facts,
  pod: Pod,
  { claim, volume, other }: Omit<Bound, "node"> & { readonly other: VolumeAttachment },
): Promise<readonly ReportedReason[]> {
  const { nodeName } = other.spec;
  const claims = await claimsOf(facts, claim, [volume.metadata.name, other.spec.source.persistentVolumeName]);
  const users = new First<Pod>(MAX_NAMED);
  const isRead = await facts.tryRead(async () => {
    for await (const one of facts.each(Pod, { fieldSelector: `spec.nodeName=${nodeName}` })) {
      const uses = (one.spec.volumes ?? []).some((used) => {
        const key = claimKeyOf(one, used);
        return key !== undefined && claims.has(keyText(key));
      });
      if (uses && one.metadata.uid !== pod.metadata.uid && !hasEnded(one)) users.add(one);
    }
    return true;
  });
  const says = `its volume ${volume.metadata.name} is for one node at a time, and is attached to the node ${nodeName}`;
  if (!isRead) return [{ says, who: "a user who deletes the Pod that uses it there", about: refOf(other) }];
  if (users.count === 0) {
    const who = "the controller attachdetach, once that node does not use it any more";
    return [{ says: `${says}, where no Pod${facts.thatWasSeen} uses it`, who, about: refOf(other) }];
  }
  return firstOf(users, (user) => ({
    says: `${says}, where ${textOf(user)} uses it`,
    who: "a user who deletes that Pod, or lets both run on one node",
    about: refOf(user),
  }));
}

/** Returns the claims of a disk: the own one, and those of the volumes that name it. */
async function claimsOf(
  facts: Facts,
  { metadata }: PersistentVolumeClaim,
  volumes: readonly (string | undefined)[],
): Promise<ReadonlySet<string>> {
  const keys = [keyText({ namespace: metadata.namespace ?? "", name: metadata.name })];
  for (const name of new Set(volumes.filter((one) => one !== undefined))) {
    // oxlint-disable-next-line no-await-in-loop -- two at most
    const volume = await facts.find(PersistentVolume, { name });
    if (volume === "absent" || volume === "unknown") continue;
    const { claimRef } = volume.spec;
    if (claimRef?.name) keys.push(keyText({ namespace: claimRef.namespace ?? "", name: claimRef.name }));
  }
  return new Set(keys);
}

/** Containers that do not start, by their status. */
function ofContainers(pod: Pod, node: string): readonly ReportedReason[] {
  const all = [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])];
  return all
    .filter(isStuck)
    .slice(0, MAX_NAMED)
    .map(({ name, image, state }) => {
      const { reason = "", message = "" } = state?.waiting ?? {};
      const says = `its container ${name} does not start, ${quoted(reason)}${message ? `: ${quoted(message)}` : ""}`;
      const isOfImage = reason.includes("Image");
      const who = isOfImage
        ? `an administrator who provides the image ${image} on the node ${node}`
        : "a user who changes what it names";
      return { says, who, about: refOf(pod), quotes: { in: "status", reason } as const };
    });
}

/** Nothing is reported: the node does not exist, its agent is silent, or the Pod is about to start. */
async function ofSilence(facts: Facts, pod: Pod, name: string): Promise<readonly ReportedReason[]> {
  const node = await facts.find(Node, { name });
  if (node === "absent") {
    const says = `it is on the node ${name}, which does not exist`;
    return [
      {
        says,
        who: "an administrator who starts the agent of that node, or deletes the Pod",
        about: refTo(Node, { name }),
      },
    ];
  }
  if (node !== "unknown" && !isReady(node)) {
    const says = `it is on the node ${name}, which is not Ready`;
    return [{ says, who: `the operator of the agent of the node ${name}`, about: refOf(node) }];
  }
  const held = pod.status.containerStatuses?.find(({ state }) => state?.waiting?.reason === "VolumesReady");
  if (held) {
    const says = `its volumes are mounted, and the agent of the node ${name} starts no containers`;
    return [{ says, who: "an administrator who starts an agent that runs containers", about: refTo(Node, { name }) }];
  }
  const says = `it is on the node ${name}, and some of its containers do not run yet; the agent of the node has reported nothing`;
  return [{ says, who: `the agent of the node ${name}` }];
}
