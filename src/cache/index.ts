/**
 * The watch cache; see {@link Cacher}.
 *
 * @module
 */
export { Cacher, type CacherStats } from "./cacher.ts";
export { startChecks } from "./checks.ts";
export { type CacheResource, type Entry, type Selection, passes } from "./entry.ts";
export { CacheError, closed } from "./errors.ts";
export { type WatchBatch, ownBatch } from "./groups.ts";
export type { WatchEvent } from "./history.ts";
export { TooMuch } from "./load.ts";
export type { CacherOptions } from "./options.ts";
export type { ResourceCache } from "./resource.ts";
export { type ListPart, PART, type Snapshot } from "./snapshot.ts";
export type { Watch, WatchSink } from "./watch.ts";
