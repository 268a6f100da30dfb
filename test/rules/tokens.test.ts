/** Tokens of service accounts, and reviews of tokens: AUTHN-22 to AUTHN-29, AUTHN-39 to AUTHN-42, over a whole cluster. */
import { describe, expect, test } from "vitest";
import { accountTokens } from "../../src/auth/account-authenticator.ts";
import { authenticatorChain } from "../../src/auth/chain.ts";
import { type TokenSigner, tokenSigner } from "../../src/auth/service-account-tokens.ts";
import { tokenKeys } from "../../src/auth/token-keys.ts";
import { createPki } from "../../src/pki/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import type { Answer } from "./answer.ts";
import { fresh, serve } from "./api.ts";

const ISSUER = "https://issuer.example.com";
const keys = tokenKeys(createPki({ hosts: [], clock: systemClock }).tokenKeys[0]!, []);
let signer!: TokenSigner;
const api = serve(
  { dialect: "kubernetes" },
  {
    signer: () => signer,
    authenticator: (ground) => {
      const issuance = { issuer: ISSUER, audiences: [ISSUER], maxSeconds: 86_400, extendsExpiration: true };
      signer = tokenSigner(() => keys, issuance, ground.api);
      const tokens = [accountTokens({ keys: () => keys, issuers: [ISSUER], audiences: [ISSUER] }, ground)];
      return authenticatorChain({ ...ground.api, tokens, anonymous: () => true });
    },
  },
);

/** A namespace with the account `a`. */
async function place(): Promise<string> {
  const ns = fresh("ns");
  await api.post("/api/v1/namespaces", { metadata: { name: ns } });
  await api.post(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: "a" } });
  return ns;
}

const request = (ns: string, spec: object = {}, metadata: object = {}, query = {}): Promise<Answer> =>
  api.post(`/api/v1/namespaces/${ns}/serviceaccounts/a/token`, { metadata, spec }, query);

function claimsOf(answer: Answer): Record<string, number> & { "kubernetes.io": Record<string, unknown> } {
  const [, claims = ""] = String(answer.at("status.token")).split(".");
  return JSON.parse(Buffer.from(claims, "base64url").toString()) as never;
}

const review = (spec: object, query = {}, metadata: object = {}): Promise<Answer> =>
  api.post("/apis/authentication.k8s.io/v1/tokenreviews", { metadata, spec }, query);

describe("requests for tokens", () => {
  test("AUTHN-22, AUTHN-25: are answered with the token, its end and what it is for; a dry run, too", async () => {
    const ns = await place();
    for (const query of [{}, { dryRun: "All" }]) {
      const answer = await request(ns, {}, {}, query);
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        metadata: { name: "a", namespace: ns, uid: expect.any(String), creationTimestamp: expect.any(String) },
        spec: { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null },
        status: { token: expect.any(String), expirationTimestamp: expect.any(String) },
      });
    }
    expect((await request(ns, { audiences: ["x", "x", ""] })).at("spec.audiences")).toEqual(["x", "x", ""]);
    expect((await api.get(`/api/v1/namespaces/${ns}/serviceaccounts/a/token`)).status).toBe(405);
    expect((await request("none")).status).toBe(404);
  });

  test("AUTHN-23: name, namespace and UID are those of the account", async () => {
    const ns = await place();
    const named = await request(ns, {}, { name: "b" });
    expect([named.status, named.causes]).toEqual([422, ["FieldValueInvalid metadata.name"]]);
    expect((await request(ns, {}, { namespace: "default" })).status).toBe(400);
    expect((await request(ns, {}, { uid: "other" })).status).toBe(409);
  });

  test("AUTHN-24: a lifetime has bounds, and the server shortens it with a warning", async () => {
    const ns = await place();
    for (const expirationSeconds of [0, 599, 2 ** 32 + 1]) {
      const answer = await request(ns, { expirationSeconds });
      expect([answer.status, answer.causes]).toEqual([422, ["FieldValueInvalid spec.expirationSeconds"]]);
    }
    const long = await request(ns, { expirationSeconds: 2 ** 32 });
    expect(long.warnings).toEqual(["requested expiration of 4294967296 seconds shortened to 86400 seconds"]);
    expect(long.at("spec.expirationSeconds")).toBe(86_400);
    const { exp, iat } = claimsOf(long);
    expect(exp! - iat!).toBe(86_400);
  });

  test.each([
    [{ kind: "ConfigMap", apiVersion: "v1", name: "c" }, 400],
    [{ kind: "Pod", apiVersion: "apps/v1", name: "p" }, 400],
    [{ kind: "Pod", apiVersion: "v1", name: "other" }, 400],
    [{ kind: "Pod", apiVersion: "v1", name: "" }, 400],
    [{ kind: "Secret", apiVersion: "v1", name: "a/b" }, 400],
    [{}, 400],
    [{ kind: "Pod", apiVersion: "v1", name: "none" }, 404],
    [{ kind: "Node", apiVersion: "v1", name: "none" }, 404],
    [{ kind: "Pod", apiVersion: "v1", name: "p", uid: "other" }, 409],
    [{ kind: "Pod", apiVersion: "v1", name: "p" }, 201],
    [{ kind: "Pod", name: "p" }, 201],
  ])("AUTHN-27: bound to %j: %i", async (boundObjectRef, code) => {
    const ns = await place();
    for (const [name, serviceAccountName] of [
      ["p", "a"],
      ["other", "b"],
    ] as const) {
      const spec = { serviceAccountName, containers: [{ name: "c", image: "i" }] };
      await api.post(`/api/v1/namespaces/${ns}/pods`, { metadata: { name }, spec });
    }
    expect((await request(ns, { boundObjectRef })).status).toBe(code);
  });

  test("AUTHN-28, AUTHN-29: that of a Pod names its node, and goes on for a year where it is for this server", async () => {
    const ns = await place();
    const spec = { serviceAccountName: "a", nodeName: fresh("node"), containers: [{ name: "c", image: "i" }] };
    await api.post(`/api/v1/namespaces/${ns}/pods`, { metadata: { name: "p" }, spec });
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p" };
    const ours = await request(ns, { boundObjectRef, expirationSeconds: 3607 });
    const { exp, iat, "kubernetes.io": said } = claimsOf(ours);
    expect([exp! - iat!, Number(said["warnafter"]) - iat!]).toEqual([365 * 86_400, 3607]);
    expect(said["node"]).toEqual({ name: spec.nodeName });
    expect(Date.parse(String(ours.at("status.expirationTimestamp"))) / 1000 - iat!).toBe(3607);
    const theirs = claimsOf(await request(ns, { boundObjectRef, expirationSeconds: 3607, audiences: ["x"] }));
    expect(theirs["exp"]! - theirs["iat"]!).toBe(3607);
    await api.post("/api/v1/nodes", { metadata: { name: spec.nodeName } });
    expect(claimsOf(await request(ns, { boundObjectRef }))["kubernetes.io"]["node"]).toMatchObject({
      name: spec.nodeName,
      uid: expect.any(String) as string,
    });
  });
});

describe("reviews of tokens", () => {
  test("AUTHN-39, AUTHN-40: tell the user, and those audiences of the asker that the token is for", async () => {
    const ns = await place();
    const token = String((await request(ns)).at("status.token"));
    expect((await review({ token }, { dryRun: "All" }, { name: "x" })).body).toMatchObject({
      metadata: { name: "x" },
      status: {
        authenticated: true,
        user: {
          username: `system:serviceaccount:${ns}:a`,
          groups: ["system:serviceaccounts", `system:serviceaccounts:${ns}`, "system:authenticated"],
        },
        audiences: [ISSUER],
      },
    });
    const others = String((await request(ns, { audiences: ["x", "y"] })).at("status.token"));
    expect((await review({ token: others })).at("status.authenticated")).toBeUndefined();
    expect((await review({ token: others, audiences: ["z", "y", "x"] })).at("status.audiences")).toEqual(["y", "x"]);
  });

  test("AUTHN-39, AUTHN-42: of a bad token they say why, and nothing that was sent with it", async () => {
    for (const token of ["x", " x", "a.b.c", `${"a".repeat(100_000)}.b.c`]) {
      const answer = await api.post("/apis/authentication.k8s.io/v1/tokenreviews", {
        spec: { token },
        status: { authenticated: true, user: { username: "me" } },
      });
      expect([answer.status, answer.at("status")]).toEqual([201, { user: {}, error: expect.any(String) as string }]);
    }
    expect((await review({})).status).toBe(400);
  });

  test("AUTHN-41: are only made", async () => {
    expect((await api.get("/apis/authentication.k8s.io/v1/tokenreviews")).status).toBe(405);
  });
});
