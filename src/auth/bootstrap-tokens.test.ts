import { beforeEach, expect, test } from "vitest";
import { bootstrapTokens } from "./bootstrap-tokens.ts";
import { type TestAuthContext, authContextOf } from "./testing/auth-context.ts";

const TOKEN = "07401b.f395accd246ae52d";
let context: TestAuthContext;

beforeEach(() => {
  context = authContextOf();
});

/** Stores the token, with some members changed. */
function keep(more: Record<string, string> = {}, metadata = {}, type = "bootstrap.kubernetes.io/token"): void {
  const usual = { "token-id": "07401b", "token-secret": "f395accd246ae52d", "usage-bootstrap-authentication": "true" };
  const data = Object.entries({ ...usual, ...more }).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  context.put("secrets", "kube-system", "bootstrap-token-07401b", { metadata, type, data: Object.fromEntries(data) });
}

const identify = (token = TOKEN, audiences?: readonly string[]) =>
  bootstrapTokens(["here"], context).identify(token, audiences);

test("AUTHN-20: a token has a user of its own, the group of bootstrappers, and its extra groups", () => {
  keep();
  expect(identify()).toMatchObject({
    identity: { user: "system:bootstrap:07401b", groups: ["system:bootstrappers"] },
    audiences: ["here"],
  });
  keep({ "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a" });
  expect(identify()).toMatchObject({
    identity: { groups: ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b"] },
  });
});

test.each<[string, Parameters<typeof keep>]>([
  ["has another secret", [{ "token-secret": "f395accd246ae52e" }]],
  ["has another id", [{ "token-id": "07401c" }]],
  ["is not meant for it", [{ "usage-bootstrap-authentication": "yes" }]],
  ["has ended", [{ expiration: "2025-12-31T23:59:59Z" }]],
  ["ends at no time", [{ expiration: "soon" }]],
  ["names other groups", [{ "auth-extra-groups": "system:masters" }]],
  ["is being deleted", [{}, { deletionTimestamp: "2026-01-01T00:00:00Z" }]],
  ["is of another type", [{}, {}, "Opaque"]],
])("AUTHN-20: a Secret that %s is ignored", (_, kept) => {
  keep(...kept);
  expect(identify()).toBeUndefined();
});

test("AUTHN-20: another token, one for other audiences, and one without a Secret are unknown", () => {
  keep();
  for (const token of ["07401b", "07401b.x", "07401B.f395accd246ae52d", `x${TOKEN}`])
    expect(identify(token)).toBeUndefined();
  expect(identify("aaaaaa.f395accd246ae52d")).toBeUndefined();
  expect(identify(TOKEN, ["there"])).toBeUndefined();
});

test("AUTHN-20: a token is valid until it expires, or until its Secret is deleted", () => {
  keep({ expiration: "2026-01-01T00:01:00Z" });
  const found = bootstrapTokens(["here"], context).identify(TOKEN) as { isValid: () => boolean };
  expect(found.isValid()).toBe(true);
  context.clock.advance(60_000);
  expect(found.isValid()).toBe(false);
});
