/**
 * A checked expression.
 *
 * @module
 */
import type { Expr } from "./ast.ts";
import type { Overload } from "./library/contract.ts";
import type { Message } from "./message.ts";
import type { Type } from "./types.ts";

/** An expression with its types and references. */
export interface Checked {
  readonly expr: Expr;
  readonly type: Type;
  typeOf(expr: Expr): Type;
  /** The overloads that a call may mean. */
  overloadsOf(expr: Expr): readonly Overload[];
  /** The names of the variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
  /** The message types of message literals. */
  readonly messages: ReadonlyMap<number, Message>;
  /** Calls and selects that are one name with dots: of a function without a target, or of a variable. */
  readonly qualified: ReadonlyMap<number, string>;
}
