/**
 * Programs of Go that run in this process, built by {@link buildGoProgram}. Experimental.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import type { Client, Transport } from "../../../client/index.ts";
import { ManualClock, type Random, seededRandom } from "../../../util/clock.ts";
import type { ProgramContext } from "../scenario.ts";
import { goCodeOf } from "./module.ts";
import { GoProcess, type GoProcessParts, GoProgramError } from "./process.ts";
import { wasm } from "./webassembly.ts";

/** How a program of Go runs. */
export interface GoProgramOptions {
  /** The file that {@link buildGoProgram} wrote. */
  readonly file: string;
  /** Its arguments; `{}` is replaced by the path of a kubeconfig. */
  readonly args?: readonly string[];
  /** Its environment, in addition to that of a Pod: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its files by path, in addition to those of a service account. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** The namespace of its Pod, `default` by default. */
  readonly namespace?: string;
  /** The seed of random numbers before `main`: the order of its maps, for example; 1 by default. */
  readonly seed?: number;
  /** Called with each line that it writes to its standard output and error. */
  readonly onLine?: (line: string) => void;
}

/** The input of a start: a client with its identity, the clock of the cluster, and the random numbers of this start. */
export type GoContext = Pick<ProgramContext, "client" | "clock" | "random">;

/** A program of Go at one moment of its life, from which it can be started any number of times. */
export interface GoMoment {
  /** Starts the program from this moment; it runs until it waits. */
  start(context: GoContext): GoRun;
}

/** A program of Go for `explore(scenario, { programs })` and for tests. */
export interface GoProgram extends GoMoment {
  /** Runs the program until it ends; rejects where it ends by itself with another code than 0. */
  readonly main: (context: ProgramContext) => Promise<void>;
}

/** A running program of Go. */
export interface GoRun {
  /** Resolves to the exit code. Rejects where the program trapped; stays pending where it was killed. */
  readonly ended: Promise<number>;
  /** The last lines that it wrote. */
  readonly lines: readonly string[];
  /** Bytes of its memory. */
  readonly memoryBytes: number;
  /**
   * Returns this moment, for forks of the cluster. In a copy timers have the time that they had left, watches end in order, and other open
   * requests fail, as connections do not outlive a process.
   *
   * @throws Error where the program is over
   */
  keep(): GoMoment;
  /** Ends it as `kill -9` does: none of it runs any more. */
  kill(): void;
}

const HOST = "kubernetes.default.svc";
const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const KUBECONFIG = "/etc/kubernetes/kubeconfig";

const kubeconfigOf = (namespace: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: `http://${HOST}` } }],
    users: [{ name: "test", user: {} }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test", namespace } }],
    "current-context": "test",
  });

/** Returns the transport of a client. */
function transportOf(client: Client): Transport {
  const found: Transport[] = [];
  client.with({
    through: (transport) => {
      found.push(transport);
      return transport;
    },
  });
  return found[0]!;
}

/** A transport of what runs before `main`. */
const NOWHERE: Transport = () => Promise.reject(new Error("there is no server before main"));

/**
 * Compiles a program. It is started once, up to `main`; each start of {@link GoProgram} continues a copy of that, so that it pays neither
 * the start of Go's runtime nor the initialization of its packages.
 *
 * @throws Error where the file was not built by {@link buildGoProgram}
 */
export async function goProgram(options: GoProgramOptions): Promise<GoProgram> {
  const { file, args = [], env = {}, files = {}, namespace = "default", seed = 1, onLine } = options;
  const { bytes, data } = goCodeOf(await readFile(file));
  const module = await wasm.compile(bytes);
  if (!wasm.Module.imports(module).some(({ module: from, name }) => from === "keelson" && name === "send")) {
    throw new Error(`expected ${file} to be built by buildGoProgram and to use net/http, got another program`);
  }
  const shared = { module, data, hosts: new Set([HOST]), onLine };
  const first = GoProcess.start(
    { ...shared, transport: NOWHERE, clock: new ManualClock(), random: seededRandom(seed) },
    {
      args: ["program", ...args.map((arg) => arg.replaceAll("{}", KUBECONFIG))],
      env: { HOME: "/root", KUBERNETES_SERVICE_HOST: HOST, KUBERNETES_SERVICE_PORT: "443", ...env },
      files: {
        [`${ACCOUNT}/token`]: "token",
        [`${ACCOUNT}/namespace`]: namespace,
        [KUBECONFIG]: kubeconfigOf(namespace),
        ...files,
      },
    },
  );
  const ready = first.keep();
  first.kill();
  const partsOf = ({ client, clock, random }: GoContext): GoProcessParts => ({
    ...shared,
    clock,
    transport: transportOf(client),
    random: random ?? randomAt(seed, clock.now()),
  });
  const runOf = (process: GoProcess): GoRun => ({
    ended: process.ended,
    get lines() {
      return process.lines;
    },
    get memoryBytes() {
      return process.memoryBytes;
    },
    keep() {
      const kept = process.keep();
      return { start: (context) => runOf(GoProcess.continue(partsOf(context), kept)) };
    },
    kill: () => process.kill(),
  });
  const start = (context: GoContext): GoRun => {
    const process = GoProcess.continue(partsOf(context), ready);
    process.signal("start");
    return runOf(process);
  };
  return { start, main: (context) => main(start(context), context.signal) };
}

/** Runs until the program ends, or until a signal ends it. @throws GoProgramError where it ends with another code than 0 */
async function main(run: GoRun, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<0>();
  const stop = (): void => {
    run.kill();
    stopped.resolve(0);
  };
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    const code = await Promise.race([run.ended, stopped.promise]);
    if (code !== 0) throw new GoProgramError(`the program ended with the exit code ${code}:\n${run.lines.join("\n")}`);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Random numbers of a start: a start at another time has others. */
const randomAt = (seed: number, now: number): Random => seededRandom(seed + now);
