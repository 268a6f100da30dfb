/**
 * Conversions between objects of kinds and plain values, which are the same at run time.
 *
 * @module
 */
import { type ValueObject, clone } from "../value/value.ts";
import type { ApiObject } from "./definition.ts";

/** The object itself, as a value. */
export const asValue = (object: ApiObject): ValueObject => object as unknown as ValueObject;

/** The value itself, as an object; the caller ensures that it is one. */
export const asObject = (value: ValueObject): ApiObject => value as unknown as ApiObject;

/** A copy of an object, to be changed. */
export const copyOf = <T extends ApiObject>(object: T): T => clone(object);

/** Returns a guard for objects of a built-in kind: the walker of its schema has decoded them. */
export const guardOf =
  <T extends ApiObject>(kind: string) =>
  (object: ApiObject | undefined): object is T =>
    object?.kind === kind;
