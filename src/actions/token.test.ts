import { describe, expect, test } from "vitest";
import type { TokenClaims } from "../auth/service-account-tokens.ts";
import { serviceAccount } from "../kinds/core/v1/service-account.ts";
import { eviction } from "../kinds/policy/v1/eviction.ts";
import { actionRegistry } from "./testing/actions.ts";
import { pods } from "./testing/pods.ts";

/** A registry with the account `a`, and the claims of the tokens that it has signed. */
async function withAccount() {
  const signed: TokenClaims[] = [];
  const signer = {
    issuance: { issuer: "here", audiences: ["here"], maxSeconds: 86_400, extendsExpiration: true },
    sign(claims: TokenClaims) {
      signed.push(claims);
      return Promise.resolve({ token: "signed", id: "1" });
    },
    signForSecret: () => Promise.reject(new Error("expected no Secret")),
  };
  const registry = await actionRegistry([serviceAccount, pods("Namespaced", eviction)], { signer: () => signer });
  const { metadata } = await registry.create("serviceaccounts", { metadata: { name: "a" } });
  const request = (spec: object, more: object = {}) => registry.ask("serviceaccounts", "a", "token", { spec, ...more });
  return { ...registry, request, signed, uid: metadata.uid };
}

test("SUP-7, AUTHN-22: a token is signed for its account, its audiences and its lifetime", async () => {
  const { request, signed, uid } = await withAccount();
  const result = await request({ audiences: ["there"], expirationSeconds: 600 });
  expect(result).toMatchObject({
    object: {
      metadata: { name: "a", namespace: "n", uid },
      spec: { audiences: ["there"], expirationSeconds: 600 },
      status: { token: "signed", expirationTimestamp: "2026-01-01T00:10:00Z" },
    },
  });
  expect(signed).toEqual([{ namespace: "n", serviceAccount: { name: "a", uid }, audiences: ["there"], seconds: 600 }]);
});

test("AUTHN-24: a longer lifetime than the longest is shortened, with a warning", async () => {
  const { request } = await withAccount();
  expect(await request({ expirationSeconds: 100_000 })).toMatchObject({
    object: { spec: { audiences: ["here"], expirationSeconds: 86_400 } },
    warnings: ["requested expiration of 100000 seconds shortened to 86400 seconds"],
  });
});

test("AUTHN-27, AUTHN-29: a token of a Pod contains the Pod and its node, and is valid for a year", async () => {
  const { request, create, signed } = await withAccount();
  const { metadata } = await create("pods", {
    metadata: { name: "p" },
    spec: { serviceAccountName: "a", nodeName: "node-1" },
  });
  await request({ expirationSeconds: 3607, boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" } });
  expect(signed).toMatchObject([
    { pod: { name: "p", uid: metadata.uid }, node: { name: "node-1" }, seconds: 31_536_000, warnAfterSeconds: 3607 },
  ]);
});

describe("AUTHN-22, AUTHN-27: a token is refused", () => {
  test.each([
    [422, "for less than ten minutes", { expirationSeconds: 599 }, {}],
    [422, "for an account that is not that of the path", {}, { metadata: { name: "b" } }],
    [409, "for another uid", {}, { metadata: { uid: "other" } }],
    [400, "bound to a kind that is not known", { boundObjectRef: { kind: "ConfigMap", name: "x" } }, {}],
    [404, "bound to a Pod that does not exist", { boundObjectRef: { kind: "Pod", name: "x" } }, {}],
    [400, "bound to a Pod of another account", { boundObjectRef: { kind: "Pod", name: "other" } }, {}],
  ])("%d %s", async (code, _why, spec, more) => {
    const { request, create, signed } = await withAccount();
    await create("pods", { metadata: { name: "other" }, spec: { serviceAccountName: "b" } });
    await expect(request(spec, more)).rejects.toMatchObject({ code });
    expect(signed).toEqual([]);
  });
});
