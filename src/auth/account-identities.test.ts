import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type AccountTokenOptions, accountTokens } from "./account-identities.ts";
import { type TokenClaims, tokenSigner } from "./service-account-tokens.ts";

const ISSUER = "https://keelson.example";
const NOW = Date.UTC(2026, 0, 1);
const pemOf = ({ privateKey }: ReturnType<typeof generateKeyPairSync>): string =>
  (privateKey as unknown as { export(form: object): string }).export({ type: "pkcs8", format: "pem" });
const ec = pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }));
const wide = pemOf(generateKeyPairSync("ec", { namedCurve: "P-384" }));
const rsa = pemOf(generateKeyPairSync("rsa", { modulusLength: 2048 }));

const CLAIMS: TokenClaims = {
  namespace: "team",
  serviceAccount: { name: "builder", uid: "u-1" },
  audiences: [ISSUER],
  seconds: 600,
};

interface Case {
  readonly pem?: string;
  readonly issuer?: string;
  readonly claims?: Partial<TokenClaims>;
  readonly dialect?: typeof kubernetes;
  /** How much later it is shown. */
  readonly later?: number;
  readonly believed?: Partial<AccountTokenOptions>;
}

/** Signs a token and shows it. */
async function shown({ pem = ec, issuer = ISSUER, claims, dialect = kubernetes, later = 0, believed }: Case = {}) {
  const clock = new ManualClock(NOW);
  const api = { dialect, clock, random: seededRandom(1) };
  const { token } = await tokenSigner(pem, issuer, api).sign({ ...CLAIMS, ...claims });
  const options: AccountTokenOptions = {
    keys: [ec, wide, rsa].map(createPublicKey),
    issuers: [ISSUER],
    audiences: [ISSUER],
    uidOf: async (namespace, name) => (`${namespace}/${name}` === "team/builder" ? "u-1" : undefined),
    ...believed,
  };
  clock.advance(later);
  return accountTokens(options, api).identify(token);
}

const UNAUTHORIZED = expect.objectContaining({ code: 401 }) as Error;

describe("tokens of service accounts that are shown", () => {
  test.each([
    ["ES256", ec],
    ["ES384", wide],
    ["RS256", rsa],
  ])("SUP-7: stand for their account, signed with %s", async (_algorithm, pem) => {
    expect(await shown({ pem })).toMatchObject({
      user: "system:serviceaccount:team:builder",
      uid: "u-1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:team", "system:authenticated"],
    });
  });

  test("SUP-7: say what they were made for", async () => {
    const bound = { kind: "pod", name: "p", uid: "u-2" };
    expect((await shown({ claims: { bound } })).extra).toEqual({
      "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=[-0-9a-f]{36}$/)],
      "authentication.kubernetes.io/pod-name": ["p"],
      "authentication.kubernetes.io/pod-uid": ["u-2"],
    });
    expect(Object.keys((await shown({ dialect: neutral })).extra!)).toEqual(["authentication.svc.io/credential-id"]);
  });

  test.each<[string, Case]>([
    ["of another key", { believed: { keys: [createPublicKey(rsa)] } }],
    ["of another issuer", { issuer: "https://elsewhere", claims: { audiences: [ISSUER] } }],
    ["for others", { claims: { audiences: ["vault"] } }],
    ["that has ended", { later: 601_000 }],
    ["of an account that is gone", { claims: { serviceAccount: { name: "gone", uid: "u-1" } } }],
    ["of an account that was there before", { claims: { serviceAccount: { name: "builder", uid: "u-0" } } }],
  ])("SUP-7: one %s is refused", async (_what, how) => {
    await expect(shown(how)).rejects.toThrow(UNAUTHORIZED);
  });

  test("SUP-7: what is no token is refused", async () => {
    const api = { dialect: kubernetes, clock: new ManualClock(NOW), random: seededRandom(1) };
    const options = { keys: [createPublicKey(ec)], issuers: [ISSUER], audiences: [ISSUER], uidOf: async () => "u-1" };
    await expect(accountTokens(options, api).identify("word")).rejects.toThrow(UNAUTHORIZED);
  });
});
