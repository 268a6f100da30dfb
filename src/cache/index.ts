/**
 * The watch cache; {@link Cacher} says what it is.
 *
 * @module
 */
export { Cacher, type CacherStats } from "./cacher.ts";
export { type CheckOptions, startChecks } from "./checks.ts";
export type { CacheResource, Entry, EntryFactory, Selection } from "./entry.ts";
export { CacheError, type CacheErrorCode } from "./errors.ts";
export type { WatchBatch } from "./groups.ts";
export type { WatchEvent } from "./history.ts";
export type { CacherOptions } from "./options.ts";
export type { ResourceCache, ResourceStats } from "./resource.ts";
export type { ListPage, ListRange, Snapshot } from "./snapshot.ts";
export type { Watch, WatchSink, WatchStart } from "./watch.ts";
export type { Mismatch } from "./verify.ts";
