/**
 * The members of `metadata` that the server owns: identity, times, versions, generations (DEC-1, DEC-3).
 *
 * @module
 */
import type { ApiContext, ApiObject, WriteContext } from "../schema/definition.ts";
import { formatTime } from "../meta/time.ts";
import { badRequest } from "../meta/status.ts";
import { canonicalJson } from "../value/canonical.ts";
import { type Value, equal } from "../value/value.ts";
import type { Target } from "./contract.ts";
import type { Kind } from "./kind.ts";

const NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const LONGEST_PREFIX = 58;

/** A name made of a prefix and five characters (DEC-1). */
export function generateName(prefix: string, api: ApiContext): string {
  let name = prefix.slice(0, LONGEST_PREFIX);
  for (let i = 0; i < 5; i++) name += NAME_LETTERS[Math.floor(api.random.next() * NAME_LETTERS.length)];
  return name;
}

/** Name and namespace of a body must be those of the path, where both say one (DEC-18, DEC-22). */
export function placeObject(kind: Kind, object: ApiObject, target: Target): void {
  const { metadata } = object;
  if (kind.namespaced) {
    const sent = metadata.namespace;
    if (sent !== undefined && sent !== "" && sent !== target.namespace) {
      throw badRequest(`expected metadata.namespace to be "${target.namespace}" as the path says, got "${sent}"`);
    }
    metadata.namespace = target.namespace;
  } else {
    delete metadata.namespace;
  }
  if (target.name === "") return;
  const sent = metadata.name;
  if (sent !== undefined && sent !== "" && sent !== target.name) {
    throw badRequest(`expected metadata.name to be "${target.name}" as the path says, got "${sent}"`);
  }
}

/** The generation of a new object: none, 1, or what was sent where the dialect keeps it. */
function firstGeneration(kind: Kind, sent: number | undefined, api: ApiContext): number | undefined {
  if (kind.definition.generation === "fromOne") return 1;
  return api.dialect.rules.keepSentGeneration ? sent : undefined;
}

/** Fills what only the server gives to a new object, and drops what a client may not say of one. */
export function fillNewMetadata(kind: Kind, object: ApiObject, api: ApiContext, posted: boolean): void {
  const { metadata } = object;
  const generation = firstGeneration(kind, metadata.generation, api);
  if (posted || !api.dialect.rules.updateCreatesAsSent) {
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
  }
  delete metadata.selfLink;
  delete metadata.resourceVersion;
  if (generation === undefined) delete metadata.generation;
  else metadata.generation = generation;
  metadata.uid = api.random.uuid();
  metadata.creationTimestamp = formatTime(api.clock.now());
}

/** What an update may not change is taken from the stored object, whatever was sent. */
export function keepServerMetadata(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  const before = old.metadata;
  keep("uid");
  keep("creationTimestamp");
  keep("generation");
  keep("resourceVersion");
  delete metadata.selfLink;
  // A deletion that has begun goes on, whatever the client says of it (checked.md DEC-1).
  if (before.deletionTimestamp !== undefined) {
    metadata.deletionTimestamp = before.deletionTimestamp;
  }
  if (before.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  }

  function keep(member: "uid" | "creationTimestamp" | "generation" | "resourceVersion"): void {
    const value = before[member];
    if (value === undefined) delete metadata[member];
    else (metadata as Record<string, unknown>)[member] = value;
  }
}

/** Counts a change of the desired state: of `spec`, where the kind counts (DEC-3). */
export function countGeneration(kind: Kind, object: ApiObject, old: ApiObject): void {
  if (kind.definition.generation === undefined) return;
  if (equal(object["spec"] as Value, old["spec"] as Value)) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/**
 * Drops owner references that stand there twice and tells so (DEC-1): only entries that are equal in every member.
 * Two of one uid that differ are stored, apply refuses them.
 */
export function dropDoubledOwners(object: ApiObject, ctx: WriteContext): void {
  const owners = object.metadata.ownerReferences;
  if (!owners || owners.length < 2) return;
  const seen = new Set<string>();
  const single = owners.filter((owner) => {
    const text = canonicalJson(owner as Value);
    return !seen.has(text) && seen.add(text);
  });
  if (single.length === owners.length) return;
  object.metadata.ownerReferences = single;
  ctx.warnings.push("metadata.ownerReferences: the same owner was named more than once, it is kept once");
}
