/** Sessions of the console over HTTP: who gets one, for which requests it counts, and when it ends. */
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revokeUser, addUser } from "../../src/app/authentication/user-file.ts";
import { DataDirectory } from "../../src/app/storage/data-directory.ts";
import { contextOf } from "../../src/client/kubeconfig/context.ts";
import { ConfigMap, ServiceAccount } from "../../src/client/kinds/index.ts";
import type { ConsoleLink, ConsoleSession } from "../../src/meta/console-session.ts";
import { authority } from "../../src/pki/certificate.ts";
import { client as clientCertificate } from "../../src/pki/index.ts";
import { type Clock, newSystemClock, systemClock } from "../../src/util/clock.ts";
import { decodeYaml } from "../../src/value/yaml.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { hasEtcd, startEtcd } from "../etcd/start.ts";
import { type Answer, type AskOptions, type TestServer, newLink, startServer } from "./kit/server.ts";

const OWN = { "x-keelson-console": "1" };
/** Longer than a cookie can hold. */
const LONG_TOKEN = randomBytes(4500).toString("base64url");
const HAS_ETCD = await hasEtcd();
const NAMESPACES = "/api/v1/namespaces";

let server: TestServer;
const home = mkdtempSync(join(tmpdir(), "keelson-sessions-"));

beforeAll(async () => {
  server = await startServer({
    tokenAuthFile: fileOf("tokens.csv", `${"a".repeat(20)},pat,7,team\n${LONG_TOKEN},long,8\n`),
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

function fileOf(name: string, text: string): string {
  const file = join(home, name);
  writeFileSync(file, text);
  return file;
}

/** The cookie that an answer sets, as a browser sends it. */
const cookieIn = (answer: Answer): string => answer.header("set-cookie").split(";")[0]!;

/** Follows a link as a browser does whose user has clicked it. */
const open = (link: string, headers: Readonly<Record<string, string>> = {}, of = server): Promise<Answer> => {
  const { pathname, search } = new URL(link);
  return of.ask("GET", pathname + search, { as: {}, headers });
};

/** Signs in by a link; the cookie. */
async function cookieOf(as?: AskOptions["as"], of = server): Promise<string> {
  const answer = await open(await newLink(of, as ? { as } : {}), {}, of);
  expect(answer.code).toBe(303);
  return cookieIn(answer);
}

/** Asks with a cookie alone, as the console's page does by default. */
const ask = (
  cookie: string,
  path = "/console/session",
  headers: Readonly<Record<string, string>> = OWN,
  { method = "GET" as Parameters<TestServer["ask"]>[0], of = server } = {},
): Promise<Answer> => of.ask(method, path, { as: { insecure: "host" in headers }, headers: { ...headers, cookie } });

const sessionIn = ({ text }: Answer): ConsoleSession => JSON.parse(text) as ConsoleSession;

describe("a link", () => {
  test("leads once to a cookie and a clean URL", async () => {
    const link = await newLink(server);
    expect(link).toMatch(new RegExp(`^${server.url}/console/login\\?code=[\\w-]{32}$`));
    const answer = await open(link);
    expect(answer.code).toBe(303);
    expect(answer.header("location")).toBe("/console/");
    expect(answer.header("cache-control")).toBe("no-store");
    expect(answer.header("set-cookie")).toMatch(
      new RegExp(
        `^__Host-keelson-${new URL(server.url).port}=[\\w.-]+; Path=/; Max-Age=431\\d\\d; HttpOnly; SameSite=Strict; Secure$`,
      ),
    );
    const again = await open(link);
    expect([again.code, again.header("set-cookie")]).toEqual([403, ""]);
    expect(again.text).toContain("was used before");
  });

  test("is made for a user with a credential only", async () => {
    const asks = async (options: AskOptions): Promise<number> =>
      (await server.ask("POST", "/console/links", options)).code;
    expect(await asks({ as: {} })).toBe(401);
    expect(await asks({ as: { token: "wrong" } })).toBe(401);
    expect(await asks({ headers: { "impersonate-user": "kim" } })).toBe(400);
    expect(await asks({ body: "x".repeat(1025) })).toBe(413);
    expect(await asks({ body: "x".repeat(1024) })).toBe(201);
    expect((await server.ask("GET", "/console/links")).code).toBe(405);
  });

  test("is not made with a session, which would outlive its credential by it", async () => {
    const cookie = await cookieOf();
    const answer = await ask(cookie, "/console/links", OWN, { method: "POST" });
    expect([answer.code, answer.text]).toEqual([
      403,
      expect.stringContaining("a bearer token or a client certificate"),
    ]);
  });

  test("names no code that was not made", async () => {
    for (const code of ["", "x", "%00", "a".repeat(5000), "__proto__"]) {
      expect((await open(`${server.url}/console/login?code=${code}`)).code).toBe(403);
    }
  });

  test.each([
    ["//evil.example/", "/console/"],
    ["https://evil.example/console/", "/console/"],
    ["/console/../api/v1/secrets", "/console/"],
    ["/console/%2e%2e/api", "/console/"],
    ["/console//evil.example", "/console//evil.example"],
    ["\\\\evil.example", "/console/"],
    ["/console/\r\nset-cookie: a=b", "/console/set-cookie:%20a=b"],
    ["/api", "/console/"],
    [`/console/${"a".repeat(3000)}`, "/console/"],
    ["/console/list/core/v1/pods?namespace=a b#x", "/console/list/core/v1/pods?namespace=a%20b#x"],
  ])("to %j leads to %j", async (to, location) => {
    const answer = await open(`${await newLink(server)}&to=${encodeURIComponent(to)}`);
    expect([answer.code, answer.header("location")]).toEqual([303, location]);
  });

  test("is not used by a page of another origin", async () => {
    const link = await newLink(server);
    for (const site of ["cross-site", "same-site"])
      expect((await open(link, { "sec-fetch-site": site })).code).toBe(403);
    expect((await open(link, { "sec-fetch-site": "none" })).code).toBe(303);
  });

  test("is bounded in number: of ten thousand the last eight of a user count", async () => {
    const count = amount("CONSOLE_LINKS", 300, 10_000);
    const links: string[] = [];
    for (let i = 0; i < count; i++) links.push(await newLink(server));
    const codes: number[] = [];
    for (const link of links.slice(-10)) codes.push((await open(link)).code);
    expect(codes).toEqual([403, 403, ...Array.from({ length: 8 }, () => 303)]);
    expect((await open(links[0]!)).code).toBe(403);
  });

  test("says the name of the server that the client has used", async () => {
    const as = { token: server.token, insecure: true };
    const named = await server.ask("POST", "/console/links", { as, headers: { host: "api.example.com" } });
    expect((JSON.parse(named.text) as ConsoleLink).url).toMatch(/^https:\/\/api\.example\.com\/console\/login/);
    for (const host of ["evil example", "a".repeat(400), "a/b", "a@b"])
      expect((await server.ask("POST", "/console/links", { as, headers: { host } })).code).toBe(400);
  });
});

describe("a cookie", () => {
  let cookie = "";
  beforeAll(async () => void (cookie = await cookieOf()));

  test("is a credential for every path of the API", async () => {
    expect((await ask(cookie, NAMESPACES)).code).toBe(200);
    const answer = await server.ask("POST", "/api/v1/namespaces/default/configmaps", {
      as: {},
      headers: { ...OWN, cookie, "content-type": "application/json" },
      body: JSON.stringify({ metadata: { generateName: "c-" } }),
    });
    expect(answer.code).toBe(201);
  });

  test("says who is signed in, until when", async () => {
    const session = sessionIn(await ask(cookie));
    expect(session).toMatchObject({
      user: "keelson:admin",
      credential: "token",
      dialect: "kubernetes",
      version: "0.1.0",
    });
    expect(Date.parse(session.expires!) - Date.now()).toBeGreaterThan(11.9 * 3_600_000);
    expect(session.groups).toEqual(["system:masters", "system:authenticated"]);
  });

  test.each<[string, Record<string, string>, number]>([
    ["with the header of the console", OWN, 200],
    ["without it", {}, 403],
    ["with another value", { "x-keelson-console": "2" }, 403],
    ["of the own origin", { ...OWN, origin: "OWN", "sec-fetch-site": "same-origin" }, 200],
    ["of another port of this machine", { ...OWN, origin: "https://127.0.0.1:1" }, 403],
    ["of the same host by HTTP", { ...OWN, origin: "HTTP" }, 403],
    ["of no origin that could be named", { ...OWN, origin: "null" }, 403],
    ["of an origin that begins like the own", { ...OWN, origin: "OWN.evil.example" }, 403],
    ["from the same site", { ...OWN, "sec-fetch-site": "same-site" }, 403],
    ["from another site", { ...OWN, "sec-fetch-site": "cross-site" }, 403],
    ["typed into the address bar", { ...OWN, "sec-fetch-site": "none" }, 403],
    ["for another name of the server", { ...OWN, host: "api.example.com" }, 403],
    ["to upgrade without an origin", { upgrade: "websocket", connection: "upgrade" }, 403],
  ])("counts only where the console has sent the request: %s", async (_, headers, code) => {
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace("OWN", server.url).replace("HTTP", server.url.replace("https", "http")),
    ]);
    expect((await ask(cookie, NAMESPACES, Object.fromEntries(filled) as Record<string, string>)).code).toBe(code);
  });

  test("does not count beside another credential", async () => {
    const answer = await server.ask("GET", "/console/session", {
      as: { token: "a".repeat(20) },
      headers: { ...OWN, cookie },
    });
    expect(sessionIn(answer)).toMatchObject({ user: "pat" });
    expect(sessionIn(answer).credential).toBeUndefined();
    const refused = await server.ask("GET", NAMESPACES, { as: { token: "wrong" }, headers: { ...OWN, cookie } });
    expect(refused.code).toBe(401);
  });

  test("is refused where it is none of this server", async () => {
    const [name, value] = cookie.split("=") as [string, string];
    const [head, key, iv, text, tag] = value.split(".") as [string, string, string, string, string];
    const unsigned = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    const wrong = [
      `${name}=x`,
      `${name}=${[head, key, iv, `A${text.slice(1)}`, tag].join(".")}`,
      `${name}=${[unsigned, key, iv, text, tag].join(".")}`,
      `${name}=${value.slice(0, -8)}`,
    ].filter((one) => one !== cookie);
    for (const one of wrong) expect((await ask(one, NAMESPACES)).code).toBe(401);
    // Two of the name, one too long, none of the name: no credential at all.
    for (const one of [`${cookie}; ${cookie}`, `${name}=${"a".repeat(4001)}`, `other=${value}`])
      expect((await ask(one, NAMESPACES)).code).toBe(403);
    expect((await ask(`theme=dark; ${cookie}; x`, NAMESPACES)).code).toBe(200);
  });

  test("takes impersonation as other credentials do", async () => {
    const answer = await ask(cookie, "/console/session", { ...OWN, "impersonate-user": "kim" });
    expect(sessionIn(answer).user).toBe("kim");
    expect((await ask(cookie, NAMESPACES, { ...OWN, "impersonate-user": "kim" })).code).toBe(403);
  });

  test("has no token that could be read", () => {
    expect(Buffer.from(cookie.split(".")[3]!, "base64url").toString("latin1")).not.toContain(server.token.slice(0, 8));
    expect(cookie).not.toContain(server.token);
  });
});

describe("a session", () => {
  test("begins with a token that is pasted into the page, and only there", async () => {
    const signIn = (headers: Record<string, string>, token = "a".repeat(20)): Promise<Answer> =>
      server.ask("POST", "/console/session", { as: { token }, headers });
    const answer = await signIn(OWN);
    expect([answer.code, sessionIn(answer).user]).toEqual([201, "pat"]);
    expect(sessionIn(await ask(cookieIn(answer))).user).toBe("pat");
    expect((await signIn({})).code).toBe(403);
    expect((await signIn({ ...OWN, origin: "https://evil.example" })).code).toBe(403);
    expect((await signIn(OWN, "wrong")).code).toBe(401);
    const long = await signIn(OWN, LONG_TOKEN);
    expect([long.code, long.text]).toEqual([400, expect.stringContaining("fits into a cookie")]);
  });

  test("ends when its user signs out: the cookie that is left is refused, here and after a restart", async () => {
    const [cookie, other] = [await cookieOf(), await cookieOf()];
    const answer = await ask(cookie, "/console/session", OWN, { method: "DELETE" });
    expect([answer.code, answer.header("set-cookie")]).toEqual([200, expect.stringContaining("=; Path=/; Max-Age=0")]);
    expect((await ask(cookie)).code).toBe(401);
    await server.restart();
    expect((await ask(cookie)).code).toBe(401);
    expect((await ask(other)).code).toBe(200);
  });

  test("outlives a restart of the server", async () => {
    const cookie = await cookieOf();
    await server.restart();
    expect((await ask(cookie, NAMESPACES)).code).toBe(200);
  });

  test("ends its streams when its user signs out", async () => {
    const cookie = await cookieOf();
    const watching = ask(cookie, `${NAMESPACES}?watch=1&timeoutSeconds=60`);
    await new Promise((done) => setTimeout(done, 300));
    await ask(cookie, "/console/session", OWN, { method: "DELETE" });
    const began = performance.now();
    await watching.catch(() => {});
    // Without an end it takes 60 seconds.
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  test("ends with the user of a file who was revoked", async () => {
    const directory = new DataDirectory(server.dataDir);
    for (const kind of ["token", "certificate"] as const) {
      const text = addUser(directory, { name: `eve-${kind}`, groups: ["system:masters"], kind, days: 1 }, systemClock);
      const chosen = contextOf({ kubeconfig: fileOf("eve.yaml", text), env: {} }, (bytes) => decodeYaml(bytes).value);
      const { cert, key } = chosen.transport;
      const as = kind === "token" ? { token: chosen.user.token } : { cert, key };
      // The server reads its files again when they change.
      await expect.poll(async () => (await server.ask("GET", NAMESPACES, { as })).code).toBe(200);
      const cookie = await cookieOf(as);
      expect((await ask(cookie, NAMESPACES)).code).toBe(200);
      expect(sessionIn(await ask(cookie)).credential).toBe(kind);
      const watching = ask(cookie, `${NAMESPACES}?watch=1&timeoutSeconds=60`);
      revokeUser(directory, `eve-${kind}`, systemClock);
      await expect.poll(async () => (await ask(cookie, NAMESPACES)).code).toBe(401);
      await watching.catch(() => {});
    }
  });

  test("ends with the authority of its certificate; one of a token stays", async () => {
    const term = { now: Date.now(), days: 1 };
    const [trusted, other] = [authority(term), authority(term)];
    await using own = await startServer({ clientCaFile: fileOf("client-ca.crt", trusted.cert) });
    const kim = clientCertificate(trusted, "kim", ["system:masters"], term);
    const [ofKim, ofAdmin] = [await cookieOf(kim, own), await cookieOf(undefined, own)];
    await own.restart();
    expect((await ask(ofKim, NAMESPACES, OWN, { of: own })).code).toBe(200);
    fileOf("client-ca.crt", other.cert);
    await own.restart();
    expect((await ask(ofKim, NAMESPACES, OWN, { of: own })).code).toBe(401);
    expect((await ask(ofAdmin, NAMESPACES, OWN, { of: own })).code).toBe(200);
  });

  test("ends with the account that was deleted", async () => {
    const accounts = server.client.resource(ServiceAccount);
    await accounts.create({ metadata: { namespace: "default", name: "robot" } });
    const path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
    const made = await server.ask("POST", path, { body: "{}", headers: { "content-type": "application/json" } });
    const { token } = (JSON.parse(made.text) as { status: { token: string } }).status;
    const cookie = await cookieOf({ token });
    const session = sessionIn(await ask(cookie));
    expect(session.user).toBe("system:serviceaccount:default:robot");
    // A token of an hour has a session of an hour.
    expect(Date.parse(session.expires!)).toBeLessThan(Date.now() + 3_601_000);
    await accounts.delete({ namespace: "default", name: "robot" });
    await expect.poll(async () => (await ask(cookie)).code).toBe(401);
  });
});

/** A clock of the machine that can be moved on. */
function movedClock(): Clock & { ahead: number } {
  const clock = newSystemClock();
  return Object.assign(Object.create(clock) as Clock, {
    ahead: 0,
    loop: clock.loop,
    after: clock.after.bind(clock),
    now(): number {
      return clock.now() + this.ahead;
    },
    steady(): number {
      return clock.steady() + this.ahead;
    },
  });
}

describe("time", () => {
  test("ends links after a minute, sessions after their duration, and with their certificates", async () => {
    const clock = movedClock();
    await using own = await startServer({ consoleSessionDuration: "2h" }, { clock });
    const link = await newLink(own);
    clock.ahead += 61_000;
    expect((await open(link, {}, own)).code).toBe(403);

    const pki = own.running.pki;
    const kim = clientCertificate(pki.ca, "kim", ["system:masters"], { now: clock.now(), days: 1 });
    const [cookie, ofKim] = [await cookieOf(undefined, own), await cookieOf(kim, own)];
    // A session that is used is moved on, for as long as its certificate is valid.
    clock.ahead += 3_600_000;
    const renewed = await ask(ofKim, "/console/session", OWN, { of: own });
    expect(Date.parse(sessionIn(renewed).expires!) - clock.now()).toBeGreaterThan(7_100_000);
    clock.ahead += 3_601_000;
    expect((await ask(cookie, NAMESPACES, OWN, { of: own })).code).toBe(401);
    let last = cookieIn(renewed);
    for (let hours = 2; hours < 24; hours++) {
      const answer = await ask(last, "/console/session", OWN, { of: own });
      expect([hours, answer.code]).toEqual([hours, 200]);
      last = answer.header("set-cookie") === "" ? last : cookieIn(answer);
      clock.ahead += 3_600_000;
    }
    // The certificate of a day has ended.
    expect((await ask(last, NAMESPACES, OWN, { of: own })).code).toBe(401);
  });

  test("does not bring back a session that was signed out, with a cookie that was renewed before", async () => {
    const clock = movedClock();
    await using own = await startServer({ consoleSessionDuration: "10h" }, { clock });
    const signOut = (one: string): Promise<Answer> => ask(one, "/console/session", OWN, { of: own, method: "DELETE" });
    const cookie = await cookieOf(undefined, own);
    clock.ahead += 5 * 3_600_000;
    // An attacker has a copy of the cookie and renews it; the user signs out with the older one.
    const copied = cookieIn(await ask(cookie, "/console/session", OWN, { of: own }));
    expect((await ask(copied, NAMESPACES, OWN, { of: own })).code).toBe(200);
    await signOut(cookie);
    expect((await ask(copied, NAMESPACES, OWN, { of: own })).code).toBe(401);
    // The older cookie has ended; what has ended is forgotten when another session is signed out.
    clock.ahead += 6 * 3_600_000;
    await signOut(await cookieOf(undefined, own));
    expect((await ask(copied, NAMESPACES, OWN, { of: own })).code).toBe(401);
  });

  test("ends every session after a week", async () => {
    const clock = movedClock();
    await using own = await startServer({ consoleSessionDuration: "100h" }, { clock });
    let cookie = await cookieOf(undefined, own);
    for (const hours of [90, 77]) {
      clock.ahead += hours * 3_600_000;
      const answer = await ask(cookie, "/console/session", OWN, { of: own });
      expect(answer.code).toBe(200);
      cookie = answer.header("set-cookie") === "" ? cookie : cookieIn(answer);
    }
    clock.ahead += 2 * 3_600_000;
    expect((await ask(cookie, "/console/session", OWN, { of: own })).code).toBe(401);
  });
});

describe("servers", () => {
  test.skipIf(!HAS_ETCD)(
    "of one etcd share sessions, and which of them were signed out",
    { timeout: 120_000 },
    async () => {
      const etcd = await startEtcd({});
      const over = { store: "etcd", etcdServers: etcd.endpoints } as const;
      try {
        await using first = await startServer(over);
        const dataDir = mkdtempSync(join(home, "second-"));
        for (const name of ["pki", "admin.token"])
          cpSync(join(first.dataDir, name), join(dataDir, name), { recursive: true });
        await using second = await startServer({ ...over, dataDir });
        const nameAt = (cookie: string, { url }: TestServer): string =>
          cookie.replace(/^[^=]+/, `__Host-keelson-${new URL(url).port}`);
        const cookie = await cookieOf(undefined, first);
        const code = async (): Promise<number> =>
          (await ask(nameAt(cookie, second), NAMESPACES, OWN, { of: second })).code;
        expect(await code()).toBe(200);
        const watching = ask(nameAt(cookie, second), `${NAMESPACES}?watch=1&timeoutSeconds=50`, OWN, { of: second });
        await ask(cookie, "/console/session", OWN, { of: first, method: "DELETE" });
        await expect.poll(code).toBe(401);
        // A stream on the other server ends within half a minute.
        const began = performance.now();
        await watching.catch(() => {});
        expect(performance.now() - began).toBeLessThan(40_000);
      } finally {
        await etcd.close();
      }
    },
  );

  test("without the keys refuse it", async () => {
    await using own = await startServer();
    const cookie = (await cookieOf()).replace(/^[^=]+/, `__Host-keelson-${new URL(own.url).port}`);
    expect((await ask(cookie, NAMESPACES, OWN, { of: own })).code).toBe(401);
  });

  test("have no console where it is switched off", async () => {
    await using own = await startServer({ console: false });
    for (const path of ["/console", "/console/", "/console/session", "/console/assets/x.js"])
      expect((await own.ask("GET", path)).code).toBe(404);
    expect((await own.ask("POST", "/console/links")).code).toBe(404);
  });

  test("without TLS have a cookie that plain HTTP may carry", async () => {
    await using own = await startServer({ insecureHttp: true });
    const answer = await open(await newLink(own), {}, own);
    expect(answer.header("set-cookie")).toMatch(/^keelson-\d+=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    const cookie = cookieIn(answer);
    expect((await ask(cookie, NAMESPACES, { ...OWN, origin: own.url }, { of: own })).code).toBe(200);
    expect((await ask(cookie, NAMESPACES, { ...OWN, origin: "http://127.0.0.1:1" }, { of: own })).code).toBe(403);
  });

  test("of the neutral dialect have a console too", async () => {
    await using own = await startServer({ dialect: "neutral" });
    expect((await own.ask("GET", "/console/", { as: {} })).code).toBeLessThan(405);
    const cookie = await cookieOf(undefined, own);
    expect(sessionIn(await ask(cookie, "/console/session", OWN, { of: own })).dialect).toBe("neutral");
    expect((await ask(cookie, "/console/session", OWN, { of: own, method: "DELETE" })).code).toBe(200);
    // Users have roles in `default`.
    const kept = (await own.client.resource(ConfigMap).list({})).items.map(({ metadata }) => metadata.namespace);
    expect(kept).toEqual(["keelson-system"]);
    await own.restart();
    expect((await ask(cookie, "/console/session", OWN, { of: own })).code).toBe(401);
  });
});

test.each(["/console/", "/console/list/core/v1/pods", "/console/login", "/console/none.js"])(
  "the answer of %s says what a browser may do with it",
  async (path) => {
    const answer = await server.ask("GET", path, { as: {} });
    expect(answer.header("content-security-policy").split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        // Without its script the form of a token would send it in a URL.
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(answer.header("x-content-type-options")).toBe("nosniff");
    expect(answer.header("referrer-policy")).toBe("no-referrer");
  },
);

test("audit names the user of a session, and neither the cookie nor the code of a link", async () => {
  const log = join(home, "audit.log");
  const access = join(home, "access.log");
  const policy = fileOf(
    "policy.yaml",
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n",
  );
  let cookie = "";
  let code = "";
  {
    await using own = await startServer({ auditPolicyFile: policy, auditLogPath: log, accessLog: access });
    const link = await newLink(own);
    code = new URL(link).searchParams.get("code")!;
    cookie = cookieIn(await open(link, {}, own));
    await ask(cookie, `${NAMESPACES}/default`, OWN, { of: own });
  }
  const [audited, accessed] = [readFileSync(log, "utf8"), readFileSync(access, "utf8")];
  const events = audited
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { requestURI: string; user: { username: string } });
  expect(events.find(({ requestURI }) => requestURI === `${NAMESPACES}/default`)?.user.username).toBe("keelson:admin");
  expect(events.map(({ requestURI }) => requestURI)).toContain("/console/login");
  for (const text of [audited, accessed]) {
    expect(text).not.toContain(cookie.split("=")[1]!);
    expect(text).not.toContain(code);
  }
});
