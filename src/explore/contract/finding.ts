/**
 * The faults of a run, and the finding that plays them again.
 *
 * @module
 */
import type { Plan } from "./plan.ts";
import type { ObjectRef } from "./trace.ts";

/** The kind of a fault. */
export type FaultKind =
  /** An expected object is missing. */
  | "missing"
  /** An object exists that should not; no program will ever delete it. */
  | "leaked"
  /** An object remains in deletion: its finalizer is never removed. */
  | "stuck-in-deletion"
  /** An object differs from its state without the perturbation. */
  | "differs"
  /** An object names an owner or another object that does not exist. */
  | "dangling"
  /** The status describes a state that does not exist (observedGeneration behind, counts that are wrong). */
  | "stale-status"
  /** The program deleted an object which it had never seen: another one of the same name. */
  | "deleted-unseen"
  /** The program deleted an object, or deleted and created it, that it does not change without the perturbation. */
  | "deleted-needlessly"
  /** A claim, volume or its data was lost. */
  | "data-lost"
  | "made-twice"
  /** It continues to write while nothing changes, or two programs undo each other's writes. */
  | "restless"
  | "fight"
  /** It never comes to rest. */
  | "unsettled"
  | "crash-loop"
  | "failed"
  /** The state after changes is not that of an object made so at once. */
  | "remembers"
  /** A rule of the scenario. */
  | "always"
  | "eventually"
  | "step-failed";

/** A fault that a run showed. */
export interface Fault {
  readonly kind: FaultKind;
  /** Equal for the same fault in other runs: kind, object (with normal names) and member. */
  readonly key: string;
  /** One sentence that names the fault and its object, in plain English. */
  readonly sentence: string;
  readonly object?: ObjectRef;
  /** The member that differs: `.spec.replicas`. */
  readonly path?: string;
  /** The expected and the found value, as YAML or a text. */
  readonly expected?: string;
  readonly found?: string;
  /** The step after which it shows; -1 where it shows when the programs start. */
  readonly step: number;
  /** The last step after which it shows, where it vanished after the next step of the user: it may be one of timing. */
  readonly until?: number;
  /** The entry of the trace that shows it best. */
  readonly seq?: number;
  /** `notice` for behaviour that is wasteful or unusual, but right at the end: it is reported and fails nothing. */
  readonly severity: "fault" | "notice";
}

/** A fault with what plays it again: the content of a file. */
export interface Finding {
  readonly format: 1;
  readonly scenario: {
    readonly name: string;
    /** The file of the scenario or of the module, relative to the finding; absent where the scenario is code of a test. */
    readonly file?: string;
  };
  /** How the programs were started: `["./manager", "--kubeconfig", "{}"]`; absent in process. */
  readonly command?: readonly string[];
  /** How several programs were started, by their names; then there is no `command`. */
  readonly programs?: readonly { readonly name: string; readonly command: readonly string[] }[];
  /** The socket of the driver, and how it was started where that is ours to do. */
  readonly csi?: { readonly endpoint: string; readonly driver?: readonly string[] };
  readonly seed: number;
  /** The steps that are needed, by index; all where absent. */
  readonly steps?: readonly number[];
  readonly plan: Plan;
  readonly fault: Fault;
  /** How often it showed when it was played again: 3 of 3. */
  readonly replayed: { readonly shown: number; readonly of: number };
  readonly versions: { readonly keelson: string; readonly node: string; readonly platform: string };
}
