import { generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { type AccountTokenOptions, accountTokens } from "./account-authenticator.ts";
import { AccountTokenMetrics } from "./account-token-metrics.ts";
import { type TokenOwner, TokenRefused } from "./contract.ts";
import { type TokenClaims, tokenSigner } from "./service-account-tokens.ts";
import { type TestAuthContext, authContextOf } from "./testing/auth-context.ts";
import { tokenKeyOf, tokenKeys } from "./token-keys.ts";

const ISSUER = "https://keelson.example";
const pemOf = ({ privateKey }: { privateKey: { export(form: object): unknown } }): string =>
  String(privateKey.export({ type: "pkcs8", format: "pem" }));
const ec = pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }));
const wide = pemOf(generateKeyPairSync("ec", { namedCurve: "P-384" }));
const rsa = pemOf(generateKeyPairSync("rsa", { modulusLength: 2048 }));
const keys = tokenKeys(ec, [wide, rsa].map(tokenKeyOf));

const CLAIMS: TokenClaims = {
  namespace: "team",
  serviceAccount: { name: "builder", uid: "uid-builder" },
  audiences: [ISSUER, "vault"],
  seconds: 600,
};

let context: TestAuthContext;

beforeEach(() => {
  context = authContextOf();
  context.put("serviceaccounts", "team", "builder");
});

interface Case {
  readonly pem?: string;
  readonly issuer?: string;
  readonly claims?: Partial<TokenClaims>;
  readonly believed?: Partial<AccountTokenOptions>;
  readonly audiences?: readonly string[];
}

const sign = async ({ pem = ec, issuer = ISSUER, claims }: Case = {}): Promise<string> => {
  const issuance = { issuer, audiences: [ISSUER], extendsExpiration: true };
  return (await tokenSigner(() => tokenKeys(pem, []), issuance, context.api).sign({ ...CLAIMS, ...claims })).token;
};

const identify = async (token: string, { believed, audiences }: Case = {}): Promise<TokenOwner | undefined> =>
  accountTokens({ keys: () => keys, issuers: [ISSUER], audiences: [ISSUER], ...believed }, context).identify(
    token,
    audiences,
  );

const shown = async (how: Case = {}): Promise<TokenOwner | undefined> => identify(await sign(how), how);

describe("tokens of service accounts", () => {
  test.each([
    ["ES256", ec],
    ["ES384", wide],
    ["RS256", rsa],
  ])("SUP-7, AUTHN-21, AUTHN-34: authenticate their account, signed with %s", async (_algorithm, pem) => {
    expect(await shown({ pem })).toMatchObject({
      identity: {
        user: "system:serviceaccount:team:builder",
        uid: "uid-builder",
        groups: ["system:serviceaccounts", "system:serviceaccounts:team"],
      },
      audiences: [ISSUER],
    });
  });

  test("AUTHN-39, AUTHN-40: are for the requested audiences that they name, in the order of the request", async () => {
    expect((await shown({ audiences: ["x", "vault", ISSUER] }))?.audiences).toEqual(["vault", ISSUER]);
    await expect(shown({ audiences: ["x"] })).rejects.toThrow(TokenRefused);
    await expect(shown({ claims: { audiences: ["vault"] } })).rejects.toThrow(TokenRefused);
  });

  test("AUTHN-32: have the Pod and the node that they are bound to as extra attributes, but not a Secret", async () => {
    context.put("pods", "team", "p");
    context.put("secrets", "team", "s");
    const pod = { name: "p", uid: "uid-p" };
    const node = { name: "n", uid: "gone" };
    expect((await shown({ claims: { pod, node } }))?.identity.extra).toEqual({
      "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=[-0-9a-f]{36}$/)],
      "authentication.kubernetes.io/pod-name": ["p"],
      "authentication.kubernetes.io/pod-uid": ["uid-p"],
      "authentication.kubernetes.io/node-name": ["n"],
      "authentication.kubernetes.io/node-uid": ["gone"],
    });
    const secret = { name: "s", uid: "uid-s" };
    const id = "authentication.kubernetes.io/credential-id";
    expect(Object.keys((await shown({ claims: { secret } }))!.identity.extra!)).toEqual([id]);
  });

  test("SUP-7: use the names of the neutral dialect there", async () => {
    context = authContextOf(neutral);
    context.put("serviceaccounts", "team", "builder");
    expect(Object.keys((await shown())!.identity.extra!)).toEqual(["authentication.svc.io/credential-id"]);
  });

  test.each<[string, Case]>([
    ["of another key", { believed: { keys: () => tokenKeys(rsa, []) } }],
    ["of a deleted account", { claims: { serviceAccount: { name: "gone", uid: "uid-gone" } } }],
    ["of an earlier account of the name", { claims: { serviceAccount: { name: "builder", uid: "old" } } }],
    ["of another namespace", { claims: { namespace: "other" } }],
    ["of a deleted Pod", { claims: { pod: { name: "p", uid: "uid-p" } } }],
    ["of a deleted Secret", { claims: { secret: { name: "s", uid: "uid-s" } } }],
    ["of a deleted node", { claims: { node: { name: "n", uid: "uid-n" } } }],
  ])("SUP-7, AUTHN-30, AUTHN-31: one %s is refused", async (_what, how) => {
    await expect(shown(how)).rejects.toThrow(TokenRefused);
  });

  test("AUTHN-30: one of another issuer is unknown, and so is an invalid token", async () => {
    expect(await shown({ issuer: "https://elsewhere" })).toBeUndefined();
    for (const word of ["word", "a.b.c", "a.b", "..", "e30.e30.e30", `a.${"x".repeat(100_000)}.b`]) {
      expect(await identify(word)).toBeUndefined();
    }
  });

  test("AUTHN-30: other signatures and headers are refused", async () => {
    const [head = "", payload = "", signature = ""] = (await sign()).split(".");
    const header = (more: object): string => Buffer.from(JSON.stringify(more)).toString("base64url");
    const forged = await new SignJWT({ iss: ISSUER }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.alloc(32, 1));
    for (const token of [
      `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header({ alg: "none" })}.${payload}.AAAA`,
      `${header({ alg: "RS256" })}.${payload}.${signature}`,
      forged,
    ]) {
      await expect(identify(token)).rejects.toThrow(TokenRefused);
    }
  });

  test("AUTHN-30: another text that a lenient decoder accepts as the same token is refused", async () => {
    const token = await sign();
    const [head = "", payload = "", signature = ""] = token.split(".");
    for (const other of [
      `${token}=`,
      `${token}==`,
      `${token} `,
      `${token}\n`,
      `${token}.`,
      `${head}.${payload}=.${signature}`,
      `${head}=.${payload}.${signature}`,
      `${head}.${payload}.`,
      `x.${payload}.${signature}`,
    ]) {
      expect(await identify(other)).toBeUndefined();
    }
    const twice = Buffer.from(payload, "base64url")
      .toString()
      .replace("{", `{"iss":${JSON.stringify(ISSUER)},`);
    expect(await identify(`${head}.${Buffer.from(twice).toString("base64url")}.${signature}`)).toBeUndefined();
  });

  test("AUTHN-30: times have a minute of leeway", async () => {
    const token = await sign();
    context.clock.advance(659_000);
    expect(await identify(token)).toBeDefined();
    context.clock.advance(3_000);
    await expect(identify(token)).rejects.toThrow("service account token has expired");
    const early = await sign();
    context.clock.advance(-59_000);
    expect(await identify(early)).toBeDefined();
    context.clock.advance(-3_000);
    await expect(identify(early)).rejects.toThrow("service account token is not valid yet");
  });

  test("AUTHN-31: a cached owner is valid until the account or the object is deleted, or the token expires", async () => {
    context.put("pods", "team", "p");
    const found = await shown({ claims: { pod: { name: "p", uid: "uid-p" } } });
    expect(found?.isValid?.()).toBe(true);
    context.put("pods", "team", "p", { metadata: { uid: "another" } });
    expect(found?.isValid?.()).toBe(false);
    context.put("pods", "team", "p");
    context.clock.advance(661_000);
    expect(found?.isValid?.()).toBe(false);
  });

  test("AUTHN-31: an object that is being deleted counts for another minute", async () => {
    const deletionTimestamp = new Date(context.clock.now()).toISOString();
    context.put("serviceaccounts", "team", "builder", { metadata: { deletionTimestamp } });
    const found = await shown();
    context.clock.advance(59_000);
    expect(found?.isValid?.()).toBe(true);
    context.clock.advance(2_000);
    expect(found?.isValid?.()).toBe(false);
  });

  test("AUTHN-29: use after the requested lifetime is annotated and counted", async () => {
    const metrics = new AccountTokenMetrics();
    const token = await sign({ claims: { seconds: 3600, warnAfterSeconds: 60 } });
    const believed = { metrics };
    context.clock.advance(60_000);
    expect((await identify(token, { believed }))?.identity.auditAnnotations).toBeUndefined();
    context.clock.advance(7_000);
    expect((await identify(token, { believed }))?.identity.auditAnnotations).toEqual({
      "authentication.k8s.io/stale-token":
        "subject: system:serviceaccount:team:builder, seconds after warning threshold: 7",
    });
    const counts = (await metrics.collector()).map(({ name, samples }) => [name, samples[0]?.value]);
    expect(Object.fromEntries(counts)).toEqual({
      serviceaccount_valid_tokens_total: 1,
      serviceaccount_stale_tokens_total: 1,
      serviceaccount_legacy_tokens_total: 0,
    });
  });
});

describe("tokens of Secrets", () => {
  const signFor = (secret = "s"): Promise<string> => {
    const issuance = { issuer: ISSUER, audiences: [ISSUER], extendsExpiration: true };
    return tokenSigner(() => keys, issuance, context.api).signForSecret(
      "team",
      { name: "builder", uid: "uid-builder" },
      secret,
    );
  };
  const keep = (token: string, metadata = {}): void =>
    context.put("secrets", "team", "s", { metadata, data: { token: Buffer.from(token).toString("base64") } });

  test("AUTHN-33: do not expire, and authenticate their account while their Secret contains them", async () => {
    const token = await signFor();
    await expect(identify(token)).rejects.toThrow("Token has been invalidated");
    keep(token);
    context.clock.advance(100 * 365 * 86_400_000);
    const found = await identify(token);
    expect(found).toMatchObject({ identity: { user: "system:serviceaccount:team:builder" }, audiences: [ISSUER] });
    expect(found?.identity.extra).toBeUndefined();
    await expect(identify(token, { audiences: ["x"] })).rejects.toThrow(TokenRefused);
    context.objects.delete("secrets/team/s");
    expect(found?.isValid?.()).toBe(false);
  });

  test("AUTHN-33: end with another token in the Secret, an invalid-since label, its deletion, or that of the account", async () => {
    const token = await signFor();
    keep(`${token}x`);
    await expect(identify(token)).rejects.toThrow("Token does not match server's copy");
    keep(token, { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } });
    await expect(identify(token)).rejects.toThrow("has been marked invalid");
    keep(token, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    await expect(identify(token)).rejects.toThrow("Token has been invalidated");
    keep(token);
    context.put("serviceaccounts", "team", "builder", { metadata: { uid: "other" } });
    await expect(identify(token)).rejects.toThrow("ServiceAccount UID (other) does not match claim (uid-builder)");
  });

  test("AUTHN-30: a token of this server without an expiration time is refused", async () => {
    const claims = { iss: ISSUER, aud: ISSUER, [kubernetes.labelDomain]: { namespace: "team" } };
    const key = (await import("node:crypto")).createPrivateKey(ec);
    const token = await new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(key);
    await expect(identify(token)).rejects.toThrow("expected the token to have an expiration time");
  });
});
