/**
 * Plays perturbations of calls to a storage driver: a call is passed on, lost, refused, delayed, sent twice or held, and its sender or its
 * receiver is killed, as in the plan.
 * It is independent of the transport: a proxy of sockets and calls inside this process both use it. CSI permits all of these: a call may
 * fail at any point, its outcome is unknown to the caller then, and calls of a driver are idempotent. While a call takes longer than its
 * caller lives or waits, the driver works on it: other calls for the same object get `ABORTED`, as the protocol requires.
 *
 * @module
 */
import { CODES } from "../../../csi/driver-error.ts";
import type { Perturbation, Refusal } from "../../../explore/contract/plan.ts";
import type { Actor, ObjectRef, RequestEntry } from "../../../explore/contract/trace.ts";
import { pauseCount } from "../../../util/activity.ts";
import { type Clock, sleep } from "../../../util/clock.ts";
import { ReturnedObjects, type CallRequest, mayChange, objectOf, shownRequest } from "./call.ts";

/** The response of a driver. */
export type Outcome<T> =
  | { readonly code: 0; readonly value: T; readonly response: object }
  | { readonly code: number; readonly message: string };

/** A call on its way from a program to a driver. */
export interface ComingCall<T> {
  readonly actor: Actor;
  /** Which start of the program sends it. */
  readonly life: number;
  /** The last part of the full name, such as `Controller`. */
  readonly service: string;
  readonly method: string;
  /** Empty where it cannot be decoded. */
  readonly request: CallRequest;
  /** Aborted when the caller does not wait any more. */
  readonly signal: AbortSignal;
  /** Sends it to the driver; may be called several times. Never rejects. */
  readonly send: () => Promise<Outcome<T>>;
}

/** The result for the caller: a response, a broken connection, or nothing, since it was killed. */
export type Received<T> = Outcome<T> | "broken" | "killed";

/** The parts of a call that identify its point in a plan. */
export type MetCall = Pick<RequestEntry, "actor" | "protocol" | "verb" | "object">;

/** The perturbations that a laboratory carries out for a plan. */
export interface CallStage {
  readonly clock: Clock;
  /** The perturbation that a call meets, with its index in the plan. */
  meet(call: MetCall): { readonly index: number; readonly perturbation: Perturbation } | undefined;
  record(entry: Omit<RequestEntry, "seq" | "at">): void;
  /** Kills a program; it starts again after `downMillis`. */
  kill(program: { readonly actor: Actor; readonly life: number }, downMillis: number): void;
  /** Kills the driver, and starts it again after `downMillis`. Undefined where that cannot be done. */
  readonly killDriver?: (downMillis: number) => Promise<void>;
  /** Runs work once, when everything else is at rest and the program runs, as it does again after it was killed. */
  atRest(why: "late" | "overtaken", actor: Actor, work: () => void): void;
}

/** The codes of gRPC for refusals. */
const REFUSALS: Readonly<Record<Refusal, { readonly code: number; readonly isHandled: boolean }>> = {
  unavailable: { code: CODES.Unavailable, isHandled: false },
  aborted: { code: CODES.Aborted, isHandled: false },
  conflict: { code: CODES.Aborted, isHandled: false },
  "internal-error": { code: CODES.Internal, isHandled: false },
  "too-many-requests": { code: CODES.ResourceExhausted, isHandled: false },
  // The work is done, or continues, when a caller times out.
  "deadline-exceeded": { code: CODES.DeadlineExceeded, isHandled: true },
  timeout: { code: CODES.DeadlineExceeded, isHandled: true },
};

/** A call that waits to be overtaken by one of its program about another object. */
interface Held {
  readonly actor: Actor;
  readonly release: () => void;
}

const textOf = ({ kind, name }: ObjectRef): string => `${kind} ${name ?? ""}`;

/** Plays the calls of one run. */
export class CallPlayer {
  readonly #stage: CallStage;
  readonly #returned: ReturnedObjects;
  #held: Held[] = [];
  /** Objects on which the driver works, with the perturbation. */
  readonly #pending = new Map<string, number>();

  /** @param returned receives the state of the driver from its responses */
  constructor(stage: CallStage, returned: ReturnedObjects = new ReturnedObjects()) {
    this.#stage = stage;
    this.#returned = returned;
  }

  /** Plays a call; resolves to what its caller gets. */
  async play<T>(call: ComingCall<T>): Promise<Received<T>> {
    const { actor, service, method, request } = call;
    const object = objectOf(service, method, request, this.#returned);
    const met = this.#stage.meet({ actor, protocol: "csi", verb: method, object });
    const pending = this.#pending.get(textOf(object));
    if (pending !== undefined && mayChange(method)) {
      // As the protocol requires: one operation at a time for each volume.
      const aborted = { code: CODES.Aborted, message: "an operation on this object is pending" };
      this.#record(call, aborted, undefined, pending);
      return aborted;
    }
    return met ? this.#perturbed(call, object, met) : this.#passed(call);
  }

  async #passed<T>(call: ComingCall<T>, index?: number): Promise<Received<T>> {
    const outcome = await this.#send(call);
    this.#record(call, outcome, outcome, index);
    return outcome;
  }

  async #perturbed<T>(
    call: ComingCall<T>,
    object: ObjectRef,
    { index, perturbation }: { readonly index: number; readonly perturbation: Perturbation },
  ): Promise<Received<T>> {
    switch (perturbation.type) {
      case "crash":
        return perturbation.victim === "driver"
          ? this.#driverCrashes(call, perturbation, index)
          : this.#callerCrashes(call, object, perturbation, index);
      case "answer-lost": {
        const outcome = await this.#send(call);
        this.#record(call, "broken", outcome, index);
        return "broken";
      }
      case "refused":
        return this.#refused(call, perturbation.with, index);
      case "slow": {
        const outcome = await this.#send(call);
        await this.#wait(call, (signal) => sleep(this.#stage.clock, perturbation.byMillis, signal));
        // A caller that has given up meanwhile gets nothing.
        this.#record(call, call.signal.aborted ? "broken" : outcome, outcome, index);
        return outcome;
      }
      case "repeated":
        await this.#send(call);
        return this.#passed(call, index);
      case "overtaken": {
        const { promise: released, resolve } = Promise.withResolvers<void>();
        const release = (): void => {
          this.#pending.delete(textOf(object));
          resolve();
        };
        this.#pending.set(textOf(object), index);
        this.#held.push({ actor: call.actor, release });
        this.#stage.atRest("overtaken", call.actor, release);
        await this.#wait(call, () => released);
        if (!call.signal.aborted) return this.#passed(call, index);
        // The request was on its way: the driver handles it whether the caller waits or not.
        this.#record(call, "broken", undefined, index);
        void released.then(() => this.#send(call));
        return "broken";
      }
      default:
        throw new Error(`expected a perturbation of a call to a driver, got ${perturbation.type}`);
    }
  }

  async #callerCrashes<T>(
    call: ComingCall<T>,
    object: ObjectRef,
    { when, downMillis }: Extract<Perturbation, { readonly type: "crash" }>,
    index: number,
  ): Promise<"killed"> {
    const outcome = when === "after" ? await this.#send(call) : undefined;
    this.#record(call, "killed", outcome, index);
    this.#stage.kill(call, downMillis);
    if (when !== "late") return "killed";
    this.#pending.set(textOf(object), index);
    this.#stage.atRest("late", call.actor, () => {
      this.#pending.delete(textOf(object));
      void this.#send(call);
    });
    return "killed";
  }

  async #driverCrashes<T>(
    call: ComingCall<T>,
    { when, downMillis }: Extract<Perturbation, { readonly type: "crash" }>,
    index: number,
  ): Promise<"broken"> {
    const { killDriver } = this.#stage;
    if (!killDriver) throw new Error("expected a driver that can be started again: give the command that starts it");
    // It ends after its work and before its response, or before it has received the request.
    const outcome = when === "before" ? undefined : await this.#send(call);
    await killDriver(downMillis);
    this.#record(call, "broken", outcome, index);
    return "broken";
  }

  async #refused<T>(call: ComingCall<T>, refusal: Refusal, index: number): Promise<Received<T>> {
    const { code, isHandled } = REFUSALS[refusal];
    const outcome = isHandled ? await this.#send(call) : undefined;
    const refused = { code, message: `refused by the plan: ${refusal}` };
    this.#record(call, refused, outcome, index);
    return refused;
  }

  /** Sends a call to the driver, and then those that wait for it. */
  async #send<T>(call: ComingCall<T>): Promise<Outcome<T> & { readonly changed: boolean }> {
    const outcome = await call.send();
    const changed = isOk(outcome) && this.#returned.learn(call.method, call.request, outcome.response);
    const [mine, others] = [
      this.#held.filter(({ actor }) => actor === call.actor),
      this.#held.filter(({ actor }) => actor !== call.actor),
    ];
    this.#held = others;
    for (const { release } of mine) release();
    return { ...outcome, changed };
  }

  /** Waits for the clock or for others, as long as the caller waits; that does not count as running work. */
  async #wait<T>({ signal }: ComingCall<T>, until: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    if (signal.aborted) return;
    using _paused = pauseCount();
    signal.addEventListener("abort", () => resolve(), { once: true });
    await Promise.race([until(signal), over]);
  }

  /** @param handled the response of the driver, whether the caller has received it or not */
  #record<T>(
    { actor, life, service, method, request }: ComingCall<T>,
    received: Received<T>,
    handled: { readonly changed: boolean } | undefined,
    index: number | undefined,
  ): void {
    this.#stage.record({
      type: "request",
      actor,
      life,
      protocol: "csi",
      verb: method,
      object: objectOf(service, method, request, this.#returned),
      sent: shownRequest(request),
      ...(typeof received === "object" ? { code: received.code } : {}),
      ...(typeof received === "object" && !isOk(received) ? { message: received.message } : {}),
      changed: handled?.changed ?? false,
      ...(index === undefined ? {} : { perturbation: index }),
    });
  }
}

const isOk = <T>(outcome: Outcome<T>): outcome is Extract<Outcome<T>, { readonly code: 0 }> => outcome.code === 0;
