import { type Steps, atOnce } from "../util/steps.ts";
import type { WriteContext } from "./definition.ts";

/** The headers of a response have no space for more, however short they are. */
const MAX_WARNINGS = 512;

/**
 * Adds texts for `Warning` headers, each once, up to the limit of a response. No more texts are read, so `texts` may be
 * infinite.
 */
export const addWarnings = (ctx: Pick<WriteContext, "warnings">, texts: Iterable<string>): void =>
  atOnce(addWarningsInSteps(ctx, texts));

/** {@link addWarnings} in steps; undefined in place of a text ends a step. */
export function* addWarningsInSteps(
  { warnings }: Pick<WriteContext, "warnings">,
  texts: Iterable<string | undefined>,
): Steps<void> {
  const known = new Set(warnings);
  for (const text of texts) {
    if (warnings.length >= MAX_WARNINGS) return;
    if (text === undefined) yield;
    else if (!known.has(text)) {
      known.add(text);
      warnings.push(text);
    }
  }
}
