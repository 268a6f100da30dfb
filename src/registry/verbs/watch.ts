/**
 * watch: the changes of a collection from a version on (EP-13, DEC-28).
 *
 * @module
 */
import { type Watch, type WatchSink, closed } from "../../cache/index.ts";
import { storageUnreadable } from "../../meta/status.ts";
import type { WatchOptions, WatchStart } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import { ReadySink } from "../versions/ready-sink.ts";
import { type Selected, selectionOf } from "./selection.ts";
import { parseVersion, waitForRevision, waitUntilFresh } from "../kind/freshness.ts";

/**
 * Starts a watch. Without a version (or with 0) the current objects come first; with one, only the changes since then; with
 * `sendInitialEvents` the current objects and then a bookmark, at a revision not older than the newest at the time of the request.
 */
export async function watch(
  kind: Kind,
  namespace: string,
  options: WatchOptions,
  sink: WatchSink,
): Promise<WatchStart> {
  const selection = selectionOf(kind, namespace, options.labelSelector, options.fieldSelector);
  const { cacher } = kind.shared;
  const version = parseVersion(options.resourceVersion);
  const initial = options.sendInitialEvents ?? (version === undefined || version === 0);
  if (initial) {
    await waitUntilFresh(kind);
    if (version !== undefined && version > cacher.revision) await waitForRevision(kind, version);
    const unreadable = kind.cache.snapshot().unreadable(selection);
    if (unreadable) throw storageUnreadable(unreadable.key);
    return { watch: start(kind, selection, { initial: true }, sink), selection };
  }
  const after = version === undefined || version === 0 ? cacher.revision : version;
  return { watch: start(kind, selection, { after }, sink), selection };
}

function start(kind: Kind, selection: Selected, from: WatchFrom, sink: WatchSink): Watch {
  // The watches of the resource that was served before have ended; this one would never end.
  if (kind.stored.successor !== undefined) throw closed(kind.stored.prefix);
  if (!kind.stored.converter.convertAll) return kind.cache.watch(selection, from, sink);
  const ready = new ReadySink(kind, sink, selection.late);
  return ready.over(kind.cache.watch(selection, from, ready));
}

type WatchFrom = Parameters<Kind["cache"]["watch"]>[1];
