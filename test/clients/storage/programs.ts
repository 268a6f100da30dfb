/**
 * Programs of Keelson that stories of storage start beside a server: its driver of directories, its sidecars.
 *
 * @module
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { EXECUTABLE } from "../../serve/keelson.ts";
import type { Beside } from "../beside.ts";

/** The driver of the stories. */
export const STORY_DRIVER = "directory.example.com";

/** The label that tells from where its volumes are reached. */
export const PLACE = `topology.${STORY_DRIVER}/node`;

/** How a program is started: where a node is, or just so. */
export type Start = (command: readonly string[], name: string) => ChildProcess;

/** How a driver is started. */
export interface DriverOptions {
  readonly start: Start;
  readonly dir: string;
  readonly socket: string;
  /** The node that it serves. */
  readonly node: string;
  /** The directory of the agent's plugins, for a driver that makes itself known. */
  readonly registry?: string;
}

/** Starts the driver of directories; resolves when it can be called. */
export async function startDriver({ start, dir, socket, node, registry }: DriverOptions): Promise<ChildProcess> {
  const where = ["--socket", `unix://${socket}`, "--dir", dir, "--name", STORY_DRIVER, "--with", "attach,node-expand"];
  const place = ["--node-id", node, "--topology", `${PLACE}=${node}`];
  const known = registry === undefined ? [] : ["--register", registry];
  const driver = start([process.execPath, EXECUTABLE, "driver", ...where, ...place, ...known], "keelson driver");
  await once(createInterface({ input: driver.stdout! }), "line");
  return driver;
}

/** Starts the sidecars of Keelson for a driver. @param kubeconfig that of the server beside it by default */
export function startBuiltIn(world: Beside, socket: string, kubeconfig = world.kubeconfig): ChildProcess {
  const retries = ["--retry-interval-start", "100ms", "--retry-interval-max", "500ms"];
  const told = ["--driver", `unix://${socket}`, "--kubeconfig", kubeconfig, "--extra-create-metadata", ...retries];
  return world.run([process.execPath, EXECUTABLE, "csi", ...told], {}, "keelson csi");
}
