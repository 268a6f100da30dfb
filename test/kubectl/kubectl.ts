/**
 * kubectl as a test uses it: the newest one on the machine, against one server, in a home of its own.
 *
 * @module
 */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** What a command printed and how it ended. */
export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  readonly ended: Promise<Result>;
  /** Resolves with what was found in the output so far as soon as it is there; rejects when the command ends before. */
  prints(stream: "stdout" | "stderr", wanted: RegExp): Promise<RegExpExecArray>;
  kill(): void;
}

/** Every kubectl on the machine, oldest first: `kubectl.1.NN` beside the one on the path, or that one alone. */
export function findKubectls(): readonly string[] {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const plain = join(folder, "kubectl");
    if (!existsSync(plain)) continue;
    const home = dirname(realpathSync(plain));
    const versions = readdirSync(home)
      .filter((name) => /^kubectl\.1\.\d+$/.test(name))
      .toSorted((a, b) => minor(a) - minor(b));
    return versions.length > 0 ? versions.map((name) => join(home, name)) : [plain];
  }
  return [];
}

const minor = (name: string): number => Number(name.split(".")[2]);

/** Runs one kubectl against one server. */
export class Kubectl {
  readonly #binary: string;
  readonly #env: NodeJS.ProcessEnv;
  /** A folder for files of the test. */
  readonly folder: string;

  constructor(binary: string, kubeconfig: string) {
    this.#binary = binary;
    this.folder = mkdtempSync(join(tmpdir(), "keelson-kubectl-"));
    mkdirSync(join(this.folder, "home"));
    const config = this.file("kubeconfig", kubeconfig);
    // A command lives for a moment: it ends before it has to collect garbage.
    const memory = { GOGC: "off", GOMEMLIMIT: "512MiB" };
    this.#env = { PATH: process.env["PATH"], HOME: join(this.folder, "home"), KUBECONFIG: config, ...memory };
  }

  /** Writes a file and returns its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  /** Runs a command, whatever comes of it. */
  run(
    args: readonly string[],
    options: { stdin?: string; env?: NodeJS.ProcessEnv; ms?: number } = {},
  ): Promise<Result> {
    return new Promise((resolve) => {
      const env = { ...this.#env, ...options.env };
      const child = execFile(
        this.#binary,
        [...args],
        { env, timeout: options.ms ?? 30_000, maxBuffer: 64 << 20 },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
          resolve({ code, stdout, stderr });
        },
      );
      child.stdin?.end(options.stdin ?? "");
    });
  }

  /** Starts a command that runs while others run. */
  start(args: readonly string[], options: { env?: NodeJS.ProcessEnv } = {}): Running {
    const child = spawn(this.#binary, [...args], { env: { ...this.#env, ...options.env } });
    const printed = { stdout: "", stderr: "" };
    const waiting = new Set<() => void>();
    for (const name of ["stdout", "stderr"] as const) {
      child[name].on("data", (chunk: Buffer) => {
        printed[name] += chunk.toString();
        for (const look of waiting) look();
      });
    }
    const ended = new Promise<Result>((resolve) => {
      child.on("close", (code) => resolve({ code: code ?? 1, ...printed }));
    });
    return {
      ended,
      kill: () => void child.kill("SIGKILL"),
      prints: (stream, wanted) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = wanted.exec(printed[stream]);
            if (!found) return;
            waiting.delete(look);
            resolve(found);
          };
          waiting.add(look);
          look();
          void ended.then(() => {
            reject(new Error(`expected ${wanted.source} of kubectl ${args.join(" ")}, got ${JSON.stringify(printed)}`));
          });
        }),
    };
  }

  /** Runs a command that must succeed, and returns what it printed. */
  async ok(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Runs a command on a manifest given as text; must succeed. */
  async manifest(text: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run([...args, "-f", "-"], { stdin: text });
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Runs a command that must fail, and returns what it complained of. */
  async fails(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code === 0) throw new Error(`kubectl ${args.join(" ")} was expected to fail, it printed: ${stdout}`);
    return stderr;
  }
}
