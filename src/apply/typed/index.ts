/**
 * Values together with their types: the second step of the ladder.
 *
 * What a value says (`field-set.ts`), what changed between two (`compare.ts`), an intent put over a live value
 * (`merge.ts`), paths taken out of a value or kept (`remove.ts`), whether a value fits (`validate.ts`), and whether a
 * recorded set still fits its type (`reconcile.ts`). All are pure; none knows of managers.
 *
 * @module
 */
export * from "./same.ts";
export { ANY, elementsOf, elementType, fieldOf } from "./items.ts";
export * from "./field-set.ts";
export * from "./keyless.ts";
export * from "./compare.ts";
export * from "./merge.ts";
export * from "./remove.ts";
export * from "./validate.ts";
export * from "./reconcile.ts";
