/**
 * Field paths and sets of them: the bottom of the ladder.
 *
 * `element.ts` is one step of a path, `set.ts` the set and its algebra, `serialize.ts` reads and writes `fieldsV1`.
 * Nothing here knows values or schemas.
 *
 * @module
 */
export * from "./element.ts";
export * from "./set.ts";
export * from "./builder.ts";
export * from "./serialize.ts";
export * from "./filter.ts";
