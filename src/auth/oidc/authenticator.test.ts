import { describe, expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { TokenRefused, type TokenOwner } from "../contract.ts";
import { OidcAuthenticator } from "./authenticator.ts";
import { configurationOf } from "./configuration.ts";
import type { Configuration, JwtSettings } from "./schema.ts";
import { ISSUER, TestProvider } from "./testing/provider.ts";

type Parts = Partial<Pick<JwtSettings, "claimMappings" | "claimValidationRules" | "userValidationRules">>;

/** Settings of one issuer: the user name is `sub` with the prefix `oidc:`; a test may change them. */
const settings = (more: Parts = {}): Configuration => ({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AuthenticationConfiguration",
  jwt: [
    {
      issuer: { url: ISSUER, audiences: ["us", "them"], audienceMatchPolicy: "MatchAny" },
      claimMappings: { username: { claim: "sub", prefix: "oidc:" } },
      ...more,
    },
  ],
});

/** An authenticator that has read the keys of a provider. */
async function opened(more?: Parts, alg?: string) {
  const clock = new ManualClock();
  const provider = await TestProvider.create(clock, alg);
  const errors: unknown[] = [];
  const authenticated: string[] = [];
  const oidc = new OidcAuthenticator(configurationOf(settings(more), []).issuers, {
    clock,
    fetch: provider.fetch,
    audiences: ["server"],
    onError: (error) => errors.push(error),
    onResult: (issuer, result) => authenticated.push(`${issuer} ${result}`),
  });
  await settled();
  return { clock, provider, oidc, errors, authenticated };
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => void setImmediate(resolve));
};

/** Why a token was refused; its user where it was accepted. */
async function why(owner: Promise<TokenOwner> | undefined): Promise<string> {
  try {
    return JSON.stringify((await owner)?.identity);
  } catch (error) {
    if (error instanceof TokenRefused) return error.message;
    throw error;
  }
}

describe("a token", () => {
  test("OIDC-6: of another issuer is unknown, a slash at the end counts", async () => {
    const { oidc, provider } = await opened();
    for (const iss of ["https://other.example", `${ISSUER}/`, undefined]) {
      expect(oidc.identify(await provider.token({ iss }))).toBeUndefined();
    }
    for (const text of ["", "a", "a.b.c", "x".repeat(100_000)]) expect(oidc.identify(text)).toBeUndefined();
  });

  test("OIDC-10, OIDC-11: has a user and the audiences of the server", async () => {
    const { oidc, provider, authenticated } = await opened();
    const token = await provider.token();
    expect(await oidc.identify(token)).toMatchObject({
      identity: { user: "oidc:jane", groups: ["system:authenticated"] },
      audiences: ["server"],
    });
    expect((await oidc.identify(token, ["x", "server"]))!.audiences).toEqual(["server"]);
    expect((await oidc.identify(token, ["x"]))!.audiences).toEqual([]);
    expect(authenticated).toEqual(Array(3).fill(`${ISSUER} success`));
  });

  test("OIDC-9: that is cached expires, too", async () => {
    const { oidc, provider, clock } = await opened();
    const { isValid } = (await oidc.identify(await provider.token({ exp: clock.now() / 1000 + 5 })))!;
    clock.advance(4999);
    expect(isValid!()).toBe(true);
    clock.advance(1);
    expect(isValid!()).toBe(false);
  });

  test.each(["RS256", "RS512", "ES256", "ES384", "PS256"])("OIDC-8: may be signed with %s", async (alg) => {
    const { oidc, provider } = await opened({}, alg);
    expect(await why(oidc.identify(await provider.token()))).toContain("oidc:jane");
  });

  test("OIDC-8: without a signature, with one of a shared secret, or with an unknown crit is refused", async () => {
    const { oidc, provider } = await opened();
    const [, payload] = (await provider.token()).split(".");
    const head = (alg: string): string => Buffer.from(JSON.stringify({ alg, kid: "first" })).toString("base64url");
    for (const alg of ["none", "HS256"]) {
      expect(await why(oidc.identify(`${head(alg)}.${payload}.AAAA`))).toContain("could not be verified");
    }
    const critical = Buffer.from(JSON.stringify({ alg: "ES256", crit: ["x"], x: 1 })).toString("base64url");
    expect(oidc.identify(`${critical}.${payload}.AAAA`)).toBeUndefined();
  });

  test.each([
    ["ends now", { exp: 0 }, "the token has expired"],
    ["never ends", { exp: undefined }, "expected the token to have an expiration time"],
    ["ends with a text", { exp: "x" }, "expected the token to have an expiration time"],
    ["begins in more than a minute", { nbf: 61 }, "the token is not valid yet"],
    ["begins within a minute", { nbf: 60 }, "oidc:jane"],
    ["was made tomorrow", { iat: 86_400 }, "oidc:jane"],
  ])("OIDC-9: that %s", async (_, claims: Record<string, unknown>, expected) => {
    const { oidc, provider, clock } = await opened();
    const at = Object.entries(claims).map(([name, value]) => [
      name,
      typeof value === "number" ? clock.now() / 1000 + value : value,
    ]);
    expect(await why(oidc.identify(await provider.token(Object.fromEntries(at))))).toContain(expected);
  });

  test.each([
    ["them", "oidc:jane"],
    [["other", "us"], "oidc:jane"],
    ["other", 'expected the token to be for one of ["us","them"]'],
    [undefined, "expected the token to be for one of"],
  ])("OIDC-10: for %j", async (aud, expected) => {
    const { oidc, provider } = await opened();
    expect(await why(oidc.identify(await provider.token({ aud })))).toContain(expected);
  });
});

describe("keys", () => {
  test("OIDC-7: are fetched at the start; before that all tokens are refused", async () => {
    const clock = new ManualClock();
    const provider = await TestProvider.create(clock);
    provider.isDown = true;
    const { issuers } = configurationOf(settings(), []);
    const errors: unknown[] = [];
    const parts = { clock, fetch: provider.fetch, audiences: [], onError: (error: unknown) => errors.push(error) };
    const oidc = new OidcAuthenticator(issuers, parts);
    await settled();
    expect(oidc.isReady).toBe(false);
    expect(await why(oidc.identify(await provider.token()))).toBe(
      "oidc: the keys of the issuer have not been read yet",
    );
    expect(errors).toHaveLength(1);
    provider.isDown = false;
    clock.advance(1000);
    await settled();
    expect(oidc.isReady).toBe(true);
    expect(await why(oidc.identify(await provider.token()))).toContain("oidc:jane");
  });

  test("OIDC-7: the discovery document must be that of the issuer, and have an https URL", async () => {
    for (const discovery of [
      { issuer: `${ISSUER}/`, jwks_uri: `${ISSUER}/keys` },
      { issuer: ISSUER, jwks_uri: "http://x" },
    ]) {
      const clock = new ManualClock();
      const provider = await TestProvider.create(clock);
      provider.discovery = discovery;
      const parts = { clock, fetch: provider.fetch, audiences: [], onError: () => undefined };
      const oidc = new OidcAuthenticator(configurationOf(settings(), []).issuers, parts);
      await settled();
      expect(oidc.isReady).toBe(false);
    }
  });

  test("OIDC-7: are fetched again for a signature that does not verify, and stay while the issuer is down", async () => {
    const { oidc, provider } = await opened();
    const before = await provider.token();
    await provider.rotate("second");
    expect(await why(oidc.identify(await provider.token()))).toContain("oidc:jane");
    provider.isDown = true;
    expect(await why(oidc.identify(before))).toContain("could not be verified");
    expect(await why(oidc.identify(await provider.token()))).toContain("oidc:jane");
  });

  test("OIDC-1: stay where only the rules of an issuer change, and are fetched where their URL changes", async () => {
    const { oidc, provider } = await opened();
    const [issuer] = configurationOf(settings(), []).issuers;
    oidc.configure([{ ...issuer!, audiences: ["other"] }]);
    expect(await why(oidc.identify(await provider.token()))).toContain('for one of ["other"]');
    oidc.configure([{ ...issuer!, ca: "other" }]);
    expect(oidc.isReady).toBe(false);
    await settled();
    expect(oidc.isReady).toBe(true);
    oidc.configure([]);
    expect(oidc.identify(await provider.token())).toBeUndefined();
  });

  test("OIDC-7: a token without a kid may be signed by any key", async () => {
    const { oidc, provider } = await opened();
    await provider.add("other");
    expect(await why(oidc.identify(await provider.token({}, { kid: "nosuch" })))).toContain("could not be verified");
    expect(await why(oidc.identify(await provider.token({}, { kid: null })))).toContain("oidc:jane");
  });

  test("a flood of tokens with unknown keys causes a few fetches, and more after a while", async () => {
    const { oidc, provider, clock } = await opened();
    const calls = (): number => provider.fetched.filter((url) => url.endsWith("/keys")).length;
    const token = await provider.token({}, { kid: "nosuch" });
    const flood = (): Promise<unknown> => Promise.all(Array.from({ length: 200 }, () => why(oidc.identify(token))));
    await flood();
    expect(calls()).toBe(2);
    for (let i = 0; i < 10; i++) await flood();
    expect(calls()).toBe(4);
    clock.advance(10_000);
    await flood();
    await flood();
    expect(calls()).toBe(5);
  });
});

describe("the user", () => {
  /** The result of the authentication of a token with these claims. */
  async function bearer(more: Parts, claims: Record<string, unknown>): Promise<unknown> {
    const { oidc, provider } = await opened(more);
    const result = await why(oidc.identify(await provider.token(claims)));
    return result.startsWith("{") ? JSON.parse(result) : result;
  }

  const mapped = (more: Partial<JwtSettings["claimMappings"]>): Parts => ({
    claimMappings: { username: { claim: "sub", prefix: "" }, ...more },
  });
  const everybody = "system:authenticated";

  test.each([
    [{ sub: undefined }, "oidc: claim sub not present in ID token"],
    [{ sub: 5 }, "oidc: expected claim sub to be a string"],
    [{ sub: "" }, { user: "oidc:", groups: [everybody] }],
  ])("OIDC-11: the user name from a claim, %j", async (claims, expected) => {
    expect(await bearer({}, claims)).toEqual(expected);
  });

  test.each([
    ['"u-" + claims.sub', { user: "u-jane", groups: [everybody] }],
    ['""', "oidc: expected the expression of username to return a non-empty string"],
    ["1", "oidc: expected the expression of username to return a string"],
    ["claims.nosuch", expect.stringContaining("oidc: the expression of username could not be evaluated")],
  ])("OIDC-11: the user name from the expression %s", async (expression, expected) => {
    expect(await bearer(mapped({ username: { expression } }), {})).toEqual(expected);
  });

  test.each([
    [true, { user: "a@b", groups: [everybody] }],
    [undefined, { user: "a@b", groups: [everybody] }],
    [false, "oidc: email not verified"],
    ["true", "oidc: email not verified"],
  ])("OIDC-4: the email address as user name, verified: %j", async (verified, expected) => {
    const claims = { email: "a@b", email_verified: verified };
    expect(await bearer(mapped({ username: { claim: "email", prefix: "" } }), claims)).toEqual(expected);
  });

  test.each([
    ["a", ["g:a", everybody]],
    [
      ["a", "b"],
      ["g:a", "g:b", everybody],
    ],
    [undefined, [everybody]],
    [null, [everybody]],
  ])("OIDC-12: groups from the claim %j", async (groups, expected) => {
    const more = mapped({ groups: { claim: "groups", prefix: "g:" } });
    expect(await bearer(more, { groups })).toEqual({ user: "jane", groups: expected });
  });

  test.each([[5], [["a", 5]], [{}]])("OIDC-12: groups are not %j", async (groups) => {
    const more = mapped({ groups: { claim: "groups", prefix: "" } });
    expect(await bearer(more, { groups })).toBe("oidc: expected claim groups to be a string or a list of strings");
  });

  test("OIDC-12: groups from an expression; empty ones are left out", async () => {
    const more = mapped({ groups: { expression: "dyn(claims.roles).map(r, 'r-' + r)" } });
    expect(await bearer(more, { roles: ["a", "b"] })).toEqual({ user: "jane", groups: ["r-a", "r-b", everybody] });
    expect(await bearer(mapped({ groups: { expression: "['', 'x']" } }), {})).toMatchObject({
      groups: ["x", everybody],
    });
    expect(await bearer(mapped({ groups: { expression: "1" } }), {})).toContain(
      "to return a string or a list of strings",
    );
  });

  test("OIDC-13: a UID and extra attributes", async () => {
    expect(await bearer(mapped({ uid: { claim: "oid" } }), { oid: "7" })).toMatchObject({ uid: "7" });
    expect(await bearer(mapped({ uid: { claim: "oid" } }), {})).toBe("oidc: claim oid not present in ID token");
    expect(await bearer(mapped({ uid: { expression: "claims.oid" } }), { oid: 7 })).toContain("to return a string");
    const extra = [
      { key: "example.com/a", valueExpression: "claims.a" },
      { key: "example.com/b", valueExpression: "claims.?b.orValue([])" },
    ];
    expect(await bearer(mapped({ extra }), { a: ["x", ""] })).toMatchObject({ extra: { "example.com/a": ["x"] } });
    expect(await bearer(mapped({ extra }), { a: "x", b: "y" })).toMatchObject({
      extra: { "example.com/a": ["x"], "example.com/b": ["y"] },
    });
    expect(await bearer(mapped({ extra }), {})).toContain("could not be evaluated");
  });

  test.each([
    [{ hd: "x" }, { user: "oidc:jane", groups: [everybody] }],
    [{}, "oidc: required claim hd not present in ID token"],
    [{ hd: 5 }, "oidc: required claim hd value does not match"],
    [{ hd: "y" }, "oidc: required claim hd value does not match"],
  ])("OIDC-14: a claim with a required value, %j", async (claims, expected) => {
    expect(await bearer({ claimValidationRules: [{ claim: "hd", requiredValue: "x" }] }, claims)).toEqual(expected);
  });

  test("OIDC-14, OIDC-15: claim rules and user rules have messages", async () => {
    const claimValidationRules = [{ expression: "claims.exp - claims.iat <= 3600.0", message: "too long" }];
    const iat = Date.UTC(2026, 0, 1) / 1000;
    expect(await bearer({ claimValidationRules }, { iat })).toMatchObject({ user: "oidc:jane" });
    expect(await bearer({ claimValidationRules }, { iat: iat - 1 })).toBe(
      "oidc: validation expression of claims is not true: too long",
    );
    expect(await bearer({ claimValidationRules }, {})).toContain("could not be evaluated");
    const userValidationRules = [{ expression: "!user.username.startsWith('system:')", message: "taken" }];
    const named = { ...mapped({}), userValidationRules };
    expect(await bearer(named, { sub: "system:x" })).toBe("oidc: validation expression of users is not true: taken");
    expect(await bearer(named, {})).toMatchObject({ user: "jane" });
  });

  test("OIDC-16: distributed claims are fetched, and must be signed by the issuer", async () => {
    const { oidc, provider } = await opened(mapped({ groups: { claim: "groups", prefix: "" } }));
    const endpoint = "https://claims.example/groups";
    const claims = { _claim_names: { groups: "s" }, _claim_sources: { s: { endpoint, access_token: "t" } } };
    const token = await provider.token(claims);
    expect(await why(oidc.identify(token))).toContain("distributed claim groups could not be fetched");
    provider.documents.set(endpoint, await provider.token({ groups: ["a"] }));
    expect(JSON.parse(await why(oidc.identify(token)))).toEqual({ user: "jane", groups: ["a", everybody] });
    provider.documents.set(endpoint, await provider.token({}));
    expect(await why(oidc.identify(token))).toContain("to contain it");
    const other = await TestProvider.create(new ManualClock());
    provider.documents.set(endpoint, await other.token({ groups: ["a"] }));
    expect(await why(oidc.identify(token))).toContain("could not be verified");
    const insecure = { ...claims, _claim_sources: { s: { endpoint: "http://claims.example" } } };
    expect(await why(oidc.identify(await provider.token(insecure)))).toContain("an https endpoint");
  });
});
