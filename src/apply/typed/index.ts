/**
 * Values together with their types: the second step of the ladder.
 *
 * The paths of a value (`field-set.ts`), what changed between two (`compare.ts`), an intent merged into a live value
 * (`merge.ts`), paths removed or extracted (`remove.ts`), the faults of a value (`validate.ts`), and sets that were
 * recorded under an older schema (`reconcile.ts`). All are pure; none knows managers.
 *
 * @module
 */
export { type ScalarEqual, sameValue } from "./same.ts";
export { ANY, elementsOf, elementType, fieldOf } from "./items.ts";
export * from "./field-set.ts";
export * from "./keyless.ts";
export * from "./compare.ts";
export * from "./merge.ts";
export * from "./remove.ts";
export * from "./validate.ts";
export * from "./reconcile.ts";
