/**
 * The agent of a node: a client of the API that makes the volumes of the Pods of one node, and says how they are.
 *
 * It decides what should be there; plugins make volumes (`contract.ts`), a mounter does what only the machine can. What it
 * remembers can be found again in the API and in its directory, so it may be killed at any time (NODE-5, NODE-70).
 *
 *     pods     a Pod: its volumes wanted, its containers, its status, its end
 *     volumes  a volume of a Pod: set up, and looked at again
 *     node     the Node, the CSINode and the Lease
 *     usage    how much of a volume is taken
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type Client, type Kind, inDomain } from "../client/index.ts";
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
import { Lanes } from "../util/lanes.ts";
import { type Log, silentLog } from "../util/log.ts";
import type { Containers } from "./containers/contract.ts";
import { holdContainers } from "./containers/hold.ts";
import { logQueryOf } from "./containers/log-query.ts";
import { runNothing } from "./containers/run-nothing.ts";
import type { Mounter, NodeGround, VolumePlugin } from "./contract.ts";
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

/** What an agent is made of. */
export interface AgentOptions {
  /** The name of the node. */
  readonly name: string;
  /** Its directory; made where it is not there. */
  readonly root: string;
  /** Asks the server as the agent of the node. */
  readonly client: Client;
  readonly dialect: Dialect;
  /** Of the agent, for its Node. */
  readonly version: string;
  readonly mounter: Mounter;
  /** Default `hold`. */
  readonly pods?: PodMode;
  /** Resources in place of those of the machine, or beside them. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Who makes volumes; those that are built in by default. */
  readonly plugins?: (ground: NodeGround) => Promise<readonly VolumePlugin[]>;
  /** This machine by default. */
  readonly machine?: Machine;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly activity?: Pick<Activity, "begin">;
  /** Whether what memory gives out is frozen. */
  readonly freeze?: boolean;
  /** What is held while it runs, such as a lock on its directory: let go of when it has ended. */
  readonly held?: Disposable;
}

/** An agent that runs; `await using` stops it. */
export interface RunningAgent extends AsyncDisposable {
  readonly name: string;
  /** Its directory, absolute. */
  readonly root: string;
  /** What is counted of its Pods and volumes. */
  collect(): readonly Metric[];
  /** The same with what is counted of its controllers, in the text format of Prometheus. */
  metrics(): string;
  /**
   * What a container of a Pod of this node has said, as the parameters of a request for its log choose it, until `signal` is aborted.
   *
   * @throws ApiError where there is nothing, which says why
   */
  log(
    pod: Pod,
    parameter: (name: string) => string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Resolves when an informer is refused (401, 403): it will not mend itself. */
  readonly failed: Promise<Error>;
  /** Ends in order: what is under way may end, volumes stay as they are. */
  stop(): Promise<void>;
  /** Ends as if the process had died: nothing of it reaches the server any more. */
  crash(): void;
}

/** Pods and volumes that are looked at side by side: any of them may wait for a driver that does not answer. */
const LOOKS_AT_ONCE = 1024;
/** How much of one sort is done at once, such as volumes of one kind. */
const MOST_IN_LANE = 64;
/** Counting reads whole directories: so many of one kind of volumes at once. */
const MOST_COUNTED = 4;
/** Longer than all calls to a driver together. */
const TIMEOUT = "15m";
const STOP_GRACE = "10s";

/**
 * Starts the agent of a node; resolves when it has registered and begun to look after its Pods.
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
    const { version, machine = thisMachine(root, version), freeze, activity } = options;
    this.name = name;
    this.root = root;
    this.#options = options;
    this.#random = random;
    this.#log = log;
    this.#clock = this.#killSwitch.clock(options.clock ?? systemClock);
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
      random,
      activity,
      failed: (error) => log.warn("an event was not recorded", { error: String(error) }),
    });
    this.#facts = { name, dialect, machine, capacity, labels };
  }

  /** Begins to look after Pods. */
  async begin(): Promise<void> {
    const memory = this.#memory;
    this.#containers = await this.#openContainers();
    const [ofNode, ...others] = this.#controllers();
    this.#manager.add(ofNode!);
    await this.#manager.start();
    memory.beginNode();
    // Drivers write what they are into both.
    await Promise.race([memory.registered, this.#manager.failed.then((error) => Promise.reject(error))]);
    memory.opened = await (this.#options.plugins ?? openPlugins)(this.#ground());
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
    const why = `node ${this.name} runs no containers (--node-pods ${pods}), so they have said nothing`;
    throw badRequest(`expected a pod whose containers run to have a log, got ${pod.metadata.name}: ${why}`);
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
    // A process that dies lets go of its sockets as well.
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
      changed: (podUid) => memory.add("pods", podUid),
    });
  }

  readonly #allocatable = (): Readonly<Record<string, string>> =>
    this.#memory.own?.status.allocatable ?? capacityOf(this.#facts);

  #ground(): NodeGround {
    const { dialect, mounter, activity } = this.#options;
    const memory = this.#memory;
    return {
      node: this.name,
      root: this.root,
      dialect,
      client: this.#client,
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
      activity,
      mounter,
      informer: (spec) => this.#manager.informer(spec),
      pods: () => memory.pods(),
      lookAt: (podUid) => memory.lookAt(podUid),
      event: this.#event,
      allocatable: this.#allocatable,
    };
  }

  readonly #event: NodeGround["event"] = (type, regarding, reason, note, fieldPath) => {
    const { name } = this;
    this.#recorder.record({ type, regarding, reason, note, fieldPath, source: "kubelet", instance: name, host: name });
  };

  #controllers(): readonly Controller[] {
    const { dialect, mounter } = this.#options;
    const memory = this.#memory;
    const facts = this.#facts;
    const clock = this.#clock;
    const kinds = {
      attachments: inDomain(VolumeAttachment, dialect.domain) as Kind<VolumeAttachment, "Cluster">,
      csiNodes: inDomain(CSINode, dialect.domain) as Kind<CSINode, "Cluster">,
      leases: inDomain(Lease, dialect.domain) as Kind<Lease, "Namespaced">,
    };
    const common = { memory, clock, mounter, event: this.#event, lanes: new Lanes(MOST_IN_LANE) };
    const { address } = facts.machine;
    // Processes have the addresses of their machine.
    const podIP = this.#options.pods === "exec" ? address : undefined;
    const ofPods = { ...common, containers: this.#containers, hostIP: address, podIP };
    const onDisk = () => entriesOnDisk({ root: this.root, dialect, log: this.#log });
    const ofNode = { ...common, ...kinds, facts, onDisk, beat: { at: -Infinity } };
    const ofVolumes = { ...common, ...kinds, protection: `${dialect.labelDomain}/pvc-protection` };
    const ofUsage = { memory, event: this.#event, lanes: new Lanes(MOST_COUNTED) };
    return [
      this.#line("node", 3, ({ client, key }) => syncOwn({ ...ofNode, client }, key)),
      this.#line("volumes", LOOKS_AT_ONCE, ({ client, signal, key }) =>
        syncVolume({ ...ofVolumes, client, signal }, key),
      ),
      this.#line("pods", LOOKS_AT_ONCE, ({ client, signal, key }) => syncPod({ ...ofPods, client, signal }, key)),
      this.#line("usage", LOOKS_AT_ONCE, ({ signal, key }) => syncUsage({ ...ofUsage, signal }, key)),
    ];
  }

  /** A controller of the keys of a line; work answers after how many ms its key comes back. */
  #line(line: Line, concurrency: number, work: (context: KeyContext) => Promise<number | undefined>): Controller {
    const { specs } = this.#memory;
    return defineKeyController({
      name: `keelson-node-${line}`,
      uses: [specs.pods, specs.node],
      concurrency,
      timeout: TIMEOUT,
      begin: (_ground, add) => this.#memory.take(line, add),
      async reconcile(context) {
        const again = await work(context);
        return again === undefined ? undefined : { requeueAfter: again };
      },
    });
  }
}
