/** The simulation of one cluster. */
import type { Client } from "../client/client.ts";
import { Node, type Pod } from "../client/kinds/index.ts";
import type { Controller } from "../runtime/index.ts";
import type {
  ContainerLog,
  ContainerRequest,
  ContainerResponse,
  ContainerTarget,
  ContainerUsage,
  ExecRequest,
  ExecResult,
  ImageScript,
  NodeOptions,
  Simulation,
  SimulationFaults,
  SimulationHost,
  SimulationSettings,
  NoResponse,
} from "./contract.ts";
import type { Container } from "./life/contract.ts";
import { nodeController } from "./nodes/controller.ts";
import { faultsOf } from "./nodes/faults.ts";
import { isSimulated, lostSince } from "./nodes/marks.ts";
import { indexOfRange, newNode } from "./nodes/node-object.ts";
import { podController } from "./pods.ts";
import { runCommand } from "./scripts/commands.ts";
import { environmentOf } from "./scripts/environment.ts";
import { LogOfStart } from "./scripts/log-book.ts";
import type { ScriptRun } from "./scripts/run.ts";
import { mountsOf, readTexts } from "./scripts/volumes.ts";
import { SimulationState } from "./state.ts";
import { createStorage, storageControllers } from "./storage/controller.ts";
import { usageOf } from "./usage.ts";

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

/** Creates the simulation of a cluster. */
export const createSimulation = (host: SimulationHost, settings: SimulationSettings = {}): Simulation =>
  new RunningSimulation(new SimulationState(host, settings));

/** An existing container, and its script where it has one. */
interface Found {
  readonly pod: Pod;
  readonly container: Container;
  readonly run: ScriptRun | undefined;
  readonly isRunning: boolean;
}

class RunningSimulation implements Simulation {
  readonly controllers: readonly Controller[];
  readonly #state: SimulationState;

  constructor(state: SimulationState) {
    this.#state = state;
    this.controllers = [...storageControllers, nodeController(state), podController(state)];
  }

  [Symbol.dispose](): void {
    this.#state.endRuns();
  }

  image(pattern: string, script: ImageScript): void {
    this.#state.setImage(pattern, script);
  }

  stages(yaml: string, from = "stages"): void {
    this.#state.stages.add(yaml, from);
    for (const pod of this.#state.view?.pods() ?? []) this.#state.view?.requeue(pod);
  }

  fork(host: SimulationHost): Simulation {
    return new RunningSimulation(new SimulationState(host, this.#state.settings, this.#state));
  }

  async addNodes(client: Client, count: number, options: NodeOptions = {}): Promise<readonly Node[]> {
    const { prefix = "node-", zone } = options;
    if (!Number.isInteger(count) || count < 1) throw new RangeError(`expected a number of nodes from 1, got ${count}`);
    await createStorage(client);
    const resource = client.resource(Node);
    const known = (await resource.list()).items;
    const names = new Set(known.map(({ metadata }) => metadata.name));
    const zones = zone === undefined ? [] : [zone].flat();
    const made: Node[] = [];
    const taken = new Set(known.map(({ spec }) => indexOfRange(spec.podCIDR)));
    let number = 1;
    let index = 0;
    for (let i = 0; i < count; i++) {
      while (names.has(`${prefix}${number}`)) number++;
      const name = `${prefix}${number++}`;
      while (taken.has(index)) index++;
      taken.add(index);
      const where = zones.length === 0 ? undefined : zones[i % zones.length];
      // oxlint-disable-next-line no-await-in-loop -- in the order of names, for equal revisions
      made.push(
        await resource.create(
          newNode(name, index, where, options, { now: this.#state.host.clock.now(), count: names.size + count }),
        ),
      );
    }
    return made;
  }

  faults(client: Client): SimulationFaults {
    return faultsOf(client, () => this.#state.host.clock.now());
  }

  logs({ previous = false, ...target }: ContainerTarget & { readonly previous?: boolean }): ContainerLog | NoResponse {
    const found = this.#find(target);
    if (typeof found === "string") return found;
    const { pod, container, run } = found;
    if (previous) return this.#state.previous.get(`${pod.metadata.uid} ${container.name}`) ?? "NotRunning";
    return run?.log ?? new LogOfStart();
  }

  async exec(target: ContainerTarget, { command, stdin }: ExecRequest): Promise<ExecResult | NoResponse> {
    const found = this.#find(target);
    if (typeof found === "string") return found;
    if (!found.isRunning) return "NotRunning";
    const { pod, container, run } = found;
    const result = await run?.exec(command, stdin);
    if (result) return result;
    const { env, mounts } = run ? { env: run.environment, mounts: run.mounts } : await this.#scopeOf(pod, container);
    if (!run && !this.#state.isThere(pod)) return "NoPod";
    const hostname = pod.spec.hostname ?? pod.metadata.name;
    return runCommand({ hostname, env: { HOSTNAME: hostname, ...env }, mounts }, command, stdin);
  }

  async request(target: ContainerTarget, request: ContainerRequest): Promise<ContainerResponse | NoResponse> {
    const found = this.#find(target);
    if (typeof found === "string") return found;
    if (!found.isRunning) return "NotRunning";
    return (await found.run?.request(request)) ?? { status: 200, body: "" };
  }

  usage(pod: Pod): readonly ContainerUsage[] {
    return usageOf(pod, (container) => this.#state.runOf(pod, container)?.usage);
  }

  isSimulated(node: Pick<Node, "metadata">): boolean {
    return isSimulated(node);
  }

  #find({ namespace, pod: name, container: wanted }: ContainerTarget): Found | NoResponse {
    const { view } = this.#state;
    const pod = view?.pod(namespace, name);
    if (!view) return "Elsewhere";
    if (!pod) return "NoPod";
    const node = view.node(pod.spec.nodeName ?? "");
    if (!node || !isSimulated(node)) return "NotSimulated";
    if (lostSince(node) !== undefined) return "NodeLost";
    const all = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
    const container = all.find(
      (one) => one.name === (wanted ?? pod.metadata.annotations?.[DEFAULT_CONTAINER] ?? all[0]?.name),
    );
    if (!container) return "NoContainer";
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
    const status = [...containerStatuses, ...initContainerStatuses].find((one) => one.name === container.name);
    const isRunning = status?.state.running !== undefined;
    return { pod, container, run: this.#state.runOf(pod, container.name), isRunning };
  }

  /** The environment and mounts of a container without a script. */
  async #scopeOf(
    pod: Pod,
    container: Container,
  ): Promise<Pick<ScriptRun, "mounts"> & { readonly env: Readonly<Record<string, string>> }> {
    const client = this.#state.client;
    if (!client) return { env: {}, mounts: {} };
    const addresses = { hostIP: pod.status.hostIP ?? "", podIP: pod.status.podIP ?? "" };
    const made = await environmentOf(pod, container, addresses, readTexts(client, pod.metadata.namespace ?? ""));
    const mounts = await mountsOf(pod, container, { client, store: this.#state.files, addresses });
    return { env: "env" in made ? made.env : {}, mounts };
  }
}
