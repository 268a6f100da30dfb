/**
 * `keelson/controller`: for authors of controllers. A controller reconciles keys towards the desired state; the runtime
 * calls it after each change that concerns a key, one call per key at a time.
 *
 * It is a client: informers read, the API writes. It does not know the server, the registry or the storage.
 */
export { conditionOf } from "./conditions.ts";
export { retryOnConflict } from "../client/index.ts";
export type { ControllerStatus } from "./controller-run.ts";
export {
  type Context,
  type Controller,
  type ControllerClock,
  type ControllerDefinition,
  type KeyContext,
  type KeyControllerDefinition,
  type Result,
  type RecordEvent,
  defineController,
  defineKeyController,
} from "./definition.ts";
export type { LeaderElection } from "./election.ts";
export { type InformerFactory, type InformerFactoryOptions, type SyncOptions, createInformers } from "./factory.ts";
export {
  type GetInformer,
  type Index,
  type Informer,
  type InformerOptions,
  type InformerSpec,
  type InformerState,
  type Keep,
  type Selection,
  sharedInformer,
  withoutManagedFields,
} from "./informer.ts";
export type { HeldInformer } from "./informers.ts";
export { type Manager, type ManagerOptions, createManager } from "./manager.ts";
export { type ObjectEvent, type Predicate, anyOf, changed } from "./object-event.ts";
export type { ServedKinds } from "./served-kinds.ts";
export { type SourceParts, type Source, type WatchSource, keysFrom, keysPushed, watches } from "./sources.ts";
export type { Failure } from "./manager-parts.ts";
