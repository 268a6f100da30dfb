/** Requests without a credential in a mode that lets every user do everything: the behaviour of kube-apiserver 1.35. */
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

/** The status codes for requests without a credential, and the warnings of the server. */
async function resultsOf(
  options: StartOptions,
): Promise<{ readonly codes: readonly number[]; readonly warnings: string[] }> {
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => void warnings.push(message) };
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
  // A request with a credential may do all of it.
  expect(await code("POST", maps, server.pki.adminToken)).toBe(201);
  const codes = [await code("GET", "/livez"), await code("GET", maps), await code("POST", maps)];
  return { codes, warnings: warnings.filter((message) => message.startsWith("anonymous requests")) };
}

const REFUSED = [expect.stringContaining("are refused: the mode AlwaysAllow")];

describe("AUTHN-14: an anonymous request", () => {
  test.each<[name: string, options: StartOptions]>([
    ["the mode AlwaysAllow", { authorizationMode: ["AlwaysAllow"] }],
    ["AlwaysAllow behind others", { authorizationMode: ["Node", "RBAC", "AlwaysAllow"] }],
    ["AlwaysAllow and --anonymous-auth", { authorizationMode: ["AlwaysAllow"], anonymousAuth: true }],
    ["AlwaysAllow in a configuration", { authorizationConfig: authorization("RBAC", "AlwaysAllow") }],
    [
      "AlwaysAllow and a configuration that says nothing of anonymous requests",
      { authorizationMode: ["AlwaysAllow"], authenticationConfig: authentication(undefined) },
    ],
  ])("is refused on every path with %s, with a warning at the start", async (_, options) => {
    expect(await resultsOf(options)).toEqual({ codes: [401, 401, 401], warnings: REFUSED });
  });

  test("is refused without a warning if it is not enabled", async () => {
    const options = { authorizationMode: ["AlwaysAllow"] as const, anonymousAuth: false };
    expect(await resultsOf(options)).toEqual({ codes: [401, 401, 401], warnings: [] });
  });

  test("is accepted with AlwaysAllow if a configuration file says so, with a warning", async () => {
    const options = {
      authorizationMode: ["AlwaysAllow"] as const,
      authenticationConfig: authentication({ enabled: true }),
    };
    expect(await resultsOf(options)).toEqual({
      codes: [200, 200, 201],
      warnings: [expect.stringContaining("may do everything")],
    });
  });

  test("is accepted with AlwaysAllow on the paths of a configuration file", async () => {
    const options = {
      authorizationMode: ["AlwaysAllow"] as const,
      authenticationConfig: authentication({ enabled: true, conditions: [{ path: "/livez" }] }),
    };
    expect(await resultsOf(options)).toEqual({ codes: [200, 401, 401], warnings: [] });
  });

  test("of the neutral dialect may only read health endpoints with AlwaysAllow", async () => {
    const mode = { dialect: "neutral", authorizationMode: ["AlwaysAllow"] } as const;
    expect(await resultsOf(mode)).toEqual({ codes: [200, 401, 401], warnings: [] });
    expect(await resultsOf({ ...mode, anonymousAuth: true })).toEqual({ codes: [200, 401, 401], warnings: REFUSED });
  });

  test("may do what roles allow with RBAC", async () => {
    expect(await resultsOf({})).toEqual({ codes: [200, 403, 403], warnings: [] });
    expect(await resultsOf({ authorizationMode: ["RBAC", "AlwaysDeny"] })).toEqual({
      codes: [200, 403, 403],
      warnings: [],
    });
  });
});
