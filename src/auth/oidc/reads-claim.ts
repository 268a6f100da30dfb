import type { Expr } from "../../cel/ast.ts";
import { parse } from "../../cel/parser.ts";
import { childrenOf } from "../../cel/validators.ts";

/** Whether an expression reads a claim by its name: `claims.email`, `claims.?email`; false for an invalid expression. */
export function readsClaim(source: string, claim: string): boolean {
  if (source === "") return false;
  const parsed = parse(source);
  return parsed.issues === undefined && reads(parsed.expr, claim);
}

const isClaims = (expr: Expr | undefined): boolean => expr?.kind === "ident" && expr.name === "claims";

function reads(expr: Expr, claim: string): boolean {
  if (expr.kind === "select" && expr.field === claim && isClaims(expr.of)) return true;
  if (expr.kind === "call" && expr.name === "_?._" && isClaims(expr.args[0])) {
    const [, name] = expr.args;
    if (name?.kind === "const" && name.value === claim) return true;
  }
  return childrenOf(expr).some((child) => reads(child, claim));
}
