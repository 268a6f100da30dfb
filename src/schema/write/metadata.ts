/**
 * The members of `metadata` that the server owns: identity, times, versions, generations (DEC-1, DEC-3).
 *
 * @module
 */
import { formatTime } from "../../meta/time.ts";
import { canonicalJson } from "../../value/canonical.ts";
import type { Value } from "../../value/value.ts";
import type { ApiContext, ApiObject, ResourceDefinition, WriteContext } from "../definition.ts";
import { sameMeaning } from "../same-meaning.ts";

/** The generation of a new object: none, 1, or the sent one where the dialect keeps it. */
function firstGeneration(
  definition: ResourceDefinition,
  sent: number | undefined,
  api: ApiContext,
): number | undefined {
  if (definition.generation === "fromOne") return 1;
  return api.dialect.rules.keepSentGeneration ? sent : undefined;
}

/**
 * Drops what a client may not set on a new object, before ownership is recorded: on POST always, on other creates unless the
 * dialect keeps them as sent.
 */
export function dropServerMetadata({ metadata }: ApiObject): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

/** Sets the members of a new object that only the server may set. */
export function fillNewMetadata(definition: ResourceDefinition, object: ApiObject, api: ApiContext): void {
  const { metadata } = object;
  const generation = firstGeneration(definition, metadata.generation, api);
  delete metadata.selfLink;
  delete metadata.resourceVersion;
  if (generation === undefined) delete metadata.generation;
  else metadata.generation = generation;
  metadata.uid = api.random.uuid();
  metadata.creationTimestamp = formatTime(api.clock.now());
}

/** Restores the members that an update may not change from the stored object. */
export function keepServerMetadata(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  const before = old.metadata;
  keep("uid");
  keep("creationTimestamp");
  keep("generation");
  keep("resourceVersion");
  delete metadata.selfLink;
  // A client cannot undo a deletion (DEC-1).
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

/** Counts a change of the desired state, where the kind counts (DEC-3). */
export function countGeneration(
  definition: ResourceDefinition,
  object: ApiObject,
  old: ApiObject,
  ctx: WriteContext,
): void {
  if (definition.generation === undefined) return;
  const counts = definition.counts?.(object, old, ctx) ?? changesSpec(definition, object, old);
  if (!counts) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

const changesSpec = ({ schema }: ResourceDefinition, object: ApiObject, old: ApiObject): boolean =>
  !sameMeaning(schema, { spec: object["spec"] }, { spec: old["spec"] });

/**
 * Drops duplicate owner references with a warning (DEC-1): only entries that are equal in every member. Two of one uid that
 * differ are stored; apply refuses them.
 */
export function dropDuplicateOwners(object: ApiObject, ctx: WriteContext): void {
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
