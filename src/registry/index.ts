/**
 * The registry room: one generic resource store, with the verbs over cache, storage and apply.
 *
 * @module
 */
export {
  type BuiltRegistry,
  type Handlers,
  type KeptRegistry,
  type RegistryAccess,
  type RegistryOptions,
  type StartObject,
  type UnreadableRecord,
  buildRegistry,
  forkRegistry,
  keepRegistry,
  provisionNamespace,
} from "./build.ts";
export { type Action, type ActionRequest, type Actions, actionKey } from "./kind/action.ts";
export { type Proposal, commit, commitTogether } from "./commit/commit.ts";
export { withLocks } from "./commit/object-locks.ts";
export { waitUntilFresh } from "./kind/freshness.ts";
export { WriteTrace } from "./pipeline/trace.ts";
export { reportedObject } from "./objects/ownership-reports.ts";
export { SYSTEM } from "./kind/system.ts";
export { RetryingWatch, WATCH_ALL } from "./retrying-watch.ts";
export { failureOf, storeError } from "./kind/errors.ts";
export type { AskedObjects, Kind, Shown } from "./kind/kind.ts";
export type { Kinds, ResourceSpec } from "./kinds.ts";
export type { UncheckedConverter } from "./kind/converter.ts";
export type * from "./contract.ts";
export type { CacheError, Entry, ListPart, WatchBatch, WatchEvent, WatchSink, Watch } from "../cache/index.ts";
export { checkPreconditions } from "./verbs/delete.ts";
export { amendStatus, deleteOwn, ownChange, ownStatusChange } from "./verbs/own.ts";
export { uidMismatch } from "./verbs/preconditions.ts";
export { currentOf } from "./versions/view.ts";
