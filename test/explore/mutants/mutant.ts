/**
 * A mutant: a possible mistake in one of our controllers, as a change of one place of one file.
 *
 * @module
 */
import type { FaultKind } from "../../../src/explore/contract/finding.ts";
import type { StoryName } from "./stories.ts";

/** A mistake in a controller. */
export interface Mutant {
  /** The mistake in a few words. */
  readonly name: string;
  /** The file, from the root of the checkout. */
  readonly file: string;
  /** The text that is replaced; the file has it exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The story in which it is looked for. */
  readonly story: StoryName;
  /** What goes wrong because of it, and when. */
  readonly fault: string;
  /** The kind of the fault by which exploring has found it; it must be found again. */
  readonly shows?: FaultKind;
  /** Why exploring is not expected to show it. */
  readonly hidden?: string;
}

/** The text of a file with a mutant. @throws Error where the file does not have the text that is replaced exactly once */
export function mutated(text: string, { name, file, find, replace }: Mutant): string {
  const parts = text.split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new Error(
    `expected ${file} to have the text of the mutant "${name}" once, found it ${parts.length - 1} times: change its find`,
  );
}
