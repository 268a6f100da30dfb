import { describe, expect, test } from "vitest";
import { kubernetes } from "../meta/dialect.ts";
import { adminToken } from "./admin.ts";
import { certificateUsers } from "./certificates.ts";
import { type ChainParts, authenticatorChain } from "./chain.ts";
import { ANONYMOUS, type Authenticator, type TokenAuthenticator, TokenRefused, TokenUnjudged } from "./contract.ts";
import { NOW, type Shown, certificateOf, credentialsOf, groundOf } from "./testing/ground.ts";

const bearer = (token: string): Shown => ({ headers: { authorization: `Bearer ${token}` } });
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
  const { clock, api } = groundOf();
  return authenticatorChain({
    clock,
    random: api.random,
    certificate: certificateUsers({ dialect: kubernetes, now: () => NOW }),
    tokens: [knows("first", "pat"), adminToken("secret", ["here"])],
    anonymous: () => true,
    ...more,
  });
}

const whoIs = async (shown: Shown, more: Partial<ChainParts> = {}) =>
  (await chain(more).authenticate(credentialsOf(shown)))?.user;

describe("who sends a request", () => {
  test("AUTHN-3: a proxy's word counts before a certificate, that before a token", async () => {
    const shown = { ...bearer("pat"), certificate: certificateOf() };
    expect(await whoIs(shown, { proxy: () => ({ user: "through", groups: [] }) })).toBe("through");
    expect(await whoIs(shown)).toBe("kim");
    expect(await whoIs(bearer("pat"))).toBe("pat");
    expect(await whoIs(bearer("secret"))).toBe("keelson:admin");
  });

  test("AUTHN-3, AUTHN-17: what is refused does not keep the next from being looked at", async () => {
    const stranger = certificateOf({ signedBy: [] });
    expect(await whoIs({ ...bearer("pat"), certificate: stranger })).toBe("pat");
    expect(await whoIs(bearer("pat"), { tokens: [refuses("a", "no"), knows("b", "pat")] })).toBe("pat");
    await expect(whoIs({ certificate: stranger })).rejects.toThrow(UNAUTHORIZED);
  });

  test("AUTHN-3: who shows a token that nobody has the time to judge is told to come again, not that it is bad", async () => {
    const crowded: TokenAuthenticator = {
      name: "crowded",
      identify: () => Promise.reject(new TokenUnjudged("too many tokens wait")),
    };
    const tokens = [crowded, knows("last", "pat")];
    const BUSY = { status: { code: 429, details: { retryAfterSeconds: 1 } } };
    expect(await whoIs(bearer("pat"), { tokens })).toBe("pat");
    await expect(whoIs(bearer("other"), { tokens })).rejects.toMatchObject(BUSY);
    await expect(chain({ tokens }).review!("other")).rejects.toMatchObject(BUSY);
  });

  test.each(["nobody's", "secret2", "Secret"])(
    "AUTHN-4, AUTHN-5: the token %j is refused without a word",
    async (token) => {
      await expect(whoIs(bearer(token))).rejects.toThrow(UNAUTHORIZED);
      await expect(whoIs(bearer(token), { tokens: [refuses("a", "it has ended")] })).rejects.toThrow(UNAUTHORIZED);
    },
  );

  test("AUTHN-3: a kind of tokens that fails is told of, and the others are asked", async () => {
    const told: unknown[] = [];
    const broken: TokenAuthenticator = {
      name: "broken",
      identify: () => {
        throw new Error("no connection");
      },
    };
    const onError = (kind: string, error: unknown): void => void told.push(kind, String(error));
    expect(await whoIs(bearer("pat"), { tokens: [broken, knows("b", "pat")], onError })).toBe("pat");
    expect(told).toEqual(["broken", "Error: no connection"]);
    await expect(whoIs(bearer("x"), { tokens: [broken], onError })).rejects.toThrow(UNAUTHORIZED);
  });

  test("AUTHN-11: who shows nothing is nobody in particular", async () => {
    expect(await chain().authenticate(credentialsOf())).toBe(ANONYMOUS);
    expect(await chain().authenticate(credentialsOf({ headers: { authorization: "Basic x" } }))).toBe(ANONYMOUS);
  });

  test("AUTHN-14: where anonymous requests are switched off, or not for this path, there is nobody", async () => {
    expect(await whoIs({}, { anonymous: () => false })).toBeUndefined();
    const anonymous = (path: string): boolean => path === "/livez";
    expect(await whoIs({ path: "/livez" }, { anonymous })).toBe("system:anonymous");
    expect(await whoIs({ path: "/healthz" }, { anonymous })).toBeUndefined();
  });

  test("AUTHN-9: everybody who is known is of system:authenticated, once", async () => {
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
  test("AUTHN-39: tell whose a token is, or why it is refused", async () => {
    const reviewing = chain({ tokens: [refuses("a", "it has ended"), knows("b", "pat")] });
    expect(await reviewing.review!("pat")).toMatchObject({
      identity: { user: "pat", groups: ["system:authenticated"] },
    });
    await expect(reviewing.review!("other")).rejects.toThrow(new TokenRefused("it has ended"));
    expect(await chain().review!("other")).toBeUndefined();
  });

  test("AUTHN-39: the admin's token is for this server and no other", async () => {
    const reviewing = chain();
    expect(await reviewing.review!("secret", ["there", "here"])).toMatchObject({ audiences: ["here"] });
    expect(await reviewing.review!("secret", ["there"])).toBeUndefined();
  });
});
