/**
 * The interface of the simulation of nodes: nodes, images by function, logs, exec, requests, usage, faults.
 * A _simulated node_ is a `Node` with the annotation {@link NODE_ANNOTATION}, whose Pods live without containers: the controllers of a
 * {@link Simulation} write what a kubelet would report. All state that is needed to continue is in the objects, so that Pods continue in a
 * fork of a cluster and after a restart of a server; only functions and the content of volumes are kept by the simulation.
 *
 * @module
 */
import type { Client } from "../client/client.ts";
import type { Node, Pod } from "../client/kinds/index.ts";
import type { Controller } from "../runtime/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Clock } from "../util/clock.ts";
import type { Duration } from "../util/duration.ts";
import type { Log } from "../util/log.ts";

/** Marks a simulated node; any value but `false`. `kwok.x-k8s.io/node: fake` does the same. */
export const NODE_ANNOTATION = "simulation.keelson.dev/node";
/** On a node: the time (RFC 3339) of its last heartbeat; it reports nothing while this is set. */
export const STOPPED_ANNOTATION = "simulation.keelson.dev/heartbeats-stopped";
/** On a node: slow and missing images, JSON such as `{"db*":{"delay":"30s"},"bad:1":{"missing":true}}`. */
export const PULLS_ANNOTATION = "simulation.keelson.dev/pulls";
/** On a node: since when (RFC 3339) its disk is full. */
export const DISK_PRESSURE_ANNOTATION = "simulation.keelson.dev/disk-pressure";
/** On a Pod: readiness changes with this period, counted from the start of a container. */
export const FLAPPING_ANNOTATION = "simulation.keelson.dev/flapping";
/** On a Pod whose images have no script: how long its containers take to become ready after their start. */
export const READY_AFTER_ANNOTATION = "simulation.keelson.dev/ready-after";
/** On a Pod whose images have no script: how long its containers run. */
export const RUN_FOR_ANNOTATION = "simulation.keelson.dev/run-for";
/** On a Pod whose images have no script: the exit code after {@link RUN_FOR_ANNOTATION}; 0 by default. */
export const EXIT_CODE_ANNOTATION = "simulation.keelson.dev/exit-code";

/** A container of a Pod. */
export interface ContainerTarget {
  readonly namespace: string;
  readonly pod: string;
  /** The container of the annotation `kubectl.kubernetes.io/default-container`, or the first one, by default. */
  readonly container?: string | undefined;
}

/** A command for a container. */
export interface ExecRequest {
  readonly command: readonly string[];
  /** All of its standard input. */
  readonly stdin?: string | undefined;
}

/** The result of a command. */
export interface ExecResult {
  readonly stdout?: string;
  readonly stderr?: string;
  /** 0 by default. */
  readonly code?: number;
}

/** An HTTP request to a container: a probe, or one of a user. */
export interface ContainerRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly port: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Which probe asks. */
  readonly probe?: "startup" | "readiness" | "liveness" | undefined;
}

/** The response to a {@link ContainerRequest}. */
export interface ContainerResponse {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The usage of a container: quantities such as `250m` and `64Mi`. */
export interface Usage {
  readonly cpu?: string | number;
  readonly memory?: string | number;
}

/** How a container ends. */
export interface ExitOptions {
  /** `Completed` or `Error` by default; `OOMKilled` for one that used too much memory. */
  readonly reason?: string;
  /** Its termination message. */
  readonly message?: string;
}

/** Files of a volume, by their paths in it. */
export interface VolumeFiles {
  /** `ConfigMap`, `Secret`, `PersistentVolumeClaim`, `EmptyDir`, `DownwardAPI`, `Projected` or `Other`. */
  readonly source: string;
  /** The name of the volume in the Pod. */
  readonly volume: string;
  /** The name of the claim, ConfigMap or Secret. */
  readonly name?: string | undefined;
  readonly readOnly: boolean;
  list(): readonly string[];
  read(path: string): string | undefined;
  /** @throws Error in a volume that is only read, and beyond 1 MiB in all */
  write(path: string, text: string): void;
  delete(path: string): void;
}

/** The view of a script on its container. */
export interface ScriptContext {
  readonly pod: Pod;
  /** The name of the container. */
  readonly container: string;
  readonly image: string;
  readonly env: Readonly<Record<string, string>>;
  /** Volumes by their mount paths. */
  readonly mounts: Readonly<Record<string, VolumeFiles>>;
  /** The number of restarts of the container: 0 at first. */
  readonly attempt: number;
  /** Aborted by SIGTERM. A script that does not read it ends at SIGTERM with 143. */
  readonly terminated: AbortSignal;
  /** A number in [0, 1): the same sequence in each replay. */
  readonly random: () => number;
  /** Milliseconds since the epoch: the time of the script, which is that of the cluster unless it is replayed. */
  readonly now: () => number;
  /** Makes the container ready, after a time of the script; resolves then. */
  readonly ready: (options?: { readonly after?: Duration }) => Promise<void>;
  /** Makes the container unready. */
  readonly notReady: () => void;
  readonly sleep: (time: Duration) => Promise<void>;
  /** Resolves at SIGTERM. It makes the container ready unless the script has set its readiness. */
  readonly untilTerminated: () => Promise<void>;
  /** Ends the container; never resolves. */
  readonly exit: (code: number, options?: ExitOptions) => Promise<never>;
  /** Writes one or more lines. */
  readonly log: (text: string) => void;
  readonly metrics: (usage: Usage) => void;
  readonly on: {
    /** Handles `kubectl exec` and exec probes. */
    readonly exec: (handler: (command: readonly string[], stdin?: string) => ExecResult | Promise<ExecResult>) => void;
    /** Handles HTTP probes and requests. */
    readonly http: (handler: (request: ContainerRequest) => ContainerResponse | Promise<ContainerResponse>) => void;
    /** Responds to gRPC and TCP probes: whether the port is open. */
    readonly probe: (handler: (port: number) => boolean | Promise<boolean>) => void;
  };
}

/**
 * An image: what its containers do. It returns to end with 0, and throws to end with 1.
 *
 * A script is replayed: in a fork and after a restart of the server it is called again with the time at which its
 * container was started. Sleeps that end in the past resolve at once, and its earlier reports are already stored. So
 * it must depend only on its context.
 */
export type ImageScript = (ctx: ScriptContext) => Promise<void> | void;

/** The options of a simulation. */
export interface SimulationSettings {
  /** The default time of a Pod from its binding to ready. Default 1 s. */
  readonly readyAfter?: Duration;
  /** The default run time of a container of a Job. Default 1 s. */
  readonly completeAfter?: Duration;
  /** Whether Events report each pull and start, or only unusual events. Default `all`. */
  readonly events?: "all" | "unusual";
  /** For the chance of scripts and stages. Default 1. */
  readonly seed?: number;
  readonly log?: Log;
  /** Called where a script throws, or a stage is wrong. */
  readonly onError?: (error: unknown, where: string) => void;
}

/** The clock of a cluster, and what counts its work. */
export interface SimulationHost {
  readonly clock: Clock;
  readonly activity?: Pick<Activity, "begin"> | undefined;
}

/** The options of nodes. */
export interface NodeOptions {
  /** The prefix of names. Default `node-`; a number from 1 follows. */
  readonly prefix?: string;
  /** One zone, or several that the nodes get in turn. */
  readonly zone?: string | readonly string[];
  readonly region?: string;
  /** Default 8 CPUs, 32Gi of memory, 110 Pods, 100Gi of ephemeral storage. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<Node["spec"]["taints"]>;
}

/** Which nodes a fault concerns. */
export type NodeTarget = { readonly node: string } | { readonly zone: string } | { readonly all: true };

/** Faults; they are recorded in the objects, so that forks have them. Each resolves when it is stored. */
export interface SimulationFaults {
  /** Nodes report nothing any more: no heartbeats, no status of Pods, no end of Pods. */
  lose(target: NodeTarget): Promise<void>;
  /** Lost nodes report again. */
  restore(target: NodeTarget): Promise<void>;
  /** Pulls of images take a time. @param image a pattern such as `db:2`, `db` or `db*`; all by default */
  slowPulls(delay: Duration, image?: string, target?: NodeTarget): Promise<void>;
  /** Images cannot be pulled. */
  missingImage(image: string, target?: NodeTarget): Promise<void>;
  /** Ends slow pulls and missing images, of all images by default. */
  restorePulls(image?: string, target?: NodeTarget): Promise<void>;
  /** Disks are full: the condition, and an eviction each ten seconds, lowest priority first. */
  diskPressure(target: NodeTarget): Promise<void>;
  restoreDisk(target: NodeTarget): Promise<void>;
  /** The readiness of a Pod changes with a period; undefined ends that. */
  flapping(pod: { readonly namespace: string; readonly name: string }, period: Duration | undefined): Promise<void>;
}

/** A line of a log. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Without its end. */
  readonly text: string;
}

/** The log of one start of a container. */
export interface ContainerLog {
  readonly lines: readonly LogLine[];
  /** The number of its first lines that were dropped: a log keeps 256 KiB. */
  readonly dropped: number;
  /** Whether the container has ended. */
  readonly ended: boolean;
  /** Calls a listener for each new line, and with undefined at the end. */
  follow(listener: (line: LogLine | undefined) => void): Disposable;
}

/**
 * Why a container cannot respond: there is no such Pod or container, it is on no simulated node, does not run, or another process simulates
 * its node (`Elsewhere`).
 */
export type NoResponse = "Elsewhere" | "NoPod" | "NoContainer" | "NotSimulated" | "NotRunning" | "NodeLost";

/** The usage of one container. */
export interface ContainerUsage {
  readonly name: string;
  /** In nanocores. */
  readonly cpu: number;
  /** In bytes. */
  readonly memory: number;
}

/** The simulation of one cluster. */
export interface Simulation extends Disposable {
  /** Its controllers: run them together with the others. A later start continues from the objects. */
  readonly controllers: readonly Controller[];
  /** Sets the script of images: an exact name, a name without tag, or a prefix with `*`. The most exact one wins. */
  image(pattern: string, script: ImageScript): void;
  /**
   * Adds kwok Stages in YAML. With stages for Pods, these alone move the Pods without a script.
   *
   * @param from what errors name: the file
   * @throws Error that names file, stage and field
   */
  stages(yaml: string, from?: string): void;
  /** A simulation with the same images, stages and files for a fork of the cluster. */
  fork(host: SimulationHost): Simulation;
  /** Creates nodes with free names and address ranges. */
  addNodes(client: Client, count: number, options?: NodeOptions): Promise<readonly Node[]>;
  faults(client: Client): SimulationFaults;
  /** The log of a container: of its present start, or of the one before. Undefined without one. */
  logs(target: ContainerTarget & { readonly previous?: boolean }): ContainerLog | NoResponse;
  /** Runs a command. Without a handler a few commands are known: `cat`, `ls`, `env`, `echo`, `hostname`, `true`, `false`, `sh -c`. */
  exec(target: ContainerTarget, request: ExecRequest): Promise<ExecResult | NoResponse>;
  /** Sends a request to a container; 200 without a handler. */
  request(target: ContainerTarget, request: ContainerRequest): Promise<ContainerResponse | NoResponse>;
  /** The usage of the containers of a Pod; a share of their requests where no script reports it. */
  usage(pod: Pod): readonly ContainerUsage[];
  /** Whether a node is simulated. */
  isSimulated(node: Pick<Node, "metadata">): boolean;
}
