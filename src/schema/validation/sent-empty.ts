/**
 * Lists and maps that are sent empty. They are left out of an object and mean the same as none, but some rules of Kubernetes
 * distinguish them.
 *
 * @module
 */
import type { ApiObject, WriteContext } from "../definition.ts";

/** Whether a member counts as changed in Kubernetes, because it is sent empty and was absent. */
export const isSentEmpty = (member: string, old: ApiObject, ctx: WriteContext): boolean =>
  old[member] === undefined && ctx.dialect.rules.enforceUndocumented && ctx.sentEmpty?.includes(member) === true;

/** Whether something below a member was sent empty and left out, except for paths that the server sets. */
export const hasSentEmptyBelow = (member: string, filled: readonly string[], ctx: WriteContext): boolean =>
  ctx.dialect.rules.enforceUndocumented &&
  ctx.sentEmpty?.some((path) => path.startsWith(`${member}.`) && !filled.includes(path)) === true;
