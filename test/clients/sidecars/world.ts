/**
 * A server, a CSI driver, and the sidecars of Kubernetes beside it; nothing else. What a node or a scheduler does is written by
 * the tests.
 *
 * @module
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Beside, type Found } from "../beside.ts";
import { type Sidecar, startSidecar } from "./programs.ts";

/** The name of the driver. */
export const DRIVER = "disks.example.com";

/** A call that the driver has had. */
export interface Call {
  readonly method: string;
  readonly request: Found;
}

/** See the head of this file. */
export class World extends Beside {
  readonly #bin: string;
  readonly #state = this.scratch.fresh();

  private constructor(bin: string) {
    super();
    this.#bin = bin;
    mkdirSync(join(this.#state, "fail"), { recursive: true });
  }

  /** Starts server and driver, no sidecar yet. @param bin the folder with the programs @param options of the server */
  static async start(bin: string, ...options: readonly string[]): Promise<World> {
    const world = new World(bin);
    await world.serve(...options);
    const driver = world.run([join(bin, "sidecars"), "--socket", world.#socket, "--state", world.#state], {}, "driver");
    await once(createInterface({ input: driver.stdout! }), "line");
    return world;
  }

  get #socket(): string {
    return join(this.#state, "socket");
  }

  /** Starts a sidecar. @param electsOn the host where it is one of several that elect a leader */
  sidecar(name: Sidecar, { electsOn }: { electsOn?: string } = {}): ChildProcess {
    return startSidecar(this, name, { bin: this.#bin, socket: this.#socket, electsOn });
  }

  /** From now on a method of the driver answers with a gRPC code such as `INTERNAL`; undefined makes it well again. */
  fail(method: string, code: string | undefined): void {
    const file = join(this.#state, "fail", method);
    if (code === undefined) rmSync(file, { force: true });
    else writeFileSync(file, code);
  }

  /** The calls of a method so far. */
  calls(method: string): readonly Found[] {
    const file = join(this.#state, "calls");
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const all = lines.map((line) => JSON.parse(line) as Call).filter((call) => call.method === method);
    return all.map(({ request }) => request as Found);
  }
}
