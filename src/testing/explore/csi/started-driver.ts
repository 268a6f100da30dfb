/**
 * A driver that is ours to start: a process that listens at a socket, and that a plan may kill.
 *
 * @module
 */
import { openDriver } from "../../../csi/driver.ts";
import { type Clock, sleep } from "../../../util/clock.ts";
import { messageOf } from "../../../util/error.ts";
import { ProgramProcess } from "../programs-process.ts";

/** How a driver is started. */
export interface DriverCommand {
  readonly command: readonly [string, ...string[]];
  /** Where it listens then: `unix:///path`. */
  readonly endpoint: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** How long a driver may take until it responds. */
const READY_MS = 30_000;
const LOOK_MS = 50;
const SHOWN_LINES = 5;

/** A driver that this process starts. */
export class StartedDriver implements AsyncDisposable {
  readonly #options: DriverCommand;
  #process: ProgramProcess;

  private constructor(options: DriverCommand) {
    this.#options = options;
    this.#process = this.#begin();
  }

  /** Starts a driver; resolves when it responds. @throws Error with its output where it does not */
  static async start(options: DriverCommand): Promise<StartedDriver> {
    const driver = new StartedDriver(options);
    try {
      await driver.#ready();
      return driver;
    } catch (error) {
      await driver[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Kills it as `kill -9` does, and starts it again; resolves when it responds. */
  readonly restart = async (): Promise<void> => {
    await this.#process.kill();
    this.#process = this.#begin();
    await this.#ready();
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill();
  }

  #begin(): ProgramProcess {
    const { command, env, clock } = this.#options;
    return new ProgramProcess({ name: "driver", command }, { kubeconfig: "", ports: [], env, clock });
  }

  async #ready(): Promise<void> {
    const { endpoint, clock } = this.#options;
    const end = clock.steady() + READY_MS;
    const driver = openDriver(endpoint, { clock, deadlineMs: 1000 });
    try {
      for (;;) {
        try {
          await driver.info();
          return;
        } catch (error) {
          if (this.#process.isOver || clock.steady() >= end) throw this.#failure(error);
          await sleep(clock, LOOK_MS, undefined, { holds: true });
        }
      }
    } finally {
      await driver.close();
    }
  }

  #failure(error: unknown): Error {
    const { command, endpoint } = this.#options;
    const said = this.#process.output.slice(-SHOWN_LINES).join("\n");
    const state = this.#process.isOver ? "it has ended" : messageOf(error);
    return new Error(
      `expected ${command.join(" ")} to respond at ${endpoint} within ${READY_MS / 1000} s; ${state}\n${said}`.trim(),
      {
        cause: error,
      },
    );
  }
}
