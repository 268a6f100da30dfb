import { X509Certificate, createPrivateKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { type Pki, type PkiFiles, openPki } from "./pki.ts";

const DAY = 86_400_000;
const HOSTS = ["localhost", "127.0.0.1", "::1"];

/** Files in memory; a test may change them between starts. */
function filesOf(): PkiFiles & { readonly all: Map<string, string>; readonly written: string[] } {
  const all = new Map<string, string>();
  const written: string[] = [];
  return {
    all,
    written,
    read: (name) => all.get(name),
    write(name, text) {
      written.push(name);
      all.set(name, text);
    },
  };
}

/** A first start, and what a second one after some days writes anew. */
async function restarted(days: number, hosts = HOSTS, change: (files: Map<string, string>) => void = () => {}) {
  const files = filesOf();
  const clock = new ManualClock();
  const first = await openPki(files, HOSTS, clock);
  change(files.all);
  files.written.length = 0;
  clock.advance(days * DAY);
  const second = await openPki(files, hosts, clock);
  return { first, second, written: files.written.toSorted() };
}

/** Whether all certificates fit together, and each to its key. */
function fits({ ca, server, admin }: Pki): boolean {
  const authority = new X509Certificate(ca.cert);
  return [ca, server, admin].every(({ cert, key }) => {
    const certificate = new X509Certificate(cert);
    return certificate.verify(authority.publicKey) && certificate.checkPrivateKey(createPrivateKey(key));
  });
}

describe("openPki", () => {
  test("makes a CA, a serving certificate for the hosts, and the admin's certificate with group and name", async () => {
    const pki = await openPki(filesOf(), HOSTS, new ManualClock());
    expect(fits(pki)).toBe(true);
    const [ca, server, admin] = [pki.ca, pki.server, pki.admin].map(({ cert }) => new X509Certificate(cert));
    expect(ca!.ca).toBe(true);
    expect([server!.ca, admin!.ca]).toEqual([false, false]);
    expect([server!.checkHost("localhost"), server!.checkIP("127.0.0.1"), server!.checkIP("::1")]).not.toContain(
      undefined,
    );
    expect(server!.checkHost("example.com")).toBeUndefined();
    expect(admin!.subject.split("\n")).toEqual(["O=system:masters", "CN=keelson:admin"]);
    // RFC 5280 4.2.1.12: serverAuth and clientAuth.
    expect([server!.keyUsage, admin!.keyUsage]).toEqual([["1.3.6.1.5.5.7.3.1"], ["1.3.6.1.5.5.7.3.2"]]);
  });

  test("keeps everything at the next start", async () => {
    const { first, second, written } = await restarted(300);
    expect(second).toEqual(first);
    expect(written).toEqual([]);
  });

  test("two first starts have nothing in common", async () => {
    const [a, b] = [
      await openPki(filesOf(), HOSTS, new ManualClock()),
      await openPki(filesOf(), HOSTS, new ManualClock()),
    ];
    const secrets = ({ ca, server, admin, tokenKey, adminToken }: Pki): string[] => [
      ca.key,
      server.key,
      admin.key,
      tokenKey,
      adminToken,
    ];
    expect(new Set([...secrets(a), ...secrets(b)]).size).toBe(10);
    expect(Buffer.from(a.adminToken, "base64url")).toHaveLength(32);
  });

  test("certificates that end within a month are made anew from the same CA; keys and token stay", async () => {
    const { first, second, written } = await restarted(340);
    expect(written).toEqual(["admin.crt", "admin.key", "server.crt", "server.key"]);
    expect(second.ca).toEqual(first.ca);
    expect([second.adminToken, second.tokenKey]).toEqual([first.adminToken, first.tokenKey]);
    expect(fits(second)).toBe(true);
  });

  test("with a CA that ends within a month all certificates are made anew", async () => {
    const { second, written } = await restarted(3640);
    expect(written).toEqual(["admin.crt", "admin.key", "ca.crt", "ca.key", "server.crt", "server.key"]);
    expect(fits(second)).toBe(true);
  });

  test("another name or address makes a new serving certificate; fewer do not", async () => {
    for (const host of ["keelson.example", "10.1.2.3"]) {
      const { second, written } = await restarted(0, [...HOSTS, host]);
      expect(written).toEqual(["server.crt", "server.key"]);
      expect(fits(second)).toBe(true);
    }
    expect((await restarted(0, ["localhost"])).written).toEqual([]);
  });

  test.each([
    ["a key is missing", (files: Map<string, string>) => files.delete("server.key"), ["server.crt", "server.key"]],
    [
      "a key is that of another certificate",
      (files) => files.set("admin.key", files.get("server.key")!),
      ["admin.crt", "admin.key"],
    ],
    [
      "the CA is gone",
      (files) => files.delete("ca.crt"),
      ["admin.crt", "admin.key", "ca.crt", "ca.key", "server.crt", "server.key"],
    ],
    ["the token is gone", (files) => files.delete("admin.token"), ["admin.token"]],
    ["the token is empty", (files) => files.set("admin.token", "\n"), ["admin.token"]],
  ] satisfies [string, (files: Map<string, string>) => unknown, string[]][])(
    "what a crash left by half is made anew: %s",
    async (_, change, expected) => {
      const { second, written } = await restarted(0, HOSTS, change);
      expect(written).toEqual(expected);
      expect(fits(second)).toBe(true);
      expect(second.adminToken).toMatch(/^[\w-]{43}$/);
    },
  );

  test("a leaf of another CA is made anew", async () => {
    const other = filesOf();
    await openPki(other, HOSTS, new ManualClock());
    const { second, written } = await restarted(0, HOSTS, (files) => {
      for (const name of ["server.crt", "server.key"]) files.set(name, other.all.get(name)!);
    });
    expect(written).toEqual(["server.crt", "server.key"]);
    expect(fits(second)).toBe(true);
  });

  test("a file that is no certificate is told by its name, and nothing is put in its place", async () => {
    await expect(restarted(0, HOSTS, (files) => files.set("ca.crt", "garbage"))).rejects.toThrow(
      "expected ca.crt and ca.key",
    );
  });
});
