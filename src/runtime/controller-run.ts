import { type ApiObject, type Kind, nameOfKind } from "../client/index.ts";
import type { AnyDefinition } from "./definition.ts";
import { type GetInformer, type InformerSpec, specOf } from "./informer.ts";
import { serves } from "./informers.ts";
import { ControllerMetrics } from "./metrics.ts";
import { controllerUid, isOf } from "./owners.ts";
import type { ManagerParts } from "./manager-parts.ts";
import type { Followed, RunningController } from "./reconciler.ts";
import { Term } from "./term.ts";

/** The state of a controller. */
export interface ControllerStatus {
  readonly controller: string;
  readonly state: "waiting" | "syncing" | "standby" | "running";
  readonly why?: string;
}

/**
 * A controller in a manager: its informers, and a term while it leads.
 *
 *     syncing ──► standby ──► running      waiting: a kind is not served yet
 *
 * Informers also run on standby. A term has its own queue; its end aborts its signals, refuses later writes and awaits
 * its promises.
 */
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
  /** Whether it waits for a free slot to start a term. */
  #isBeginning = false;

  constructor(definition: AnyDefinition, shared: ManagerParts) {
    this.definition = definition;
    this.metrics = new ControllerMetrics(definition.name, definition.concurrency ?? 4);
    this.#shared = shared;
  }

  /** Starts the informers; resolves when the controller runs, stands by or waits for a kind. */
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

  /** Starts a term as soon as all informers have synced. */
  lead(): void {
    this.#mayLead = true;
    this.#update();
  }

  /** Ends the term; resolves when it acts no more. */
  async resign(): Promise<void> {
    this.#mayLead = false;
    const term = this.#term;
    this.#term = undefined;
    await term?.end(new Error("the lead was lost"));
  }

  /** Takes no new keys; resolves when active ones are done. */
  async drain(): Promise<void> {
    this.#stopped = true;
    this.#begun.resolve();
    await this.#term?.drain();
  }

  /** Aborts active reconciles and stops the informers; resolves when all promises have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#term?.end(new Error("the controller was stopped"));
    this.#held.dispose();
  }

  /** Returns the informer of a spec in the definition. */
  readonly informer: GetInformer = (spec) => {
    const found =
      this.#followed.find((one) => one.spec === (spec as unknown)) ?? this.#equivalent(spec as unknown as InformerSpec);
    if (found) return found.informer as never;
    throw new Error(
      `expected controller ${this.definition.name} to name the informer of ${nameOfKind(spec.kind)} in for, owns, uses or sources`,
    );
  };

  /** Returns the objects of a kind in `owns` that an object controls. */
  readonly owned = (kind: Kind, owner: ApiObject): readonly ApiObject[] => {
    const { name } = this.definition;
    const owns = "for" in this.definition ? (this.definition.owns ?? []) : [];
    // They come after that of `for`.
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
    // Called at each event of all informers.
    if (!this.#isFollowing || this.#stopped || this.#term || this.#isBeginning) return;
    const { state } = this.status;
    if (state === "standby" && this.#mayLead) {
      this.#isBeginning = true;
      this.#shared.beginnings.add(() => this.#begin());
    } else if (state !== "syncing") this.#begun.resolve();
  }

  /** Starts a term, unless it may no longer do so. */
  #begin(): void {
    this.#isBeginning = false;
    if (this.#shared.killSwitch.isKilled) return;
    if (!this.#mayLead || this.#stopped || this.status.state !== "standby") return this.#update();
    this.#term = new Term(this, this.#shared, () => void this.#beginAnew());
    this.#begun.resolve();
  }

  /** Replaces the term by one that reconciles all objects, as after a restart of the program. */
  async #beginAnew(): Promise<void> {
    const term = this.#term;
    const { name: controller } = this.definition;
    this.#shared.log.warn("memory was too far behind, and a controller begins anew", { controller });
    await term?.end(new Error("the controller begins anew"));
    if (this.#term !== term) return;
    this.#term = undefined;
    this.#update();
  }
}

/** Returns the informers of `for`, `owns`, `uses` and the watched sources, in this order. */
function specsOf(definition: AnyDefinition): readonly InformerSpec[] {
  const { uses = [] } = definition;
  if (!("for" in definition)) return uses;
  const { for: own, owns = [], sources = [] } = definition;
  const watched = sources.flatMap(({ watch }) => (watch ? [watch.spec] : []));
  return [specOf(own), ...owns.map((one) => specOf(one)), ...uses, ...watched];
}
