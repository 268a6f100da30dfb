/**
 * What an expression may speak of: functions of libraries, and variables with their types.
 *
 * @module
 */
import type { Overload } from "./library/contract.ts";
import type { Macros } from "./macros.ts";
import type { Range } from "./range.ts";
import type { Type } from "./types.ts";

/** Functions by name; made once, shared by all environments. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** What an expression may speak of. */
export interface Environment {
  readonly functions: Functions;
  readonly variables: ReadonlyMap<string, Type>;
  /** Macros besides those that all expressions have. */
  readonly macros?: Macros;
  /** How large what is at a path of the variables may become (CEL-52); undefined where nothing is known. */
  readonly sizeAt?: (path: readonly string[]) => Range | undefined;
}

/** Functions by their names, of several libraries. */
export function functionsOf(libraries: readonly (readonly Overload[])[]): Functions {
  const functions = new Map<string, Overload[]>();
  for (const overload of libraries.flat()) {
    const same = functions.get(overload.name);
    if (same) same.push(overload);
    else functions.set(overload.name, [overload]);
  }
  return functions;
}
