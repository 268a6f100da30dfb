/**
 * Forks of a running cluster in which documents are planned: its kinds, its cache, its definitions and its steps of admission over
 * a store whose writes stay in memory. A fork takes the same time however much is stored.
 *
 * @module
 */
import { REPORT_GROUP } from "../meta/ownership-reports.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission/contract.ts";
import { RBAC_GROUP } from "../auth/rbac/role-cache.ts";
import type { Authorizer } from "../auth/contract.ts";
import type { Extension, KeptExtension } from "../extension/index.ts";
import type { PlanFork, PlanParts } from "../plan/contract.ts";
import { type Kinds, forkRegistry, waitUntilFresh, withLocks } from "../registry/index.ts";
import type { Lookup } from "../schema/lookup.ts";
import { permit } from "../server/index.ts";
import { OverlayStore } from "../storage/overlay/store.ts";
import { Activity } from "../util/activity.ts";
import type { ClusterParts } from "./contract.ts";
import { type ClusterHandlers, type ClusterRegistry, handlersOf } from "./handlers.ts";
import type { Own } from "./own.ts";

/** The bytes of objects that one plan may change. */
const MAX_BYTES = 64 << 20;

/** The parts that forks need. */
export interface PlanningParts {
  readonly parts: ClusterParts;
  readonly own: Own;
  readonly built: ClusterRegistry;
  readonly extension: Extension | undefined;
  /** Makes the extension of a fork. */
  readonly extend: (kept: KeptExtension | undefined, fork: ForkedRegistry) => Extension | undefined;
}

/** A registry of a fork, with the parts that its extension needs. */
export interface ForkedRegistry {
  readonly built: Pick<ClusterRegistry, "kinds" | "lookup" | "handlers">;
  readonly activity: Activity;
}

/** The subject of errors of the store. */
const PLANS = { group: REPORT_GROUP, plural: "plans", kind: "Plan" };

/** The parts that plans in a cluster need. */
export const planPartsOf = (planning: PlanningParts): PlanParts => ({
  store: planning.parts.store,
  kinds: planning.built.kinds,
  dialect: planning.own.api.dialect,
  clock: planning.own.api.clock,
  async fork() {
    const { cacher } = planning.built;
    await waitUntilFresh({ ref: PLANS, shared: { cacher, store: planning.parts.store } });
    return new ClusterFork(planning);
  },
  hold(keys, work) {
    const locks = planning.built.kinds.stored("namespaces")?.shared.locks;
    return locks ? withLocks(locks, keys, work) : work({ signal: new AbortController().signal });
  },
  permit: (authorizer, identity, info) => permit({ authorizer }, identity, info),
});

/** Makes forks for plans. */
class ClusterFork implements PlanFork {
  readonly store: OverlayStore;
  readonly revision: number;
  readonly kinds: Kinds;
  readonly lookup: Lookup;
  readonly before: Lookup;
  readonly #activity: Activity;
  readonly #registry: ClusterRegistry;
  readonly #extension: Extension | undefined;
  readonly #base: Authorizer;
  readonly #refusals = new WeakMap<object, string>();

  constructor({ parts, own, built, extension, extend }: PlanningParts) {
    const { revision } = built.cacher;
    const store = new OverlayStore({
      below: parts.store,
      revision,
      revisionOf: (key) => this.#registry.cacher.revisionOf(key),
      maxBytes: MAX_BYTES,
    });
    const kept = extension?.keep();
    const activity = new Activity(own.api.clock);
    const registry = forkRegistry<ClusterHandlers>(
      { cacher: built.cacher, kinds: built.kinds.keep() },
      {
        api: own.api,
        store,
        definitions: [],
        cache: { activity },
        handlers: (access) => this.#handlers(handlersOf(parts, own, access)),
      },
    );
    this.store = store;
    this.revision = revision;
    this.kinds = registry.kinds;
    this.lookup = registry.lookup;
    this.before = built.lookup;
    this.#activity = activity;
    this.#registry = registry;
    this.#base = built.handlers.authorizer;
    this.#extension = extend(kept, { built: registry, activity });
  }

  authorizer(): Authorizer {
    return this.store.hasWritten(RBAC_GROUP) ? this.#registry.handlers.authorizer : this.#base;
  }

  refusedBy(error: unknown): string | undefined {
    return typeof error === "object" && error !== null ? this.#refusals.get(error) : undefined;
  }

  idle(): Promise<void> {
    return this.#activity.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#extension?.close();
    this.#registry.cacher.close();
    await this.store.close();
  }

  /** Handlers that record which step of admission has refused. */
  #handlers(handlers: ClusterHandlers): ClusterHandlers {
    return { ...handlers, admission: handlers.admission.map((step) => this.#named(step)) };
  }

  #named(step: AdmissionStep): AdmissionStep {
    const noting =
      <T extends void | Promise<void> | undefined>(work: (request: AdmissionRequest) => T) =>
      (request: AdmissionRequest): T => {
        try {
          const pending = work(request);
          return (pending ? pending.catch((error: unknown) => this.#refused(step, error)) : pending) as T;
        } catch (error) {
          return this.#refused(step, error);
        }
      };
    return {
      ...step,
      ...(step.mutate ? { mutate: noting((request) => step.mutate!(request)) } : {}),
      ...(step.validate ? { validate: noting((request) => step.validate!(request)) } : {}),
      ...(step.commit ? { commit: noting((request) => step.commit!(request)) } : {}),
      ...(step.rollback ? { rollback: (request) => step.rollback!(request) } : {}),
      ...(step.end ? { end: (request) => step.end!(request) } : {}),
    };
  }

  #refused({ name }: AdmissionStep, error: unknown): never {
    if (typeof error === "object" && error !== null) this.#refusals.set(error, name);
    throw error;
  }
}
