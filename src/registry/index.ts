/**
 * The registry room: one generic resource store, with the verbs over cache, storage and apply.
 *
 * @module
 */
export {
  type BuiltRegistry,
  type KeptRegistry,
  type StartObject,
  type RegistryOptions,
  type UnreadableRecord,
  buildRegistry,
  forkRegistry,
  keepRegistry,
} from "./build.ts";
export { SYSTEM } from "./system.ts";
export { Following, WATCH_ALL } from "./following.ts";
export { failureOf } from "./errors.ts";
export type { Kinds, ResourceSpec } from "./kinds.ts";
export type { Converter } from "./versions/converter.ts";
export type * from "./contract.ts";
export type { Entry, ListPart, WatchBatch, WatchEvent, WatchSink, Watch } from "../cache/index.ts";
