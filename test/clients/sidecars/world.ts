/**
 * A server, a CSI driver, and the sidecars of Kubernetes beside it; nothing else. What a node or a scheduler does is written by
 * the tests.
 *
 * @module
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Answer, Http2Client, Keelson, Scratch } from "../../serve/keelson.ts";

/** The name of the driver. */
export const DRIVER = "disks.example.com";

/** An object as it comes, unchecked. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Found = any;

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
const PATIENCE_MS = 40_000;

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
export class World {
  readonly #bin: string;
  readonly #scratch = new Scratch();
  readonly #state: string;
  readonly #directory: string;
  readonly #running = new Map<ChildProcess, () => string>();
  #server!: Keelson;
  #client!: Http2Client;

  private constructor(bin: string) {
    this.#bin = bin;
    this.#state = this.#scratch.fresh();
    this.#directory = this.#scratch.fresh();
    mkdirSync(join(this.#state, "fail"), { recursive: true });
  }

  /** Starts server and driver, no sidecar yet. @param bin the folder with the programs */
  static async start(bin: string): Promise<World> {
    const world = new World(bin);
    world.#server = await Keelson.serve(["--data-dir", world.#directory, "--port", "0", "--dialect", "kubernetes"]);
    world.#client = await Http2Client.connect(world.#server, world.#directory);
    const driver = world.#run("sidecars", ["--socket", world.#socket, "--state", world.#state]);
    await once(createInterface({ input: driver.stdout! }), "line");
    return world;
  }

  async stop(): Promise<void> {
    const all = [...this.#running.keys()].filter((child) => child.exitCode === null && child.signalCode === null);
    const ended = all.map((child) => once(child, "exit"));
    for (const child of all) child.kill("SIGKILL");
    await Promise.all(ended);
    this.#client?.close();
    await this.#server?.stop("SIGKILL");
    this.#scratch.remove();
  }

  get #socket(): string {
    return join(this.#state, "socket");
  }

  get kubeconfig(): string {
    return join(this.#directory, "admin.kubeconfig");
  }

  /** Starts a sidecar. @param electsOn the host where it is one of several that elect a leader */
  sidecar(name: Sidecar, { electsOn }: { electsOn?: string } = {}): ChildProcess {
    const [file, ...args] = SIDECARS[name].flat() as [string, ...string[]];
    const all = [...args, ...COMMON, `--csi-address=${this.#socket}`, `--kubeconfig=${this.kubeconfig}`];
    return electsOn === undefined ? this.#run(file, all) : this.#run(file, [...all, ...ELECTION], electsOn);
  }

  #run(file: string, args: readonly string[], host?: string): ChildProcess {
    const program = join(this.#bin, file);
    const [first, ...rest] = host === undefined ? [program] : onHost(host, program);
    const { PATH } = process.env;
    const env = { PATH, NAMESPACE: "default", POD_NAME: file };
    const child = spawn(first!, [...rest, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-6000)));
    }
    this.#running.set(child, () => `${file}: ${said}`);
    return child;
  }

  /** What all programs have said last. */
  get said(): string {
    return [...this.#running.values()].map((last) => last()).join("\n\n");
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

  async #done(method: string, path: string, body?: unknown, type?: string): Promise<Found> {
    const answer: Answer = await this.#client.send(method, path, body, type ? { "content-type": type } : {});
    if (answer.status < 300) return answer.json;
    throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  }

  create(path: string, body: object): Promise<Found> {
    return this.#done("POST", path, body);
  }

  get(path: string): Promise<Found> {
    return this.#done("GET", path);
  }

  merge(path: string, body: object): Promise<Found> {
    return this.#done("PATCH", path, body, "application/merge-patch+json");
  }

  delete(path: string, options?: object): Promise<Found> {
    return this.#done("DELETE", path, options);
  }

  async isGone(path: string): Promise<boolean> {
    return (await this.#client.send("GET", path)).status === 404;
  }

  /** An object once it is as wanted; rejects with how it was last, and what the programs said. */
  async once(path: string, suits: (found: Found) => boolean): Promise<Found> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      const { status, json, text } = await this.#client.send("GET", path);
      if (status === 200 && suits(json)) return json;
      if (performance.now() > end) {
        throw new Error(`expected ${path} to become ${suits.toString()}, it is ${text}\n\n${this.said}`);
      }
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async gone(path: string): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    while (!(await this.isGone(path))) {
      if (performance.now() > end) {
        // oxlint-disable-next-line no-await-in-loop -- the last one
        throw new Error(`expected ${path} to go, it is ${JSON.stringify(await this.get(path))}\n\n${this.said}`);
      }
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Once an object has an Event with a reason; the Event. */
  async event(namespace: string, name: string, reason: string): Promise<Found> {
    const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.name%3D${name},reason%3D${reason}`;
    const { items } = await this.once(path, (found) => found.items.length > 0);
    return items[0];
  }
}
