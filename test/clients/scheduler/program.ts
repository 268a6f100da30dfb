/**
 * The scheduler of Kubernetes as the tests get and start it.
 *
 * @module
 */
import { join } from "node:path";
import type { Beside } from "../beside.ts";
import { find, versionOf } from "../kubernetes.ts";

const folder = import.meta.dirname;

export const SCHEDULER_VERSION: string = versionOf(folder);

/** Its folder; undefined, with the reason printed, where it is left out. */
export const findScheduler = (): Promise<string | undefined> =>
  find({ name: "kube-scheduler", folder, variable: "SCHEDULER" });

/** Starts it beside a server; what answers has all that it has said so far. @param bin of {@link findScheduler} */
export function startScheduler(world: Beside, bin: string): { readonly log: string } {
  const said = { log: "" };
  const told = [`--kubeconfig=${world.kubeconfig}`, "--secure-port=0", "-v=2"];
  const scheduler = world.run([join(bin, "kube-scheduler"), ...told]);
  scheduler.stderr!.on("data", (chunk: Buffer) => (said.log += chunk.toString()));
  return said;
}
