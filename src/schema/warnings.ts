import { type Steps, atOnce } from "../util/steps.ts";
import type { WriteContext } from "./definition.ts";

/** The headers of an answer have room for no more, be they ever so short. */
const MOST = 512;

/**
 * Adds texts for `Warning` headers, each once, as many as an answer can have; no more of them are asked for than that, so
 * that what makes them one by one may have no end.
 */
export const addWarnings = (ctx: Pick<WriteContext, "warnings">, texts: Iterable<string>): void =>
  atOnce(addWarningsInSteps(ctx, texts));

/** The same in steps, which end where there is undefined in place of a text. */
export function* addWarningsInSteps(
  { warnings }: Pick<WriteContext, "warnings">,
  texts: Iterable<string | undefined>,
): Steps<void> {
  const told = new Set(warnings);
  for (const text of texts) {
    if (warnings.length >= MOST) return;
    if (text === undefined) yield;
    else if (!told.has(text)) {
      told.add(text);
      warnings.push(text);
    }
  }
}
