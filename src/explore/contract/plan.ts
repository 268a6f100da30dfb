/**
 * Plans: the perturbations of a run, and their points.
 * A plan is plain JSON. It names points by their content, not by a count of all events, so that it means the same in a run that already
 * differs: "the second create of a ConfigMap `a-*` by `operator`".
 *
 * @module
 */
import type { ActionVerb, Actor } from "./trace.ts";

/** A request of a program, or a call to a driver: the n-th of those that are alike. */
export interface RequestPoint {
  readonly actor: Actor;
  readonly protocol: "api" | "csi";
  readonly verb: ActionVerb;
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  /** The name; for generated names the prefix and `*`. */
  readonly name?: string;
  readonly subresource?: string;
  /** Counted from 0 over the whole run, all starts of the program together. */
  readonly occurrence: number;
}

/** An event of a watch of a program: the n-th of those that are alike. */
export interface DeliveryPoint {
  readonly actor: Actor;
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly change: "ADDED" | "MODIFIED" | "DELETED";
  readonly occurrence: number;
}

/** Errors that a server may give at any time. */
export type Refusal =
  | "conflict"
  | "too-many-requests"
  | "internal-error"
  | "unavailable"
  | "timeout"
  // Codes of gRPC, for calls to drivers.
  | "deadline-exceeded"
  | "aborted";

/** A perturbation: a failure, or an unusual order, that Kubernetes permits. */
export type Perturbation =
  /**
   * The program is killed when it sends a request. `before`: the request is lost; `after`: it is handled, its response is lost; `late`: the
   * request is delayed, and is handled after the program has started again and is at rest.
   */
  | {
      readonly type: "crash";
      readonly at: RequestPoint;
      readonly when: "before" | "after" | "late";
      readonly downMillis: number;
      /** Which program is killed: the one that sends the request, or the storage driver that receives the call. The sender by default. */
      readonly victim?: "driver";
    }
  /** The request is handled, and the connection breaks before its response. */
  | { readonly type: "answer-lost"; readonly at: RequestPoint }
  /** The request is refused, and following ones that are alike: `times` together. `timeout` handles it and responds too late. */
  | { readonly type: "refused"; readonly at: RequestPoint; readonly with: Refusal; readonly times: number }
  /** The response takes a time of the clock. */
  | { readonly type: "slow"; readonly at: RequestPoint; readonly byMillis: number }
  /** The watches of the program on one kind are held from this event on, until everything else is at rest; then they continue in order. */
  | { readonly type: "lag"; readonly at: DeliveryPoint }
  /**
   * The watches of the program on one kind are held from this event on, until everything else is at rest or until `untilStep` is; then they
   * end with 410, and the program lists again: states between are never seen.
   */
  | { readonly type: "gap"; readonly at: DeliveryPoint; readonly untilStep?: number }
  /**
   * The program is killed when it sends a request (after it was handled). Where it then reads without requesting the latest state
   * (`resourceVersion=0`), it gets the state from before an event that it had seen, and the rest when everything else is at rest.
   */
  | { readonly type: "stale-restart"; readonly at: RequestPoint; readonly behind: DeliveryPoint }
  /** All watches of the program end at this event, and are opened again: it lists or watches again. */
  | { readonly type: "resync"; readonly at: DeliveryPoint }
  /** A bookmark after this event. */
  | { readonly type: "bookmark"; readonly at: DeliveryPoint }
  /**
   * A second replica takes over during a request of the first: the first one is paused, its lease ends, the other one leads and comes to
   * rest; then the request is handled, and the first one continues until it notices.
   */
  | { readonly type: "lead-changes"; readonly at: RequestPoint }
  /** Webhooks take a time of the clock for the writes of this program. */
  | { readonly type: "slow-webhooks"; readonly actor: Actor; readonly byMillis: number }
  /** A simulated node is lost when a step begins, and returns after a time. */
  | { readonly type: "node-lost"; readonly step: number; readonly node: string; readonly forMillis: number }
  /** The clock jumps when a step has come to rest. */
  | { readonly type: "clock-jump"; readonly step: number; readonly byMillis: number }
  /** A call reaches the driver twice. */
  | { readonly type: "repeated"; readonly at: RequestPoint }
  /** A request is held, and handled after the next one of the program to the same receiver. */
  | { readonly type: "overtaken"; readonly at: RequestPoint };

/** The name of a type of perturbation, as plans, `only` and `--only` have it. */
export type PerturbationType = Perturbation["type"];

/** The perturbations of one run; empty for a clean run. */
export type Plan = readonly Perturbation[];
