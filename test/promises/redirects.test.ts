/**
 * The promise that the server asks nobody but whom it was told to ask: whatever it asks (webhooks that judge tokens, decide,
 * take audit events or convert; issuers of tokens) sends it elsewhere, and nobody comes there.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http, { type RequestListener, type Server } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveOptions } from "../../src/app/options/options.ts";
import { type RunningServer, runServer } from "../../src/app/start/server.ts";
import { nodeTransport } from "../../src/client/transport-node.ts";
import { authority, serving } from "../../src/pki/certificate.ts";
import { until } from "../serve/keelson.ts";

const term = { now: Date.now(), days: 1 };
const ca = authority(term);
const folder = mkdtempSync(join(tmpdir(), "keelson-redirects-"));
const BODY = "what-the-one-who-moved-says";

/** The current target of redirects. */
let status = 302;
/** Who was asked and sends on, by its path. */
const asked: string[] = [];
/** Who came to where they were sent. */
const led: string[] = [];
const servers: Server[] = [];

async function open(kind: "http" | "https", listener: RequestListener): Promise<string> {
  const server =
    kind === "http" ? http.createServer(listener) : https.createServer(serving(ca, ["127.0.0.1"], term), listener);
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `${kind}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** A kubeconfig of a webhook. */
const hookFile = (name: string, url: string): string =>
  file(
    `${name}.yaml`,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: `${url}/${name}` } }],
      users: [{ name: "u", user: { token: "credential-of-the-hook" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );

const TOY = { apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "t" } };

let server: RunningServer;
let secure: string;
beforeAll(async () => {
  const trap: RequestListener = ({ url = "" }, response) => {
    led.push(url);
    response.end("{}");
  };
  const [trapPlain, trapSecure] = [await open("http", trap), await open("https", trap)];
  const moved =
    (to: string): RequestListener =>
    ({ url = "" }, response) => {
      if (url === "/keys-moved/.well-known/openid-configuration") {
        response.end(JSON.stringify({ issuer: `${secure}/keys-moved`, jwks_uri: `${secure}/jwks` }));
        return;
      }
      asked.push(url);
      response.writeHead(status, { location: `${to}${url}` }).end(BODY);
    };
  const plain = await open("http", moved(trapPlain));
  secure = await open("https", moved(trapSecure));
  const jwt = ["moved", "keys-moved"].map((path) => ({
    issuer: { url: `${secure}/${path}`, audiences: ["us"], certificateAuthority: ca.cert },
    claimMappings: { username: { claim: "sub", prefix: "" } },
  }));
  const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration" };
  server = await runServer(
    resolveOptions({
      "data-dir": join(folder, "data"),
      port: 0,
      store: "memory",
      dialect: "kubernetes",
      "authorization-mode": "Webhook",
      "authorization-webhook-config-file": hookFile("decide", plain),
      "authentication-token-webhook-config-file": hookFile("judge", plain),
      "authentication-config": file("authentication.json", JSON.stringify({ ...head, jwt })),
      "audit-policy-file": file(
        "policy.yaml",
        "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}",
      ),
      "audit-webhook-config-file": hookFile("events", plain),
      "audit-webhook-batch-max-wait": "1ms",
      "audit-webhook-initial-backoff": "1ms",
    }),
  );
  const clientConfig = { url: `${secure}/convert`, caBundle: Buffer.from(ca.cert).toString("base64") };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const spec = {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "toys", singular: "toy", kind: "Toy", listKind: "ToyList" },
    conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } },
    versions: [
      { name: "v1", served: true, storage: true, schema },
      { name: "v2", served: true, storage: false, schema },
    ],
  };
  const definition = { metadata: { name: "toys.example.com" }, spec };
  await ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {}, definition);
  await until(async () => (await ask("/apis/example.com/v1/toys")).status === 200);
  await ask("/apis/example.com/v1/toys", {}, TOY);
});
afterAll(async () => {
  await server.close();
  for (const one of servers) one.close().closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** Asks the server, as the admin unless told otherwise. */
async function ask(path: string, headers: Readonly<Record<string, string>> = {}, body?: object) {
  const transport = nodeTransport({ url: server.url, ca: server.pki.ca.cert });
  const answer = await transport({
    method: body ? "POST" : "GET",
    path,
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${server.pki.adminToken}`,
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = Buffer.concat(await Array.fromAsync(answer.body)).toString();
  transport.close();
  return { status: answer.status, text };
}

const jwt = (iss: string): string =>
  [{ alg: "RS256", kid: "k" }, { iss, aud: "us", sub: "s", exp: Date.now() }, "signature"]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");

const OBJECTS = "/api/v1/namespaces/default/configmaps";
/** Each sends a request to a server that redirects: the receiver, the trigger, and the response for the client. */
const WAYS = [
  ["the webhook of tokens", "/judge", () => ask(OBJECTS, { authorization: "Bearer of-somebody" }), 401],
  ["the webhook of decisions", "/decide", () => ask(OBJECTS, { "impersonate-user": `u${status}` }), 500],
  ["the webhook of audit events", "/events", () => ask(OBJECTS), 200],
  ["the webhook of conversion", "/convert", () => ask("/apis/example.com/v2/toys/t"), 500],
] as const;

for (const code of [301, 302, 303, 307, 308]) {
  test.each(WAYS)(
    `CVE-2018-1002102, CVE-2020-8559, CVE-2020-8561, CVE-2022-3172: %s answers ${code}`,
    async (_, path, go, expected) => {
      status = code;
      asked.length = 0;
      const answer = await go();
      expect(answer.status).toBe(expected);
      expect(answer.text).not.toContain(BODY);
      await until(() => asked.includes(path));
      expect(led).toEqual([]);
    },
  );
}

test("CVE-2018-1002102: an issuer whose discovery or whose keys have moved is not followed, and its tokens are refused", async () => {
  await until(() => asked.includes("/jwks"), 15_000);
  await until(() => asked.includes("/moved/.well-known/openid-configuration"), 15_000);
  for (const path of ["moved", "keys-moved"]) {
    expect((await ask(OBJECTS, { authorization: `Bearer ${jwt(`${secure}/${path}`)}` })).status).toBe(401);
  }
  expect(led).toEqual([]);
}, 40_000);
