/**
 * The syntax tree of expressions, which the parser makes, the checker annotates and the planner compiles.
 *
 * @module
 */

/** A node of an expression; `id` is unique in the expression, `at` its position in the text (code points from 0). */
export type Expr = { readonly id: number; readonly at: number } & (
  | { readonly kind: "const"; readonly value: Constant }
  | { readonly kind: "ident"; readonly name: string }
  | { readonly kind: "select"; readonly of: Expr; readonly field: string; readonly test: boolean }
  | { readonly kind: "call"; readonly name: string; readonly target?: Expr; readonly args: readonly Expr[] }
  | { readonly kind: "list"; readonly elements: readonly Expr[]; readonly optional: ReadonlySet<number> }
  | { readonly kind: "map"; readonly entries: readonly Entry[] }
  | { readonly kind: "message"; readonly name: string; readonly fields: readonly Field[] }
  | { readonly kind: "comprehension"; readonly comprehension: Comprehension }
);

/** An entry of a map; an `optional` one exists only where its value does. */
export interface Entry {
  readonly id: number;
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** A field of a message; an `optional` one is set only where its value exists. */
export interface Field {
  readonly id: number;
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** A comprehension, which macros over lists and maps become: a loop over `range` with the accumulator `accu`. */
export interface Comprehension {
  readonly range: Expr;
  readonly iter: string;
  /** The second variable of macros that have two. */
  readonly iter2: string | undefined;
  readonly accu: string;
  readonly init: Expr;
  readonly cond: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** The value of a literal: int is bigint, uint is wrapped, double is number. */
export type Constant = null | boolean | bigint | number | string | Uint8Array | { readonly uint: bigint };

/** An error at a position of an expression. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** The name of the accumulator. */
export const ACCU = "@result";

/** Makes the nodes of macros. */
export interface ExprFactory {
  constant(at: number, value: Constant): Expr;
  ident(at: number, name: string): Expr;
  call(at: number, name: string, args: readonly Expr[], target?: Expr): Expr;
  list(at: number, elements: readonly Expr[]): Expr;
  map(at: number, entries: readonly Entry[]): Expr;
  select(at: number, of: Expr, field: string, test: boolean): Expr;
  comprehension(at: number, comprehension: Comprehension): Expr;
  fail(at: number, message: string): Expr;
}
