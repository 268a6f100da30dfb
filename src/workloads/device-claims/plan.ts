/**
 * The claims of devices that are created from the templates of Pods, and the release of claims whose Pods have finished.
 *
 * @module
 */
import type { NewObject } from "../../client/kind.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import { controllerOf, ownedBy } from "../common/ownership.ts";
import { isTerminating } from "../common/pods.ts";

/** The annotation of a generated claim: its name in the Pod. */
export const POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name";

/** The finalizer of an allocated claim. */
export const DELETE_PROTECTION = "resource.kubernetes.io/delete-protection";

/** The maximum number of consumers of a claim. */
const MAX_CONSUMERS = 256;

/** The maximum length of the prefix of a generated name: 63 without a hyphen and five characters. */
const MAX_BASE = 57;

/** A claim in the spec of a Pod. */
export type PodClaim = NonNullable<Pod["spec"]["resourceClaims"]>[number];

/** A consumer of a claim. */
type Consumer = NonNullable<NonNullable<ResourceClaim["status"]>["reservedFor"]>[number];

/** The objects that the plan of a Pod depends on. */
export interface ClaimsAround {
  /** A claim of the namespace of the Pod, by name. */
  readonly claim: (name: string) => ResourceClaim | undefined;
  /** The claims that the Pod controls. */
  readonly owned: readonly ResourceClaim[];
  readonly template: (name: string) => ResourceClaimTemplate | undefined;
}

/** The plan of a Pod. */
export interface PodClaimsPlan {
  /** Claims to create, with their names in the Pod, and the name in its status of a claim that the informer does not have. */
  readonly creates: readonly {
    readonly podClaim: string;
    readonly claim: NewObject<ResourceClaim>;
    readonly unseen: string | undefined;
  }[];
  /** Claims that exist, but are not in the status of the Pod. */
  readonly finds: readonly { readonly podClaim: string; readonly name: string }[];
  /** Allocated claims that are not reserved for the Pod, although it is bound to a node. */
  readonly reserves: readonly ResourceClaim[];
  /** The missing templates: the name of the claim in the Pod, and that of the template. */
  readonly missing: readonly { readonly podClaim: string; readonly template: string }[];
}

/** The plan of a claim. */
export interface ClaimPlan {
  /** The consumers that stay; undefined where all do. */
  readonly reservedFor: readonly Consumer[] | undefined;
  /** Whether its devices are released, and the finalizer is removed. */
  readonly deallocates: boolean;
  readonly removesFinalizer: boolean;
  /** Whether it was generated for a Pod that no longer runs. */
  readonly deletes: boolean;
}

/**
 * Finds the name of each claim of a Pod: its own, or that in the status; undefined where it is not known, null where none is needed. A
 * Pod may have thousands of claims.
 */
function claimNamer({
  status: { resourceClaimStatuses = [] },
}: Pod): (podClaim: PodClaim) => string | null | undefined {
  const inStatus = new Map(resourceClaimStatuses.map((one) => [one.name, one.resourceClaimName ?? null]));
  return ({ name, resourceClaimName }) => resourceClaimName || inStatus.get(name);
}

/** Returns the known names of all claims of a Pod. */
export function claimNamesOf(pod: Pod): readonly string[] {
  const { resourceClaims = [] } = pod.spec;
  const extended = pod.status.extendedResourceClaimStatus?.resourceClaimName;
  return [...resourceClaims.map(claimNamer(pod)), extended].filter((name) => !!name) as string[];
}

/** Whether a Pod needs its claims no longer: it has finished, or was deleted before it was bound. */
export const isDone = (pod: Pod): boolean => isFinished(pod) || (isTerminating(pod) && !pod.spec.nodeName);

/** Plans the claims of a Pod; one that has finished or is being deleted gets none. */
export function planPodClaims(pod: Pod, around: ClaimsAround): PodClaimsPlan {
  const plan = { creates: [], finds: [], reserves: [], missing: [] } as {
    -readonly [K in keyof PodClaimsPlan]: PodClaimsPlan[K][number][];
  };
  if (isTerminating(pod) || isDone(pod)) return plan;
  const nameOf = claimNamer(pod);
  const owned = new Map(
    around.owned.toReversed().map((claim) => [claim.metadata.annotations?.[POD_CLAIM_NAME], claim.metadata.name]),
  );
  for (const podClaim of pod.spec.resourceClaims ?? []) {
    const name = nameOf(podClaim);
    if (name === null) continue;
    const claim = name === undefined ? undefined : around.claim(name);
    const { resourceClaimTemplateName: from } = podClaim;
    if (claim && (from === undefined || controllerOf(claim)?.uid === pod.metadata.uid)) {
      if (isToReserve(pod, claim)) plan.reserves.push(claim);
      continue;
    }
    if (from === undefined) continue;
    const orphan = owned.get(podClaim.name);
    const template = around.template(from);
    if (orphan !== undefined) plan.finds.push({ podClaim: podClaim.name, name: orphan });
    else if (template) {
      const unseen = claim ? undefined : name;
      plan.creates.push({ podClaim: podClaim.name, claim: claimFrom(template, pod, podClaim.name), unseen });
    } else plan.missing.push({ podClaim: podClaim.name, template: from });
  }
  return plan;
}

/** Whether a Pod has to be added to the consumers of a claim, since it was bound by a scheduler that does not know claims. */
function isToReserve({ metadata: { uid }, spec }: Pod, { status }: ResourceClaim): boolean {
  const consumers = status?.reservedFor ?? [];
  if (!spec.nodeName || !status?.allocation || consumers.length >= MAX_CONSUMERS) return false;
  return !consumers.some((consumer) => consumer.uid === uid);
}

/** The status of a claim with a Pod added to its consumers. */
export const reservedBy = ({ status }: ResourceClaim, { metadata: { name, uid } }: Pod): readonly Consumer[] => [
  ...(status?.reservedFor ?? []),
  { resource: "pods", name, uid } as Consumer,
];

function claimFrom(template: ResourceClaimTemplate, pod: Pod, podClaim: string): NewObject<ResourceClaim> {
  const { metadata, spec } = template.spec;
  const { labels, annotations } = metadata ?? {};
  const own = {
    generateName: baseName(pod.metadata.name, podClaim),
    ...(labels ? { labels } : {}),
    annotations: { ...annotations, [POD_CLAIM_NAME]: podClaim },
  };
  return ownedBy({ metadata: own, spec } as NewObject<ResourceClaim>, { ...pod, apiVersion: "v1", kind: "Pod" });
}

/** Returns `<pod>-<claim>-`; both parts of a longer one are cut in proportion. */
export function baseName(pod: string, podClaim: string): string {
  const base = `${pod}-${podClaim}-`;
  if (base.length <= MAX_BASE) return base;
  const cut = (text: string): string => text.slice(0, Math.floor((text.length * MAX_BASE) / base.length));
  return `${cut(pod)}-${cut(podClaim)}`;
}

/**
 * Plans a claim: deleted consumers are removed; with the last one its devices are released.
 *
 * @param podOf a Pod of the namespace of the claim, by name
 */
export function planClaim(claim: ResourceClaim, podOf: (name: string) => Pod | undefined): ClaimPlan {
  const consumers = claim.status?.reservedFor ?? [];
  const valid = consumers.filter((consumer) => isValid(consumer, podOf));
  const isProtected = claim.metadata.finalizers?.includes(DELETE_PROTECTION) === true;
  const isLess = valid.length < consumers.length;
  const isFree = valid.length === 0;
  const isGoing = claim.metadata.deletionTimestamp !== undefined;
  const gives = isProtected && isFree && (isLess || isGoing);
  return {
    reservedFor: isLess ? valid : undefined,
    deallocates: gives && claim.status?.allocation !== undefined,
    removesFinalizer: gives,
    deletes: isFree && !isGoing && isLeftOver(claim, podOf),
  };
}

/** Whether a consumer stays; consumers that are not Pods always do. */
function isValid({ apiGroup, resource, name, uid }: Consumer, podOf: (name: string) => Pod | undefined): boolean {
  if (apiGroup || resource !== "pods") return true;
  const pod = podOf(name);
  return pod !== undefined && pod.metadata.uid === uid && !isDone(pod);
}

/** Whether a claim was generated for a Pod that has finished or was replaced; the garbage collector deletes that of a deleted Pod. */
function isLeftOver(claim: ResourceClaim, podOf: (name: string) => Pod | undefined): boolean {
  const owner = controllerOf(claim);
  if (owner?.kind !== "Pod") return false;
  const pod = podOf(owner.name);
  return pod !== undefined && (pod.metadata.uid !== owner.uid || isDone(pod));
}
