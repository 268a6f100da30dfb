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

/** Resolves when the resources of all documents are served by this server, or after a time. */
export async function servedEverywhere(
  { kinds, clock }: { readonly kinds: Kinds; readonly clock: Clock },
  judged: readonly Judged[],
): Promise<void> {
  const definitions = new Set(judged.flatMap(({ at }) => at?.resource.definition ?? []));
  const areServed = (): boolean =>
    [...definitions].every(({ group, version, plural }) => kinds.find(group, version, plural) !== undefined);
  if (areServed()) return;
  const served = new AbortController();
  using _ = kinds.onChange(() => {
    if (areServed()) served.abort();
  });
  await sleep(clock, TIMEOUT_MS, served.signal);
}
