/**
 * Field paths and sets of them: the bottom of the ladder.
 *
 * `element.ts` is one step of a path, `set.ts` the set and its algebra, `serialize.ts` the border to the wire,
 * `builder.ts` and `filter.ts` what their names say. Nothing here knows values or schemas.
 *
 * @module
 */
export * from "./element.ts";
export * from "./set.ts";
export * from "./builder.ts";
export * from "./serialize.ts";
export * from "./filter.ts";
