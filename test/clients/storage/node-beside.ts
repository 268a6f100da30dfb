/**
 * A server and a node beside it, whose programs are in a mount namespace of their own: what is mounted there goes with them.
 *
 * @module
 */
import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Beside, type Found } from "../beside.ts";

/** The name of the node. */
export const NODE = "node-a";

/** Whether mount namespaces can be made here. */
export const canMount: boolean = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

/** See the head of this file. */
export class NodeBeside extends Beside {
  /** A directory for what is beside the agent. */
  readonly state: string = this.scratch.fresh();
  #holder!: ChildProcess;

  /** The directory of the agent (ROOT of NODE-6). */
  get root(): string {
    return join(this.state, "root");
  }

  /** Makes the namespace. @param inMemory directories of the machine that are empty ones in memory there */
  protected async makeNamespace(inMemory: readonly string[] = []): Promise<void> {
    const mounts = inMemory.map((path) => `mkdir -p ${path} && mount -t tmpfs none ${path} && `).join("");
    const script = `${mounts}echo ready && exec sleep 3600`;
    this.#holder = this.run(["unshare", "-m", "sh", "-c", script], {}, "namespace");
    await once(createInterface({ input: this.#holder.stdout! }), "line");
  }

  /** Runs a program where the agent sees the mounts that it makes. */
  inside(command: readonly string[], name: string): ChildProcess {
    return this.run(["nsenter", `--mount=/proc/${this.#holder.pid}/ns/mnt`, "--", ...command], {}, name);
  }

  /** A path as the agent sees it. */
  #seen(path: string): string {
    return `/proc/${this.#holder.pid}/root${path}`;
  }

  /** The directory of a volume of a Pod (NODE-6). @param kind such as `configmap` */
  volume(pod: Found, kind: string, name: string): string {
    return join(this.root, "pods", pod.metadata.uid, "volumes", `kubernetes.io~${kind}`, name);
  }

  read(path: string): string {
    return readFileSync(this.#seen(path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(this.#seen(path));
  }

  list(path: string): readonly string[] {
    return readdirSync(this.#seen(path));
  }

  /** The names of all files below a directory. */
  files(path: string): readonly string[] {
    const all = readdirSync(this.#seen(path), { recursive: true, withFileTypes: true });
    return all.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  write(path: string, text: string): void {
    writeFileSync(this.#seen(path), text);
  }

  /** The file systems that are mounted below a path where the agent is: path and type. */
  mounts(below: string): readonly (readonly [string, string])[] {
    const lines = readFileSync(`/proc/${this.#holder.pid}/mounts`, "utf8").trimEnd().split("\n");
    const fields = lines.map((line) => line.split(" "));
    return fields.filter(([, path]) => path!.startsWith(below)).map(([, path, type]) => [path!, type!] as const);
  }
}
