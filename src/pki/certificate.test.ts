import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate, createPrivateKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { cpuMillis } from "../util/testing/cpu-time.ts";
import { authority, client, serving } from "./certificate.ts";

const NOW = Date.UTC(2026, 0, 1);
const TERM = { now: NOW, days: 365 };
const HOSTS = ["localhost", "*.keelson.example", "127.0.0.1", "::1", "2001:db8::1"];

const ca = authority({ now: NOW, days: 3650 });
const server = serving(ca, HOSTS, TERM);
const admin = client(ca, "keelson:admin", ["system:masters", "grüße"], TERM);

const directory = mkdtempSync(join(tmpdir(), "keelson-pki-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const has = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;
const openssl = (...args: string[]): string => execFileSync("openssl", args, { stdio: "pipe" }).toString();

describe("as node:crypto reads them", () => {
  const [x509Ca, x509Server, x509Admin] = [ca, server, admin].map(({ cert }) => new X509Certificate(cert));

  test("each key is that of its certificate, and the authority has signed all", () => {
    for (const { cert, key } of [ca, server, admin]) {
      const certificate = new X509Certificate(cert);
      expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(certificate.verify(x509Ca!.publicKey)).toBe(true);
      expect(certificate.checkIssued(x509Ca!)).toBe(true);
    }
    expect([x509Ca!.ca, x509Server!.ca, x509Admin!.ca]).toEqual([true, false, false]);
  });

  test("a serving certificate has names, IPv4 and IPv6 addresses, and serves only", () => {
    expect(x509Server!.subjectAltName).toBe(
      "DNS:localhost, DNS:*.keelson.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:0:1",
    );
    expect(x509Server!.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  });

  test("a client certificate names its user and groups, and is for clients only", () => {
    expect(x509Admin!.subject.split("\n")).toEqual(["O=system:masters", "O=grüße", "CN=keelson:admin"]);
    expect(x509Admin!.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(x509Admin!.subjectAltName).toBeUndefined();
  });

  test("they begin five minutes early and end after their days", () => {
    expect(x509Server!.validFromDate.getTime()).toBe(NOW - 300_000);
    expect(x509Server!.validToDate.getTime()).toBe(NOW + 365 * 86_400_000);
    const late = authority({ now: Date.UTC(2049, 6), days: 365 });
    expect(new X509Certificate(late.cert).validToDate.toISOString()).toBe("2050-07-01T00:00:00.000Z");
  });

  test("RFC 5280 4.1.2.2: a serial number is positive, has 16 bytes and does not come again", () => {
    const serials = Array.from({ length: 50 }, () => new X509Certificate(client(ca, "a", [], TERM).cert).serialNumber);
    expect(new Set(serials).size).toBe(50);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });

  test("an authority that goes on has its name and key, and both know the leaves of both", () => {
    const next = authority({ now: NOW + 3_650 * 86_400_000, days: 3650 }, ca);
    const renewed = new X509Certificate(next.cert);
    expect(next.key).toBe(ca.key);
    expect(renewed.serialNumber).not.toBe(x509Ca!.serialNumber);
    expect(x509Server!.checkIssued(renewed) && x509Server!.verify(renewed.publicKey)).toBe(true);
    expect(new X509Certificate(serving(next, HOSTS, TERM).cert).checkIssued(x509Ca!)).toBe(true);
  });
});

describe("as strict clients read them", () => {
  const judged = { ca: file("ca.crt", ca.cert), server: file("server.crt", server.cert) };
  const adminFile = file("admin.crt", admin.cert);
  const strict = ["verify", "-x509_strict", "-attime", String(NOW / 1000), "-CAfile", judged.ca];

  test.skipIf(!has("openssl"))("openssl verify -x509_strict takes both chains (needs openssl)", () => {
    expect(openssl(...strict, "-purpose", "sslserver", "-verify_hostname", "localhost", judged.server)).toContain("OK");
    expect(openssl(...strict, "-purpose", "sslserver", "-verify_ip", "::1", judged.server)).toContain("OK");
    expect(openssl(...strict, "-purpose", "sslclient", adminFile)).toContain("OK");
    expect(() => openssl(...strict, "-purpose", "sslclient", judged.server)).toThrow("purpose");
  });

  test.skipIf(!has("openssl"))("RFC 5280 4.2: what is critical, and which key has signed (needs openssl)", () => {
    const text = (path: string): string => openssl("x509", "-in", path, "-noout", "-text").replaceAll(/ *\n */g, "\n");
    const id = /Subject Key Identifier:\n(\S+)/.exec(text(judged.ca))![1]!;
    expect(text(judged.ca)).toContain("Basic Constraints: critical\nCA:TRUE, pathlen:0\n");
    expect(text(judged.ca)).toContain("Key Usage: critical\nDigital Signature, Certificate Sign, CRL Sign\n");
    for (const path of [judged.server, adminFile]) {
      expect(text(path)).toContain("Basic Constraints: critical\nCA:FALSE\n");
      expect(text(path)).toContain("Key Usage: critical\nDigital Signature\n");
      expect(text(path)).toContain(`Authority Key Identifier:\n${id}\n`);
    }
  });

  test.skipIf(!has("openssl"))("a CA that openssl has made signs leaves that fit it (needs openssl)", () => {
    const [cert, key] = [join(directory, "foreign.crt"), join(directory, "foreign.key")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key];
    const usage = ["-addext", "keyUsage=critical,keyCertSign"];
    openssl("req", "-x509", ...curve, "-out", cert, "-subj", "/C=DE/O=somebody/CN=else", "-days", "2", ...usage);
    const foreign = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
    const leaf = file("leaf.crt", client(foreign, "a", [], { now: Date.now(), days: 1 }).cert);
    expect(openssl("verify", "-x509_strict", "-CAfile", cert, leaf)).toContain("OK");
  });

  test.skipIf(!has("python3"))("Python's ssl takes them with VERIFY_X509_STRICT (needs python3)", () => {
    const script = `
import socket, ssl, sys, threading, time
ca, cert, key = sys.argv[1:4]
here, there = socket.socketpair()
serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
serving.load_cert_chain(cert, key)
asking = ssl.create_default_context(cafile=ca)
asking.verify_flags |= ssl.VERIFY_X509_STRICT
threading.Thread(target=lambda: serving.wrap_socket(there, server_side=True), daemon=True).start()
print(asking.wrap_socket(here, server_hostname="127.0.0.1").version())
`;
    const fresh = { now: Date.now(), days: 1 };
    const authorityNow = authority(fresh);
    const pair = serving(authorityNow, ["127.0.0.1"], fresh);
    const args = [file("now-ca.crt", authorityNow.cert), file("now.crt", pair.cert), file("now.key", pair.key)];
    expect(execFileSync("python3", ["-c", script, ...args], { stdio: "pipe" }).toString()).toBe("TLSv1.3\n");
  });
});

test("the three certificates of a server cost less than 20 ms of CPU", () => {
  const spent = [1, 2, 3].map(() => {
    const before = cpuMillis();
    const own = authority(TERM);
    void [serving(own, HOSTS, TERM), client(own, "a", ["b"], TERM)];
    return cpuMillis() - before;
  });
  expect(Math.min(...spent)).toBeLessThan(20);
});
