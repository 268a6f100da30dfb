import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A statement whose rows are arrays. */
export interface ArrayStatement<Row> {
  get(...parameters: readonly SQLInputValue[]): Row | undefined;
  all(...parameters: readonly SQLInputValue[]): Row[];
  iterate(...parameters: readonly SQLInputValue[]): Iterable<Row>;
}

/** Prepares a statement whose rows are arrays; `Row` says what it selects. */
export function arrayStatement<Row>(db: DatabaseSync, sql: string): ArrayStatement<Row> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as ArrayStatement<Row>;
}
