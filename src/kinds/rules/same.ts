import { type Value, equal } from "../../value/value.ts";

/** Whether two members of objects in wire form are equal. */
export const same = (a: unknown, b: unknown): boolean => equal(a as Value | undefined, b as Value | undefined);
