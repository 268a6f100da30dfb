/**
 * A server in memory with a clock that stands still, on which a test starts controllers by hand.
 *
 * @module
 */
import {
  ManualClock,
  type RunningServer,
  resolveOptions,
  seededRandom,
  silentLog,
  startServer,
} from "../../src/app/index.ts";
import type { ApiObject, Key, Kind, ResourceClient, Scope } from "../../src/client/index.ts";
import type { Controller, RunningController } from "../../src/controllers/index.ts";
import { type Dialect, dialectOf } from "../../src/meta/dialect.ts";

/** Lets everything that is ready run. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** One server and the controllers that a test has started on it. */
export class World {
  readonly clock: ManualClock;
  readonly server: RunningServer;
  readonly warnings: string[] = [];
  readonly #dialect: Dialect;
  readonly #running: RunningController[] = [];

  private constructor(server: RunningServer, clock: ManualClock, dialect: Dialect) {
    this.server = server;
    this.clock = clock;
    this.#dialect = dialect;
  }

  static async start(dialect: Dialect["name"]): Promise<World> {
    const clock = new ManualClock();
    const options = resolveOptions({ dev: "true", port: "0", "insecure-http": "true", controllers: "none", dialect });
    const server = await startServer(options, { clock, random: seededRandom(1), log: silentLog });
    return new World(server, clock, dialectOf(dialect)!);
  }

  /** Starts a controller; resolves when it has seen what there is. */
  async run(controller: Controller): Promise<RunningController> {
    const log = {
      ...silentLog,
      warn: (message: string, facts?: object) => this.warnings.push(`${message} ${JSON.stringify(facts)}`),
    };
    const client = this.server.client(`test-${controller.name}`);
    const running = await controller.start({
      client,
      dialect: this.#dialect,
      clock: this.clock,
      random: seededRandom(2),
      log,
    });
    this.#running.push(running);
    return running;
  }

  /** The verbs of a kind. */
  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): ResourceClient<T, S> {
    return this.server.client("test").resource(kind);
  }

  /** The object, or undefined. */
  find<T extends ApiObject, S extends Scope>(kind: Kind<T, S>, key: Key<S>): Promise<T | undefined> {
    return this.resource(kind).find(key);
  }

  /** Lets the controllers run, without moving the clock, until something is so. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    for (let i = 0; !(await holds()); i++) {
      if (i > 2000) throw new Error(`expected this to become true: ${holds.toString()}`);
      await settle();
    }
  }

  /** Lets the controllers do all that they can without the clock moving. */
  async calm(): Promise<void> {
    for (let i = 0; i < 200; i++) await settle();
  }

  /** Moves the clock in small steps, letting the controllers run in between. */
  async pass(ms: number, step = 100): Promise<void> {
    for (let left = ms; left > 0; left -= step) {
      this.clock.advance(Math.min(step, left));
      for (let i = 0; i < 20; i++) await settle();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((controller) => controller.stop()));
    const closing = this.server.close();
    await this.pass(1000);
    await closing;
  }
}
