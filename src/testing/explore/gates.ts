/**
 * Gates in front of the watches of programs: open, or closed by a perturbation. What comes meanwhile waits at the gate.
 *
 * @module
 */
import type { Met, DeliveryPerturbation } from "../../explore/player.ts";
import type { StoredObject } from "../../explore/contract/state.ts";
import type { ObjectRef } from "../../explore/contract/trace.ts";
import { expired } from "../../meta/status.ts";
import type { Resource, WatchBatch } from "../../registry/index.ts";
import { type WatchOutput } from "../../server/index.ts";
import type { ApiError } from "../../meta/status.ts";
import type { ProgramLife } from "./identity.ts";

type WatchEvent = WatchBatch["events"][number];

/** An event of a watch on its way to a program. */
export interface Arrival {
  readonly program: ProgramLife;
  readonly object: ObjectRef & { readonly name: string };
  readonly uid: string;
  readonly change: WatchEvent["type"];
  readonly revision: number;
  /** The player learns a generated name from the event, since the change may not be recorded yet. */
  readonly generateName?: string;
}

/** The parts of a laboratory that gates need. */
export interface GateParts {
  /** The perturbations of the next event; undefined where no event has to be checked. */
  readonly meets: ((arrival: Arrival) => readonly Met<DeliveryPerturbation>[]) | undefined;
  /** Called when an event has reached a program. */
  readonly arrived: (arrival: Arrival) => void;
  readonly told: (index: number, phase: "begun" | "ended", detail: string) => void;
}

/** Watches that are held. */
interface Hold {
  readonly index: number;
  readonly program: ProgramLife;
  /** Undefined for watches of any kind that a stale restart has begun. */
  readonly kind: Pick<ObjectRef, "group" | "kind"> | undefined;
  /** Whether they end with 410. */
  readonly isGap: boolean;
  readonly untilStep: number | undefined;
}

/** All gates of one run. */
export class Gates {
  readonly parts: GateParts;
  readonly #watches = new Set<GatedWatch>();
  readonly #holds = new Set<Hold>();

  constructor(parts: GateParts) {
    this.parts = parts;
  }

  /** A watch of a program, in front of its stream. */
  watch(output: WatchOutput, of: WatchFacts): GatedWatch {
    const watch = new GatedWatch(output, of, this);
    this.#watches.add(watch);
    return watch;
  }

  /** Whether events of a watch wait. */
  holds({ program, kind, isStale }: WatchFacts): boolean {
    for (const hold of this.#holds) {
      if (hold.program !== program) continue;
      if (hold.kind === undefined ? isStale : isSameKind(hold.kind, kind)) return true;
    }
    return false;
  }

  /** Closes the gates of one kind. */
  hold({ index, perturbation }: Met<DeliveryPerturbation>, program: ProgramLife): void {
    const isGap = perturbation.type === "gap";
    const untilStep = isGap ? perturbation.untilStep : undefined;
    const { group, kind } = perturbation.at;
    this.#holds.add({ index, program, kind: { group, kind }, isGap, untilStep });
    this.parts.told(index, "begun", `watches of ${kind} by ${program.actor} stand still`);
  }

  /** Closes the gates of watches that begin with an older state. */
  holdStale(index: number, program: ProgramLife): void {
    this.#holds.add({ index, program, kind: undefined, isGap: false, untilStep: undefined });
  }

  /** Whether something waits at a gate that may be let through by now. */
  isDue(step: number): boolean {
    return this.#due(step) !== undefined;
  }

  /** Whether something waits at a gate until a later step is at rest. */
  isBeyond(step: number): boolean {
    return [...this.#holds].some(({ untilStep = -1 }) => untilStep > step);
  }

  /** Releases the next batch of each watch of a hold, or ends its watches; false where nothing is held. */
  release(step: number): boolean {
    const hold = this.#due(step);
    if (!hold) return false;
    const watches = [...this.#watches].filter((watch) => isOf(hold, watch.of));
    if (hold.isGap) {
      this.#holds.delete(hold);
      for (const watch of watches) watch.expire();
      this.parts.told(hold.index, "ended", `watches of ${hold.kind!.kind} by ${hold.program.actor} ended with 410`);
      return true;
    }
    const remaining = watches.filter((watch) => watch.releaseOne());
    if (remaining.length > 0) return true;
    this.#holds.delete(hold);
    for (const watch of watches) watch.releaseAll();
    this.parts.told(
      hold.index,
      "ended",
      `watches of ${hold.kind?.kind ?? "any kind"} by ${hold.program.actor} continue`,
    );
    return true;
  }

  /** Opens all gates at once, as what else happens has no end; false where none is closed. */
  releaseAll(): boolean {
    const holds = [...this.#holds];
    for (const hold of holds) {
      const watches = [...this.#watches].filter((watch) => isOf(hold, watch.of));
      this.#holds.delete(hold);
      for (const watch of watches)
        if (hold.isGap) watch.expire();
        else watch.releaseAll();
      this.parts.told(hold.index, "ended", `all gates open, as ${hold.program.actor} does not come to rest`);
    }
    return holds.length > 0;
  }

  /** The connections of a program have ended with it. */
  forget(program: ProgramLife): void {
    for (const hold of this.#holds) {
      if (hold.program !== program) continue;
      this.#holds.delete(hold);
      this.parts.told(hold.index, "ended", `${program.actor} is gone`);
    }
    for (const watch of this.#watches) if (watch.of.program === program) this.#watches.delete(watch);
  }

  /** Ends all watches of a program with 410, so that it lists again. */
  resync(program: ProgramLife): void {
    for (const watch of this.#watches) if (watch.of.program === program) watch.expire();
  }

  closed(watch: GatedWatch): void {
    this.#watches.delete(watch);
  }

  #due(step: number): Hold | undefined {
    return [...this.#holds].find(({ untilStep = -1 }) => untilStep <= step);
  }
}

const isSameKind = (a: Pick<ObjectRef, "group" | "kind">, b: Pick<ObjectRef, "group" | "kind">): boolean =>
  a.kind === b.kind && a.group === b.group;

const isOf = (hold: Hold, { program, kind, isStale }: WatchFacts): boolean =>
  hold.program === program && (hold.kind === undefined ? isStale : isSameKind(hold.kind, kind));

/** Facts of a watch. */
export interface WatchFacts {
  readonly program: ProgramLife;
  readonly kind: Pick<ObjectRef, "group" | "kind">;
  readonly resource: Resource;
  readonly allowsBookmarks: boolean;
  /** Whether it begins with an older state than the program had seen. */
  readonly isStale: boolean;
}

/** A watch behind a gate. */
export class GatedWatch implements WatchOutput {
  readonly of: WatchFacts;
  readonly #output: WatchOutput;
  readonly #gates: Gates;
  /** The waiting deliveries, in order. */
  #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(output: WatchOutput, of: WatchFacts, gates: Gates) {
    this.#output = output;
    this.of = of;
    this.#gates = gates;
  }

  /** Sends the initial state of the watch, even while it is held; later events wait behind it. */
  begin(entries: readonly WatchEvent["entry"][], revision: number, marksEnd: boolean): void {
    if (this.#isOver) return;
    const events = entries.map((entry) => ({ type: "ADDED", entry }) as const);
    if (events.length > 0) this.#deliver({ events, revision, initialEnd: false, memo: undefined });
    if (marksEnd && this.of.allowsBookmarks) this.#output.bookmark(revision, true);
  }

  events(batch: WatchBatch): void {
    this.#pass(() => this.#deliver(batch));
  }

  bookmark(revision: number, end: boolean): void {
    this.#pass(() => this.#output.bookmark(revision, end));
  }

  error(error: ApiError): void {
    this.#pass(() => this.#over(() => this.#output.error(error)));
  }

  end(): void {
    this.#pass(() => this.#over(() => this.#output.end()));
  }

  destroy(): void {
    this.#over(() => this.#output.destroy());
  }

  /** Releases the delivery that has waited longest; false where none waits. */
  releaseOne(): boolean {
    const next = this.#waiting.shift();
    if (!next || this.#isOver) return false;
    next();
    return true;
  }

  releaseAll(): void {
    while (this.releaseOne());
  }

  /** Ends with 410; what waits is never sent. */
  expire(): void {
    this.#waiting = [];
    this.#over(() => this.#output.error(expired("The requested resourceVersion is too old")));
  }

  #pass(send: () => void): void {
    if (this.#isOver) return;
    if (this.#waiting.length > 0 || this.#gates.holds(this.of)) this.#waiting.push(send);
    else send();
  }

  #over(send: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gates.closed(this);
    send();
  }

  #deliver(batch: WatchBatch): void {
    const { meets } = this.#gates.parts;
    if (!meets) {
      for (const event of batch.events) this.#gates.parts.arrived(this.#arrivalOf(event));
      this.#output.events(batch);
      return;
    }
    for (const [i, event] of batch.events.entries()) {
      const arrival = this.#arrivalOf(event);
      const met = meets(arrival);
      const held = met.filter(({ perturbation: { type } }) => type === "lag" || type === "gap");
      if (held.length > 0) {
        for (const one of held) this.#gates.hold(one, this.of.program);
        // It was perturbed already: it is not perturbed again when it is released.
        this.#waiting.unshift(() => this.#sendFrom(batch, i, arrival));
        return;
      }
      this.#send(batch, event, arrival);
      for (const { perturbation } of met) this.#after(perturbation, event);
      if (this.#isOver) return;
    }
  }

  #sendFrom(batch: WatchBatch, i: number, arrival: Arrival): void {
    this.#send(batch, batch.events[i]!, arrival);
    const rest = batch.events.slice(i + 1);
    if (rest.length > 0) this.#deliver({ ...batch, events: rest, memo: undefined });
  }

  #send(batch: WatchBatch, event: WatchEvent, arrival: Arrival): void {
    this.#gates.parts.arrived(arrival);
    this.#output.events(batch.events.length === 1 ? batch : { ...batch, events: [event], memo: undefined });
  }

  #after({ type }: DeliveryPerturbation, { entry }: WatchEvent): void {
    if (type === "resync") this.#gates.resync(this.of.program);
    if (type === "bookmark" && this.of.allowsBookmarks) this.#output.bookmark(entry.revision, false);
  }

  #arrivalOf({ type, entry }: WatchEvent): Arrival {
    const { metadata } = this.of.resource.object(entry) as {
      readonly metadata: Pick<StoredObject["metadata"], "name" | "namespace" | "uid" | "generateName">;
    };
    const { name, namespace, uid, generateName } = metadata;
    const object = { ...this.of.kind, ...(namespace !== undefined && { namespace }), name };
    return {
      program: this.of.program,
      object,
      uid,
      change: type,
      revision: entry.revision,
      ...(generateName !== undefined && { generateName }),
    };
  }
}
