/**
 * Expressions as trees: what the parser makes, the checker annotates and the planner compiles.
 *
 * @module
 */

/** A node of an expression; `id` is its own in one expression, `at` its place in the text (code points from 0). */
export type Expr = { readonly id: number; readonly at: number } & (
  | { readonly kind: "const"; readonly value: Constant }
  | { readonly kind: "ident"; readonly name: string }
  | { readonly kind: "select"; readonly of: Expr; readonly field: string; readonly test: boolean }
  | { readonly kind: "call"; readonly name: string; readonly target?: Expr; readonly args: readonly Expr[] }
  | { readonly kind: "list"; readonly elements: readonly Expr[]; readonly optional: ReadonlySet<number> }
  | { readonly kind: "map"; readonly entries: readonly Entry[] }
  | { readonly kind: "message"; readonly name: string; readonly fields: readonly Field[] }
  | { readonly kind: "fold"; readonly fold: Fold }
);

/** An entry of a map; one that is `optional` is there only when its value is. */
export interface Entry {
  readonly id: number;
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** A field of a message; one that is `optional` is set only when its value is there. */
export interface Field {
  readonly id: number;
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** What macros over lists and maps become: a loop over `range` that carries `accu`. */
export interface Fold {
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

/** A literal: integers are bigint, unsigned ones wrapped, floating ones numbers. */
export type Constant = null | boolean | bigint | number | string | Uint8Array | { readonly uint: bigint };

/** Something wrong at a place of an expression. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** The name of the variable that folds carry. */
export const ACCU = "@result";

/** Makes nodes; macros make theirs with it. */
export interface Maker {
  constant(at: number, value: Constant): Expr;
  ident(at: number, name: string): Expr;
  call(at: number, name: string, args: readonly Expr[], target?: Expr): Expr;
  list(at: number, elements: readonly Expr[]): Expr;
  map(at: number, entries: readonly Entry[]): Expr;
  select(at: number, of: Expr, field: string, test: boolean): Expr;
  fold(at: number, fold: Fold): Expr;
  fail(at: number, message: string): Expr;
}
