import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Prepares a statement whose rows are arrays. */
export function arrayStatement(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
