/**
 * Plays a plan against a run: returns the perturbations of each request, delivery and step. The laboratory carries them out.
 *
 * @module
 */
import type { DeliveryPoint, Perturbation, Plan, RequestPoint } from "./contract/plan.ts";
import type { Actor } from "./contract/trace.ts";
import type { NormalNames } from "./names.ts";
import { PointCounter, type PointDelivery, type PointRequest, deliveryKey, requestKey } from "./points.ts";

/** A perturbation that a request, a delivery or a step meets. */
export interface Met<P extends Perturbation = Perturbation> {
  /** The index in the plan. */
  readonly index: number;
  readonly perturbation: P;
}

/** Perturbations of requests and calls. */
export type RequestPerturbation = Extract<Perturbation, { readonly at: RequestPoint }> | SlowWebhooks;
/** Perturbations of deliveries. */
export type DeliveryPerturbation = Extract<Perturbation, { readonly at: DeliveryPoint }>;
/** Perturbations of the world around programs. */
export type StepPerturbation = Extract<Perturbation, { readonly type: "node-lost" | "clock-jump" }>;
type SlowWebhooks = Extract<Perturbation, { readonly type: "slow-webhooks" }>;

const NOTHING: readonly never[] = [];
const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** Plays a plan against one run. */
export class Player {
  readonly #points: PointCounter;
  readonly #met: boolean[];
  /** By the key of the point. */
  readonly #requests = new Map<string, Met<Exclude<RequestPerturbation, SlowWebhooks>>[]>();
  readonly #deliveries = new Map<string, Met<DeliveryPerturbation>[]>();
  readonly #webhooks: Met<SlowWebhooks>[] = [];
  readonly #steps: Met<StepPerturbation>[] = [];
  /** The events before which stale restarts read. */
  readonly #behind = new Map<string, { readonly index: number; readonly occurrence: number }[]>();
  /** Programs that read without requesting the latest state. */
  readonly #readsOlder = new Set<Actor>();
  /** The revision of such an event, once it was delivered, by the index of the perturbation. */
  readonly #seen = new Map<number, number>();

  /** @param names records the names of objects while the run continues */
  constructor(plan: Plan, names: NormalNames) {
    this.#points = new PointCounter(names);
    this.#met = plan.map(() => false);
    for (const [index, perturbation] of plan.entries()) this.#add(index, perturbation);
  }

  /** For each perturbation of the plan, whether its place came up. */
  get met(): readonly boolean[] {
    return [...this.#met];
  }

  /** The perturbations that a request meets; called once for each request, in the order in which they are sent. */
  request(request: PointRequest): readonly Met<RequestPerturbation>[] {
    if (this.#requests.size === 0 && this.#webhooks.length === 0) return NOTHING;
    const point = this.#points.request(request);
    const found: Met<RequestPerturbation>[] = this.#webhooks.filter(
      ({ perturbation }) => perturbation.actor === request.actor && !READS.has(request.verb),
    );
    for (const one of this.#requests.get(requestKey(point)) ?? []) if (this.#isAt(one, point)) found.push(one);
    return this.#meet(found);
  }

  /** The perturbations that a delivery meets; called once for each event, in the order in which they reach programs. */
  delivery(delivery: PointDelivery & { readonly revision: number }): readonly Met<DeliveryPerturbation>[] {
    if (this.#deliveries.size === 0 && this.#behind.size === 0) return NOTHING;
    const point = this.#points.delivery(delivery);
    const key = deliveryKey(point);
    for (const { index, occurrence } of this.#behind.get(key) ?? []) {
      if (occurrence === point.occurrence) this.#seen.set(index, delivery.revision);
    }
    const found = this.#deliveries.get(key) ?? NOTHING;
    return this.#meet(found.filter(({ perturbation: { at } }) => at.occurrence === point.occurrence));
  }

  /** A program reads without requesting the latest state: it may get an older one. */
  readsOlder(actor: Actor): void {
    this.#readsOlder.add(actor);
  }

  /** Whether the next delivery may be perturbed: otherwise events need not be checked one by one. */
  get heedsDeliveries(): boolean {
    return this.#deliveries.size > 0 || this.#behind.size > 0;
  }

  /** The perturbations when a step begins (a node is lost) and when it is at rest (the clock jumps). */
  step(step: number, phase: "begun" | "quiet"): readonly Met<StepPerturbation>[] {
    const type = phase === "begun" ? "node-lost" : "clock-jump";
    return this.#meet(this.#steps.filter(({ perturbation: one }) => one.step === step && one.type === type));
  }

  /**
   * The newest revision that a program may read after a stale restart without requesting the latest state: that before the event which it
   * had seen.
   */
  staleRevision(index: number): number | undefined {
    const seen = this.#seen.get(index);
    return seen === undefined ? undefined : seen - 1;
  }

  #add(index: number, perturbation: Perturbation): void {
    switch (perturbation.type) {
      case "lag":
      case "gap":
      case "resync":
      case "bookmark":
        add(this.#deliveries, deliveryKey(perturbation.at), { index, perturbation });
        return;
      case "slow-webhooks":
        this.#webhooks.push({ index, perturbation });
        return;
      case "node-lost":
      case "clock-jump":
        this.#steps.push({ index, perturbation });
        return;
      case "stale-restart":
        add(this.#behind, deliveryKey(perturbation.behind), { index, occurrence: perturbation.behind.occurrence });
        add(this.#requests, requestKey(perturbation.at), { index, perturbation });
        return;
      default:
        add(this.#requests, requestKey(perturbation.at), { index, perturbation });
    }
  }

  #isAt(
    { index, perturbation }: Met<Exclude<RequestPerturbation, SlowWebhooks>>,
    { occurrence }: RequestPoint,
  ): boolean {
    const { at, type } = perturbation;
    // A state that it had not seen cannot be hidden again; and a read of the latest state never gets an older one.
    if (type === "stale-restart" && !(this.#seen.has(index) && this.#readsOlder.has(at.actor))) return false;
    const times = type === "refused" ? perturbation.times : 1;
    return occurrence >= at.occurrence && occurrence < at.occurrence + times;
  }

  #meet<P extends Perturbation>(found: readonly Met<P>[]): readonly Met<P>[] {
    for (const { index } of found) this.#met[index] = true;
    return found;
  }
}

function add<V>(map: Map<string, V[]>, key: string, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
