import { describe, expect, test } from "vitest";
import { kubernetes } from "../meta/dialect.ts";
import { adminToken } from "./admin.ts";
import { certificateUsers } from "./certificates.ts";
import { type ChainParts, authenticatorChain } from "./chain.ts";
import { ANONYMOUS, type Authenticator, type TokenAuthenticator, TokenRefused, AuthenticatorBusy } from "./contract.ts";
import { NOW, type TestCredentials, certificateOf, credentialsOf, authContextOf } from "./testing/auth-context.ts";

const bearer = (token: string): TestCredentials => ({ headers: { authorization: `Bearer ${token}` } });
const STATUS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
const UNAUTHORIZED = expect.objectContaining({
  status: { ...STATUS, message: "Unauthorized", reason: "Unauthorized", code: 401 },
}) as Error;

const refuses = (name: string, why: string): TokenAuthenticator => ({
  name,
  identify: async () => {
    throw new TokenRefused(why);
  },
});
const knows = (name: string, user: string): TokenAuthenticator => ({
  name,
  identify: (token) => (token === user ? { identity: { user, groups: [] }, audiences: [] } : undefined),
});

function chain(more: Partial<ChainParts> = {}): Authenticator {
  const { clock, api } = authContextOf();
  return authenticatorChain({
    clock,
    random: api.random,
    certificate: certificateUsers({ dialect: kubernetes, now: () => NOW }),
    tokens: [knows("first", "pat"), adminToken("secret", ["here"])],
    anonymous: () => true,
    ...more,
  });
}

const whoIs = async (credentials: TestCredentials, more: Partial<ChainParts> = {}) =>
  (await chain(more).authenticate(credentialsOf(credentials)))?.user;

describe("the user of a request", () => {
  test("AUTHN-3: a front proxy comes before a certificate, and a certificate before a token", async () => {
    const credentials = { ...bearer("pat"), certificate: certificateOf() };
    expect(await whoIs(credentials, { proxy: () => ({ user: "through", groups: [] }) })).toBe("through");
    expect(await whoIs(credentials)).toBe("kim");
    expect(await whoIs(bearer("pat"))).toBe("pat");
    expect(await whoIs(bearer("secret"))).toBe("keelson:admin");
  });

  test("AUTHN-3, AUTHN-17: after a refused credential the next one is tried", async () => {
    const unknown = certificateOf({ signedBy: [] });
    expect(await whoIs({ ...bearer("pat"), certificate: unknown })).toBe("pat");
    expect(await whoIs(bearer("pat"), { tokens: [refuses("a", "no"), knows("b", "pat")] })).toBe("pat");
    await expect(whoIs({ certificate: unknown })).rejects.toThrow(UNAUTHORIZED);
  });

  test("AUTHN-3: where an authenticator is busy, the client gets 429, not 401", async () => {
    const busy: TokenAuthenticator = {
      name: "busy",
      identify: () => Promise.reject(new AuthenticatorBusy("too many tokens wait")),
    };
    const tokens = [busy, knows("last", "pat")];
    const BUSY = { status: { code: 429, details: { retryAfterSeconds: 1 } } };
    expect(await whoIs(bearer("pat"), { tokens })).toBe("pat");
    await expect(whoIs(bearer("other"), { tokens })).rejects.toMatchObject(BUSY);
    await expect(chain({ tokens }).review!("other")).rejects.toMatchObject(BUSY);
  });

  test.each(["unknown", "secret2", "Secret"])(
    "AUTHN-4, AUTHN-5: the token %j is refused without a reason",
    async (token) => {
      await expect(whoIs(bearer(token))).rejects.toThrow(UNAUTHORIZED);
      await expect(whoIs(bearer(token), { tokens: [refuses("a", "it has ended")] })).rejects.toThrow(UNAUTHORIZED);
    },
  );

  test("AUTHN-3: the error of an authenticator is reported, and the others are called", async () => {
    const reported: unknown[] = [];
    const broken: TokenAuthenticator = {
      name: "broken",
      identify: () => {
        throw new Error("no connection");
      },
    };
    const onError = (kind: string, error: unknown): void => void reported.push(kind, String(error));
    expect(await whoIs(bearer("pat"), { tokens: [broken, knows("b", "pat")], onError })).toBe("pat");
    expect(reported).toEqual(["broken", "Error: no connection"]);
    await expect(whoIs(bearer("x"), { tokens: [broken], onError })).rejects.toThrow(UNAUTHORIZED);
  });

  test("AUTHN-11: a request without a credential is anonymous", async () => {
    expect(await chain().authenticate(credentialsOf())).toBe(ANONYMOUS);
    expect(await chain().authenticate(credentialsOf({ headers: { authorization: "Basic x" } }))).toBe(ANONYMOUS);
  });

  test("AUTHN-14: where anonymous requests are not allowed, or not on this path, there is no user", async () => {
    expect(await whoIs({}, { anonymous: () => false })).toBeUndefined();
    const anonymous = (path: string): boolean => path === "/livez";
    expect(await whoIs({ path: "/livez" }, { anonymous })).toBe("system:anonymous");
    expect(await whoIs({ path: "/healthz" }, { anonymous })).toBeUndefined();
  });

  test("AUTHN-9: authenticated users have the group system:authenticated, once", async () => {
    const of = async (groups: string[]) => {
      const tokens = [{ name: "a", identify: () => ({ identity: { user: "u", groups }, audiences: [] }) }];
      return (await chain({ tokens }).authenticate(credentialsOf(bearer("t"))))?.groups;
    };
    expect(await of(["a"])).toEqual(["a", "system:authenticated"]);
    expect(await of(["system:authenticated", "a"])).toEqual(["system:authenticated", "a"]);
    expect(await of(["system:unauthenticated"])).toEqual(["system:unauthenticated"]);
  });
});

describe("reviews of tokens", () => {
  test("AUTHN-39: return the owner of a token, or the reason why it is refused", async () => {
    const reviewing = chain({ tokens: [refuses("a", "it has ended"), knows("b", "pat")] });
    expect(await reviewing.review!("pat")).toMatchObject({
      identity: { user: "pat", groups: ["system:authenticated"] },
    });
    await expect(reviewing.review!("other")).rejects.toThrow(new TokenRefused("it has ended"));
    expect(await chain().review!("other")).toBeUndefined();
  });

  test("AUTHN-39: the token of the admin is for this server and no other", async () => {
    const reviewing = chain();
    expect(await reviewing.review!("secret", ["there", "here"])).toMatchObject({ audiences: ["here"] });
    expect(await reviewing.review!("secret", ["there"])).toBeUndefined();
  });
});
