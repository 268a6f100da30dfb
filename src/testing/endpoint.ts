import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Pki, kubeconfig } from "../pki/index.ts";
import type { Exchange } from "../server/request/exchange.ts";
import { ConnectionGuard } from "../server/http/guard.ts";
import { listen } from "../server/http/listeners.ts";
import { DEFAULT_LIMITS } from "../server/shared/limits.ts";
import { reportUncaught } from "../util/faults.ts";
import { silentLog } from "../util/log.ts";
import { systemClock } from "../util/clock.ts";

/** An open port of a cluster, with its credentials. */
export interface Endpoint extends AsyncDisposable {
  readonly url: string;
  /** The admin's bearer token. */
  readonly token: string;
  /** The CA certificate of the port, PEM. */
  readonly ca: string;
  /** The kubeconfig of the admin. */
  readonly kubeconfig: string;
  /** Environment variables for other programs: KUBECONFIG (a file), KEELSON_URL, KEELSON_TOKEN, USE_EXISTING_CLUSTER. */
  readonly env: Readonly<Record<string, string>>;
  /** Closes the port and removes the file. */
  close(): Promise<void>;
}

/** The names and addresses of a port. */
export const HOSTS: readonly string[] = ["localhost", "127.0.0.1", "::1"];

/** The time for running requests when the port is closed. */
const GRACE_MS = 1000;

/** Opens a port on loopback; `handle` gets the requests, and `closed` is called after the port was closed. */
export async function openEndpoint(
  port: number,
  pki: Pki,
  handle: (exchange: Exchange) => void,
  closed: () => void,
): Promise<Endpoint> {
  const tls = { key: pki.server.key, cert: pki.server.cert, clientCa: pki.ca.cert };
  const guard = new ConnectionGuard(systemClock, DEFAULT_LIMITS, silentLog);
  const listener = await listen(
    { host: "127.0.0.1", port, tls },
    { clock: systemClock, guard, onFault: reportUncaught },
    handle,
  );
  const url = `https://127.0.0.1:${listener.port}`;
  const text = kubeconfig(url, pki);
  const folder = mkdtempSync(join(tmpdir(), "keelson-"));
  const file = join(folder, "kubeconfig");
  writeFileSync(file, text, { mode: 0o600 });
  const close = async (): Promise<void> => {
    await listener.close(GRACE_MS);
    guard[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
    closed();
  };
  return {
    url,
    token: pki.adminToken,
    ca: pki.ca.cert,
    kubeconfig: text,
    env: { KUBECONFIG: file, KEELSON_URL: url, KEELSON_TOKEN: pki.adminToken, USE_EXISTING_CLUSTER: "true" },
    close,
    [Symbol.asyncDispose]: close,
  };
}
