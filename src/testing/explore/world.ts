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

/** What a world gets of the run that is played in it. */
export interface RunContext {
  readonly cluster: TestCluster;
  readonly trace: TraceRecorder;
  readonly seed: number;
  readonly plan: Plan;
  /** Records something that is wrong by itself, in the present step; the same twice counts once. */
  readonly complain: (complaint: WorldComplaint) => void;
  /** Called when a program is gone, however it ended. */
  readonly gone: (program: ProgramLife) => void;
  /** Called when a program begins that reads an older state. */
  readonly stale: (program: ProgramLife, stale: StaleState) => void;
}

/** A complaint; the step is known to who plays the run. */
export type WorldComplaint =
  | { readonly type: "crash-loop" | "failed"; readonly actor: Actor; readonly detail: string }
  | Exclude<Complaint, { readonly step: number } | { readonly seq: number }>;

/** See the head of this file. */
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
  /** A request is under way for a time: there is no rest before it has passed. The result is called when the request goes on, or is lost. */
  delays(millis: number): () => void;
  /** Resolves when nothing happens until time passes. @throws NotSettled, HotLoop or ReconcileFailed, as {@link TestCluster.settled} */
  rest(): Promise<void>;
  /** Called when all is at rest: does what the world itself has waited for; false where there is nothing. */
  goOn(): boolean;
  /** Lets time pass until something is due, at most so long. */
  pass(millis: number): Promise<void>;
  /** Time moves at once, as after a suspension: what has become due meanwhile comes late. */
  jump(millis: number): Promise<void>;
  /** How long the quiet in the end is, where the world cannot wait for that of the scenario. */
  quietMillis(asked: number): number;
  /** Kills all programs for good. */
  stop(): void;
}
