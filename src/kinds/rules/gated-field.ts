import type { WriteContext } from "../../schema/definition.ts";
import type { Gate } from "../../meta/gates.ts";

/**
 * Drops a member whose feature gate is off, unless the stored object has it already (DEC-38), and tells so where the
 * dialect warns.
 *
 * @param owner the struct that may hold the member; nothing happens when there is none
 * @param stored the same struct of the stored object, undefined for a new object
 * @param path where the struct stands: `spec`, or empty for the object itself
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

const isSet = (owner: object | null | undefined, member: string): boolean =>
  owner != null && Object.hasOwn(owner, member) && (owner as Record<string, unknown>)[member] != null;
