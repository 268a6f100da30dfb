/**
 * The regular expressions of a cluster in a page, which are loaded while it responds to its first requests: only custom resources and
 * expressions in objects of later groups have any. It stands for `re2js`, see `generator/bundle.ts`.
 *
 * @module
 */
import type { RE2JS as Expressions } from "re2js";

/** The class of `re2js`; undefined until {@link loadExpressions} has resolved. */
export let RE2JS: typeof Expressions;

/** Loads it. */
export async function loadExpressions(): Promise<void> {
  ({ RE2JS } = await import("re2js"));
}
