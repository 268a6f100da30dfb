/**
 * A laboratory of the node agent: it runs in this process under the virtual clock, and calls a driver through the proxy. What is mounted is
 * a list of the driver, so nothing of the machine is mounted.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registrationSocket, serveRegistration, type Registrar } from "../../../src/csi/registration.ts";
import type {
  Complaint,
  Laboratory,
  RunOrder,
  RunRecord,
  ScenarioOutline,
} from "../../../src/explore/contract/laboratory.ts";
import type { PerturbationType } from "../../../src/explore/contract/plan.ts";
import { kubernetes } from "../../../src/meta/dialect.ts";
import { type RunningAgent, startAgent } from "../../../src/node/agent.ts";
import type { Mounter, VolumePlugin } from "../../../src/node/contract.ts";
import { openPlugins } from "../../../src/node/plugins.ts";
import { KillSwitch } from "../../../src/runtime/kill-switch.ts";
import { ActivityCount, runCounted } from "../../../src/util/activity.ts";
import { seededRandom, systemClock } from "../../../src/util/clock.ts";
import { silentLog } from "../../../src/util/log.ts";
import { ReturnedObjects } from "../../../src/testing/explore/csi/call.ts";
import { type CallGate, CsiWorld } from "../../../src/testing/explore/csi/csi-world.ts";
import { type CsiProxy, serveProxy } from "../../../src/testing/explore/csi/proxy.ts";
import type { ProgramLife, StaleState } from "../../../src/testing/explore/identity.ts";
import { InProcessWorld } from "../../../src/testing/explore/in-process.ts";
import { PreparedScenario } from "../../../src/testing/explore/laboratory.ts";
import { play } from "../../../src/testing/explore/play.ts";
import type { ProgramContext, Scenario } from "../../../src/testing/explore/scenario.ts";
import type { RunContext } from "../../../src/testing/explore/world.ts";
import type { DriverSubject } from "../../../src/testing/explore/csi/subject.ts";
import { ModelDriver } from "../../node-csi/model-driver.ts";

const NODE = "n1";
export const ACTOR = "node-agent";
const DRIVER = "d.example.com";

/** A driver with a place for its sockets and for the directory of the agent. */
class Place implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "keelson-agent-"));
  readonly root = join(this.home, "root");
  readonly driver = new ModelDriver(DRIVER);
  #registrar: Registrar | undefined;
  #proxy: CsiProxy | undefined;

  async open(context: RunContext, gate: CallGate, life: () => number): Promise<void> {
    await this.driver.serve(join(this.home, "driver.sock"));
    this.#proxy = await serveProxy({
      socket: join(this.home, "proxy.sock"),
      driver: join(this.home, "driver.sock"),
      play: async (call) => {
        const count = new ActivityCount(() => context.cluster.inside.activity.begin(call.method));
        try {
          return await runCounted(count, () => gate.play({ actor: ACTOR, life: life(), ...call }));
        } finally {
          count.end();
        }
      },
    });
    const registry = join(this.root, "plugins_registry");
    mkdirSync(registry, { recursive: true });
    this.#registrar = await serveRegistration(
      registrationSocket(registry, DRIVER),
      { name: DRIVER, endpoint: this.#proxy.socket },
      { clock: systemClock },
    );
  }

  breakConnections(): void {
    this.#proxy?.breakConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registrar?.close();
    await this.#proxy?.[Symbol.asyncDispose]();
    await this.driver.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** What a crash has to end of one start of the agent. */
interface Start {
  readonly activity: KillSwitch;
  agent: RunningAgent | undefined;
  plugins: readonly VolumePlugin[];
}

/** The agent as a program. */
class AgentWorld extends InProcessWorld {
  readonly #place: Place;
  readonly #gate: CallGate;
  readonly #context: RunContext;
  readonly #starts: Start[];

  constructor(context: RunContext, gate: CallGate, place: Place) {
    const starts: Start[] = [];
    const main = async ({ client, clock, random = seededRandom(starts.length) }: ProgramContext): Promise<void> => {
      const start: Start = { activity: new KillSwitch(), agent: undefined, plugins: [] };
      starts.push(start);
      const agent = await startAgent({
        name: NODE,
        root: place.root,
        client,
        dialect: kubernetes,
        version: "0.0.0",
        mounter: mounterOf(place.driver, start.activity),
        plugins: async (of) => (start.plugins = await openPlugins(of)),
        clock,
        random,
        activity: start.activity.activity(context.cluster.inside.activity)!,
        log: silentLog,
      });
      start.agent = agent;
      throw await agent.failed;
    };
    super({ [ACTOR]: { main } }, context);
    this.#starts = starts;
    this.#place = place;
    this.#gate = gate;
    this.#context = context;
  }

  override async begin(): Promise<void> {
    await this.#place.open(this.#context, this.#gate, () => Math.max(0, this.#starts.length - 1));
    await super.begin();
  }

  override kill(life: ProgramLife, downMillis: number, stale?: StaleState): void {
    super.kill(life, downMillis, stale);
    this.#crash();
  }

  override stop(): void {
    super.stop();
    this.#crash();
  }

  #crash(): void {
    const { activity, agent, plugins } = this.#starts.at(-1) ?? {};
    if (activity?.isKilled !== false) return;
    activity.kill();
    agent?.crash();
    // One that is killed while it starts has no agent yet.
    if (!agent) for (const plugin of plugins ?? []) void plugin.close?.();
    this.#place.breakConnections();
  }
}

/** What is mounted is a list of the driver; a dead agent is never answered. */
function mounterOf({ mounted }: ModelDriver, life: KillSwitch): Mounter {
  const none = (): Promise<never> => Promise.reject(new Error("the plugin of drivers mounts nothing itself"));
  return {
    canMount: true,
    mounts: async () => [],
    isMountPoint: async (path) => (life.isKilled ? new Promise(() => {}) : mounted.has(path)),
    bind: none,
    mount: none,
    unmount: none,
  };
}

const pod = (name: string, claim = "data") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: {
    nodeName: NODE,
    automountServiceAccountToken: false,
    containers: [{ name: "c", image: "i", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
  },
});

const scenario: Scenario = {
  name: "volumes of a node",
  start: [
    { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: DRIVER }, spec: { attachRequired: false } },
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "pv" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteMany"],
        storageClassName: "",
        csi: { driver: DRIVER, volumeHandle: "disk" },
        persistentVolumeReclaimPolicy: "Retain",
      },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: "default" },
      spec: {
        accessModes: ["ReadWriteMany"],
        storageClassName: "",
        volumeName: "pv",
        resources: { requests: { storage: "1Gi" } },
      },
    },
  ],
  pause: "3m",
  quiet: "6m",
  steps: [
    { create: pod("a") },
    { create: pod("b") },
    { delete: { apiVersion: "v1", kind: "Pod", name: "a" } },
    { delete: { apiVersion: "v1", kind: "Pod", name: "b" } },
    { create: pod("c") },
    { delete: { apiVersion: "v1", kind: "Pod", name: "c" } },
  ],
};

const PERTURBATIONS: readonly PerturbationType[] = [
  "crash",
  "answer-lost",
  "refused",
  "slow",
  "repeated",
  "lag",
  "gap",
  "stale-restart",
  "resync",
  "clock-jump",
];

/** See the head of this file. */
export class AgentLaboratory implements Laboratory {
  readonly scenario: ScenarioOutline;
  readonly perturbations: ReadonlySet<PerturbationType> = new Set(PERTURBATIONS);
  readonly parallel = 1;
  /** Its calls go over sockets, so that what happens at once has no order. */
  readonly deterministic = false;
  readonly #prepared: PreparedScenario;

  private constructor(prepared: PreparedScenario) {
    this.#prepared = prepared;
    this.scenario = prepared.outline;
  }

  static async of(): Promise<AgentLaboratory> {
    return new AgentLaboratory(await PreparedScenario.of(scenario, { controllers: "all" }));
  }

  async run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    await using place = new Place();
    const { driver } = place;
    const subject: DriverSubject = {
      driver: { name: DRIVER, abilities: new Set<never>(), calls: {} as never },
      objects: async () => [],
      async [Symbol.asyncDispose]() {},
    };
    let world: CsiWorld | undefined;
    const parts = this.#prepared.partsFor((context) => {
      const programs = (own: RunContext, gate: CallGate) => new AgentWorld(own, gate, place);
      const holdMillis = { late: 15_000, overtaken: 5000 };
      world = new CsiWorld(context, { subject, returned: new ReturnedObjects(), programs, holdMillis });
      return world;
    });
    await using played = await play(parts, order, signal);
    const { record } = played;
    return {
      ...record,
      met: record.met.map((was, index) => was || world!.met.includes(index)),
      complaints: [...record.complaints, ...wrongOf(driver, this.scenario.steps.length - 1)],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prepared[Symbol.asyncDispose]();
  }
}

/** What the driver says of who has called it: what no agent may ask for, and what it still has when no Pod is left. */
function wrongOf({ broken, published, staged, mounted }: ModelDriver, step: number): readonly Complaint[] {
  const left = (id: string, how: string): Complaint => {
    return { type: "leaked", object: { group: "csi", kind: "Volume", name: id }, detail: `it is still ${how}` };
  };
  return [
    ...broken.map((detail): Complaint => ({ type: "failed", actor: ACTOR, step, detail })),
    ...[...published].flatMap(([id, targets]) => (targets.size > 0 ? [left(id, "published")] : [])),
    ...[...staged.keys()].map((id) => left(id, "staged")),
    ...[...mounted].map((path) => left(path, "mounted")),
  ];
}
