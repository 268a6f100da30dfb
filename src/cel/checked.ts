/**
 * A tree whose every part has a type.
 *
 * @module
 */
import type { Expr } from "./ast.ts";
import type { Overload } from "./library/contract.ts";
import type { Type } from "./types.ts";

/** A tree with its types. */
export interface Checked {
  readonly expr: Expr;
  readonly type: Type;
  typeOf(expr: Expr): Type;
  /** The overloads that a call may mean. */
  overloadsOf(expr: Expr): readonly Overload[];
  /** The names of the variables that are spoken of. */
  readonly variables: ReadonlySet<string>;
  /** Calls and selects that are a name with dots: the function is called without a target, the variable is one. */
  readonly qualified: ReadonlyMap<number, string>;
}
