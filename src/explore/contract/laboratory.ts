/**
 * The interface of laboratories, which play runs. There is one for controllers in this process, one for programs over HTTP, and one for
 * storage drivers.
 *
 * @module
 */
import type { Perturbation, PerturbationType, Plan } from "./plan.ts";
import type { State } from "./state.ts";
import type { ObjectRef, Trace } from "./trace.ts";

/** What to play. */
export interface RunOrder {
  /** For uids, names, jitter and the order of what happens at once. */
  readonly seed: number;
  readonly plan: Plan;
  /** The steps of the scenario that are played, by index, in this order; the usual ones by default. */
  readonly steps?: readonly number[];
  /** Stop before the n-th write of the programs, counted from 1. */
  readonly beforeWrite?: number;
  /** Whether the long quiet in the end is left out, as nothing is judged by it. */
  readonly brief?: boolean;
}

/** Something that the run itself shows to be wrong; no other run is needed to see it. */
export type Complaint =
  /** Work continued without end while the clock stood still. */
  | { readonly type: "unsettled"; readonly step: number; readonly detail: string }
  /** A program threw an error for which a retry is useless, or ended by itself again and again. */
  | { readonly type: "crash-loop" | "failed"; readonly actor: string; readonly step: number; readonly detail: string }
  /** A step of the user was refused. */
  | { readonly type: "step-failed"; readonly step: number; readonly detail: string }
  /** A rule that must always hold did not hold at this entry of the trace. */
  | { readonly type: "always"; readonly rule: string; readonly seq: number; readonly detail: string }
  /** A rule that must hold at the end did not hold. */
  | { readonly type: "eventually"; readonly rule: string; readonly step: number; readonly detail: string }
  /** A driver has a volume (snapshot) that no object knows, has it twice, lost it while it was needed, or lost its data. */
  | {
      readonly type: "leaked" | "made-twice" | "deleted-in-use" | "data-lost";
      readonly object: ObjectRef;
      readonly detail: string;
    };

/** The result of an order. */
export interface RunRecord {
  readonly order: RunOrder;
  readonly trace: Trace;
  /** The state when each played step was at rest, and after the long quiet in the end (absent in a brief run). */
  readonly states: readonly { readonly step: number; readonly state: State }[];
  readonly complaints: readonly Complaint[];
  /** For each perturbation of the plan, whether its place came up. */
  readonly met: readonly boolean[];
  /** Writes of programs that changed something in the last half of the long quiet. */
  readonly restlessWrites: number;
  /** CPU time of the run in ms, if it is known. */
  readonly cpuMillis?: number;
}

/** Two ways of a user to the same result: the final state must be the same. */
export interface Comparison {
  /** `.spec.size set to 3, then unset`. */
  readonly name: string;
  /** The steps that change, break or mend an object. */
  readonly changed: readonly number[];
  /** The steps that make it so at once. */
  readonly fresh: readonly number[];
}

/** A scenario as the explorer knows it. */
export interface ScenarioOutline {
  readonly name: string;
  /** The names of all steps; those of operations from a schema follow those of the user. */
  readonly steps: readonly string[];
  /** The steps of the user, which an order without `steps` plays. */
  readonly usual: readonly number[];
  /** Operations from schemas. */
  readonly comparisons: readonly Comparison[];
  /** The names of simulated nodes. */
  readonly nodes: readonly string[];
  /** Whether the storage driver can be killed, as the laboratory can start it again. */
  readonly startsDriver?: boolean;
}

/** Plays runs of one scenario with one set of programs. */
export interface Laboratory extends AsyncDisposable {
  readonly scenario: ScenarioOutline;
  /** The perturbations that it can play. */
  readonly perturbations: ReadonlySet<PerturbationType>;
  /**
   * Returns a perturbation in the form in which it is played, so that findings report what happened: a duration that is too long is cut.
   */
  asPlayed?(perturbation: Perturbation): Perturbation;
  /** The maximum number of concurrent runs. */
  readonly parallel: number;
  /** Whether the same order gives the same trace each time. */
  readonly deterministic: boolean;
  /**
   * Plays an order from the state before the scenario.
   *
   * @throws Error only where the laboratory itself is at fault (a program that cannot be started); faults of the programs are in the record
   */
  run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord>;
}

/** A perturbation with what makes it worth trying: proposed from clean runs. */
export interface Proposal {
  readonly perturbation: Perturbation;
  /** The higher, the earlier. */
  readonly worth: number;
}
