/** Requests without a credential beside the mode that lets everybody do everything: what kube-apiserver 1.35 does with them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { nodeTransport } from "../../client/transport-node.ts";
import { type Log, silentLog } from "../../util/log.ts";
import { type StartOptions, startServer } from "../index.ts";

const home = mkdtempSync(join(tmpdir(), "keelson-anonymous-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let files = 0;
const fileOf = (value: object): string => {
  const file = join(home, `${files++}.json`);
  writeFileSync(file, JSON.stringify(value));
  return file;
};

const authentication = (anonymous: object | undefined): string =>
  fileOf({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration", anonymous });
const authorization = (...types: string[]): string =>
  fileOf({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers: types.map((type) => ({ type, name: type.toLowerCase() })),
  });

/** What a server says to somebody without a credential, and what it warns of. */
async function askedOf(options: StartOptions): Promise<{ readonly codes: readonly number[]; readonly told: string[] }> {
  const told: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => void told.push(message) };
  await using server = await startServer({ dev: true, port: 0, dialect: "kubernetes", ...options }, { log });
  const code = async (method: "GET" | "POST", path: string, token?: string): Promise<number> => {
    const transport = nodeTransport({ url: server.url, ca: server.pki.ca.cert, ...(token ? { token } : {}) });
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "c-" } });
    const headers = { "content-type": "application/json" };
    const { status } = await transport({ method, path, headers, ...(method === "POST" ? { body } : {}) });
    transport.close();
    return status;
  };
  const maps = "/api/v1/namespaces/default/configmaps";
  // Who shows a credential may do all of it.
  expect(await code("POST", maps, server.pki.adminToken)).toBe(201);
  const codes = [await code("GET", "/livez"), await code("GET", maps), await code("POST", maps)];
  return { codes, told: told.filter((message) => message.startsWith("requests without a credential")) };
}

const REFUSED = [expect.stringContaining("are refused: the mode AlwaysAllow")];

describe("AUTHN-14: a request without a credential", () => {
  test.each<[name: string, options: StartOptions]>([
    ["the mode AlwaysAllow", { authorizationMode: ["AlwaysAllow"] }],
    ["AlwaysAllow behind others", { authorizationMode: ["Node", "RBAC", "AlwaysAllow"] }],
    ["AlwaysAllow and --anonymous-auth", { authorizationMode: ["AlwaysAllow"], anonymousAuth: true }],
    ["AlwaysAllow in a configuration", { authorizationConfig: authorization("RBAC", "AlwaysAllow") }],
    [
      "AlwaysAllow and a configuration that says nothing of anonymous requests",
      { authorizationMode: ["AlwaysAllow"], authenticationConfig: authentication(undefined) },
    ],
  ])("is refused on every path beside %s, with a warning at the start", async (_, options) => {
    expect(await askedOf(options)).toEqual({ codes: [401, 401, 401], told: REFUSED });
  });

  test("is refused without a warning where nobody has let it in", async () => {
    const options = { authorizationMode: ["AlwaysAllow"] as const, anonymousAuth: false };
    expect(await askedOf(options)).toEqual({ codes: [401, 401, 401], told: [] });
  });

  test("is let in beside AlwaysAllow where a configuration says so by itself, which is warned of", async () => {
    const options = {
      authorizationMode: ["AlwaysAllow"] as const,
      authenticationConfig: authentication({ enabled: true }),
    };
    expect(await askedOf(options)).toEqual({
      codes: [200, 200, 201],
      told: [expect.stringContaining("may do everything")],
    });
  });

  test("is let in beside AlwaysAllow on the paths that a configuration names", async () => {
    const options = {
      authorizationMode: ["AlwaysAllow"] as const,
      authenticationConfig: authentication({ enabled: true, conditions: [{ path: "/livez" }] }),
    };
    expect(await askedOf(options)).toEqual({ codes: [200, 401, 401], told: [] });
  });

  test("of the neutral dialect asks after health beside AlwaysAllow, and does nothing else", async () => {
    const mode = { dialect: "neutral", authorizationMode: ["AlwaysAllow"] } as const;
    expect(await askedOf(mode)).toEqual({ codes: [200, 401, 401], told: [] });
    expect(await askedOf({ ...mode, anonymousAuth: true })).toEqual({ codes: [200, 401, 401], told: REFUSED });
  });

  test("may do what roles say where they decide", async () => {
    expect(await askedOf({})).toEqual({ codes: [200, 403, 403], told: [] });
    expect(await askedOf({ authorizationMode: ["RBAC", "AlwaysDeny"] })).toEqual({ codes: [200, 403, 403], told: [] });
  });
});
