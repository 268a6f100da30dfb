import { X509Certificate, createPrivateKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { namesAuthorityKey } from "./certificate.ts";
import { type Pki, PkiError, type PkiFiles, createPki, openPki, storedFacts } from "./pki.ts";
import { PKI_OF_0_1 } from "./testing/pki-of-0-1.ts";

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

/** The current content of a Pki; reading it creates what is missing. */
const held = ({ ca, server, admin, tokenKeys, adminToken }: Pki) => ({ ca, server, admin, tokenKeys, adminToken });

type Held = ReturnType<typeof held>;

/** Starts twice; returns what the second start, some days later, writes again. */
function restarted(days: number, hosts = HOSTS, change: (files: Map<string, string>) => void = () => {}) {
  const files = filesOf();
  const clock = new ManualClock();
  const first = held(openPki(files, { hosts: HOSTS, clock }));
  change(files.all);
  files.written.length = 0;
  clock.advance(days * DAY);
  const second = held(openPki(files, { hosts, clock }));
  return { first, second, written: files.written.toSorted() };
}

/** Whether all certificates match their issuers, and each its key. */
function fits({ ca, server, admin }: Held): boolean {
  const authority = new X509Certificate(ca.cert);
  return [ca, server, admin].every(({ cert, key }) => {
    const certificate = new X509Certificate(cert);
    return certificate.verify(authority.publicKey) && certificate.checkPrivateKey(createPrivateKey(key));
  });
}

const ALL = ["admin.crt", "admin.key", "ca.crt", "ca.key", "server.crt", "server.key"];
const LEAVES = ALL.filter((name) => !name.startsWith("ca."));

describe("createPki", () => {
  test("makes a CA, a serving certificate for the hosts, and the admin's certificate with group and name", () => {
    const pki = createPki({ hosts: HOSTS, clock: new ManualClock() });
    expect(fits(pki)).toBe(true);
    const [ca, server, admin] = [pki.ca, pki.server, pki.admin].map(({ cert }) => new X509Certificate(cert));
    expect([ca!.ca, server!.ca, admin!.ca]).toEqual([true, false, false]);
    expect([server!.checkHost("localhost"), server!.checkIP("127.0.0.1"), server!.checkIP("::1")]).not.toContain(
      undefined,
    );
    expect(server!.checkHost("example.com")).toBeUndefined();
    expect(admin!.subject.split("\n")).toEqual(["O=system:masters", "CN=keelson:admin"]);
  });

  test("two have nothing in common", () => {
    const [a, b] = [
      createPki({ hosts: HOSTS, clock: new ManualClock() }),
      createPki({ hosts: [], clock: new ManualClock() }),
    ];
    const secrets = ({ ca, server, admin, tokenKeys, adminToken }: Pki): string[] => [
      ca.key,
      server.key,
      admin.key,
      ...tokenKeys,
      adminToken,
    ];
    expect(new Set([...secrets(a), ...secrets(b)]).size).toBe(10);
    expect(Buffer.from(a.adminToken, "base64url")).toHaveLength(32);
  });
});

describe("openPki", () => {
  test("makes no certificate before one is asked for", () => {
    const files = filesOf();
    const pki = openPki(files, { hosts: HOSTS, clock: new ManualClock() });
    expect(files.written).toEqual(["token.key", "admin.token"]);
    expect(pki.ca).toBe(pki.ca);
    expect(files.written.slice(2).toSorted()).toEqual(ALL);
  });

  test("keeps everything at the next start", () => {
    const { first, second, written } = restarted(300);
    expect(second).toEqual(first);
    expect(written).toEqual([]);
  });

  test("certificates that end within a month are renewed by the same CA; keys and token stay", () => {
    const { first, second, written } = restarted(340);
    expect(written).toEqual(LEAVES);
    expect(second.ca).toEqual(first.ca);
    expect([second.adminToken, second.tokenKeys]).toEqual([first.adminToken, first.tokenKeys]);
    expect(fits(second)).toBe(true);
  });

  test("a CA that ends within a month goes on under its name with its key, and all that is new fits the old one too", () => {
    const { first, second, written } = restarted(3640);
    expect(written).toEqual(ALL);
    expect(second.ca.key).toBe(first.ca.key);
    expect(fits(second)).toBe(true);
    expect(fits({ ...second, ca: first.ca })).toBe(true);
  });

  test("a CA is renewed before it could end ahead of a leaf that it signs", () => {
    expect(restarted(3650 - 396).written).toEqual(LEAVES);
    expect(restarted(3650 - 394).written).toEqual(ALL);
  });

  test("certificates that have not begun, because the clock was ahead, are renewed", () => {
    const { first, second, written } = restarted(-400);
    expect(written).toEqual(ALL);
    expect(second.ca.key).toBe(first.ca.key);
    expect(fits(second)).toBe(true);
  });

  test("a new serving certificate keeps the names of the one before it, each once, up to a hundred", () => {
    const files = filesOf();
    const hostsOf = (hosts: readonly string[]): readonly string[] => {
      const pki = openPki(files, { hosts, clock: new ManualClock() });
      return pki.facts()[0]!.hosts;
    };
    hostsOf(["a.example", "::1", "10.0.0.1"]);
    expect(hostsOf(["b.example", "0:0:0:0:0:0:0:1"])).toEqual([
      "b.example",
      "0:0:0:0:0:0:0:1",
      "a.example",
      "10.0.0.1",
    ]);
    for (let i = 0; i < 120; i += 20) hostsOf(Array.from({ length: 20 }, (_, j) => `h${i + j}.example`));
    const all = hostsOf(["last.example"]);
    expect([all.length, all[0], all.includes("a.example")]).toEqual([100, "last.example", false]);
  });

  test("what the options name is renewed, due or not; names and key of the CA stay", () => {
    const files = filesOf();
    const [hosts, clock] = [HOSTS, new ManualClock()];
    const first = held(openPki(files, { hosts, clock }));
    for (const [name, changed] of [
      ["admin", ["admin.crt", "admin.key"]],
      ["server", ["server.crt", "server.key"]],
      ["ca", ["ca.crt", "ca.key"]],
    ] as const) {
      files.written.length = 0;
      const next = held(openPki(files, { hosts, clock, renew: [name] }));
      expect(files.written.toSorted()).toEqual(changed);
      expect([next.ca.key, fits(next), fits({ ...next, ca: first.ca })]).toEqual([first.ca.key, true, true]);
    }
  });

  test("another name or address makes a new serving certificate; fewer do not", () => {
    for (const host of ["keelson.example", "10.1.2.3", "*.keelson.example", "grüße.example", "fe80::1%eth0", "a_b"]) {
      const { second, written } = restarted(0, [...HOSTS, host]);
      expect(written).toEqual(["server.crt", "server.key"]);
      expect(fits(second)).toBe(true);
      const files = filesOf();
      for (let start = 0; start < 2; start++) void openPki(files, { hosts: [host], clock: new ManualClock() }).ca;
      expect(files.written.filter((name) => name === "server.crt")).toHaveLength(1);
    }
    expect(restarted(0, ["localhost"]).written).toEqual([]);
  });

  test.each([
    ["a key is missing", (files: Map<string, string>) => files.delete("server.key"), ["server.crt", "server.key"]],
    [
      "a key is that of another certificate",
      (files) => files.set("admin.key", files.get("server.key")!),
      ["admin.crt", "admin.key"],
    ],
    ["the CA is gone", (files) => files.delete("ca.crt"), ALL],
    ["the CA's key is another", (files) => files.set("ca.key", files.get("server.key")!), ALL],
    ["the token is gone", (files) => files.delete("admin.token"), ["admin.token"]],
    ["the token is empty", (files) => files.set("admin.token", "\n"), ["admin.token"]],
  ] satisfies [string, (files: Map<string, string>) => unknown, string[]][])(
    "a pair that a crash left incomplete is written again: %s",
    (_, change, expected) => {
      const { second, written } = restarted(0, HOSTS, change);
      expect(written).toEqual(expected);
      expect(fits(second)).toBe(true);
      expect(second.adminToken).toMatch(/^[\w-]{43}$/);
    },
  );

  test("a leaf of another CA is renewed", () => {
    const other = filesOf();
    void openPki(other, { hosts: HOSTS, clock: new ManualClock() }).ca;
    const { second, written } = restarted(0, HOSTS, (files) => {
      for (const name of ["server.crt", "server.key"]) files.set(name, other.all.get(name)!);
    });
    expect(written).toEqual(["server.crt", "server.key"]);
    expect(fits(second)).toBe(true);
  });

  test("RFC 5280 4.2.1.1: leaves without an authority key identifier are renewed by the same CA", () => {
    const { second, written } = restarted(0, HOSTS, (files) => {
      for (const [name, text] of Object.entries(PKI_OF_0_1)) files.set(name, text);
    });
    expect(written).toEqual(LEAVES);
    expect(second.ca).toEqual({ cert: PKI_OF_0_1["ca.crt"], key: PKI_OF_0_1["ca.key"] });
    expect(fits(second)).toBe(true);
    const ca = new X509Certificate(second.ca.cert);
    for (const { cert } of [second.server, second.admin]) {
      expect(namesAuthorityKey(cert)).toBe(true);
      expect(new X509Certificate(cert).checkIssued(ca)).toBe(true);
    }
  });

  test("a file that is no certificate is named in the error, and not replaced", () => {
    expect(() => restarted(0, HOSTS, (files) => files.set("ca.crt", "garbage"))).toThrow("expected ca.crt and ca.key");
  });

  test("a file that is no certificate is named where facts are shown", () => {
    const facts = () =>
      storedFacts({ read: (name) => (name === "admin.crt" ? "garbage" : undefined), write: () => {} });
    expect(facts).toThrow("expected admin.crt to be a certificate, found");
    expect(facts).toThrow(PkiError);
  });

  test.each(["", "garbage", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])(
    "a key of tokens that is none, %j, is named in the error, and not replaced",
    (text) => {
      const open = () => restarted(0, HOSTS, (files) => files.set("token.key", text));
      expect(open).toThrow("expected token.key to be a private key, found");
      expect(open).toThrow(PkiError);
    },
  );
});

describe("renew", () => {
  test("changes what ends within a month, also what was put into the files meanwhile, and says so", () => {
    const clock = new ManualClock();
    const files = filesOf();
    const pki = openPki(files, { hosts: HOSTS, clock });
    const first = held(pki);
    clock.advance(300 * DAY);
    expect(pki.renew()).toBe(false);
    expect(held(pki)).toEqual(first);
    clock.advance(40 * DAY);
    expect(pki.renew()).toBe(true);
    expect(fits(held(pki))).toBe(true);
    expect(pki.ca).toEqual(first.ca);
    expect(pki.server.cert).not.toBe(first.server.cert);
    expect(pki.renew()).toBe(false);
    const second = held(pki);
    for (const name of ALL) files.all.delete(name);
    expect(pki.renew()).toBe(true);
    expect(held(pki)).toEqual(second);
    expect(ALL.filter((name) => !files.all.has(name))).toEqual([]);
  });

  test("with files that hold something else keeps what it has", () => {
    const files = filesOf();
    const pki = openPki(files, { hosts: HOSTS, clock: new ManualClock() });
    const first = held(pki);
    files.all.set("server.key", "garbage");
    expect(() => pki.renew()).toThrow("expected server.crt and server.key");
    expect(held(pki)).toEqual(first);
  });
});
