/**
 * Waits until the kinds of documents that were stored together with their definitions are served.
 *
 * @module
 */
import type { Kinds } from "../registry/index.ts";
import { type Clock, sleep } from "../util/clock.ts";
import type { Judged } from "./judge.ts";

/** How long a request waits for that; the objects are stored in any case. */
const TIMEOUT_MS = 10_000;

/**
 * Resolves when the resources of all documents that the fork serves at its end are served by this server, too, or after a time.
 *
 * @param fork the kinds of the fork: a definition may have been deleted there
 */
export async function servedEverywhere(
  { kinds, clock }: { readonly kinds: Kinds; readonly clock: Clock },
  fork: Kinds,
  judged: readonly Judged[],
): Promise<void> {
  const definitions = [...new Set(judged.flatMap(({ at }) => at?.resource.definition ?? []))];
  const left = definitions.filter(({ group, version, plural }) => fork.find(group, version, plural) !== undefined);
  const areServed = (): boolean =>
    left.every(({ group, version, plural }) => kinds.find(group, version, plural) !== undefined);
  if (areServed()) return;
  const served = new AbortController();
  using _observing = kinds.onChange(() => {
    if (areServed()) served.abort();
  });
  await sleep(clock, TIMEOUT_MS, served.signal);
}
