/**
 * The rights that changes of owner references need: the plugin OwnerReferencesPermissionEnforcement (CVE-2025-5187, GC).
 * An object with an owner reference is deleted after its owner, so a user who changes the owner references of an object must be allowed to
 * delete the object. With `blockOwnerDeletion` the owner waits for the object, as it does for a finalizer, so a user who sets it must be
 * allowed to update the finalizers of the owner.
 *
 * @module
 */
import type { Authorizer, Decision } from "../auth/contract.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { OwnerRef } from "../meta/object-meta.ts";
import { NO_REQUEST, type RequestInfo } from "../meta/request-info.ts";
import { equal } from "../value/value.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";
import type { Clock } from "../util/clock.ts";

/** A resource that has the objects of a kind. */
export interface ResourceOfKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The parts that the plugin needs. */
export interface OwnerParts {
  readonly clock: Pick<Clock, "now" | "loop">;
  /** Decides about owners and signers. */
  readonly authorizer: Authorizer;
  /** The served resources of a kind in a version; none for an unknown kind. */
  readonly resourcesOf: (apiVersion: string, kind: string) => readonly ResourceOfKind[];
}

const PODS = { group: "", plural: "pods" };

/** The plugin OwnerReferencesPermissionEnforcement. */
export const ownerReferences = (parts: OwnerParts): AdmissionStep => ({
  name: "OwnerReferencesPermissionEnforcement",
  validate(request) {
    const { object, old, subresource } = request;
    if (!object || (concerns(request, PODS) && subresource === "status")) return undefined;
    const [now, before] = [ownersOf(object), old ? ownersOf(old) : []];
    return equal(now, before) ? undefined : validateOwners(parts, request, now, before);
  },
});

const ownersOf = ({ metadata }: ApiObject): readonly OwnerRef[] => metadata.ownerReferences ?? [];

async function validateOwners(
  parts: OwnerParts,
  request: AdmissionRequest,
  now: readonly OwnerRef[],
  before: readonly OwnerRef[],
): Promise<void> {
  // A create needs no right to delete the object.
  if (request.operation !== "CREATE") await needDelete(parts, request);
  const waiting = new Set(before.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(({ uid }) => uid));
  const blocking = now.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !waiting.has(uid));
  if (blocking.length === 0 || (await mayFinalizeAll(parts, request))) return;
  const limit = parts.clock.loop.slice();
  for (const owner of blocking) {
    if (limit.isOver) await limit.pause();
    await needFinalizers(parts, request, owner);
  }
}

async function needDelete({ authorizer }: OwnerParts, request: AdmissionRequest): Promise<void> {
  const { ref, version, namespace, name, subresource, identity } = request;
  const what = { group: ref.group, version, resource: ref.plural, subresource, namespace, name };
  const decision = await authorizer.authorize(identity, question("delete", what));
  if (!decision.allowed)
    refuse(request, "a user who changes the owners of an object must be allowed to delete it", decision);
}

/** Whether a user may update all finalizers: then no kind needs to be found. */
async function mayFinalizeAll({ authorizer }: OwnerParts, { identity }: AdmissionRequest): Promise<boolean> {
  const everything = { group: "*", version: "*", resource: "*", subresource: "finalizers", name: "*" };
  return (await authorizer.authorize(identity, question("update", everything))).allowed;
}

async function needFinalizers(
  { authorizer, resourcesOf }: OwnerParts,
  request: AdmissionRequest,
  { apiVersion, kind, name }: OwnerRef,
): Promise<void> {
  const resources = resourcesOf(apiVersion, kind);
  if (resources.length === 0)
    refuse(request, `expected an owner of a kind that is served, got ${kind} of ${apiVersion}`);
  for (const { group, version, plural, namespaced } of resources) {
    // An owner that is in a namespace is in the namespace of the object.
    const place = { resource: plural, subresource: "finalizers", namespace: namespaced ? request.namespace : "" };
    const decision = await authorizer.authorize(
      request.identity,
      question("update", { group, version, ...place, name }),
    );
    if (decision.allowed) continue;
    refuse(
      request,
      `a user who sets blockOwnerDeletion must be allowed to update the finalizers of ${plural}`,
      decision,
    );
  }
}

const question = (verb: string, what: Partial<RequestInfo>): RequestInfo => ({
  ...NO_REQUEST,
  isResource: true,
  verb,
  ...what,
});

function refuse(request: AdmissionRequest, why: string, { reason }: Pick<Decision, "reason"> = { reason: "" }): never {
  throw refusal(request, reason === "" ? why : `${why}: ${reason}`);
}
