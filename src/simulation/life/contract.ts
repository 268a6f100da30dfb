/** The input of a plan for a Pod, and a plan. */
import type { Pod } from "../../client/kinds/index.ts";

/** A container in the spec of a Pod. */
export type Container = NonNullable<Pod["spec"]["containers"]>[number];
/** The status of a Pod. */
export type PodStatus = Pod["status"];
/** The status of a container. */
export type ContainerStatus = NonNullable<PodStatus["containerStatuses"]>[number];
/** A condition of a Pod. */
export type PodCondition = NonNullable<PodStatus["conditions"]>[number];

/** The end of a container. */
export interface Exit {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** A warning with the reason of its end. */
  readonly warning?: { readonly reason: string; readonly note: string } | undefined;
}

/** The state that the script of a running container has reported so far. */
export interface ScriptFacts {
  readonly exit?: Exit | undefined;
  /** Whether it reports that it is ready, and since when. */
  readonly ready: boolean;
  readonly readySince: number;
  /** Results of handlers for probes; absent where its own report counts. */
  readonly probes?: Readonly<Partial<Record<ProbeKind, ProbeResult>>> | undefined;
  /** When SIGTERM was sent, in milliseconds since the epoch. */
  readonly terminatedAt?: number | undefined;
  /** The last lines of its log, for a termination message. */
  readonly tail?: string | undefined;
}

/** A kind of probe. */
export type ProbeKind = "startup" | "readiness" | "liveness";

/** The outcome of the probes of a kind: undefined before the first one that counts. */
export interface ProbeResult {
  readonly outcome: boolean | undefined;
  /** The message of the last failure. */
  readonly message?: string | undefined;
}

/** How an image is pulled. */
export interface Pull {
  /** Milliseconds that it takes. */
  readonly delay: number;
  readonly isMissing: boolean;
}

/** The input of a plan, besides the Pod and the time. */
export interface LifeFacts {
  readonly node: {
    readonly name: string;
    readonly hostIP: string;
  };
  /** The address of the Pod. */
  readonly podIP: string;
  /** Why volumes are not there yet. */
  readonly mountProblem?: string | undefined;
  /** Why a container cannot be made: a ConfigMap or Secret that is missing. */
  readonly configProblem: (container: string) => string | undefined;
  readonly pull: (image: string) => Pull;
  /** Whether an image has a script. */
  readonly isScripted: (image: string) => boolean;
  /** The report of the script of a running container; undefined without a script. */
  readonly script: (container: string) => ScriptFacts | undefined;
  /** Why the node puts the Pod out. */
  readonly eviction?: string | undefined;
  /** Milliseconds that a container without a script of a Job runs. */
  readonly completeAfter: number;
}

/** An Event of the kubelet. */
export interface LifeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly note: string;
  readonly fieldPath?: string | undefined;
  /** Whether every Pod has it. */
  readonly isUsual: boolean;
}

/** A signal to the script of a container. */
export interface ScriptSignal {
  readonly container: string;
  readonly signal: "TERM" | "KILL";
  /** When it is sent, in milliseconds since the epoch. */
  readonly at: number;
}

/** The next actions for a Pod. */
export interface LifePlan {
  /** Signals come first: the plan is made again after them. */
  readonly signals: readonly ScriptSignal[];
  /** The new status, if it changes. */
  readonly status?: PodStatus | undefined;
  /** Annotations that change with the status. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly events: readonly LifeEvent[];
  /** Whether the Pod has ended on the node: it is deleted at once. */
  readonly isOver: boolean;
  /** When to plan again without a change, in milliseconds since the epoch. */
  readonly againAt?: number | undefined;
}
