import { type Kind, inDomain } from "../client/index.ts";
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  Pod,
  VolumeAttributesClass,
} from "../client/kinds/index.ts";
import { requestOf } from "../claims/fit.ts";
import { claimKeyOf } from "../claims/pod-claims.ts";
import { allocatedTo, infeasibleOn, claimCapacity, isGrowing, resizerOf, stateOf } from "../claims/resize.ts";
import { hasEnded } from "../claims/usage.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { ACTORS } from "./actors.ts";
import { lastFailure, quoteOf, eventsAbout } from "./events.ts";
import { type Facts, missing, refOf, textOf } from "./facts.ts";
import { whoCanRepair } from "./refusals.ts";

/** Explains why a bound claim does not have its requested size or attributes. */
export async function explainGrowth(
  facts: Facts,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<readonly ReportedReason[]> {
  const size = isGrowing(claim) ? [await ofSize(facts, claim, volume)] : [];
  const { volumeAttributesClassName: wanted } = claim.spec;
  const isOther = !!wanted && wanted !== claim.status.currentVolumeAttributesClassName;
  return [...size, ...(isOther ? [await ofAttributes(facts, claim, { volume, wanted })] : [])];
}

async function ofSize(facts: Facts, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<ReportedReason> {
  const about = refOf(volume);
  const wants = `it has ${claimCapacity(claim)} and requests ${requestOf(claim)}`;
  const said = conditionMessage(claim, ["ControllerResizeError", "NodeResizeError"]);
  const { name } = resizerOf(volume, facts.migration);
  if (name === undefined) {
    return {
      says: `${wants}, and a volume of its kind cannot be enlarged`,
      who: "a user who creates another claim",
      about,
    };
  }
  const last = allocatedTo(claim) ?? requestOf(claim);
  const other = "a user who requests another size";
  if (infeasibleOn(claim) === "Controller") {
    return { says: `${wants}, and ${name} cannot enlarge its volume to ${last}${said}`, who: other, about };
  }
  if (infeasibleOn(claim) === "Node") {
    return { says: `${wants}, and its node could not enlarge the file system to ${last}${said}`, who: other, about };
  }
  if (stateOf(claim)?.startsWith("Node")) return ofNode(facts, claim, `${wants}; its volume has been enlarged`, said);
  const event = lastFailure(await eventsAbout(facts, claim), ACTORS.resizer);
  const who = `the resizer of ${name}`;
  if (said === "" && event) {
    const refused = { asks: textOf(claim), driver: name, otherwise: who };
    const says = `${wants}, and ${who} says: ${event.message}`;
    return { says, who: whoCanRepair(event.message, refused), about, quotes: quoteOf(event) };
  }
  return { says: `${wants}, and waits for its volume to be enlarged${said}`, who, about };
}

/** A file system grows only where a Pod mounts it for writing. */
async function ofNode(facts: Facts, claim: PersistentVolumeClaim, done: string, said: string): Promise<ReportedReason> {
  const says = `${done}, its file system has not${said}`;
  const { writer, reader } = await usersOf(facts, claim);
  if (writer) return { says, who: `the agent of the node ${writer.spec.nodeName}`, about: refOf(writer) };
  if (!reader) {
    return { says, who: "a user who creates a Pod that uses it, and the agent of its node", about: refOf(claim) };
  }
  return {
    says: `${done}, and its file system cannot grow while ${textOf(reader)} mounts it read-only${said}`,
    who: "a user who creates a Pod that mounts it without readOnly",
    about: refOf(reader),
  };
}

async function ofAttributes(
  facts: Facts,
  claim: PersistentVolumeClaim,
  { volume, wanted }: { readonly volume: PersistentVolume; readonly wanted: string },
): Promise<ReportedReason> {
  const kind: Kind<VolumeAttributesClass, "Cluster"> = inDomain(VolumeAttributesClass, facts.dialect.domain);
  const found = await facts.client.resource(kind).find({ name: wanted }, { signal: facts.signal });
  if (!found) {
    return missing(kind, { name: wanted });
  }
  const { modifyVolumeStatus: change, currentVolumeAttributesClassName: current } = claim.status;
  const { name } = resizerOf(volume, facts.migration);
  const said = conditionMessage(claim, ["ModifyVolumeError"]);
  const about = refOf(found);
  if (change?.status === "Infeasible" && (change.targetVolumeAttributesClassName ?? wanted) === wanted) {
    const who = `a user who names another class${current ? `, or the one that it has, ${current}` : ""}`;
    return { says: `${name ?? "its driver"} refuses the attributes of ${wanted}${said}`, who, about };
  }
  const says = `it waits for its volume to get the attributes of ${wanted}${said}`;
  return { says, who: `the resizer of ${name ?? "its driver"}`, about };
}

/** Returns the message of a condition of these types. */
function conditionMessage({ status }: PersistentVolumeClaim, types: readonly string[]): string {
  const found = status.conditions?.find((one) => types.includes(one.type) && one.status === "True");
  return found?.message ? `: ${found.message}` : "";
}

/** Returns a Pod on a node that mounts a claim for writing, or else one that reads. */
async function usersOf(
  facts: Facts,
  { metadata }: PersistentVolumeClaim,
): Promise<{ readonly writer?: Pod; readonly reader?: Pod }> {
  let reader: Pod | undefined;
  for await (const pod of facts.each(Pod, { namespace: metadata.namespace })) {
    if (!pod.spec.nodeName || hasEnded(pod)) continue;
    const used = (pod.spec.volumes ?? []).filter((volume) => claimKeyOf(pod, volume)?.name === metadata.name);
    if (used.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.readOnly !== true)) return { writer: pod };
    if (used.length > 0) reader ??= pod;
  }
  return reader ? { reader } : {};
}
