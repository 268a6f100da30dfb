/**
 * Somebody else's program believes our tokens as it would those of any OpenID Connect issuer: it is told the issuer alone,
 * finds its keys over HTTPS and verifies, by `jose`.
 */
import { once } from "node:events";
import { get } from "node:https";
import { type IncomingMessage } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { type FetchImplementation, createRemoteJWKSet, customFetch, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Http2Client, Keelson, Scratch, read } from "./keelson.ts";

const scratch = new Scratch();
const directory = scratch.fresh();
let issuer: string;
let keelson: Keelson;
let admin: Http2Client;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

beforeAll(async () => {
  issuer = `https://127.0.0.1:${await freePort()}`;
  keelson = await Keelson.serve([
    "--dialect=kubernetes",
    `--data-dir=${directory}`,
    `--port=${new URL(issuer).port}`,
    `--service-account-issuer=${issuer}`,
    `--service-account-jwks-uri=${issuer}/openid/v1/jwks`,
  ]);
  admin = await Http2Client.connect(keelson, directory);
  await discoverableForAll();
});
afterAll(async () => {
  admin.close();
  await keelson.stop();
  scratch.remove();
});

const BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
const BINDING = {
  metadata: { name: "discovery-for-all" },
  subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:unauthenticated" }],
  roleRef: {
    apiGroup: "rbac.authorization.k8s.io",
    kind: "ClusterRole",
    name: "system:service-account-issuer-discovery",
  },
};
/** Lets clients without a credential read the documents of the issuer. */
const discoverableForAll = (): Promise<unknown> => admin.send("POST", BINDINGS, BINDING);

/** The response of a URL without a credential, for a client that trusts the authority of the server. */
async function fetched(url: string): Promise<Response> {
  const [response] = (await once(get(url, { ca: read(directory, "pki/ca.crt"), agent: false }), "response")) as [
    IncomingMessage,
  ];
  const body = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>));
  return new Response(body, {
    status: response.statusCode!,
    headers: { "content-type": response.headers["content-type"]! },
  });
}

/** The claims of a token, as a relying party sees them that knows the issuer and its own name. */
async function verified(token: string, audience: string): Promise<Record<string, unknown>> {
  const discovery = await fetched(`${issuer}/.well-known/openid-configuration`);
  const facts = (await discovery.json()) as { issuer: string; jwks_uri: string };
  if (facts.issuer !== issuer) throw new Error(`expected the issuer ${issuer}, found ${JSON.stringify(facts)}`);
  const keys = createRemoteJWKSet(new URL(facts.jwks_uri), {
    [customFetch]: ((url: string) => fetched(url)) as FetchImplementation,
  });
  const { payload } = await jwtVerify(token, keys, { issuer, audience });
  return payload;
}

async function tokenFor(audience: string): Promise<string> {
  const body = { spec: { audiences: [audience], expirationSeconds: 600 } };
  const { json } = await admin.send("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", body);
  return json.status.token as string;
}

test("AUTHN-35, AUTHN-36: the documents of the issuer are for those who have the right", async () => {
  await admin.send("DELETE", `${BINDINGS}/${BINDING.metadata.name}`);
  expect((await fetched(`${issuer}/.well-known/openid-configuration`)).status).toBe(403);
  await discoverableForAll();
  expect((await fetched(`${issuer}/.well-known/openid-configuration`)).status).toBe(200);
});

test("AUTHN-35, AUTHN-36: a relying party finds the keys by the issuer and believes a token that is for it", async () => {
  const token = await tokenFor("vault");
  expect(await verified(token, "vault")).toMatchObject({
    iss: issuer,
    aud: ["vault"],
    sub: "system:serviceaccount:default:default",
  });
  await expect(verified(token, "other")).rejects.toThrow('unexpected "aud"');
  const [head, payload, signature] = token.split(".") as [string, string, string];
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
  const other = Buffer.from(JSON.stringify({ ...claims, sub: "system:admin" })).toString("base64url");
  await expect(verified([head, other, signature].join("."), "vault")).rejects.toThrow("signature");
});

test("AUTHN-34: a token that is for a relying party is none of the server's", async () => {
  const token = await tokenFor("vault");
  const headers = { authorization: `Bearer ${token}` };
  const client = await Http2Client.connect(keelson, directory, headers);
  expect((await client.send("GET", "/api/v1/namespaces/default")).status).toBe(401);
  client.close();
});
