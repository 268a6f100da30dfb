/**
 * The environment of an expression: functions of libraries, and variables with their types.
 *
 * @module
 */
import type { Overload } from "./library/contract.ts";
import type { Macros } from "./macros.ts";
import type { Message } from "./message.ts";
import type { Observe } from "./observer.ts";
import type { Range } from "./range.ts";
import type { Type } from "./types.ts";

/** The overloads of functions by name. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** The declarations of an expression. */
export interface Environment {
  readonly functions: Functions;
  readonly variables: ReadonlyMap<string, Type>;
  /** Message types besides those of Protobuf, by name. */
  readonly messages?: (name: string) => Message | undefined;
  /** Macros besides the standard ones. */
  readonly macros?: Macros;
  /** The sizes of the values at a path of the variables (CEL-52); undefined where they are not known. */
  readonly sizeAt?: (path: readonly string[]) => Range | undefined;
  /** Observes the runs of the expressions, for coverage. */
  readonly observe?: Observe | undefined;
}

/** Merges the functions of several libraries. */
export function functionsOf(libraries: readonly (readonly Overload[])[]): Functions {
  const functions = new Map<string, Overload[]>();
  for (const overload of libraries.flat()) {
    const same = functions.get(overload.name);
    if (same) same.push(overload);
    else functions.set(overload.name, [overload]);
  }
  return functions;
}
