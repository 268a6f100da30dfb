/**
 * The real executable as a test uses it: started in a directory of its own, asked over the network, and ended by signals.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import http2 from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LONG } from "../../src/util/testing/amount.ts";

/** In what Linux counts CPU time. */
const TICK_MS = 10;

/** The program. */
export const EXECUTABLE = new URL("../../bin/keelson.js", import.meta.url).pathname;

/** How a process ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How to start; the environment has nothing of ours by default. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The user to run as; only root may say so. */
  readonly uid?: number;
  /** The Node that runs it; that of the tests by default. */
  readonly node?: string;
  /** That of this checkout by default. */
  readonly executable?: string;
}

/** A process of the executable, with all that it printed. */
export class Keelson {
  readonly process: ChildProcess;
  stdout = "";
  stderr = "";
  /** Resolves when the process has ended. */
  readonly ended: Promise<End>;

  constructor(
    args: readonly string[],
    { env = {}, cwd, uid, node = process.execPath, executable = EXECUTABLE }: StartOptions = {},
  ) {
    this.process = spawn(node, [executable, ...args], {
      env: { PATH: process.env["PATH"], HOME: "/nonexistent", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid }),
    });
    this.process.stdout!.on("data", (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.process.stderr!.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = once(this.process, "close").then(([code, signal]) => ({ code, signal }) as End);
  }

  /** Starts a server and waits until it is ready; rejects with what it printed when it ends before. */
  static async serve(args: readonly string[], options?: StartOptions): Promise<Keelson> {
    const keelson = new Keelson(["serve", ...args], options);
    await keelson.ready();
    return keelson;
  }

  async ready(): Promise<void> {
    const { stdout } = this.process;
    const printed = (async () => {
      while (!/^ready in .*$/m.test(this.stdout)) await once(stdout!, "data");
    })();
    const early = this.ended.then(() => {
      throw new Error(`the server has ended before it was ready: ${this.stdout}${this.stderr}`);
    });
    await Promise.race([printed, early]);
  }

  /** The base address that it printed. */
  get url(): string {
    return /^listening on (.*)$/m.exec(this.stdout)![1]!;
  }

  /** Its log, without times: `INFO  starting`. */
  get messages(): string[] {
    return [...this.stderr.matchAll(/^\S+Z ([A-Z]+ +\S.*?)(?:  .*)?$/gm)].map(([, line]) => line!);
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** Its resident memory in MiB; on Linux. */
  get residentMiB(): number {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))![1]) / 1024;
  }

  /** See {@link cpuMillisOf}. */
  get cpuMillis(): number {
    return cpuMillisOf(this.pid);
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<End> {
    this.process.kill(signal);
    return this.ended;
  }
}

/** The CPU time of all threads of a process so far in ms, to 10 ms. */
export function cpuMillisOf(pid: number): number {
  if (process.platform === "linux") {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }
  // Minutes and seconds with hundredths, and hours before them where there are some.
  const time = execFileSync("ps", ["-o", "time=", "-p", `${pid}`], { encoding: "utf8" });
  return time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
}

/** Runs a command that ends by itself. */
export async function run(
  args: readonly string[],
  options?: StartOptions,
): Promise<End & { stdout: string; stderr: string }> {
  const keelson = new Keelson(args, options);
  const end = await keelson.ended;
  return { ...end, stdout: keelson.stdout, stderr: keelson.stderr };
}

/** Nothing, but for the lines of progress that a command prints on a machine that is slow. */
export const PROGRESS_ONLY = /^(?:(?:saving the backup|restoring|reading|checking|copying)\b.*\n)*$/;

/** The dialects in which the executable and what asks it are tried: in the usual run that of kubectl. */
export const DIALECTS: readonly ("kubernetes" | "neutral")[] = LONG ? ["kubernetes", "neutral"] : ["kubernetes"];

/** A directory for the data of one test file; gone when the file has ended. */
export class Scratch {
  readonly path: string = mkdtempSync(join(tmpdir(), "keelson-serve-"));
  #count = 0;

  /** A directory that does not exist yet. */
  fresh(): string {
    return join(this.path, `data-${++this.#count}`);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The text of a file of a data directory. */
export const read = (directory: string, name: string): string => readFileSync(join(directory, name), "utf8");

/** Whether a file of a data directory exists. */
export const has = (directory: string, name: string): boolean => existsSync(join(directory, name));

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON, unchecked. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

/** A client over one HTTP/2 connection, with the admin's token by default. */
export class Http2Client {
  readonly session: http2.ClientHttp2Session;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(url: string, ca: string, headers: Readonly<Record<string, string>>) {
    // The library refuses streams of its own while it holds more than this: unread bodies.
    this.session = http2.connect(url, { ca, maxSessionMemory: 1000 });
    this.#headers = headers;
  }

  /** Connects with what lies in a data directory. */
  static async connect(
    keelson: Keelson,
    directory: string,
    headers: Readonly<Record<string, string>> = { authorization: `Bearer ${read(directory, "admin.token")}` },
  ): Promise<Http2Client> {
    const client = new Http2Client(keelson.url, read(directory, "pki/ca.crt"), headers);
    await once(client.session, "connect");
    client.session.on("error", () => {});
    return client;
  }

  /** Opens a stream; the caller writes, reads and ends it. */
  open(method: string, path: string, headers: Readonly<Record<string, string>> = {}): http2.ClientHttp2Stream {
    const all = { ":method": method, ":path": path, accept: "application/json", ...this.#headers, ...headers };
    return this.session.request(all, { endStream: method === "GET" });
  }

  /** Sends a request and reads its answer; rejects when the connection breaks on the way. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const stream = this.open(method, path, { "content-type": "application/json", ...headers });
    if (method !== "GET") stream.end(body === undefined ? "" : JSON.stringify(body));
    return readAnswer(stream);
  }

  /** The same for what is expected to be done: the JSON of the answer. @throws Error with an answer of 300 and more */
  async done(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text, json } = await this.send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  }

  close(): void {
    this.session.close();
  }
}

/** Reads the answer on a stream to its end. */
export function readAnswer(stream: http2.ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    const chunks: Buffer[] = [];
    let whole = false;
    stream.on("response", (got) => (headers = got));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => (whole = true));
    stream.on("error", reject);
    stream.on("close", () => {
      const status = headers[":status"];
      if (!whole || status === undefined || stream.rstCode !== 0) {
        reject(new Error(`expected a whole answer, got ${status ?? "nothing"} and reset ${stream.rstCode}`));
        return;
      }
      try {
        resolve(answerOf(status, headers, chunks));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Throws where the answer is longer than a string may be, or is not the JSON that it says it is. */
function answerOf(status: number, headers: http2.IncomingHttpHeaders, chunks: readonly Buffer[]): Answer {
  const text = Buffer.concat(chunks).toString();
  const isJson = headers["content-type"]?.startsWith("application/json") && !text.includes("}\n{");
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** The events of a watch, as they come. */
export class WatchReader {
  readonly events: { type: string; object: { metadata: { name?: string; resourceVersion: string } } }[] = [];
  /** Resolves when the stream has ended in order; rejects when it was broken off. */
  readonly ended: Promise<void>;

  constructor(stream: http2.ClientHttp2Stream | NodeJS.ReadableStream) {
    let rest = "";
    stream.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.events.push(JSON.parse(line));
    });
    this.ended = new Promise((resolve, reject) => {
      stream.on("end", resolve);
      stream.on("error", reject);
      stream.on("close", () => reject(new Error("the watch was broken off")));
    });
    this.ended.catch(() => {});
  }
}

/** A ConfigMap of the namespace `default`. */
export const configMap = (name: string, data: Readonly<Record<string, string>> = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

/** The collection that most tests write to. */
export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

const LONGEST_LOOK_PAUSE_MS = 250;

/** Waits until something is so, and looks less often the longer it waits; fails after `millis`. */
export async function until(holds: () => boolean | Promise<boolean>, millis = 10_000): Promise<void> {
  for (const begin = performance.now(); !(await holds());) {
    const waited = performance.now() - begin;
    if (waited > millis) throw new Error(`expected this to become true within ${millis} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_LOOK_PAUSE_MS, 10 + waited / 20)));
  }
}
