import { generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { type AccountTokenOptions, accountTokens } from "./account-identities.ts";
import { AccountTokenMetrics } from "./account-token-metrics.ts";
import { type TokenOwner, TokenRefused } from "./contract.ts";
import { type TokenClaims, tokenSigner } from "./service-account-tokens.ts";
import { type TestGround, groundOf } from "./testing/ground.ts";
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

let ground: TestGround;

beforeEach(() => {
  ground = groundOf();
  ground.put("serviceaccounts", "team", "builder");
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
  return (await tokenSigner(() => tokenKeys(pem, []), issuance, ground.api).sign({ ...CLAIMS, ...claims })).token;
};

const identify = async (token: string, { believed, audiences }: Case = {}): Promise<TokenOwner | undefined> =>
  accountTokens({ keys: () => keys, issuers: [ISSUER], audiences: [ISSUER], ...believed }, ground).identify(
    token,
    audiences,
  );

const shown = async (how: Case = {}): Promise<TokenOwner | undefined> => identify(await sign(how), how);

describe("tokens of service accounts", () => {
  test.each([
    ["ES256", ec],
    ["ES384", wide],
    ["RS256", rsa],
  ])("SUP-7, AUTHN-21, AUTHN-34: stand for their account, signed with %s", async (_algorithm, pem) => {
    expect(await shown({ pem })).toMatchObject({
      identity: {
        user: "system:serviceaccount:team:builder",
        uid: "uid-builder",
        groups: ["system:serviceaccounts", "system:serviceaccounts:team"],
      },
      audiences: [ISSUER],
    });
  });

  test("AUTHN-39, AUTHN-40: are for those of the audiences asked for that they name, in the order asked", async () => {
    expect((await shown({ audiences: ["x", "vault", ISSUER] }))?.audiences).toEqual(["vault", ISSUER]);
    await expect(shown({ audiences: ["x"] })).rejects.toThrow(TokenRefused);
    await expect(shown({ claims: { audiences: ["vault"] } })).rejects.toThrow(TokenRefused);
  });

  test("AUTHN-32: tell of the Pod and the node that they are bound to, but not of a Secret", async () => {
    ground.put("pods", "team", "p");
    ground.put("secrets", "team", "s");
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

  test("SUP-7: those of the neutral dialect have its names", async () => {
    ground = groundOf(neutral);
    ground.put("serviceaccounts", "team", "builder");
    expect(Object.keys((await shown())!.identity.extra!)).toEqual(["authentication.svc.io/credential-id"]);
  });

  test.each<[string, Case]>([
    ["of another key", { believed: { keys: () => tokenKeys(rsa, []) } }],
    ["of an account that is gone", { claims: { serviceAccount: { name: "gone", uid: "uid-gone" } } }],
    ["of an account that was there before", { claims: { serviceAccount: { name: "builder", uid: "old" } } }],
    ["of another namespace", { claims: { namespace: "other" } }],
    ["of a Pod that is gone", { claims: { pod: { name: "p", uid: "uid-p" } } }],
    ["of a Secret that is gone", { claims: { secret: { name: "s", uid: "uid-s" } } }],
    ["of a node that is gone", { claims: { node: { name: "n", uid: "uid-n" } } }],
  ])("SUP-7, AUTHN-30, AUTHN-31: one %s is refused", async (_what, how) => {
    await expect(shown(how)).rejects.toThrow(TokenRefused);
  });

  test("AUTHN-30: one of another issuer is nobody's, and so is what is no token", async () => {
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

  test("AUTHN-30: another text that a decoder might take for the same token is none", async () => {
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
    ground.clock.advance(659_000);
    expect(await identify(token)).toBeDefined();
    ground.clock.advance(3_000);
    await expect(identify(token)).rejects.toThrow("the token has expired");
    const early = await sign();
    ground.clock.advance(-59_000);
    expect(await identify(early)).toBeDefined();
    ground.clock.advance(-3_000);
    await expect(identify(early)).rejects.toThrow("the token is not valid yet");
  });

  test("AUTHN-31: what was remembered holds until the account or the object goes, or the token ends", async () => {
    ground.put("pods", "team", "p");
    const found = await shown({ claims: { pod: { name: "p", uid: "uid-p" } } });
    expect(found?.holds?.()).toBe(true);
    ground.put("pods", "team", "p", { metadata: { uid: "another" } });
    expect(found?.holds?.()).toBe(false);
    ground.put("pods", "team", "p");
    ground.clock.advance(661_000);
    expect(found?.holds?.()).toBe(false);
  });

  test("AUTHN-31: an object that is being deleted counts for another minute", async () => {
    const deletionTimestamp = new Date(ground.clock.now()).toISOString();
    ground.put("serviceaccounts", "team", "builder", { metadata: { deletionTimestamp } });
    const found = await shown();
    ground.clock.advance(59_000);
    expect(found?.holds?.()).toBe(true);
    ground.clock.advance(2_000);
    expect(found?.holds?.()).toBe(false);
  });

  test("AUTHN-29: use after the time that the bearer knows of is noted and counted", async () => {
    const metrics = new AccountTokenMetrics();
    const token = await sign({ claims: { seconds: 3600, warnAfterSeconds: 60 } });
    const believed = { metrics };
    ground.clock.advance(60_000);
    expect((await identify(token, { believed }))?.identity.notes).toBeUndefined();
    ground.clock.advance(7_000);
    expect((await identify(token, { believed }))?.identity.notes).toEqual({
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
    return tokenSigner(() => keys, issuance, ground.api).signForSecret(
      "team",
      { name: "builder", uid: "uid-builder" },
      secret,
    );
  };
  const keep = (token: string, metadata = {}): void =>
    ground.put("secrets", "team", "s", { metadata, data: { token: Buffer.from(token).toString("base64") } });

  test("AUTHN-33: have no end, and stand for their account while their Secret holds them", async () => {
    const token = await signFor();
    await expect(identify(token)).rejects.toThrow("the Secret of the token is not there");
    keep(token);
    ground.clock.advance(100 * 365 * 86_400_000);
    const found = await identify(token);
    expect(found).toMatchObject({ identity: { user: "system:serviceaccount:team:builder" }, audiences: [ISSUER] });
    expect(found?.identity.extra).toBeUndefined();
    await expect(identify(token, { audiences: ["x"] })).rejects.toThrow(TokenRefused);
    ground.objects.delete("secrets/team/s");
    expect(found?.holds?.()).toBe(false);
  });

  test("AUTHN-33: end with another token in the Secret, a mark on it, its deletion, or that of the account", async () => {
    const token = await signFor();
    keep(`${token}x`);
    await expect(identify(token)).rejects.toThrow("holds another one");
    keep(token, { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } });
    await expect(identify(token)).rejects.toThrow("marked as invalid");
    keep(token, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    await expect(identify(token)).rejects.toThrow("is not there");
    keep(token);
    ground.put("serviceaccounts", "team", "builder", { metadata: { uid: "other" } });
    await expect(identify(token)).rejects.toThrow("another uid");
  });

  test("AUTHN-30: a token without an end is none of an issuer of this server", async () => {
    const claims = { iss: ISSUER, aud: ISSUER, [kubernetes.labelDomain]: { namespace: "team" } };
    const key = (await import("node:crypto")).createPrivateKey(ec);
    const token = await new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(key);
    await expect(identify(token)).rejects.toThrow("expected the token to have an end");
  });
});
