import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { decodeProtectedHeader, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { tokenSigner } from "./service-account-tokens.ts";
import { tokenKeys } from "./token-keys.ts";

const ISSUER = "https://keelson.example";
const NOW = Date.UTC(2026, 0, 1) + 999;
const newPem = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const pem = newPem();

const CLAIMS = {
  namespace: "team",
  serviceAccount: { name: "builder", uid: "u-1" },
  audiences: ["vault", "registry"],
  seconds: 600,
};
const ISSUANCE = { issuer: ISSUER, audiences: [ISSUER], extendsExpiration: true };

const signerOf = (dialect: typeof neutral, keys = () => tokenKeys(pem, [])) =>
  tokenSigner(keys, ISSUANCE, { dialect, clock: new ManualClock(NOW), random: seededRandom(1) });

/** The claims of a token, once its signature, times and audience are verified. */
const read = async (token: string, audience: string, currentDate = new Date(NOW)) =>
  jwtVerify(token, createPublicKey(pem), { issuer: ISSUER, audience, currentDate });

test.each([neutral, kubernetes])(
  "SUP-7, AUTHN-26: tokens name account, namespace and audiences, and end in time ($name)",
  async (dialect) => {
    const { token, id } = await signerOf(dialect).sign(CLAIMS);
    const seconds = Math.floor(NOW / 1000);
    for (const audience of CLAIMS.audiences) {
      const { payload, protectedHeader } = await read(token, audience);
      expect(protectedHeader).toEqual({ alg: "ES256", kid: tokenKeys(pem, []).accepted[0]!.kid });
      expect(payload).toEqual({
        iss: ISSUER,
        sub: "system:serviceaccount:team:builder",
        aud: CLAIMS.audiences,
        iat: seconds,
        nbf: seconds,
        exp: seconds + 600,
        jti: id,
        [dialect.labelDomain]: { namespace: "team", serviceaccount: { name: "builder", uid: "u-1" } },
      });
    }
    await expect(read(token, "somebody else")).rejects.toThrow(/aud/);
    await expect(read(token, "vault", new Date(NOW + 601_000))).rejects.toThrow(/exp/);
  },
);

test("AUTHN-26, AUTHN-29: a token names its bound objects, and the time after which its use is stale", async () => {
  const pod = { name: "p", uid: "u-2" };
  const node = { name: "n" };
  const { token } = await signerOf(kubernetes).sign({ ...CLAIMS, pod, node, warnAfterSeconds: 60 });
  const { payload } = await read(token, "vault");
  expect(payload["kubernetes.io"]).toMatchObject({ pod, node, warnafter: Math.floor(NOW / 1000) + 60 });
});

test("SUP-7: no two tokens are the same", async () => {
  const signer = signerOf(neutral);
  const [one, two] = await Promise.all([signer.sign(CLAIMS), signer.sign(CLAIMS)]);
  expect(one.id).not.toBe(two.id);
});

test("AUTHN-34: the current key signs", async () => {
  let keys = tokenKeys(pem, []);
  const signer = signerOf(kubernetes, () => keys);
  const kidOf = async (): Promise<unknown> => decodeProtectedHeader((await signer.sign(CLAIMS)).token).kid;
  expect(await kidOf()).toBe(keys.accepted[0]!.kid);
  keys = tokenKeys(newPem(), keys.accepted);
  expect(await kidOf()).toBe(keys.accepted[0]!.kid);
});
