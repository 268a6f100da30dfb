/**
 * A cluster in this process with everything that storage needs: the controllers, the sidecars of a driver, agents of nodes with
 * directories of their own, and storage that judges who asks it. Each of them may be killed and started again, and answers of the
 * server may be lost on their way to it.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { TokenSigner } from "../../src/auth/service-account-tokens.ts";
import type { ApiObject, Client, Kind, NewObject, ResourceClient, Scope, Transport } from "../../src/client/index.ts";
import {
  CSIDriver,
  CustomResourceDefinition,
  Namespace,
  ServiceAccount,
  StorageClass,
} from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import { attachDetach } from "../../src/controllers/storage/attach/controller.ts";
import { volumeBinder } from "../../src/controllers/storage/binder/binder.ts";
import { claimProtection, volumeProtection } from "../../src/controllers/storage/protection.ts";
import { type Registrar, registrationSocket, serveRegistration } from "../../src/csi/registration.ts";
import { type SocketServer, serveDriver } from "../../src/csi/serve.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { type RunningAgent, startAgent } from "../../src/node/agent.ts";
import type { Mounter } from "../../src/node/contract.ts";
import { openPlugins } from "../../src/node/plugins.ts";
import { type Controller, type Manager, createManager } from "../../src/runtime/index.ts";
import { KillSwitch } from "../../src/runtime/kill-switch.ts";
import { sidecarsOf } from "../../src/sidecars/index.ts";
import { snapshotKinds } from "../../src/sidecars/snapshot/kinds.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { Activity } from "../../src/util/activity.ts";
import { ManualClock, seededRandom, systemClock } from "../../src/util/clock.ts";
import { nextPass } from "../../src/util/testing/pass.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";
import { AUDIENCE, DRIVER, type Judge, StorageArray } from "./array.ts";

export const NODES = ["n0", "n1"] as const;
/** The programs that may be killed. */
export const ACTORS = ["binding", "attaching", "sidecars", ...NODES] as const;
export type Actor = (typeof ACTORS)[number];

export const CLASS = "fast";
export const PICTURES = "pictures";
export const ACCOUNT = "runner";
export const SPACES = ["default", "other"] as const;
export const snapshots = snapshotKinds("snapshot.storage.k8s.io");

/** The fault of a write: it is lost before it reaches the server, or its response is; or the writer is killed there. */
export interface WriteFault {
  /** Which write from now on, from 1. */
  nth: number;
  readonly when: "before" | "after";
  readonly how: "lost" | "crash";
}

/** Short waits of the sidecars: what comes after a failure comes soon. */
const RETRY = { first: "1s", most: "20s" } as const;
/** So long nothing may happen until what hangs counts as all that is under way, in ms; longer while an agent begins. */
const CALM_MS = 20;
const CALM_START_MS = 1000;

/** A clock whose wall may go on while nothing else does, as that of a machine that was suspended. */
class SuspendedClock extends ManualClock {
  #slept = 0;

  override now(): number {
    return super.now() + this.#slept;
  }

  suspend(ms: number): void {
    this.#slept += ms;
  }
}

/** Tokens of service accounts say in plain JSON what they were asked to say, and when they end. */
const readable = (clock: ManualClock): TokenSigner => ({
  issuance: { issuer: "test", audiences: ["test"], extendsExpiration: false },
  sign: async (claims) => ({ token: JSON.stringify({ ...claims, ends: clock.now() + claims.seconds * 1000 }), id: "" }),
  signForSecret: async (...said) => JSON.stringify(said),
});

interface Life {
  readonly killSwitch: KillSwitch;
  /** Undefined for an agent that has not begun yet. */
  running: Manager | RunningAgent | undefined;
  /** It has begun, or will not any more. */
  over?: () => void;
}

/** What is changed in the world to see that the model finds it: requests of an actor on their way. */
export type Sabotage = (who: Actor) => ((transport: Transport) => Transport) | undefined;

/** See the head of this file. */
export class StorageWorld implements AsyncDisposable {
  readonly clock: SuspendedClock;
  readonly cluster: Cluster;
  readonly array: StorageArray;
  readonly root = mkdtempSync(join(tmpdir(), "keelson-model-"));
  readonly #activity: Activity;
  readonly #sabotage: Sabotage;
  readonly #lives = new Map<Actor, Life>();
  readonly #writes = new Map<Actor, WriteFault>();
  readonly #servers: (SocketServer | Registrar)[] = [];
  #starts = 0;
  /** How many agents have not begun yet. */
  #starting = 0;
  /** How many requests were made. */
  #asked = 0;
  /** How often a program was killed, and writes were lost. */
  kills = 0;
  losses = 0;

  private constructor(cluster: Cluster, clock: SuspendedClock, activity: Activity, judge: Judge, sabotage: Sabotage) {
    this.cluster = cluster;
    this.clock = clock;
    this.#activity = activity;
    this.#sabotage = sabotage;
    this.array = new StorageArray({ ...judge, now: () => clock.now(), kill: (who) => this.crash(who as Actor) });
  }

  /** A cluster with the driver's objects, in which no program runs yet. */
  static async create(judge: (world: () => StorageWorld) => Judge, sabotage: Sabotage = () => undefined) {
    const clock = new SuspendedClock();
    const activity = new Activity(clock);
    const cluster = await createCluster({
      store: await openMemoryStore({ activity }),
      dialect: kubernetes,
      plugins: kitPlugins(),
      clock,
      random: seededRandom(1),
      signer: () => readable(clock),
      server: { activity },
    });
    const world: StorageWorld = new StorageWorld(
      cluster,
      clock,
      activity,
      judge(() => world),
      sabotage,
    );
    await world.#furnish();
    return world;
  }

  get client(): Client {
    return this.cluster.client("model");
  }

  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): ResourceClient<T, S> {
    return this.client.resource(kind);
  }

  async list<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): Promise<readonly T[]> {
    return (await this.resource(kind).list()).items as readonly T[];
  }

  rootOf(node: string): string {
    return join(this.root, node);
  }

  /** Starts who does not run. */
  async start(who: Actor): Promise<void> {
    if (this.#lives.has(who)) return;
    const killSwitch = new KillSwitch();
    const life: Life = { killSwitch, running: undefined };
    this.#lives.set(who, life);
    const client = this.cluster.client(who).with({
      through: (transport) => killSwitch.transport(this.#weather(who, this.#sabotage(who)?.(transport) ?? transport)),
    });
    if (who === "n0" || who === "n1") {
      void this.#agent(who, life, client);
      return;
    }
    const { clock } = this;
    const seed = ++this.#starts;
    const manager = createManager({ client, name: who, clock, activity: this.#activity, seed, countedEvents: true });
    life.running = manager;
    await manager.add(...this.#controllers(who)).start();
  }

  #controllers(who: "binding" | "attaching" | "sidecars"): readonly Controller[] {
    if (who === "attaching") return [attachDetach(kubernetes)];
    if (who === "binding") return [volumeBinder, claimProtection, volumeProtection].map((make) => make(kubernetes));
    return sidecarsOf(this.array, { dialect: kubernetes, clock: this.clock, settings: { retry: RETRY } });
  }

  /** Kills a running program; its requests may still be processed. */
  crash(who: Actor): void {
    const life = this.#lives.get(who);
    if (!life) return;
    this.kills++;
    this.#lives.delete(who);
    this.#writes.delete(who);
    life.running?.crash();
    life.killSwitch.kill();
    life.over?.();
  }

  /** A write of a running program fails. */
  lose(who: Actor, fault: WriteFault): void {
    if (this.#lives.get(who)?.running) this.#writes.set(who, fault);
  }

  /** Nothing fails any more. */
  heal(): void {
    this.#writes.clear();
    this.array.heal();
  }

  /** Resolves when nothing is under way but calls that are never answered. */
  async settled(): Promise<void> {
    const pulse = (): string => `${this.#asked} ${this.array.heard} ${this.#activity.count} ${this.#loose}`;
    let last = pulse();
    let since = performance.now();
    for (;;) {
      if (this.#loose === 0 && this.#activity.count === 0) {
        await this.#activity.idle();
        if (this.#loose === 0) return;
      }
      await nextPass();
      const now = pulse();
      if (now !== last) [last, since] = [now, performance.now()];
      else if (this.#loose > 0 && performance.now() - since > this.#calmMs) return;
    }
  }

  /** Lets time pass. */
  pass(ms: number): Promise<void> {
    return this.clock.advanceSettled(ms, () => this.settled());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    for (const who of ACTORS) this.crash(who);
    await this.settled();
    await Promise.all(this.#servers.map((server) => server.close()));
    const closing = this.cluster.close(0);
    await this.pass(1000);
    await closing;
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Running work that is not counted, since it may wait for the clock. */
  get #loose(): number {
    return this.array.hanging + this.#starting;
  }

  get #calmMs(): number {
    return this.#starting > 0 ? CALM_START_MS : CALM_MS;
  }

  async #agent(node: "n0" | "n1", life: Life, client: Client): Promise<void> {
    const { killSwitch } = life;
    this.#starting++;
    life.over = once(() => this.#starting--);
    const agent = await startAgent({
      name: node,
      root: this.rootOf(node),
      client,
      dialect: kubernetes,
      version: "0.0.0",
      mounter: this.#mounter(node),
      pods: "run-nothing",
      plugins: openPlugins,
      clock: killSwitch.clock(this.clock),
      random: seededRandom(++this.#starts),
      activity: killSwitch.activity(this.#activity)!,
    }).catch(() => undefined);
    life.over();
    if (killSwitch.isKilled) return agent?.crash();
    life.running = agent;
    if (!agent) this.#lives.delete(node);
  }

  #weather(who: Actor, transport: Transport): Transport {
    return async (request) => {
      this.#asked++;
      const fault = this.#writes.get(who);
      const isTold = request.method === "GET" || /\/(events|leases)\b/.test(request.path);
      if (!fault || isTold || --fault.nth > 0) return transport(request);
      this.#writes.delete(who);
      this.losses++;
      if (fault.when === "after") await drained(transport(request));
      if (fault.how === "crash") this.crash(who);
      throw new Error(`the network is down ${fault.when} the write`);
    };
  }

  #mounter(node: string): Mounter {
    const none = (): Promise<never> => Promise.reject(new Error("nothing is mounted by the agent itself"));
    const { staged, published } = this.array.kernel(node);
    return {
      canMount: true,
      mounts: async () => [],
      isMountPoint: async (path) => staged.has(path) || published.has(path),
      bind: none,
      mount: none,
      unmount: none,
    };
  }

  async #furnish(): Promise<void> {
    await this.resource(Namespace).create({ metadata: { name: "other" } } as NewObject<Namespace>);
    for (const namespace of SPACES) {
      const metadata = { namespace, name: ACCOUNT };
      await this.resource(ServiceAccount).create({ metadata } as NewObject<ServiceAccount>);
    }
    const tokenRequests = [{ audience: AUDIENCE, expirationSeconds: 600 }];
    const spec = { attachRequired: true, podInfoOnMount: true, requiresRepublish: true, tokenRequests };
    await this.resource(CSIDriver).create({ metadata: { name: DRIVER }, spec } as NewObject<CSIDriver>);
    await this.resource(StorageClass).create({
      metadata: { name: CLASS },
      provisioner: DRIVER,
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
    } as NewObject<StorageClass>);
    for (const definition of DEFINITIONS) await this.resource(CustomResourceDefinition).create(definition as never);
    await this.settled();
    await this.pass(5000);
    await this.resource(snapshots.class).create({
      metadata: { name: PICTURES },
      driver: DRIVER,
      deletionPolicy: "Delete",
    } as never);
    for (const node of NODES) await this.#serve(node);
  }

  /** What the driver and its registrar serve on a node. */
  async #serve(node: string): Promise<void> {
    const [folder, registry] = [join(this.rootOf(node), "plugins", "d"), join(this.rootOf(node), "plugins_registry")];
    mkdirSync(folder, { recursive: true });
    mkdirSync(registry, { recursive: true });
    const how = { clock: systemClock, graceMs: 1 };
    const server = await serveDriver(join(folder, "csi.sock"), this.array.services(node), how);
    const info = { name: DRIVER, endpoint: server.socket };
    const registrar = await serveRegistration(registrationSocket(registry, DRIVER), info, { clock: systemClock });
    this.#servers.push(server, registrar);
  }
}

/** The definitions of snapshots, read once. */
const DEFINITIONS: readonly unknown[] = definitionsIn(new URL("../sidecars/crds/", import.meta.url));

function definitionsIn(folder: URL): readonly unknown[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return files.flatMap((file) =>
    parseAllDocuments(readFileSync(new URL(file, folder), "utf8")).map((document) => {
      const { status: _, ...definition } = document.toJS() as Record<string, unknown>;
      return definition;
    }),
  );
}

/** Reads a response to its end: an unread response stays running. */
async function drained(answer: ReturnType<Transport>): Promise<void> {
  for await (const _ of (await answer).body);
}

/** A function that does its work the first time that it is called. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
