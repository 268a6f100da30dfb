/**
 * A server, a CSI driver, and the sidecars of Kubernetes beside it; nothing else. What a node or a scheduler does is written by
 * the tests.
 *
 * @module
 */
import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Beside, type Found } from "../beside.ts";

/** The name of the driver. */
export const DRIVER = "disks.example.com";

/** The sidecars by name, with what each is told beside the common. */
const SIDECARS = {
  provisioner: [
    ["csi-provisioner", "--enable-capacity", "--capacity-ownerref-level=-1", "--capacity-poll-interval=1s"],
    ["--extra-create-metadata", "--kube-api-qps=200", "--kube-api-burst=200", "--kube-api-capacity-qps=50"],
  ],
  attacher: [["csi-attacher", "--reconcile-sync=2s", "--kube-api-qps=200", "--kube-api-burst=200"]],
  resizer: [["csi-resizer", "--kube-api-qps=200", "--kube-api-burst=200"]],
} as const;

/** One of them. */
export type Sidecar = keyof typeof SIDECARS;

const COMMON = ["--retry-interval-start=100ms", "--retry-interval-max=500ms", "--timeout=10s"];
const ELECTION = [
  "--leader-election",
  "--leader-election-namespace=default",
  "--leader-election-lease-duration=3s",
  "--leader-election-renew-deadline=2s",
  "--leader-election-retry-period=500ms",
];

/** A call that the driver has had. */
export interface Call {
  readonly method: string;
  readonly request: Found;
}

/** A command line that runs a program with another name of the machine, by which sidecars are told apart in elections. */
const onHost = (host: string, program: string): readonly string[] => {
  const script = 'hostname "$0" && exec "$@"';
  return ["unshare", "--user", "--map-root-user", "--uts", "sh", "-c", script, host, program];
};

/** Whether programs can be run as on other machines here. */
export const canBeElsewhere: boolean = (() => {
  const [file, ...args] = onHost("elsewhere", "hostname");
  return spawnSync(file!, args, { encoding: "utf8" }).stdout?.trim() === "elsewhere";
})();

/** See the head of this file. */
export class World extends Beside {
  readonly #bin: string;
  readonly #state = this.scratch.fresh();

  private constructor(bin: string) {
    super();
    this.#bin = bin;
    mkdirSync(join(this.#state, "fail"), { recursive: true });
  }

  /** Starts server and driver, no sidecar yet. @param bin the folder with the programs */
  static async start(bin: string): Promise<World> {
    const world = new World(bin);
    await world.serve();
    const driver = world.#start("sidecars", ["--socket", world.#socket, "--state", world.#state]);
    await once(createInterface({ input: driver.stdout! }), "line");
    return world;
  }

  get #socket(): string {
    return join(this.#state, "socket");
  }

  /** Starts a sidecar. @param electsOn the host where it is one of several that elect a leader */
  sidecar(name: Sidecar, { electsOn }: { electsOn?: string } = {}): ChildProcess {
    const [file, ...args] = SIDECARS[name].flat() as [string, ...string[]];
    const all = [...args, ...COMMON, `--csi-address=${this.#socket}`, `--kubeconfig=${this.kubeconfig}`];
    return electsOn === undefined ? this.#start(file, all) : this.#start(file, [...all, ...ELECTION], electsOn);
  }

  #start(file: string, args: readonly string[], host?: string): ChildProcess {
    const program = join(this.#bin, file);
    const first = host === undefined ? [program] : onHost(host, program);
    return this.run([...first, ...args], { NAMESPACE: "default", POD_NAME: file }, file);
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
