/**
 * A cluster in this process with a clock that stands still, on which a test runs managers: nothing sleeps, and
 * `settled()` knows when nothing is under way any more.
 *
 * @module
 */
import type { TokenSigner } from "../../src/auth/service-account-tokens.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import type { ApiObject, Client, Kind, ResourceClient, Scope } from "../../src/client/index.ts";
import { type Dialect, dialectOf } from "../../src/meta/dialect.ts";
import { type Gates, gatesOf } from "../../src/meta/gates.ts";
import {
  type Controller,
  type Failure,
  type Manager,
  type ManagerOptions,
  createManager,
} from "../../src/runtime/index.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { Activity } from "../../src/util/activity.ts";
import { ManualClock, seededRandom } from "../../src/util/clock.ts";
import { type Duration, millisOf } from "../../src/util/duration.ts";
import { silentLog } from "../../src/util/log.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";

/** Tokens of service accounts say in plain JSON what they were asked to say. */
const readable: TokenSigner = {
  issuance: { issuer: "test", audiences: ["test"], extendsExpiration: false },
  sign: async (claims) => ({ token: JSON.stringify(claims), id: "" }),
  signForSecret: async (...said) => JSON.stringify(said),
};

/** See the head of this file. */
export class World implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly activity: Activity;
  readonly cluster: Cluster;
  readonly failures: Failure[] = [];
  readonly warnings: string[] = [];
  readonly managers: Manager[] = [];

  private constructor(cluster: Cluster, clock: ManualClock, activity: Activity) {
    this.cluster = cluster;
    this.clock = clock;
    this.activity = activity;
  }

  static async create(dialect: Dialect["name"] = "kubernetes", gates: Partial<Gates> = {}): Promise<World> {
    const clock = new ManualClock();
    const activity = new Activity(clock);
    const cluster = await createCluster({
      store: await openMemoryStore({ activity }),
      dialect: dialectOf(dialect)!,
      plugins: kitPlugins(),
      gates: gatesOf(dialectOf(dialect)!, gates),
      clock,
      random: seededRandom(1),
      signer: () => readable,
      server: { activity },
    });
    return new World(cluster, clock, activity);
  }

  /** The test's own hand. */
  get client(): Client {
    return this.cluster.client("test");
  }

  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): ResourceClient<T, S> {
    return this.client.resource(kind);
  }

  /** A manager, not started yet. */
  manager(options: Partial<ManagerOptions> = {}): Manager {
    const { clock, activity } = this;
    const log = {
      ...silentLog,
      warn: (message: string, facts?: object) => this.warnings.push(`${message} ${JSON.stringify(facts)}`),
    };
    const manager = createManager({
      client: this.cluster.client("manager"),
      name: "test",
      clock,
      activity,
      seed: 1,
      log,
      failure: (failure) => this.failures.push(failure),
      ...options,
    });
    this.managers.push(manager);
    return manager;
  }

  /** A manager that runs controllers. */
  async run(...controllers: readonly Controller[]): Promise<Manager> {
    const manager = this.manager().add(...controllers);
    await manager.start();
    return manager;
  }

  /** Resolves when nothing more can happen unless the clock moves. */
  settled(): Promise<void> {
    return this.activity.idle();
  }

  /** Settles, and expects something to be so then. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    await this.settled();
    if (!(await holds())) throw new Error(`expected this to be true: ${holds.toString()}`);
  }

  /** Moves the clock; all that happens on the way comes to rest. */
  advance(by: Duration): Promise<void> {
    return this.clock.advanceSettled(millisOf(by), () => this.settled());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.managers.map((manager) => manager.stop({ grace: 0 })));
    const closing = this.cluster.close(0);
    await this.advance("1s");
    await closing;
  }
}
