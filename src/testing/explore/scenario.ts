/**
 * A scenario: the actions of a user while programs run, and the rules that must hold; and the programs that run in this process.
 *
 * @module
 */
import type { Client, Manifest } from "../../client/index.ts";
import type { Controller } from "../../runtime/index.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Duration } from "../../util/duration.ts";
import type { StoredObject } from "../../explore/contract/state.ts";
import type { Cluster } from "../contract.ts";

/** An object that a step names. */
export interface StepObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** `default` by default, where the kind is namespaced. */
  readonly namespace?: string;
}

/** A step of a user, as data: one action with an optional name. */
export type DataStep = { readonly name?: string } & (
  | { readonly apply: string | Manifest | readonly (string | Manifest)[] }
  | { readonly create: string | Manifest | readonly (string | Manifest)[] }
  /** A JSON merge patch, of a subresource where one is named. */
  | { readonly patch: StepObject & { readonly with: object; readonly subresource?: string } }
  | { readonly delete: StepObject & { readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" } }
  /** Time passes. */
  | { readonly wait: Duration }
);

/** A step of a user: data, or code with the cluster; code is named by its function. */
export type Step =
  | DataStep
  | { readonly name?: string; readonly do: (cluster: Cluster) => unknown }
  | ((cluster: Cluster) => unknown);

/** The input of a rule. */
export interface RuleState {
  /** All objects, in the order of group, kind, namespace and name. */
  objects(): readonly StoredObject[];
  /** All objects of a kind. */
  all(kind: { readonly group: string; readonly kind: string }, namespace?: string): readonly StoredObject[];
  find(
    kind: { readonly group: string; readonly kind: string },
    name: string,
    namespace?: string,
  ): StoredObject | undefined;
}

/** A condition that must hold, with a name for reports. */
export interface Rule {
  readonly name: string;
  /** False or a text (why not) where it does not hold. */
  readonly holds: (state: RuleState) => boolean | string;
}

/** A kind, or a member of it, that is not judged. */
export interface Ignored {
  readonly kind: { readonly group: string; readonly kind: string };
  /** `.status.lastSeen`; the whole object where it is absent. */
  readonly path?: string;
}

/** The actions of a user while programs run, and the rules that must hold. */
export interface Scenario {
  readonly name: string;
  /** Files, folders, YAML and objects that are stored before the programs start: definitions, namespaces, and objects that they need. */
  readonly start?: readonly (string | Manifest)[];
  /** Simulated nodes. */
  readonly nodes?: number;
  readonly steps: readonly Step[];
  /** The time that passes after each step, for retries and restarts; 5 min by default. */
  readonly pause?: Duration;
  /** The quiet in the end, in which programs must not write; 24 h by default. */
  readonly quiet?: Duration;
  /** Judged after each change. */
  readonly always?: readonly Rule[];
  /** Judged when each step is at rest. */
  readonly eventually?: readonly Rule[];
  readonly ignore?: readonly Ignored[];
}

/**
 * The input of a program of this process. All of it ends with the program: requests of a killed one never resolve, its timers never fire.
 */
export interface ProgramContext {
  readonly client: Client;
  readonly clock: Clock;
  /** Aborted when the run is over: resources of the program outside of the cluster can be released then. */
  readonly signal: AbortSignal;
  /** Random numbers of this start: others than those of the start before, and of another replica. */
  readonly random?: Random;
}

/** A program in this process: controllers, created again for each start, or a function with a client. */
export type InProcessProgram =
  | { readonly controllers: () => Controller | readonly Controller[]; readonly leaderElection?: boolean }
  | { readonly main: (context: ProgramContext) => Promise<void> };
