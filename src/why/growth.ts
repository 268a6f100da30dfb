/**
 * Why a claim that is bound does not have yet what it asks for: more room, or other attributes.
 *
 * @module
 */
import { type Kind, inDomain } from "../client/index.ts";
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  Pod,
  VolumeAttributesClass,
} from "../client/kinds/index.ts";
import { requestOf } from "../controllers/binder/fit.ts";
import { claimsOfPod } from "../controllers/pod-claims.ts";
import { allocatedTo, gaveUp, hadBy, isGrowing, resizerOf, stateOf } from "../controllers/resize.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { type Facts, refOf } from "./facts.ts";

/** See the head of this file. */
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
  const wants = `it has ${hadBy(claim)} and asks for ${requestOf(claim)}`;
  const said = complaint(claim, ["ControllerResizeError", "NodeResizeError"]);
  const { name } = resizerOf(volume, facts.migration);
  if (name === undefined) {
    return { says: `${wants}, and a volume of its kind cannot be enlarged`, who: "whoever makes another claim", about };
  }
  const last = allocatedTo(claim) ?? requestOf(claim);
  const other = "whoever asks for another size";
  if (gaveUp(claim) === "Controller") {
    return { says: `${wants}, and ${name} cannot enlarge its volume to ${last}${said}`, who: other, about };
  }
  if (gaveUp(claim) === "Node") {
    return { says: `${wants}, and its node could not enlarge the file system to ${last}${said}`, who: other, about };
  }
  if (stateOf(claim)?.startsWith("Node")) {
    const node = await nodeOf(facts, claim);
    const who = node ? `the agent of the node ${node}` : "whoever makes a Pod that uses it, and the agent of its node";
    return { says: `${wants}; its volume has been enlarged, its file system has not${said}`, who, about };
  }
  return { says: `${wants}, and waits for its volume to be enlarged${said}`, who: `the resizer of ${name}`, about };
}

async function ofAttributes(
  facts: Facts,
  claim: PersistentVolumeClaim,
  { volume, wanted }: { readonly volume: PersistentVolume; readonly wanted: string },
): Promise<ReportedReason> {
  const kind: Kind<VolumeAttributesClass, "Cluster"> = inDomain(VolumeAttributesClass, facts.dialect.domain);
  const found = await facts.client.resource(kind).find({ name: wanted }, { signal: facts.signal });
  if (!found) {
    const says = `expected the VolumeAttributesClass ${wanted} to be there`;
    return { says, who: "whoever makes that VolumeAttributesClass" };
  }
  const { modifyVolumeStatus: change, currentVolumeAttributesClassName: current } = claim.status;
  const { name } = resizerOf(volume, facts.migration);
  const said = complaint(claim, ["ModifyVolumeError"]);
  const about = refOf(found);
  if (change?.status === "Infeasible" && (change.targetVolumeAttributesClassName ?? wanted) === wanted) {
    const who = `whoever names another class${current ? `, or the one that it has, ${current}` : ""}`;
    return { says: `${name ?? "its driver"} refuses the attributes of ${wanted}${said}`, who, about };
  }
  const says = `it waits for its volume to get the attributes of ${wanted}${said}`;
  return { says, who: `the resizer of ${name ?? "its driver"}`, about };
}

/** What a condition of one of some types says. */
function complaint({ status }: PersistentVolumeClaim, types: readonly string[]): string {
  const found = status.conditions?.find((one) => types.includes(one.type) && one.status === "True");
  return found?.message ? `: ${found.message}` : "";
}

/** The node of a Pod that uses a claim. */
async function nodeOf(facts: Facts, { metadata }: PersistentVolumeClaim): Promise<string | undefined> {
  for await (const pod of facts.each(Pod, { namespace: metadata.namespace })) {
    if (pod.spec.nodeName && claimsOfPod(pod).some(({ name }) => name === metadata.name)) return pod.spec.nodeName;
  }
  return undefined;
}
