/**
 * Servers for tests of the console, and how a browser signs in.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Client } from "../../../src/client/index.ts";
import { type NodeTransportOptions, nodeTransport } from "../../../src/client/transport-node.ts";
import { type RunningServer, type StartOptions, startServer as start } from "../../../src/app/index.ts";
import type { ConsoleLink } from "../../../src/meta/console-session.ts";

/** A server of this process, with a data directory of its own. */
export interface TestServer extends AsyncDisposable {
  /** `https://127.0.0.1:40123`; the same after a restart. */
  readonly url: string;
  /** The folder of its data. */
  readonly dataDir: string;
  /** The running server; another one after a restart. */
  readonly running: RunningServer;
  /** The admin's bearer token. */
  readonly token: string;
  /** A client in the same process, as the admin. */
  readonly client: Client;
  /** Sends a request as the admin, or as another user. */
  ask(method: Method, path: string, options?: AskOptions): Promise<Answer>;
  /** Stops it; whatever is open to it breaks off. */
  stop(): Promise<void>;
  /** Starts it again, on the same port, with the same data. */
  start(): Promise<void>;
  restart(): Promise<void>;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The user and the credential of a request. */
export interface AskOptions {
  /** The credential; that of the admin by default. */
  readonly as?: Omit<Partial<NodeTransportOptions>, "url">;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address in place of that of the server, such as that of a proxy. */
  readonly url?: string;
}

/** An answer, read whole. */
export interface Answer {
  readonly code: number;
  readonly text: string;
  header(name: string): string;
}

/** Starts a server on a free port. */
export async function startServer(
  options: StartOptions = {},
  system: Parameters<typeof start>[1] = {},
): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "keelson-console-"));
  const given: StartOptions = { dataDir, dialect: "kubernetes", port: 0, ...options };
  let running = await start(given, system);
  let isRunning = true;
  const { url } = running;
  const port = Number(new URL(url).port);
  const stop = async (): Promise<void> => {
    if (!isRunning) return;
    isRunning = false;
    await running.close();
  };
  const again = async (): Promise<void> => {
    running = await start({ ...given, port }, system);
    isRunning = true;
  };
  return {
    url,
    dataDir,
    get running() {
      return running;
    },
    get token() {
      return running.pki.adminToken;
    },
    get client() {
      return running.client("test");
    },
    ask: (method, path, asked) => ask(running, method, path, asked),
    stop,
    start: again,
    async restart() {
      await stop();
      await again();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function ask(
  { url: own, pki }: RunningServer,
  method: Method,
  path: string,
  { as = { token: pki.adminToken }, headers = {}, body, url = own }: AskOptions = {},
): Promise<Answer> {
  const isPlain = url.startsWith("http:");
  const transport = nodeTransport({ url, ...(isPlain ? {} : { ca: pki.ca.cert }), ...as });
  try {
    const answer = await transport({ method, path, headers, ...(body === undefined ? {} : { body }) });
    const text = Buffer.concat(await Array.fromAsync(answer.body)).toString();
    return { code: answer.status, text, header: (name) => String(answer.headers?.[name] ?? "") };
  } finally {
    transport.close();
  }
}

/** Asks for a link that signs a browser in. */
export async function newLink(server: TestServer, options: AskOptions = {}): Promise<string> {
  const { code, text } = await server.ask("POST", "/console/links", options);
  if (code !== 201) throw new Error(`expected a link, got ${code}: ${text}`);
  return (JSON.parse(text) as ConsoleLink).url;
}

/** Signs a page in, as the admin by default; it shows `/console/` then, or the path `to` below it. */
export async function signIn(
  page: Page,
  server: TestServer,
  { to = "/console/", ...options }: AskOptions & { readonly to?: string } = {},
): Promise<void> {
  const link = await newLink(server, options);
  await page.goto(`${link}&to=${encodeURIComponent(to)}`);
  await page.waitForURL(new URL(to, link).href);
}
