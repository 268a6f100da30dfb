import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http2 from "node:http2";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { type ConnectionOptions, type TLSSocket, connect } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { neutral } from "../../meta/dialect.ts";
import { authority, serving } from "../../pki/certificate.ts";
import { type CertificateFacts, createPki, openPki } from "../../pki/index.ts";
import { ManualClock, seededRandom, systemClock } from "../../util/clock.ts";
import { type LogFacts, newLog } from "../../util/log.ts";
import { decodeYaml } from "../../value/yaml.ts";
import { DataDirectory } from "../storage/data-directory.ts";
import { resolveOptions } from "../options/options.ts";
import { Renewal, type RenewalParts } from "./renewal.ts";
import { runServer } from "../start/server.ts";

const DAY = 86_400_000;
const path = mkdtempSync(join(tmpdir(), "keelson-renewal-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

/** A data directory whose leaf certificates were made so many days before `now`. */
async function directoryOfAge(days: number, now: number, name = "main"): Promise<DataDirectory> {
  const directory = DataDirectory.open(join(path, `${name}-${days}`), neutral);
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

/** What these tests look at in a kubeconfig. */
interface Kubeconfig {
  readonly clusters: [{ readonly cluster: Readonly<Record<string, string>> }];
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

test("certificates are renewed while the server runs: new connections get the new one, old connections stay", async () => {
  // Clients use the time of the machine, so the clock begins two days ago.
  const clock = new ManualClock(systemClock.now() - 2 * DAY);
  const directory = await directoryOfAge(334, clock.now());
  const options = resolveOptions({ "data-dir": directory.path, port: 0, controllers: "none" });
  const server = await runServer(options, { clock });
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

/** The certificate and the responses of one connection, and the session with which it may be resumed. */
async function visit(port: number, options: ConnectionOptions) {
  const socket = connect({ host: "127.0.0.1", port, servername: "localhost", ALPNProtocols: ["http/1.1"], ...options });
  let session: Buffer | undefined;
  socket.on("session", (ticket: Buffer) => (session = ticket));
  await once(socket, "secureConnect");
  const met = { resumed: socket.isSessionReused(), certificate: socket.getPeerCertificate().fingerprint256 };
  // It does not end its side: the server may read that before the request, and then sends no response.
  socket.write("GET /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  const response = await textOf(socket);
  return { ...met, status: response.slice(9, 12), session };
}

test.each(["TLSv1.3", "TLSv1.2"] as const)(
  "a session of %s is resumed while its certificate is there, and after a renewal the new one is shown",
  async (version) => {
    const clock = new ManualClock(systemClock.now() - 2 * DAY);
    const directory = await directoryOfAge(334, clock.now(), version);
    const options = resolveOptions({ "data-dir": directory.path, port: 0, controllers: "none" });
    const server = await runServer(options, { clock });
    const port = Number(new URL(server.url).port);
    const [first, user] = [fingerprint(server.pki.server.cert), userOf(server.kubeconfigFile!)];
    const tls = { ca: server.pki.ca.cert, ...user, minVersion: version, maxVersion: version };
    const old = await visit(port, tls);
    expect(old).toMatchObject({ resumed: false, certificate: first, status: "200" });
    const { session } = old;
    // The session has the identity of the client.
    expect(await visit(port, { ...tls, session })).toMatchObject({ resumed: true, status: "200" });

    clock.advance(2 * DAY);
    await expect.poll(() => fingerprint(server.pki.server.cert), { timeout: 20_000 }).not.toBe(first);
    const second = fingerprint(server.pki.server.cert);
    await expect
      .poll(() => visit(port, { ...tls, session }), { timeout: 20_000 })
      .toMatchObject({ resumed: false, certificate: second, status: "200" });
    const fresh = await visit(port, tls);
    expect(fresh).toMatchObject({ resumed: false, certificate: second, status: "200" });
    expect(await visit(port, { ...tls, session: fresh.session })).toMatchObject({ resumed: true, status: "200" });
    await server.close();
  },
);

/** A renewal with parts that a test changes, and what it logged. */
function renewalOf(parts: Partial<RenewalParts> = {}) {
  const clock = new ManualClock();
  const wall = { ahead: 0 };
  const logged: [string, string, LogFacts | undefined][] = [];
  const log = newLog((...line) => void logged.push([line[0], line[1], line[2]]));
  const timed = {
    loop: clock.loop,
    now: () => clock.now() + wall.ahead,
    steady: () => clock.steady(),
    after: clock.after.bind(clock),
  };
  const files = new Map<string, string>();
  const pki = openPki(
    { read: (name) => files.get(name), write: (name, text) => void files.set(name, text) },
    { hosts: ["localhost"], clock: timed },
  );
  void pki.ca;
  const system = { clock: timed, random: seededRandom(1), log };
  const stamp = (): string => [...files.values()].join("");
  const renewal = new Renewal({ pki, others: () => [], stamp, system, ...parts });
  const looks = async (millis: number): Promise<void> => {
    clock.advance(millis);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, wall, files, pki, renewal, logged, looks };
}

const LOOK = 10_000;
const wrong = ({ health }: Renewal): string | undefined => health[0]!.check();
const advice = ({ health }: Renewal): string | undefined => health[1]!.check();

test("a certificate that cannot be saved is used and logged, and saving is retried", async () => {
  const { wall, pki, renewal, logged, looks } = renewalOf();
  let [tries, room] = [0, false];
  renewal.start(async () => {
    tries++;
    if (!room) throw new Error("no room");
  });
  const first = pki.server.cert;
  expect(advice(renewal)).toBeUndefined();
  wall.ahead = 336 * DAY;
  await looks(LOOK);
  expect(pki.server.cert).not.toBe(first);
  const second = pki.server.cert;
  const told = ["error", "certificates could not be renewed; retrying", { error: "Error: no room" }];
  expect([tries, logged]).toEqual([1, [told]]);
  expect([wrong(renewal), advice(renewal)]).toEqual([undefined, "certificates cannot be renewed"]);
  for (let look = 0; look < 100; look++) await looks(LOOK);
  expect(tries).toBeGreaterThan(3);
  expect(tries).toBeLessThan(12);
  room = true;
  await looks(600_000);
  await looks(LOOK);
  expect(logged.at(-1)!.slice(0, 2)).toEqual(["info", "certificates were renewed"]);
  expect([pki.server.cert, advice(renewal)]).toEqual([second, undefined]);
  const [, failures] = await renewal.metrics();
  expect(failures).toMatchObject({ samples: [{ value: tries - 1 }] });
  const done = tries;
  renewal[Symbol.dispose]();
  await looks(400 * DAY);
  expect(tries).toBe(done);
});

test.each([3, -3, 12, -12])("a clock that jumps by %i years is noticed with the next check", async (years) => {
  const { wall, pki, renewal, looks, clock } = renewalOf();
  let used = 0;
  renewal.start(async () => void used++);
  const before = pki.ca.cert;
  wall.ahead = years * 365 * DAY;
  expect(wrong(renewal)).toBe(years > 0 ? "the serving certificate has expired" : undefined);
  await looks(LOOK);
  const now = clock.now() + wall.ahead;
  for (const { begins, ends } of pki.facts()) expect([begins <= now, ends > now + 300 * DAY]).toEqual([true, true]);
  expect(used).toBe(1);
  expect(pki.ca.cert === before).toBe(years === 3);
  expect(wrong(renewal)).toBeUndefined();
  await looks(LOOK);
  expect(used).toBe(1);
});

test("changed files are read once they are unchanged for one interval; deleted files are written again", async () => {
  const { files, pki, renewal, looks } = renewalOf();
  let used = 0;
  renewal.start(async () => void used++);
  const other = createPki({ hosts: ["localhost"], clock: new ManualClock() });
  const [ca, server] = [pki.ca, pki.server];
  const made = serving(ca, ["localhost", "added.example"], { now: Date.UTC(2026, 0, 1), days: 365 });
  files.set("server.key", made.key);
  await looks(LOOK);
  files.set("server.crt", made.cert);
  await looks(LOOK);
  expect([used, pki.server]).toEqual([0, server]);
  await looks(LOOK);
  expect([used, pki.server]).toEqual([1, made]);

  files.delete("ca.key");
  files.set("server.crt", other.server.cert);
  for (const _ of [1, 2, 3]) await looks(LOOK);
  expect([used, pki.ca, pki.server]).toEqual([2, ca, made]);
  expect([files.get("ca.key"), files.get("server.crt")]).toEqual([ca.key, made.cert]);
});

test("a certificate that expires soon is logged once a day, as an error in its last week, and reported by the health check", async () => {
  const ends = Date.UTC(2026, 0, 1) + 31 * DAY;
  const facts: CertificateFacts = {
    ...createPki({ hosts: [], clock: new ManualClock() }).facts()[0]!,
    name: "etcd-client",
    ends,
  };
  const { renewal, logged, looks } = renewalOf({ others: () => [facts] });
  renewal.start(async () => {});
  expect(logged).toEqual([]);
  for (let hour = 0; hour < 33 * 24; hour++) await looks(DAY / 24);
  const levels = logged.map(([level, message]) => `${level}: ${message}`);
  expect(levels).toEqual([
    ...Array.from({ length: 23 }, () => "warn: a certificate expires soon"),
    ...Array.from({ length: 8 }, (_, day) =>
      day < 7 ? "error: a certificate expires soon" : "error: a certificate has expired",
    ),
    ...Array.from({ length: levels.length - 31 }, () => "error: a certificate has expired"),
  ]);
  expect(logged[0]![2]).toEqual({ name: "etcd-client", ends: new Date(ends).toISOString() });
  expect(advice(renewal)).toBe("etcd-client has expired");
  const [expiration] = await renewal.metrics();
  expect(expiration!.samples.at(-1)).toEqual({ labels: { name: "etcd-client" }, value: ends / 1000 });
});

test("a certificate from files is served and read again when they change; kubeconfigs trust it", async () => {
  const directory = join(path, "given");
  mkdirSync(directory);
  const files = { certFile: join(directory, "tls.crt"), keyFile: join(directory, "tls.key") };
  const root = authority({ now: systemClock.now(), days: 30 });
  const make = (): string => {
    const { cert, key } = serving(root, ["api.example"], { now: systemClock.now(), days: 20 });
    writeFileSync(files.keyFile, key);
    writeFileSync(files.certFile, cert + root.cert);
    return cert;
  };
  const first = make();
  const clock = new ManualClock(systemClock.now());
  const given = { "tls-cert-file": files.certFile, "tls-private-key-file": files.keyFile };
  const options = resolveOptions({ "data-dir": join(directory, "data"), port: 0, controllers: "none", ...given });
  await using server = await runServer(options, { clock });
  const { clusters } = decodeYaml(Buffer.from(server.kubeconfig)).value as unknown as Kubeconfig;
  expect(clusters[0].cluster).toMatchObject({
    "tls-server-name": "api.example",
    "certificate-authority-data": Buffer.from(root.cert).toString("base64"),
  });
  const user = { ...userOf(server.kubeconfigFile!), ca: root.cert, servername: "api.example" };
  const open = await connected(server.url, user);
  expect([shown(open), await status(open, "/api/v1/namespaces")]).toEqual([fingerprint(first), 200]);

  const second = make();
  writeFileSync(files.keyFile, server.pki.ca.key);
  for (const _ of [1, 2, 3]) clock.advance(LOOK);
  const still = await connected(server.url, user);
  expect(shown(still)).toBe(fingerprint(first));
  // The server ends it when the clock advances: it has sent no request.
  still.destroy();
  const third = make();
  expect(third).not.toBe(second);
  for (let look = 0; look < 70; look++) {
    clock.advance(LOOK);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const next = await connected(server.url, user);
  expect([shown(next), await status(open, "/readyz")]).toEqual([fingerprint(third), 200]);
  for (const session of [open, next]) session.destroy();
});

test("a server with plain HTTP creates and renews no certificate", async () => {
  const directory = join(path, "plain");
  const options = resolveOptions({ "data-dir": directory, port: 0, "insecure-http": true, controllers: "none" });
  await using server = await runServer(options);
  expect(server.url).toMatch(/^http:/);
  const { pki } = new DataDirectory(directory);
  expect([pki.read("token.key"), pki.read("ca.crt"), pki.read("server.crt")]).toEqual([
    expect.stringContaining("PRIVATE KEY"),
    undefined,
    undefined,
  ]);
});
