/**
 * A server on the embedded store that a test can stop and start again, and the executable against it.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, type StartOptions, startServer } from "../../src/app/index.ts";
import type { ApiObject, Kind, ResourceClient, Scope } from "../../src/client/index.ts";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import type { Members } from "../rules/answer.ts";

const EXECUTABLE = new URL("../../bin/keelson.js", import.meta.url).pathname;

/** Where the tests have their objects. */
export const PLACE = { namespace: "default" } as const;

/** An answer of the server, whatever it is. */
export interface Reply {
  readonly status: number;
  readonly body: Members;
}

/** How a command has ended. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** See the head of this file. */
export class World {
  readonly folder: string = mkdtempSync(join(tmpdir(), "keelson-history-"));
  readonly #options: StartOptions;
  server!: RunningServer;

  private constructor(options: StartOptions) {
    this.#options = options;
  }

  static async start(options: StartOptions = {}): Promise<World> {
    const world = new World(options);
    await world.open();
    return world;
  }

  get dataDir(): string {
    return this.#options.dataDir ?? join(this.folder, "data");
  }

  async open(): Promise<void> {
    this.server = await startServer({ port: 0, controllers: ["none"], ...this.#options, dataDir: this.dataDir });
  }

  async restart(): Promise<void> {
    await this.server.close();
    await this.open();
  }

  async end(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): ResourceClient<T, S> {
    return this.server.client("test").resource(kind);
  }

  get configMaps(): ResourceClient<ConfigMap, "Namespaced"> {
    return this.resource(ConfigMap);
  }

  /** Sends a request as the admin, over the network. */
  async ask(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Reply> {
    const { url, pki } = this.server;
    const { nodeTransport } = await import("../../src/client/transport-node.ts");
    const transport = nodeTransport({ url, ca: pki.ca.cert, token: pki.adminToken });
    try {
      const sent = { accept: "application/json", "user-agent": "test", ...headers };
      const answer = await transport({ method: method as "GET", path, headers: sent });
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.body) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      return { status: answer.status, body: text.startsWith("{") ? (JSON.parse(text) as Members) : { text } };
    } finally {
      transport.close();
    }
  }

  /** Runs the executable with the kubeconfig of the server. */
  async keelson(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    const kubeconfig = join(this.dataDir, "admin.kubeconfig");
    return run(args, { HOME: this.folder, KUBECONFIG: kubeconfig, ...env });
  }
}

/** Runs the executable. */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [EXECUTABLE, ...args], {
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout, stderr };
}

/** A ConfigMap of the namespace that the tests use. */
export const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: PLACE.namespace },
  data,
});
