/**
 * The agent of a node: a client of the API that sets up the volumes of the Pods of one node and reports their status.
 *
 * It decides which volumes there should be; plugins set volumes up (`contract.ts`), and a mounter does what needs the
 * machine. It can read all its state again from the API and from its directory, so it may be killed at any time (NODE-5,
 * NODE-70).
 *
 *     pods     a Pod: its desired volumes, its containers, its status, its end
 *     volumes  a volume of a Pod: set up, and checked again
 *     node     the Node, the CSINode and the Lease
 *     usage    the usage of a volume
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type Client, inDomain } from "../client/index.ts";
import { CSINode, Lease, type Pod, VolumeAttachment } from "../client/kinds/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import { badRequest } from "../meta/status.ts";
import {
  type Controller,
  type KeyContext,
  type Manager,
  createManager,
  defineKeyController,
} from "../runtime/index.ts";
import { KillSwitch } from "../runtime/kill-switch.ts";
import { Recorder, countedForm } from "../runtime/recorder.ts";
import type { Activity } from "../util/activity.ts";
import { type Clock, type Random, systemClock, systemRandom } from "../util/clock.ts";
import { type Metric, expose } from "../util/exposition.ts";
import { KeyedSemaphore } from "../util/semaphore.ts";
import { type Log, silentLog } from "../util/log.ts";
import type { Containers } from "./containers/contract.ts";
import { holdContainers } from "./containers/hold.ts";
import { logQueryOf } from "./containers/log-query.ts";
import { runNothing } from "./containers/run-nothing.ts";
import type { Mounter, PluginContext, VolumePlugin } from "./contract.ts";
import { entriesOnDisk } from "./csi/index.ts";
import { type Machine, thisMachine } from "./machine.ts";
import { AgentMemory, type Line } from "./memory.ts";
import { agentMetrics } from "./metrics.ts";
import { type NodeFacts, capacityOf } from "./node-object.ts";
import type { PodMode } from "./pod-modes.ts";
import { podsDirectory } from "./paths.ts";
import { openPlugins } from "./plugins.ts";
import { syncPod } from "./pod-work.ts";
import { syncOwn } from "./registration.ts";
import { syncUsage } from "./usage-work.ts";
import { syncVolume } from "./volume-work.ts";
import { WallClockWatch } from "./wall-clock.ts";

/** Options of an agent. */
export interface AgentOptions {
  /** The name of the node. */
  readonly name: string;
  /** Its directory, created where it does not exist. */
  readonly root: string;
  /** A client with the rights of the node. */
  readonly client: Client;
  readonly dialect: Dialect;
  /** The version of the agent, for its Node. */
  readonly version: string;
  readonly mounter: Mounter;
  /** Default `hold`. */
  readonly pods?: PodMode;
  /** Resources that replace or extend those of the machine. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Opens the volume plugins; the built-in ones by default. */
  readonly plugins?: (context: PluginContext) => Promise<readonly VolumePlugin[]>;
  /** This machine by default. */
  readonly machine?: Machine;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly activity?: Pick<Activity, "begin">;
  /** Whether objects of informers are frozen. */
  readonly freeze?: boolean;
  /** Disposed of when the agent has stopped, such as a lock on its directory. */
  readonly held?: Disposable;
}

/** A running agent; `await using` stops it. */
export interface RunningAgent extends AsyncDisposable {
  readonly name: string;
  /** Its directory, absolute. */
  readonly root: string;
  /** The metrics of its Pods and volumes. */
  collect(): readonly Metric[];
  /** These and the metrics of its controllers, in the text format of Prometheus. */
  metrics(): string;
  /**
   * The log of a container of a Pod of this node, as the parameters of a request choose it, until `signal` is aborted.
   *
   * @throws ApiError where there is no log
   */
  log(
    pod: Pod,
    parameter: (name: string) => string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Resolves when an informer is refused (401, 403), which does not end by itself. */
  readonly failed: Promise<Error>;
  /** Stops in order: running work may finish, and volumes stay. */
  stop(): Promise<void>;
  /** Stops as if the process had died: no request of it reaches the server any more. */
  crash(): void;
}

/** Pods and volumes that are reconciled at once: each of them may wait for a driver that does not respond. */
const CONCURRENCY = 1024;
/** Operations of one kind at once, such as on volumes of one plugin. */
const MAX_OPERATIONS_PER_KIND = 64;
/** Measurements of one kind of volumes at once: they read whole directories. */
const MAX_MEASUREMENTS_PER_KIND = 4;
/** Longer than all calls of a driver together. */
const TIMEOUT = "15m";
const STOP_GRACE = "10s";

/**
 * Starts the agent of a node; resolves when it has registered and its controllers run.
 *
 * @throws StatusError where the server refuses what an agent reads
 */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const root = resolve(options.root);
  await mkdir(podsDirectory(root), { recursive: true, mode: 0o750 });
  const agent = new Agent({ ...options, root });
  try {
    await agent.begin();
  } catch (error) {
    agent.crash();
    throw error;
  }
  return agent;
}

/** See the head of this file. */
class Agent implements RunningAgent {
  readonly name: string;
  readonly root: string;
  readonly #options: AgentOptions;
  readonly #killSwitch = new KillSwitch();
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #client: Client;
  /** The running work of this start, without work that the previous process has begun. */
  readonly #activity: Pick<Activity, "begin"> | undefined;
  readonly #manager: Manager;
  readonly #memory: AgentMemory;
  readonly #recorder: Recorder;
  readonly #facts: NodeFacts;
  #containers: Containers = holdContainers;
  #wallClock: Disposable | undefined;
  #stopping: Promise<void> | undefined;
  #hasCrashed = false;

  constructor(options: AgentOptions) {
    const { name, root, client, dialect, random = systemRandom, log = silentLog, capacity = {}, labels = {} } = options;
    const { version, machine = thisMachine(root, version), freeze } = options;
    const activity = this.#killSwitch.activity(options.activity);
    this.name = name;
    this.root = root;
    this.#options = options;
    this.#random = random;
    this.#log = log;
    this.#clock = this.#killSwitch.clock(options.clock ?? systemClock);
    this.#activity = activity;
    this.#client = client.with({ clock: this.#clock, through: this.#killSwitch.transport });
    const shared = { client: this.#client, clock: this.#clock, ...(activity ? { activity } : {}) };
    this.#manager = createManager({
      ...shared,
      name: `keelson-node/${version}`,
      dialect: dialect.name,
      log,
      ...(freeze === undefined ? {} : { freeze }),
    });
    this.#memory = new AgentMemory(name, root, this.#manager);
    this.#recorder = new Recorder({
      ...shared,
      form: countedForm,
      activity,
      failed: (error) => log.warn("an event was not recorded", { error: String(error) }),
    });
    this.#facts = { name, dialect, machine, capacity, labels };
  }

  /** Registers the node, and starts the controllers of Pods. */
  async begin(): Promise<void> {
    const memory = this.#memory;
    this.#containers = await this.#openContainers();
    const [ofNode, ...others] = this.#controllers();
    this.#manager.add(ofNode!);
    await this.#manager.start();
    memory.beginNode();
    // Drivers write into both objects when they register.
    await Promise.race([memory.registered, this.#manager.failed.then((error) => Promise.reject(error))]);
    memory.opened = await (this.#options.plugins ?? openPlugins)(this.#context());
    if (this.#hasCrashed) return this.#closePlugins();
    this.#manager.add(...others);
    await memory.beginPods();
    this.#wallClock = new WallClockWatch(this.#clock, () => {
      for (const uid of memory.records.keys()) memory.lookAt(uid);
    });
  }

  get failed(): Promise<Error> {
    return this.#manager.failed;
  }

  collect(): readonly Metric[] {
    return agentMetrics(this.#memory);
  }

  metrics(): string {
    return [this.#manager.metrics(), expose(this.collect())].join("\n");
  }

  async log(
    pod: Pod,
    parameter: (name: string) => string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { pods = "hold" } = this.#options;
    const containers = this.#containers;
    if (containers.log) return containers.log(pod, logQueryOf(parameter, this.#clock.now()), signal);
    const why = `node ${this.name} runs no containers (--node-pods ${pods}), so there is no log`;
    throw badRequest(`expected a pod with running containers, got ${pod.metadata.name}: ${why}`);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  crash(): void {
    this.#killSwitch.kill();
    this.#wallClock?.[Symbol.dispose]();
    this.#manager.crash();
    this.#memory[Symbol.dispose]();
    this.#hasCrashed = true;
    const warn = (error: unknown): void => this.#log.warn("a plugin did not end", { error: String(error) });
    // The sockets of a process close when it dies.
    this.#stopping = this.#closePlugins().catch(warn);
    this.#options.held?.[Symbol.dispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#wallClock?.[Symbol.dispose]();
    try {
      await this.#containers.close();
      await this.#manager.stop({ grace: STOP_GRACE });
      this.#memory[Symbol.dispose]();
      await this.#recorder.stop();
      await this.#closePlugins();
    } finally {
      this.#options.held?.[Symbol.dispose]();
    }
  }

  async #closePlugins(): Promise<void> {
    await Promise.all(this.#memory.plugins.map(async (plugin) => plugin.close?.()));
  }

  async #openContainers(): Promise<Containers> {
    const { pods = "hold", mounter } = this.#options;
    const memory = this.#memory;
    if (pods === "hold") return holdContainers;
    if (pods === "run-nothing") return runNothing(this.#clock);
    const { ExecContainers } = await import("./containers/exec/exec.ts");
    return new ExecContainers({
      root: this.root,
      client: this.#client,
      mounter,
      clock: this.#clock,
      allocatable: this.#allocatable,
      onChange: (podUid) => memory.add("pods", podUid),
    });
  }

  readonly #allocatable = (): Readonly<Record<string, string>> =>
    this.#memory.own?.status.allocatable ?? capacityOf(this.#facts);

  #context(): PluginContext {
    const { dialect, mounter } = this.#options;
    const memory = this.#memory;
    return {
      node: this.name,
      root: this.root,
      dialect,
      client: this.#client,
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
      activity: this.#activity,
      mounter,
      informer: (spec) => this.#manager.informer(spec),
      pods: () => memory.pods(),
      lookAt: (podUid) => memory.lookAt(podUid),
      event: this.#event,
      allocatable: this.#allocatable,
    };
  }

  readonly #event: PluginContext["event"] = (type, regarding, reason, note, fieldPath) => {
    const { name } = this;
    this.#recorder.record({ type, regarding, reason, note, fieldPath, source: "kubelet", instance: name, host: name });
  };

  #controllers(): readonly Controller[] {
    const { dialect, mounter } = this.#options;
    const memory = this.#memory;
    const facts = this.#facts;
    const clock = this.#clock;
    const kinds = {
      attachments: inDomain(VolumeAttachment, dialect.domain),
      csiNodes: inDomain(CSINode, dialect.domain),
      leases: inDomain(Lease, dialect.domain),
    };
    const common = { memory, clock, mounter, event: this.#event, permits: new KeyedSemaphore(MAX_OPERATIONS_PER_KIND) };
    const { address } = facts.machine;
    // Containers are processes that share the addresses of the machine.
    const podIP = this.#options.pods === "exec" ? address : undefined;
    const ofPods = { ...common, containers: this.#containers, hostIP: address, podIP };
    const onDisk = () => entriesOnDisk({ root: this.root, dialect, log: this.#log });
    const ofNode = { ...common, ...kinds, facts, onDisk, beat: { at: -Infinity } };
    const ofVolumes = { ...common, ...kinds, protection: `${dialect.labelDomain}/pvc-protection` };
    const ofUsage = { memory, event: this.#event, permits: new KeyedSemaphore(MAX_MEASUREMENTS_PER_KIND) };
    return [
      this.#line("node", 3, ({ client, key }) => syncOwn({ ...ofNode, client }, key)),
      this.#line("volumes", CONCURRENCY, ({ client, signal, key }) =>
        syncVolume({ ...ofVolumes, client, signal }, key),
      ),
      this.#line("pods", CONCURRENCY, ({ client, signal, key }) => syncPod({ ...ofPods, client, signal }, key)),
      this.#line("usage", CONCURRENCY, ({ signal, key }) => syncUsage({ ...ofUsage, signal }, key)),
    ];
  }

  /** A controller of the keys of one queue; `work` returns after how many ms its key is due again. */
  #line(line: Line, concurrency: number, work: (context: KeyContext) => Promise<number | undefined>): Controller {
    const { specs } = this.#memory;
    return defineKeyController({
      name: `keelson-node-${line}`,
      uses: [specs.pods, specs.node],
      concurrency,
      timeout: TIMEOUT,
      begin: (_ground, add) => this.#memory.take(line, add),
      async reconcile(context) {
        const requeueAfter = await work(context);
        return requeueAfter === undefined ? undefined : { requeueAfter };
      },
    });
  }
}
