/**
 * The parts and the user of a plan.
 *
 * @module
 */
import type { Authorizer, Identity } from "../auth/contract.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import type { Status } from "../meta/status.ts";
import type { Kinds } from "../registry/index.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { OverlayStore } from "../storage/overlay/store.ts";
import type { Store } from "../storage/contract.ts";
import type { Clock } from "../util/clock.ts";
import type { Hold } from "../util/keyed-lock.ts";
import type { Value } from "../value/value.ts";

/** The kinds and objects of a cluster at one revision, over a store whose writes stay in memory. */
export interface PlanFork extends AsyncDisposable {
  readonly store: OverlayStore;
  /** The revision of the cluster at which it began. */
  readonly revision: number;
  readonly kinds: Kinds;
  readonly lookup: Lookup;
  /** The objects of the cluster itself. */
  readonly before: Lookup;
  /** Decides by the roles of the cluster and those that the plan has written. */
  readonly authorizer: () => Authorizer;
  /** The step of admission that has refused with an error; undefined where none has. */
  refusedBy(error: unknown): string | undefined;
  /** Resolves when the definitions that were written are served. */
  idle(): Promise<void>;
}

/** The parts that plans need. */
export interface PlanParts {
  readonly store: Store;
  /** The kinds that are served. */
  readonly kinds: Kinds;
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** A fork of the current cluster, once it has the changes of other servers. */
  fork(): Promise<PlanFork>;
  /** Runs work while other writers of some keys of the store wait; the lock is lost after a time. */
  hold<T>(keys: readonly string[], work: (hold: Hold) => Promise<T>): Promise<T>;
  /** Throws, or rejects with, 403 where a user may not do the action of `info`. */
  permit(authorizer: Authorizer, identity: Identity, info: RequestInfo): void | Promise<void>;
}

/** The user of a plan. */
export interface PlanCaller {
  readonly identity: Identity;
  readonly userAgent: string;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Records the write of a document for audit; undefined where it is not recorded. */
  readonly record?: ((info: RequestInfo) => WriteRecord | undefined) | undefined;
}

/** Records the write of a document. */
export interface WriteRecord {
  /** Nothing has been stored; false, now or later, where it must not be. */
  received(): boolean | Promise<boolean>;
  /** The document of an apply. */
  read(verb: string, document: Value): void;
  /** It is over, with a Status where it is refused. */
  done(code: number, status: Status | undefined): void;
}
