/**
 * Credentials of an exec plugin (client.authentication.k8s.io): it runs again when they have expired or the server
 * refuses them.
 */
import type { ChildProcess } from "node:child_process";
import { isUtf8 } from "node:buffer";
import { isatty } from "node:tty";
import type { Clock } from "../../util/clock.ts";
import type { Credential, CredentialSource } from "./credentials.ts";
import { KubeconfigError } from "./error.ts";
import type { ExecPlugin } from "./exec-plugin.ts";

const MAX_OUTPUT_BYTES = 1 << 20;
const MAX_STDERR_LENGTH = 2000;

/** The context of a plugin. */
export interface ExecContext {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface IssuedCredential {
  readonly credential: Credential;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Returns a source of credentials; concurrent callers share a run. */
export function execCredentials(plugin: ExecPlugin, surroundings: ExecContext): CredentialSource {
  let given: IssuedCredential | undefined;
  let running: Promise<IssuedCredential> | undefined;
  return {
    async current() {
      if (given && surroundings.clock.now() < given.until) return given.credential;
      running ??= run(plugin, surroundings).finally(() => (running = undefined));
      given = await running;
      return given.credential;
    },
    refused(credential) {
      if (given?.credential === credential) given = undefined;
    },
  };
}

async function run(plugin: ExecPlugin, { env }: ExecContext): Promise<IssuedCredential> {
  const { apiVersion, command, args, interactiveMode, cluster } = plugin;
  // A terminal is required for prompts.
  const terminal = isatty(0);
  if (interactiveMode === "Always" && !terminal) {
    throw new KubeconfigError(
      `expected a terminal: ${command} gives credentials only to people (interactiveMode: Always)`,
    );
  }
  const interactive = terminal && interactiveMode !== "Never";
  const spec = { interactive, ...(cluster === undefined ? {} : { cluster }) };
  const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec });
  // Most clients run no plugin.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(command, args, {
    env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
    // Prompts use the terminal; without one stderr is part of the error.
    stdio: interactive ? ["inherit", "pipe", "inherit"] : ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  return credentialIn(await outputOf(child, plugin), plugin);
}

function outputOf(child: ChildProcess, { command, installHint }: ExecPlugin): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const output: Buffer[] = [];
    let bytes = 0;
    let complaint = "";
    const fail = (why: string, cause?: unknown): void => {
      const hint = installHint === "" ? "" : `\n${installHint}`;
      reject(new KubeconfigError(`expected credentials from ${command}: ${why}${hint}`, { cause }));
    };
    child.stdout?.on("data", (piece: Buffer) => {
      output.push(piece);
      bytes += piece.length;
      if (bytes <= MAX_OUTPUT_BYTES) return;
      child.kill("SIGKILL");
      fail(`it wrote more than ${MAX_OUTPUT_BYTES} bytes`);
    });
    child.stderr?.on("data", (piece: Buffer) => {
      if (complaint.length < MAX_STDERR_LENGTH) complaint = (complaint + piece.toString()).slice(0, MAX_STDERR_LENGTH);
    });
    child.once("error", (error) => fail(error.message, error));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(Buffer.concat(output));
      else
        fail(
          `it ended with ${code === null ? signal : `code ${code}`}${complaint === "" ? "" : `: ${complaint.trim()}`}`,
        );
    });
  });
}

interface ExecCredential {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly status?: {
    readonly expirationTimestamp?: unknown;
    readonly token?: unknown;
    readonly clientCertificateData?: unknown;
    readonly clientKeyData?: unknown;
  } | null;
}

function credentialIn(output: Buffer, { apiVersion, command }: ExecPlugin): IssuedCredential {
  const wrong = (expected: string, got: unknown): KubeconfigError =>
    new KubeconfigError(`expected ${expected} from ${command}, got ${JSON.stringify(got)?.slice(0, 100) ?? "none"}`);
  const credential = parsed(output);
  if (credential === undefined) throw wrong("an ExecCredential in JSON", output.subarray(0, 100).toString("latin1"));
  if (credential.kind !== "ExecCredential") throw wrong("the kind ExecCredential", credential.kind);
  if (credential.apiVersion !== apiVersion) throw wrong(`the apiVersion ${apiVersion}`, credential.apiVersion);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = credential.status ?? {};
  const has = (value: unknown): value is string => typeof value === "string" && value !== "";
  if (has(cert) !== has(key)) throw wrong("a certificate with its key", has(cert) ? "no key" : "no certificate");
  if (!has(token) && !has(cert))
    throw wrong("a token or a certificate in status", Object.keys(credential.status ?? {}));
  const until = expirationTimestamp == null ? Infinity : timeOf(expirationTimestamp);
  if (Number.isNaN(until)) throw wrong("a time as status.expirationTimestamp", expirationTimestamp);
  return {
    credential: { ...(has(token) ? { token } : {}), ...(has(cert) && has(key) ? { cert, key } : {}) },
    until,
  };
}

const timeOf = (value: unknown): number => (typeof value === "string" ? Date.parse(value) : Number.NaN);

function parsed(output: Buffer): ExecCredential | undefined {
  if (!isUtf8(output)) return undefined;
  try {
    const value: unknown = JSON.parse(output.toString());
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
