/**
 * Whether a regular expression takes a time that grows with its text and no faster: a proof, or the reason why there is none.
 *
 * An expression is linear by its form (`form.ts`), or by its automaton, which `recheck` builds. Where one is tried again and
 * again in the same text, as `replaceAll`, `split` and sticky expressions do, a try that succeeds may have read more than it
 * matches. So that has to be linear in which each try fails at its end: it goes every way from every character.
 *
 * @module
 */
import { check } from "recheck";
import { endsInLoops, isRelaxed, obstacle, parse, relaxed } from "./form.ts";

// No other program and no other thread: the same everywhere.
process.env["RECHECK_BACKEND"] = "pure";

/** A source with its flags. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** What no text has to have at a place: a try that has come so far fails. */
const NEVER = String.raw`\uffff`;

/** Of the automaton; what takes longer is not proven. */
const TIMEOUT_MS = 25_000;
const LIMITS = { checker: "automaton", timeout: TIMEOUT_MS, maxRepeatCount: 1000, maxNFASize: 1_000_000 } as const;

/** Why an expression is not linear, or cannot be shown to be; undefined for one that is. */
export async function whyNotLinear({ source, flags }: Expression): Promise<string | undefined> {
  const pattern = parse(source, flags);
  const why = obstacle(pattern, flags);
  if (why !== undefined) return why;
  if (endsInLoops(pattern)) return undefined;
  const goesEveryWay = /[gy]/.test(flags) || isRelaxed(pattern);
  return whyAutomatonIsSlow(goesEveryWay ? `(?:${relaxed(pattern)})${NEVER}` : source, flags.replaceAll(/[dgy]/g, ""));
}

async function whyAutomatonIsSlow(source: string, flags: string): Promise<string | undefined> {
  const found = await check(source, flags, LIMITS);
  if (found.status === "safe") return undefined;
  if (found.status === "unknown") return `nothing is proven of it: ${found.error.kind}`;
  const { complexity } = found;
  return `${complexity.type}${complexity.type === "polynomial" ? ` of degree ${complexity.degree}` : ""}: ${source}`;
}
