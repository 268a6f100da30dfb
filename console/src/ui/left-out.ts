import type { FollowedMany } from "./follow-many.ts";

/** What a view of several lists does not show, because its user may not read it. */
export interface LeftOut {
  /** Names of lists that the user may not read at all. */
  readonly refused: readonly string[];
  /** The namespaces that are shown; absent where all are, or the one that was chosen. */
  readonly namespaces?: readonly string[];
  /** How many other namespaces the user may be able to read. */
  readonly more: number;
}

/** Finds what followed lists leave out; undefined where that is nothing. */
export function leftOutOf({ lists }: FollowedMany): LeftOut | undefined {
  const entries = Object.entries(lists);
  const refused = entries.flatMap(([name, { state, failure }]) =>
    state === "failed" && failure?.code === 403 ? [name] : [],
  );
  const parts = entries.flatMap(([, { within }]) => within ?? []);
  if (refused.length === 0 && parts.length === 0) return undefined;
  const more = Math.max(0, ...parts.map((part) => part.more));
  if (parts.length === 0) return { refused, more };
  return { refused, namespaces: [...new Set(parts.flatMap(({ namespaces }) => namespaces))].toSorted(), more };
}

const MOST_NAMES = 10;

/** Names in a sentence: `a, b and c`; of many, the first ones and how many more there are. */
export function namesText(names: readonly string[]): string {
  if (names.length > MOST_NAMES)
    return `${names.slice(0, MOST_NAMES).join(", ")} and ${names.length - MOST_NAMES} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`;
}
