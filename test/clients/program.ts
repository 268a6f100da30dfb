/**
 * A library of another language as a test uses it: a program that plays parts against the executable, each part against a
 * server of its own. This is neither a client nor a build tool: how the program is made is told by the test of the language.
 *
 * The program gets the part as its last argument, the server in `KUBECONFIG` and its dialect in `DIALECT`, and says on standard output what came of
 * each thing that it tried; every other line is passed over. A name is the same in every run and has no `: `.
 *
 *     ok NAME
 *     not ok NAME: WHY
 *
 * The name may be preceded by the part (`ok typed: a Secret is created`). `restart` asks for the server to be ended in
 * order and started again on the same data and port, `restart SIGKILL` without order; when it is ready again the program
 * reads a line on its standard input.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import { LONG, sampled } from "../../src/util/testing/amount.ts";
import { Keelson, Scratch } from "../serve/keelson.ts";
import { type Check, type Dialect, writeLibrary } from "./results.ts";

/** How a program is run. */
export interface Command {
  readonly file: string;
  /** The parts of the command before the part's name. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A library and what its program can play. */
export interface Library {
  /** As its users call it: `client-go`. */
  readonly name: string;
  readonly language: string;
  /** The pinned version. */
  readonly version: string;
  /** Undefined when it cannot be run here; who found out has printed the reason. */
  readonly command: Command | undefined;
  /** The dialects that each part is played in. */
  readonly parts: Readonly<Record<string, readonly Dialect[]>>;
  /** Additional options of its servers. */
  readonly serve?: readonly string[];
  /** Further options of the server of a part. */
  readonly serveFor?: Readonly<Record<string, readonly string[]>>;
  /** How long a part may take; a minute by default. */
  readonly ms?: number;
}

/** The programs bind claims and volumes by themselves. */
const WITHOUT_BINDER = "*,-persistentvolume-binder";

/** They write the status of workloads, too, which only the kubernetes dialect has controllers for. */
const WORKLOADS = [
  "cronjob",
  "daemonset",
  "deployment",
  "disruption",
  "endpoints",
  "endpointslice",
  "endpointslicemirroring",
  "horizontal-pod-autoscaling",
  "job",
  "replicaset",
  "replicationcontroller",
  "statefulset",
];

const controllersFor = (dialect: Dialect): string =>
  dialect === "kubernetes" ? [WITHOUT_BINDER, ...WORKLOADS.map((name) => `-${name}`)].join(",") : WITHOUT_BINDER;

/** Every dialect. */
export const BOTH: readonly Dialect[] = ["kubernetes", "neutral"];

/** Only the one that the library knows the kinds of. */
export const KUBERNETES: readonly Dialect[] = ["kubernetes"];

/**
 * Makes a test of each part and dialect, and keeps what came of them when all have been played. The usual run plays half of the
 * parts, chosen by `SEED`, in the kubernetes dialect, `LONG=1` all in both.
 */
export function testLibrary(library: Library): void {
  const { name, version, command, parts, serve = [], serveFor = {}, ms = 60_000 } = library;
  const all = Object.entries(parts).flatMap(([part, dialects]) => dialects.map((dialect) => ({ part, dialect })));
  const usual = all.filter(({ dialect }) => dialect === "kubernetes");
  const plays = LONG ? all : usual.length === 1 ? usual : sampled(usual, 2);
  const checks: Check[] = [];
  const played = new Set<string>();

  describe.skipIf(command === undefined)(`${name} ${version}`, () => {
    const scratch = new Scratch();
    test.each(plays)(
      "$part, dialect $dialect",
      async ({ part, dialect }) => {
        const directory = scratch.fresh();
        const options = ["--dialect", dialect, ...serve, ...(serveFor[part] ?? [])];
        const { checks: found, complaint } = await play({ command: command!, part, dialect, directory, options, ms });
        checks.push(...found);
        played.add(`${part} ${dialect}`);
        const failed = found.filter(({ why }) => why !== undefined).map(({ name: check, why }) => `${check}: ${why}`);
        expect({ failed, complaint }).toEqual({ failed: [], complaint: "" });
      },
      ms + 10_000,
    );
    afterAll(() => {
      scratch.remove();
      if (played.size === all.length) writeLibrary({ name, language: library.language, version, checks });
    });
  });
}

interface Play {
  readonly command: Command;
  readonly part: string;
  readonly dialect: Dialect;
  /** Of the server. */
  readonly directory: string;
  readonly options: readonly string[];
  readonly ms: number;
}

interface Played {
  readonly checks: readonly Check[];
  /** What went wrong beside the checks: the program ended early, or had nothing to say. */
  readonly complaint: string;
}

async function play({ command, part, dialect, directory, options, ms }: Play): Promise<Played> {
  const start = (port: string): Promise<Keelson> =>
    Keelson.serve(["--data-dir", directory, "--port", port, "--controllers", controllersFor(dialect), ...options]);
  let server = await start("0");
  const port = new URL(server.url).port;
  const { PATH, HOME } = process.env;
  const program = spawn(command.file, [...command.args, part], {
    cwd: command.cwd,
    env: { PATH, HOME, ...command.env, DIALECT: dialect, KUBECONFIG: join(directory, "admin.kubeconfig") },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const timer = setTimeout(() => program.kill("SIGKILL"), ms);
  try {
    const checks: Check[] = [];
    const said = await listen(program, {
      check: ({ name, why }) => checks.push({ part, dialect, name, ...(why === undefined ? {} : { why }) }),
      restart: async (signal) => {
        await server.stop(signal);
        server = await start(port);
      },
    });
    const failed = checks.some(({ why }) => why !== undefined);
    if (checks.length > 0 && (said.code === 0 || (failed && said.code !== null))) return { checks, complaint: "" };
    const how = said.code === null ? `was ended by ${said.signal}, it has ${ms} ms` : `ended with ${said.code}`;
    return { checks, complaint: `the program ${how}, after ${checks.length} checks: ${said.stderr.slice(-4000)}` };
  } finally {
    clearTimeout(timer);
    program.kill("SIGKILL");
    await server.stop();
  }
}

interface Listener {
  check(said: { name: string; why: string | undefined }): void;
  restart(signal: NodeJS.Signals): Promise<void>;
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

async function listen(program: ChildProcess, listener: Listener): Promise<Ended> {
  let stderr = "";
  program.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  program.stdin!.on("error", () => {});
  const closed = once(program, "close");
  closed.catch(() => {});
  const part = program.spawnargs.at(-1)!;
  for await (const line of createInterface({ input: program.stdout! })) {
    const said = /^(ok|not ok) (.*)$/.exec(line);
    if (said) {
      const text = said[2]!.startsWith(`${part}: `) ? said[2]!.slice(part.length + 2) : said[2]!;
      const end = said[1] === "ok" ? -1 : text.indexOf(": ");
      const name = end < 0 ? text : text.slice(0, end);
      listener.check({ name, why: said[1] === "ok" ? undefined : text.slice(name.length + 2) });
    }
    const restart = /^restart(?: (SIG[A-Z]+))?$/.exec(line);
    if (!restart) continue;
    await listener.restart((restart[1] ?? "SIGTERM") as NodeJS.Signals);
    program.stdin!.write("restarted\n");
  }
  const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  return { code, signal, stderr };
}
