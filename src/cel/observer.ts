/**
 * Observers of evaluations, for coverage: which branches of an expression a run reaches.
 *
 * Only expressions that are compiled with an observer call it; in all others nothing is checked and nothing is called.
 *
 * @module
 */

/** The operators with branches. */
export type BranchOperator = "?:" | "&&" | "||";

/** A branch of an operator. */
export interface Branch {
  readonly operator: BranchOperator;
  /** The position of the operator, or of its expression, in the text (code points from 0). */
  readonly at: number;
  /** What the left operand or the condition is, in the runs that take the branch. */
  readonly when: boolean;
}

/** Observes one expression. */
export interface ExpressionObserver {
  /** Called for each branch when the expression is compiled; the result is called each time when a run takes the branch. */
  branch(branch: Branch): () => void;
  /** Called when a run begins. */
  began(): void;
}

/** Returns the observer of an expression; called when it has been compiled. */
export type Observe = (source: string) => ExpressionObserver;
