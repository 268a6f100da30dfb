import type { WriteContext } from "../../schema/definition.ts";
import type { Gate } from "../../meta/gates.ts";

/**
 * Drops a member whose feature gate is off, unless the stored object has it already (DEC-38), with a Warning where the dialect has one.
 *
 * @param owner the struct that may hold the member; nothing happens when there is none
 * @param stored the same struct of the stored object, undefined for a new object
 * @param path the path of the struct: `spec`, or empty for the object itself
 */
export function dropGated(
  owner: object | null | undefined,
  stored: object | null | undefined,
  member: string,
  gate: Gate,
  path: string,
  ctx: WriteContext,
): void {
  if (ctx.gates[gate] || !isSet(owner, member) || isSet(stored, member)) return;
  delete (owner as Record<string, unknown>)[member];
  if (!ctx.dialect.rules.warnDroppedFields) return;
  const field = path ? `${path}.${member}` : member;
  ctx.warnings.push(`${field}: dropped, because the feature gate ${gate} is off`);
}

/** Members of a struct of an object, and the path of the struct. */
export type GatedMembers = readonly [owner: object | undefined, path: string, members: readonly string[]];

/** A feature, and the members of an object that belong to it. */
export interface Feature<T> {
  readonly gate: Gate;
  readonly members: (object: T) => Iterable<GatedMembers>;
}

/** Drops the members of features that are off, unless the stored object has any of the same feature (KIND-All-23). */
export function dropFeatures<T>(
  features: readonly Feature<T>[],
  object: T,
  stored: T | undefined,
  ctx: WriteContext,
): void {
  for (const { gate, members } of features) {
    if (ctx.gates[gate]) continue;
    const found = [...members(object)].filter(hasAny);
    if (found.length === 0 || (stored !== undefined && [...members(stored)].some(hasAny))) continue;
    for (const [owner, path, names] of found) {
      for (const name of names) dropGated(owner, undefined, name, gate, path, ctx);
    }
  }
}

const hasAny = ([owner, , names]: GatedMembers): boolean => names.some((name) => isSet(owner, name));

const isSet = (owner: object | null | undefined, member: string): boolean =>
  owner != null && Object.hasOwn(owner, member) && (owner as Record<string, unknown>)[member] != null;
