import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createLocalJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contextOf } from "../../client/kubeconfig/context.ts";
import { type NodeTransportOptions, nodeTransport } from "../../client/transport-node.ts";
import { authority } from "../../pki/certificate.ts";
import { client } from "../../pki/index.ts";
import { systemClock } from "../../util/clock.ts";
import { decodeYaml } from "../../value/yaml.ts";
import { renewCertificates } from "../certificates/certificates.ts";
import { DataDirectory } from "../storage/data-directory.ts";
import { type RawOptions, resolveOptions } from "../options/options.ts";
import { type RunningServer, runServer } from "../start/server.ts";
import { addUser, revokeUser, usersOf } from "./user-file.ts";

const home = mkdtempSync(join(tmpdir(), "keelson-authentication-"));
const term = { now: Date.now(), days: 1 };
const [strangers, teams, proxies] = [authority(term), authority(term), authority(term)];
let server: RunningServer;
let directory: DataDirectory;
const webhook = createServer((request, response) => {
  void text(request).then((body) => {
    const { spec } = JSON.parse(body) as { spec: { token: string } };
    if (spec.token === "moved") response.writeHead(302, { location: "/elsewhere" }).end("{}");
    else
      response.end(
        JSON.stringify({ status: { authenticated: spec.token === "judged", user: { username: "hooked" } } }),
      );
  });
});

const fileOf = (name: string, content: string): string => {
  const file = join(home, name);
  writeFileSync(file, content);
  return file;
};

beforeAll(async () => {
  await new Promise<void>((listening) => void webhook.listen(0, "127.0.0.1", listening));
  const { port } = webhook.address() as AddressInfo;
  const options: RawOptions = {
    "data-dir": join(home, "data"),
    port: 0,
    store: "memory",
    dialect: "kubernetes",
    "authorization-mode": "AlwaysAllow",
    "client-ca-file": fileOf("teams.crt", teams.cert),
    "requestheader-client-ca-file": fileOf("proxies.crt", proxies.cert),
    "requestheader-allowed-names": "front",
    "token-auth-file": fileOf("tokens.csv", "t1,pat,7,ops\n"),
    "enable-bootstrap-token-auth": true,
    "service-account-issuer": "https://issuer.example.com",
    "service-account-max-token-expiration": "2h",
    "authentication-token-webhook-config-file": fileOf(
      "webhook.yaml",
      `clusters: [{name: c, cluster: {server: "http://127.0.0.1:${port}/review"}}]
contexts: [{name: c, context: {cluster: c}}]
current-context: c
`,
    ),
  };
  server = await runServer(resolveOptions(options));
  directory = new DataDirectory(join(home, "data"));
});

afterAll(async () => {
  await server.close();
  webhook.close();
  rmSync(home, { recursive: true, force: true });
});

type As = Omit<Partial<NodeTransportOptions>, "url"> & { readonly headers?: Record<string, string> };

/** The response of the server to a user; the code where it refuses. */
async function ask(as: As, method: "GET" | "POST", path: string, body?: object) {
  const { headers, ...shown } = as;
  const transport = nodeTransport({ url: server.url, ca: server.pki.ca.cert, ...shown });
  const response = await transport({
    method,
    path,
    headers: { "content-type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const found = Buffer.concat(await Array.fromAsync(response.body)).toString();
  transport.close();
  // oxlint-disable-next-line typescript/no-unsafe-return
  return response.status < 300 ? JSON.parse(found) : response.status;
}

const who = async (as: As): Promise<unknown> => {
  const response = await ask(as, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
  return typeof response === "number" ? response : (response as { status: { userInfo: unknown } }).status.userInfo;
};

const admin = (): As => ({ token: server.pki.adminToken });
const EXTRA = "authentication.kubernetes.io/credential-id";

test("AUTHN-16, AUTHN-17: certificates of the server's CA and of --client-ca-file name users, others do not", async () => {
  for (const ca of [server.pki.ca, teams]) {
    expect(await who(client(ca, "kim", ["team"], term))).toMatchObject({
      username: "kim",
      groups: ["team", "system:authenticated"],
      extra: { [EXTRA]: [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
    });
  }
  for (const ca of [strangers, proxies]) expect(await who(client(ca, "kim", ["system:masters"], term))).toBe(401);
  expect(await who({ ...client(strangers, "kim", [], term), token: "t1" })).toMatchObject({ username: "pat" });
});

test("AUTHN-18: a proxy sends the user in headers; headers of other clients are ignored", async () => {
  const headers = { "X-Remote-User": "through", "X-Remote-Group": "g", "X-Remote-Extra-Scope": "s" };
  expect(await who({ ...client(proxies, "front", [], term), headers })).toMatchObject({
    username: "through",
    groups: ["g", "system:authenticated"],
    extra: { scope: ["s"] },
  });
  expect(await who({ ...client(proxies, "other", [], term), headers })).toBe(401);
  expect(await who({ ...client(teams, "front", [], term), headers })).toMatchObject({ username: "front" });
  expect(await who({ token: "t1", headers })).toMatchObject({ username: "pat" });
});

test("AUTHN-19, AUTHN-14: tokens of a file are valid; an unknown token is a 401, and with AlwaysAllow a missing one, too", async () => {
  expect(await who({ token: "t1" })).toMatchObject({
    username: "pat",
    uid: "7",
    groups: ["ops", "system:authenticated"],
  });
  expect(await ask({ token: "t2" }, "GET", "/version")).toBe(401);
  expect(await who({})).toBe(401);
});

test("AUTHN-3: a webhook reviews unknown tokens; its redirects are not followed", async () => {
  expect(await who({ token: "judged" })).toMatchObject({ username: "hooked" });
  expect(await who({ token: "unjudged" })).toBe(401);
  expect(await who({ token: "moved" })).toBe(401);
});

test("AUTHN-20: a Secret is a bootstrap token", async () => {
  const stringData = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
  };
  const metadata = { name: "bootstrap-token-abcdef" };
  const secret = { metadata, type: "bootstrap.kubernetes.io/token", stringData };
  await ask(admin(), "POST", "/api/v1/namespaces/kube-system/secrets", secret);
  expect(await who({ token: "abcdef.0123456789abcdef" })).toMatchObject({ username: "system:bootstrap:abcdef" });
});

/** A token of the account `default`. */
const tokenOf = async (spec: object = {}): Promise<string> => {
  const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
  await ask(admin(), "POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  return ((await ask(admin(), "POST", path, { spec })) as { status: { token: string } }).status.token;
};

test("AUTHN-24: the validity of a token is limited by the server", async () => {
  const [, payload = ""] = (await tokenOf({ expirationSeconds: 86_400 })).split(".");
  const { exp, iat } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { exp: number; iat: number };
  expect(exp - iat).toBe(7200);
});

test("AUTHN-34, AUTHN-35, AUTHN-36: a new key signs, tokens of the previous key stay valid, both keys are published", async () => {
  const before = await tokenOf();
  await renewCertificates(directory, { renew: ["token"], sans: [] }, systemClock);
  server.pki.renew();
  const after = await tokenOf();
  const kidOf = (token: string): unknown =>
    (JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()) as { kid: string }).kid;
  expect(kidOf(after)).not.toBe(kidOf(before));
  const facts = (await ask(admin(), "GET", "/.well-known/openid-configuration")) as {
    issuer: string;
    jwks_uri: string;
  };
  expect(facts).toEqual({
    issuer: "https://issuer.example.com",
    jwks_uri: `${server.url}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
  const jwks = createLocalJWKSet(await ask(admin(), "GET", "/openid/v1/jwks"));
  for (const token of [before, after]) {
    expect(await who({ token })).toMatchObject({ username: "system:serviceaccount:default:default" });
    await jwtVerify(token, jwks, { issuer: facts.issuer, audience: facts.issuer });
  }
  expect(await ask({ ...admin(), headers: { accept: "application/json" } }, "GET", "/openid/v1/jwks")).toBe(406);
  expect(await ask(admin(), "POST", "/openid/v1/jwks", {})).toBe(405);
});

test("AUTHN-33: a Secret of an account gets a token without expiration, which is valid until the Secret is deleted", async () => {
  await tokenOf();
  const secrets = "/api/v1/namespaces/default/secrets";
  const annotations = { "kubernetes.io/service-account.name": "default" };
  await ask(admin(), "POST", secrets, {
    metadata: { name: "s", annotations },
    type: "kubernetes.io/service-account-token",
  });
  const read = async (): Promise<string> => {
    const secret = (await ask(admin(), "GET", `${secrets}/s`)) as { data?: { token?: string } };
    return Buffer.from(secret.data?.token ?? "", "base64").toString();
  };
  await expect.poll(read, { timeout: 5000 }).not.toBe("");
  const token = await read();
  const payload = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as object;
  expect(payload).toMatchObject({ iss: "kubernetes/serviceaccount", "kubernetes.io/serviceaccount/secret.name": "s" });
  expect(payload).not.toHaveProperty("exp");
  expect(await who({ token })).toMatchObject({ username: "system:serviceaccount:default:default" });
});

const kubeconfigOf = (name: string, kind: "token" | "certificate"): As => {
  const file = fileOf(`${name}.yaml`, addUser(directory, { name, groups: ["team"], kind, days: 7 }, systemClock));
  const { transport, user } = contextOf({ kubeconfig: file, env: {} }, (bytes) => decodeYaml(bytes).value);
  return { ...transport, token: user.token, headers: {} };
};

/** A watch of a user; whether it has ended. */
async function watch(as: As): Promise<{ readonly hasEnded: boolean; close(): void }> {
  const { headers, ...shown } = as;
  const transport = nodeTransport({ url: server.url, ca: server.pki.ca.cert, ...shown });
  const response = await transport({
    method: "GET",
    path: "/api/v1/namespaces/default/configmaps?watch=true",
    headers: headers ?? {},
  });
  expect(response.status).toBe(200);
  const state = { hasEnded: false, close: () => transport.close() };
  void Array.fromAsync(response.body).then(
    () => (state.hasEnded = true),
    () => {},
  );
  return state;
}

test("users.json: requests of a revoked credential end within seconds, others continue", async () => {
  const [ann, ben, kim] = [
    kubeconfigOf("ann", "token"),
    kubeconfigOf("ben", "certificate"),
    kubeconfigOf("kim", "token"),
  ];
  for (const one of [ann, ben, kim]) await expect.poll(() => who(one), { timeout: 2000 }).toHaveProperty("username");
  const inNameOf = { "impersonate-user": "kim" };
  const theirs = await Promise.all([ann, ben, { ...ann, headers: inNameOf }].map(watch));
  const others = await Promise.all([kim, admin(), { ...kim, headers: { "impersonate-user": "ann" } }].map(watch));
  addUser(directory, { name: "dan", groups: [], kind: "token", days: 1 }, systemClock);
  await new Promise((done) => setTimeout(done, 2500));
  expect([...theirs, ...others].map(({ hasEnded }) => hasEnded)).toEqual([false, false, false, false, false, false]);

  for (const name of ["ann", "ben"]) revokeUser(directory, name, systemClock);
  await expect.poll(() => theirs.map(({ hasEnded }) => hasEnded), { timeout: 3000 }).toEqual([true, true, true]);
  expect(others.map(({ hasEnded }) => hasEnded)).toEqual([false, false, false]);
  for (const one of [...theirs, ...others]) one.close();
});

test("users.json: a credential is accepted soon after it is made, and refused soon after it is revoked", async () => {
  const [lou, max] = [kubeconfigOf("lou", "token"), kubeconfigOf("max", "certificate")];
  await expect.poll(() => who(lou)).toMatchObject({ username: "lou", groups: ["team", "system:authenticated"] });
  expect(await who(max)).toMatchObject({ username: "max" });
  expect(usersOf(directory).map(({ name, kind }) => [name, kind])).toEqual(
    expect.arrayContaining([
      ["lou", "token"],
      ["max", "certificate"],
    ]),
  );
  const file = directory.file("users.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).not.toContain(lou.token);

  expect([revokeUser(directory, "lou", systemClock), revokeUser(directory, "max", systemClock)]).toEqual([1, 1]);
  await expect.poll(() => who(lou)).toBe(401);
  expect(await who(max)).toBe(401);
  expect(revokeUser(directory, "lou", systemClock)).toBe(0);
});

test("refuses options with invalid files before anything is opened", async () => {
  const start = (options: RawOptions) => runServer(resolveOptions({ dev: true, port: 0, ...options }));
  const empty = fileOf("empty", "nothing");
  await expect(start({ "client-ca-file": empty })).rejects.toThrow(
    "expected --client-ca-file to hold certificates in PEM",
  );
  await expect(start({ "client-ca-file": "/nowhere" })).rejects.toThrow("expected --client-ca-file to name a file");
  await expect(start({ "token-auth-file": empty })).rejects.toThrow("expected line 1 of");
  await expect(start({ "service-account-key-file": empty })).rejects.toThrow("to hold a key");
  await expect(start({ "service-account-signing-key-file": empty })).rejects.toThrow("to hold a private key");
  await expect(start({ "authentication-token-webhook-config-file": empty })).rejects.toThrow("expected");
  expect(() => resolveOptions({ "service-account-max-token-expiration": "1m" })).toThrow("from 1h");
  expect(() => resolveOptions({ "service-account-issuer": "https://" })).toThrow("a URL");
});
