/**
 * A controller on a manager: its informers, and a term of work for as long as it leads.
 *
 *     syncing ──► standby ──► running      waiting: a kind is not served yet
 *
 * Informers are followed on standby, too. A term has a queue of its own; when it ends its signals are aborted, what it
 * still writes is refused, and its promises are awaited.
 *
 * @module
 */
import { type ApiObject, type Kind, nameOfKind } from "../client/index.ts";
import type { AnyDefinition } from "./definition.ts";
import { type GetInformer, type InformerSpec, specOf } from "./informer.ts";
import { serves } from "./informers.ts";
import { ControllerMetrics } from "./metrics.ts";
import { controllerUid, isOf } from "./owners.ts";
import type { ManagerParts } from "./manager-parts.ts";
import type { Followed, RunningController } from "./reconciler.ts";
import { Term } from "./term.ts";

/** Where a controller stands. */
export interface ControllerStatus {
  readonly controller: string;
  readonly state: "waiting" | "syncing" | "standby" | "running";
  /** What it waits for. */
  readonly why?: string;
}

/** See the head of this file. */
export class ControllerRun implements RunningController {
  readonly definition: AnyDefinition;
  readonly metrics: ControllerMetrics;
  readonly #shared: ManagerParts;
  readonly #followed: Followed[] = [];
  readonly #held = new DisposableStack();
  readonly #begun = Promise.withResolvers<void>();
  #isFollowing = false;
  #mayLead = false;
  #stopped = false;
  #term: Term | undefined;

  constructor(definition: AnyDefinition, shared: ManagerParts) {
    this.definition = definition;
    this.metrics = new ControllerMetrics(definition.name, definition.concurrency ?? 4);
    this.#shared = shared;
  }

  /** Begins to follow; resolves when it runs, stands by or waits for a kind. */
  start(): Promise<void> {
    for (const spec of specsOf(this.definition)) this.#follow(spec);
    this.#isFollowing = true;
    this.#update();
    return this.#begun.promise;
  }

  get status(): ControllerStatus {
    const { name: controller } = this.definition;
    const absent = this.#followed.find(({ informer }) => informer.state === "absent");
    if (absent) return { controller, state: "waiting", why: `${nameOfKind(absent.spec.kind)} is not served` };
    const unsynced = this.#followed.find(({ informer }) => !informer.reflector.hasSynced);
    if (unsynced) return { controller, state: "syncing", why: `the first list of ${nameOfKind(unsynced.spec.kind)}` };
    return { controller, state: this.#term ? "running" : "standby" };
  }

  /** Works from now on, as soon as everything is there. */
  lead(): void {
    this.#mayLead = true;
    this.#update();
  }

  /** Ends the term at once; resolves when nobody acts in its name. */
  async resign(): Promise<void> {
    this.#mayLead = false;
    const term = this.#term;
    this.#term = undefined;
    await term?.end(new Error("the lead was lost"));
  }

  /** Takes no new keys; resolves when those in hand are done. */
  async drain(): Promise<void> {
    this.#stopped = true;
    this.#begun.resolve();
    await this.#term?.drain();
  }

  /** Aborts what is in hand, and follows no more; resolves when all promises have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#term?.end(new Error("the controller was stopped"));
    this.#held.dispose();
  }

  /** The informer of a spec that the definition names. */
  readonly informer: GetInformer = (spec) => {
    const found =
      this.#followed.find((one) => one.spec === (spec as unknown)) ?? this.#equivalent(spec as unknown as InformerSpec);
    if (found) return found.informer as never;
    throw new Error(
      `expected controller ${this.definition.name} to name the informer of ${nameOfKind(spec.kind)} in for, owns, uses or sources`,
    );
  };

  /** The objects of a kind in `owns` that an object controls. */
  readonly owned = (kind: Kind, owner: ApiObject): readonly ApiObject[] => {
    const { name } = this.definition;
    const owns = "for" in this.definition ? (this.definition.owns ?? []) : [];
    // They follow upon that of `for`.
    const followed = this.#followed.slice(1, 1 + owns.length).find(({ spec }) => isOf(spec.kind, kind));
    if (!followed) throw new Error(`expected controller ${name} to name ${nameOfKind(kind)} in owns`);
    return followed.informer.reflector.memory.by(controllerUid, owner.metadata.uid);
  };

  get followed(): readonly Followed[] {
    return this.#followed;
  }

  #follow(spec: InformerSpec): void {
    const informer = this.#held.use(this.#shared.informers.hold(spec));
    this.#followed.push({ spec, informer });
    this.#held.use(informer.reflector.onProgress(() => this.#update()));
  }

  #equivalent(wanted: InformerSpec): Followed | undefined {
    if (Object.keys(wanted.indexes).length > 0) return undefined;
    return this.#followed.find(({ spec }) => serves(spec, wanted));
  }

  #update(): void {
    // Asked at each event of all its informers: what works has nothing to wait for.
    if (!this.#isFollowing || this.#stopped || this.#term) return;
    const { state } = this.status;
    if (state === "standby" && this.#mayLead) this.#term = new Term(this, this.#shared);
    if (state !== "syncing") this.#begun.resolve();
  }
}

/** The informers of `for`, `owns`, `uses` and the watched sources, in this order; those of keys have only `uses`. */
function specsOf(definition: AnyDefinition): readonly InformerSpec[] {
  const { uses = [] } = definition;
  if (!("for" in definition)) return uses;
  const { for: own, owns = [], sources = [] } = definition;
  const watched = sources.flatMap(({ watch }) => (watch ? [watch.spec] : []));
  return [specOf(own), ...owns.map((one) => specOf(one)), ...uses, ...watched];
}
