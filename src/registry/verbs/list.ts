/**
 * list: a page of a collection as it was at one revision (EP-13, EP-14, DEC-25).
 *
 * @module
 */
import { CacheError, type Entry, type ListPart, PART, type Selection, type Snapshot } from "../../cache/index.ts";
import { badRequest, expired, storageUnreadable } from "../../meta/status.ts";
import { type ContinueToken, decodeContinue, encodeContinue, keyBehind } from "./continue-token.ts";
import type { ListOptions, ListResult } from "../contract.ts";
import { cacheError } from "../kind/errors.ts";
import type { Kind } from "../kind/kind.ts";
import { BATCH, makeReady, makeViews } from "../versions/view.ts";
import { type Selected, selectionOf } from "./selection.ts";
import { parseVersion, waitForRevision, waitUntilFresh } from "../kind/freshness.ts";

/** Lists a namespace, or all of them. Every page of one list shows the same revision; 410 when that has expired. */
export async function list(kind: Kind, namespace: string, options: ListOptions): Promise<ListResult> {
  const selection = selectionOf(kind, namespace, options.labelSelector, options.fieldSelector);
  const token = options.continue === "" ? undefined : readToken(selection, options);
  const snapshot = token ? await continued(kind, selection, token) : await first(kind, selection, options);
  const unreadable = snapshot.unreadable(selection);
  if (unreadable) throw storageUnreadable(unreadable.key);
  // A version of 0 means "any": the whole list comes from memory, so it has no pages (DEC-25).
  const limit = options.resourceVersion === "0" ? 0 : options.limit;
  const page = await pageOf(kind, snapshot, selection, {
    ...(token ? { from: token.from } : {}),
    ...(limit > 0 ? { limit } : {}),
  });
  const { last } = page;
  const more = last !== undefined && limit > 0 && page.count >= limit && hasMore(snapshot, selection, last.key);
  return {
    ...(await withViews(kind, page.first)),
    revision: snapshot.revision,
    continue: more ? encodeContinue(selection.prefix, { revision: snapshot.revision, from: keyBehind(last.key) }) : "",
    remaining: more && selection.matches === undefined ? page.remaining : undefined,
  };
}

/** A page whose entries are read part by part. */
interface Page {
  readonly first: ListPart;
  /** The number of its entries, and the last one; for a page with a limit. */
  readonly count: number;
  readonly last: Entry | undefined;
  /** The number of entries after it, where that is known. */
  readonly remaining?: number | undefined;
}

interface Range {
  readonly from?: string;
  readonly limit?: number;
}

/** The entries of a page. A long page is read twice: first to find its end, then part by part by the caller. */
async function pageOf(kind: Kind, snapshot: Snapshot, selection: Selected, range: Range): Promise<Page> {
  const { limit = Infinity } = range;
  // Where another server makes views, all of them must exist before a response begins.
  if (selection.late) return wholePage(await lateEntries(kind, snapshot, selection, selection.late, range));
  if (limit <= PART || kind.stored.converter.convertAll) {
    const { entries, remaining } = await snapshot.listInSlices(selection, range);
    return wholePage(entries, remaining);
  }
  if (limit === Infinity) return { first: await snapshot.parts(selection, range), count: 0, last: undefined };
  const { entries, count, remaining } = await snapshot.endInSlices(selection, range);
  return { first: await snapshot.parts(selection, range), count, last: entries[0], remaining };
}

const wholePage = (entries: readonly Entry[], remaining?: number): Page => ({
  first: { entries },
  count: entries.length,
  last: entries.at(-1),
  remaining,
});

/** A part whose views are ready; those of the following parts are ready when they are read. */
async function withViews(kind: Kind, { entries, next }: ListPart): Promise<ListPart> {
  await makeViews(kind, entries);
  return { entries, ...(next && { next: async () => withViews(kind, await next()) }) };
}

/** The entries whose views match. */
async function lateEntries(
  kind: Kind,
  snapshot: Snapshot,
  selection: Selection,
  late: (entry: Entry) => boolean,
  range: Range,
): Promise<readonly Entry[]> {
  const { limit = Infinity } = range;
  const entries: Entry[] = [];
  let { from = "" } = range;
  for (;;) {
    const candidates = (await snapshot.listInSlices(selection, { from, limit: BATCH })).entries;
    const wait = makeReady(kind, candidates);
    if (wait) await wait;
    for (const entry of candidates) {
      if (late(entry)) entries.push(entry);
      if (entries.length >= limit) return entries;
    }
    const last = candidates.at(-1);
    if (!last || candidates.length < BATCH) return entries;
    from = keyBehind(last.key);
  }
}

/**
 * Whether any object of the collection follows a key, selected or not: a page ends where it is full, and only the next page shows whether
 * more objects match.
 */
function hasMore(snapshot: Snapshot, { prefix, key }: Selection, after: string): boolean {
  if (key !== undefined) return false;
  return snapshot.list({ id: prefix, prefix }, { after, limit: 1 }).entries.length > 0;
}

function readToken({ prefix }: Selection, options: ListOptions): ContinueToken {
  const token = decodeContinue(prefix, options.continue);
  if (!token) throw badRequest("expected continue to be a token that a list gave out");
  if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
    throw badRequest("expected no resourceVersion together with continue: the token contains the version");
  }
  return token;
}

/** The snapshot of a continue token; the error for an expired one says how to continue without it. */
async function continued(kind: Kind, { prefix }: Selection, token: ContinueToken): Promise<Snapshot> {
  if (token.revision === -1) return kind.cache.snapshot();
  try {
    return await kind.cache.recall(token.revision);
  } catch (error) {
    if (error instanceof CacheError && error.code === "compacted") {
      throw expired(
        "The continue token is too old: its version is no longer kept. Start the list again, or continue with the token in metadata.continue, which shows the current state from here on",
        encodeContinue(prefix, { revision: -1, from: token.from }),
      );
    }
    throw cacheError(error, token.revision, kind.shared.cacher.revision);
  }
}

async function first(kind: Kind, selection: Selection, options: ListOptions): Promise<Snapshot> {
  const { cacher } = kind.shared;
  const version = parseVersion(options.resourceVersion);
  if (version === undefined) await waitUntilFresh(kind);
  else if (version > cacher.revision) await waitForRevision(kind, version);
  const exact =
    options.resourceVersionMatch === "Exact" ||
    (options.limit > 0 && options.resourceVersionMatch === "" && version !== undefined && version > 0);
  if (!exact || version === undefined) {
    const preparing = kind.cache.prepare(selection);
    if (preparing) await preparing;
    return kind.cache.snapshot();
  }
  try {
    return await kind.cache.recall(version);
  } catch (error) {
    throw cacheError(error, version, cacher.revision);
  }
}
