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
import { GoProcess, GoProgramError, type GoProcessParts, type KeptProcess } from "./process.ts";
import { wasm } from "./webassembly.ts";

/** How a program of Go runs. */
export interface GoProgramOptions {
  /** The file that {@link buildGoProgram} wrote. */
  readonly file: string;
  /** Its arguments; `{}` stands for the path of a kubeconfig. */
  readonly args?: readonly string[];
  /** Its environment, beside that of a Pod: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its files by path, beside those of a service account. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** The namespace of its Pod, `default` by default. */
  readonly namespace?: string;
  /** For what it draws before `main`: the order of its maps, for example; 1 by default. */
  readonly seed?: number;
  /** Called with each line that it writes to its standard output and error. */
  readonly onLine?: (line: string) => void;
}

/** A program of Go for `explore(scenario, { programs })` and for tests. */
export interface GoProgram {
  /** Runs the program until it ends; rejects where it ends by itself with another code than 0. */
  readonly main: (context: ProgramContext) => Promise<void>;
  /** Starts the program. */
  start(context: Pick<ProgramContext, "client" | "clock" | "random">): GoProcess;
  /** Continues a copy of a process of this program, in a fork of its cluster. */
  continue(context: Pick<ProgramContext, "client" | "clock" | "random">, kept: KeptProcess): GoProcess;
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
  const partsOf = ({ client, clock, random }: Pick<ProgramContext, "client" | "clock" | "random">): GoProcessParts => ({
    ...shared,
    clock,
    transport: transportOf(client),
    random: random ?? randomAt(seed, clock.now()),
  });
  const program: GoProgram = {
    start(context) {
      const process = GoProcess.continue(partsOf(context), ready);
      process.signal("start");
      return process;
    },
    continue: (context, kept) => GoProcess.continue(partsOf(context), kept),
    async main(context) {
      const process = program.start(context);
      const stop = (): void => process.kill();
      context.signal.addEventListener("abort", stop);
      const stopped = new Promise<number>((resolve) => context.signal.addEventListener("abort", () => resolve(0)));
      const code = await Promise.race([process.ended, stopped]);
      if (code !== 0)
        throw new GoProgramError(`the program ended with the exit code ${code}:\n${process.lines.join("\n")}`);
    },
  };
  return program;
}

/** Random numbers of a start: a start at another time has others. */
const randomAt = (seed: number, now: number): Random => seededRandom(seed + now);
