/**
 * Lists and maps that are sent empty. They are left out of an object, and mean the same as none; where Kubernetes compares
 * them with none, they are another value.
 *
 * @module
 */
import type { ApiObject, WriteContext } from "../definition.ts";

/** Whether Kubernetes takes a member for changed because it is sent empty and was not there. */
export const isSentEmpty = (member: string, old: ApiObject, ctx: WriteContext): boolean =>
  old[member] === undefined && ctx.dialect.rules.enforceUndocumented && ctx.sentEmpty?.includes(member) === true;

/** Whether something below a member was sent empty that is not there, but for those places that are filled in. */
export const holdsSentEmpty = (member: string, filled: readonly string[], ctx: WriteContext): boolean =>
  ctx.dialect.rules.enforceUndocumented &&
  ctx.sentEmpty?.some((path) => path.startsWith(`${member}.`) && !filled.includes(path)) === true;
