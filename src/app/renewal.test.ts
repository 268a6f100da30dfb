import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http2 from "node:http2";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { neutral } from "../meta/dialect.ts";
import { type Pki, openPki } from "../pki/index.ts";
import { ManualClock, systemClock } from "../util/clock.ts";
import { type LogFacts, silentLog } from "../util/log.ts";
import { decodeYaml } from "../value/yaml.ts";
import { DataDirectory } from "./data-directory.ts";
import { resolveOptions } from "./options.ts";
import { keepRenewed } from "./renewal.ts";
import { startServer } from "./server.ts";

const DAY = 86_400_000;
const path = mkdtempSync(join(tmpdir(), "keelson-renewal-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

/** A data directory whose leaf certificates were made so many days before `now`. */
async function directoryOfAge(days: number, now: number): Promise<DataDirectory> {
  const directory = DataDirectory.open(join(path, `${days}`), neutral);
  directory.claim(neutral);
  const hosts = ["localhost", "127.0.0.1", "::1", hostname()];
  void openPki(directory.pki, { hosts, clock: { now: () => now - days * DAY } }).ca;
  await directory.save();
  return directory;
}

async function connected(url: string, options: http2.SecureClientSessionOptions): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(url, options);
  await once(session, "connect");
  return session;
}

/** The certificate that the server has shown on a connection. */
const shown = (session: http2.ClientHttp2Session): string =>
  (session.socket as TLSSocket).getPeerCertificate().fingerprint256;

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256;

async function status(session: http2.ClientHttp2Session, url: string): Promise<number> {
  const stream = session.request({ ":path": url });
  const [headers] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
  stream.resume();
  await once(stream, "close");
  return Number(headers[":status"]);
}

/** The credentials of the user in a kubeconfig. */
function userOf(file: string): { cert: string; key: string } {
  const { users } = decodeYaml(readFileSync(file)).value as unknown as {
    users: [{ user: Record<"client-certificate-data" | "client-key-data", string> }];
  };
  const pem = (base64: string): string => Buffer.from(base64, "base64").toString();
  const { user } = users[0];
  return { cert: pem(user["client-certificate-data"]), key: pem(user["client-key-data"]) };
}

test("certificates are renewed while the server runs: new connections see the new one, old ones go on", async () => {
  // Clients judge by the time of the machine, so the clock begins two days ago.
  const clock = new ManualClock(systemClock.now() - 2 * DAY);
  const directory = await directoryOfAge(334, clock.now());
  const options = resolveOptions({ "data-dir": directory.path, port: 0, controllers: "none" });
  const server = await startServer(options, { clock });
  const first = { ca: server.pki.ca.cert, server: server.pki.server.cert };
  const file = server.kubeconfigFile!;
  const [before, user] = [readFileSync(file, "utf8"), userOf(file)];
  const old = await connected(server.url, { ca: first.ca, ...user });
  expect([shown(old), await status(old, "/api/v1/namespaces")]).toEqual([fingerprint(first.server), 200]);

  clock.advance(DAY / 2);
  expect(readFileSync(file, "utf8")).toBe(before);
  clock.advance(1.5 * DAY);
  await expect.poll(() => readFileSync(file, "utf8"), { timeout: 20_000 }).not.toBe(before);
  expect(server.pki.ca.cert).toBe(first.ca);
  const renewed = userOf(file);
  expect(renewed.cert).not.toBe(user.cert);
  expect(server.kubeconfig).toBe(readFileSync(file, "utf8"));
  const next = await connected(server.url, { ca: first.ca, ...renewed });
  expect(shown(next)).not.toBe(fingerprint(first.server));
  expect(shown(next)).toBe(fingerprint(readFileSync(directory.file("pki/server.crt"), "utf8")));
  expect(new X509Certificate(server.pki.server.cert).validToDate.getTime()).toBeGreaterThan(clock.now() + 360 * DAY);
  expect([await status(next, "/api/v1/namespaces"), await status(old, "/api/v1/namespaces")]).toEqual([200, 200]);
  const late = await connected(server.url, { ca: first.ca, ...user });
  expect(await status(late, "/api/v1/namespaces")).toBe(200);
  for (const session of [old, next, late]) session.destroy();
  await server.close();
});

test("what cannot be renewed is told and tried again, until the server ends", async () => {
  const clock = new ManualClock();
  const told: [string, LogFacts | undefined][] = [];
  const log = { ...silentLog, error: (message: string, facts?: LogFacts) => void told.push([message, facts]) };
  let tries = 0;
  const renew = (): boolean => {
    if (++tries === 1) throw new Error("no room");
    return true;
  };
  let renewals = 0;
  const timer = keepRenewed({ renew } as Pki, async () => void renewals++, { clock, log });
  clock.advance(DAY);
  await Promise.resolve();
  expect([tries, renewals, told]).toEqual([
    2,
    1,
    [["the certificates could not be renewed", { error: "Error: no room" }]],
  ]);
  timer[Symbol.dispose]();
  clock.advance(DAY);
  expect(tries).toBe(2);
});

test("a server in plain HTTP makes no certificate and renews none", async () => {
  const directory = join(path, "plain");
  const options = resolveOptions({ "data-dir": directory, port: 0, "insecure-http": true, controllers: "none" });
  await using server = await startServer(options);
  expect(server.url).toMatch(/^http:/);
  const { pki } = new DataDirectory(directory);
  expect([pki.read("token.key"), pki.read("ca.crt"), pki.read("server.crt")]).toEqual([
    expect.stringContaining("PRIVATE KEY"),
    undefined,
    undefined,
  ]);
});
