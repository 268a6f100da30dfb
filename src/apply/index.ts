/**
 * Field ownership: who may change which field of a shared object, and who did.
 *
 * A library of pure functions over JSON values and schemas, usable without the server. It knows no HTTP, no storage
 * and no clock: a write goes in with the live object, and the new entries of `metadata.managedFields` come out.
 *
 * - {@link applyIntent} is the declarative write: one manager sends its fields, conflicts name the other owners.
 * - {@link recordUpdate} is for every other write: create, replace, patch.
 * - {@link blame} returns the owners of each leaf; {@link explainConflicts} how to resolve the conflicts of an apply.
 * - {@link applyWork} and {@link recordWork} are the same in steps where the object is large, so that a caller may yield to
 *   the event loop between them.
 * - {@link typeOf} compiles a JSON Schema with `x-kubernetes-*` markers into the type that both work on.
 *
 * Below them is a ladder of small packages: `schema/`, `fieldpath/` (sets of paths), `typed/` (compare, merge, remove,
 * validate) and `merge/` (owners after a write). The files beside this one are what an API server adds: entries, times,
 * limits, clearing, and the migration from kubectl's annotation to ownership.
 *
 * ```ts
 * const type = typeOf({ type: "object", properties: { … } });
 * const context = { converter: singleVersion("v1", type), apiVersion: "v1", zero: {}, time: "2030-01-01T00:00:00Z" };
 * const result = applyIntent({ ...context, manager: "deployer", live: undefined, intent: { data: { color: "red" } } });
 * if (result.kind === "applied") store(withEntries(result.object, result.managedFields));
 * ```
 *
 * @module
 */
export { structOf, typeOf } from "./schema/schema.ts";
export type { Field, JsonSchema, Presence, StructType, Type } from "./schema/schema.ts";
export * from "./fieldpath/index.ts";
export * from "./typed/index.ts";
export * from "./merge/index.ts";
export * from "./rules.ts";
export * from "./entries.ts";
export { sentEntries, storedEntries, withEntries, withoutEntries } from "./objects.ts";
export { NEVER_OWNED } from "./fieldpath/never-owned.ts";
export { ANCIENT } from "./cap.ts";
export { MAX_LISTED_CONFLICTS, conflictMessage } from "./conflict.ts";
export type { FieldConflict } from "./conflict.ts";
export { LAST_APPLIED } from "./last-applied.ts";
export { blame } from "./blame.ts";
export type { AbsentField, Blame, BlamedContainer, BlamedLeaf, FieldManager } from "./blame.ts";
export { explainConflicts } from "./explain.ts";
export type { BodyChange, ConflictingField, RefusedApply, WayOut } from "./explain.ts";
export { recordUpdate, recordWork } from "./record-update.ts";
export type { UpdateRecord, WriteContext } from "./record-update.ts";
export { applyIntent, applyWork, BEFORE_FIRST_APPLY } from "./apply-intent.ts";
export type { ApplyOutcome, ApplyRequest } from "./apply-intent.ts";
export { atOnce } from "../util/steps.ts";
export type { Steps, Work } from "../util/steps.ts";
