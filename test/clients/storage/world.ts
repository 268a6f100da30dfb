/**
 * A server with its scheduler, the agent of a node and the driver of directories, all of Keelson, and sidecars of either.
 *
 * @module
 */
import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE } from "../../serve/keelson.ts";
import { startSidecar } from "../sidecars/programs.ts";
import { NODE, NodeBeside } from "./node-beside.ts";
import { startBuiltIn, startDriver } from "./programs.ts";

/** Whose sidecars stand beside the driver. */
export type Sidecars = "Keelson" | "Kubernetes";

/** See the head of this file. */
export class StorageWorld extends NodeBeside {
  #agent!: ChildProcess;

  /** Starts all but the sidecars. */
  async start(): Promise<void> {
    mkdirSync(this.state, { recursive: true });
    await this.serve("--controllers", "*,scheduler");
    await this.makeNamespace();
    this.startAgent();
    await startDriver({
      start: (command, name) => this.inside(command, name),
      dir: this.disks,
      socket: this.socket,
      node: NODE,
      registry: join(this.root, "plugins_registry"),
    });
  }

  /** The directory of the driver. */
  get disks(): string {
    return join(this.state, "disks");
  }

  get socket(): string {
    return join(this.state, "csi.sock");
  }

  /** Starts the agent, for the first time or again. */
  startAgent(): void {
    const told = ["--name", NODE, "--dir", this.root, "--kubeconfig", this.kubeconfig, "--pods", "run-nothing"];
    this.#agent = this.inside([process.execPath, EXECUTABLE, "node", ...told], "keelson node");
  }

  /** Kills the agent without a word. */
  async killAgent(): Promise<void> {
    await this.kill(this.#agent);
  }

  /** Starts the sidecars. @param bin the folder with the programs of those of Kubernetes */
  startSidecars(whose: Sidecars, bin: string): void {
    if (whose === "Keelson") {
      startBuiltIn(this, this.socket);
      return;
    }
    for (const name of ["provisioner", "attacher", "resizer", "snapshotter", "snapshot-controller"] as const) {
      startSidecar(this, name, { bin, socket: this.socket });
    }
  }
}
