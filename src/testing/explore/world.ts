/**
 * The programs of a run, and how time passes for them: in this process, over HTTP, or between drivers and sidecars.
 *
 * @module
 */
import type { Complaint } from "../../explore/contract/laboratory.ts";
import type { Plan } from "../../explore/contract/plan.ts";
import type { Actor } from "../../explore/contract/trace.ts";
import type { TestCluster } from "../test-cluster.ts";
import type { FindProgram, ProgramLife, StaleState } from "./identity.ts";
import type { KeptRequest } from "./interposer.ts";
import type { TraceRecorder } from "./recorder.ts";

/** The parts of the run that a world gets. */
export interface RunContext {
  readonly cluster: TestCluster;
  readonly trace: TraceRecorder;
  readonly seed: number;
  readonly plan: Plan;
  /** Records something that is wrong by itself, in the present step; the same twice counts once. */
  readonly complain: (complaint: WorldComplaint) => void;
  /** Called when a program has ended, in any way. */
  readonly gone: (program: ProgramLife) => void;
  /** Called when a program begins that reads an older state. */
  readonly stale: (program: ProgramLife, stale: StaleState) => void;
}

/** A complaint; the step is known to who plays the run. */
export type WorldComplaint =
  | { readonly type: "crash-loop" | "failed"; readonly actor: Actor; readonly detail: string }
  | Exclude<Complaint, { readonly step: number } | { readonly seq: number }>;

/** The world of controllers in this process. */
export interface World extends AsyncDisposable {
  /** Says which program sent a request. */
  readonly find: FindProgram;
  /** Starts all programs; resolves when they run. @throws Error for a program that cannot be started */
  begin(): Promise<void>;
  /** Whether a program runs, as one does that has started and was not killed. */
  isRunning(actor: Actor): boolean;
  /** Kills a program as `kill -9` does; it starts again after a time. */
  kill(program: ProgramLife, downMillis: number, stale?: StaleState): void;
  /** Lets another replica of a program lead while one of its requests is on its way; resolves when the request shall be handled. */
  leadChanges(program: ProgramLife, index: number): Promise<void>;
  /** Sends the request of a program that has died meanwhile. */
  resend(request: KeptRequest): void;
  /**
   * A request is delayed for a time: there is no rest before it has passed. The result is called when the request continues, or is lost.
   */
  delays(millis: number): () => void;
  /** Resolves when nothing happens until time passes. @throws NotSettled, HotLoop or ReconcileFailed, as {@link TestCluster.settled} */
  rest(): Promise<void>;
  /** Called when everything is at rest: carries out an action that the world has delayed; false where there is none. */
  goOn(): boolean;
  /** Lets time pass until something is due, at most so long. */
  pass(millis: number): Promise<void>;
  /** The time jumps, as after a suspension: timers that became due meanwhile are late. */
  jump(millis: number): Promise<void>;
  /** The length of the quiet at the end, where the world cannot wait for that of the scenario. */
  quietMillis(asked: number): number;
  /** Kills all programs for good. */
  stop(): void;
}
