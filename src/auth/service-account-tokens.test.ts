import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { tokenSigner } from "./service-account-tokens.ts";

const ISSUER = "https://keelson.example";
const NOW = Date.UTC(2026, 0, 1) + 999;
const pem = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();

const CLAIMS = {
  namespace: "team",
  serviceAccount: { name: "builder", uid: "u-1" },
  audiences: ["vault", "registry"],
  seconds: 600,
};

const signerOf = (dialect: typeof neutral) =>
  tokenSigner(pem, ISSUER, { dialect, clock: new ManualClock(NOW), random: seededRandom(1) });

/** What a token says, once its signature, times and audience are found to be right. */
async function read(token: string, audience: string, currentDate = new Date(NOW)) {
  return jwtVerify(token, createPublicKey(pem), { issuer: ISSUER, audience, currentDate });
}

describe("tokens of service accounts", () => {
  test.each([neutral, kubernetes])(
    "SUP-7: name account, namespace and audiences, and end in time ($name)",
    async (dialect) => {
      const { token, expires } = await signerOf(dialect).sign(CLAIMS);
      const seconds = Math.floor(NOW / 1000);
      expect(expires).toBe((seconds + 600) * 1000);
      for (const audience of CLAIMS.audiences) {
        const { payload, protectedHeader } = await read(token, audience);
        expect(protectedHeader.alg).toBe("ES256");
        expect(payload).toMatchObject({
          iss: ISSUER,
          sub: "system:serviceaccount:team:builder",
          iat: seconds,
          nbf: seconds,
          exp: seconds + 600,
          [dialect.labelDomain]: { namespace: "team", serviceaccount: { name: "builder", uid: "u-1" } },
        });
      }
      await expect(read(token, "somebody else")).rejects.toThrow(/aud/);
      await expect(read(token, "vault", new Date(expires + 1000))).rejects.toThrow(/exp/);
    },
  );

  test("SUP-7: a token for an object names it, without the word for its kind", async () => {
    const bound = { kind: "pod", name: "p", uid: "u-2" };
    const { token } = await signerOf(kubernetes).sign({ ...CLAIMS, bound });
    const { payload } = await read(token, "vault");
    expect(payload["kubernetes.io"]).toMatchObject({ pod: { name: "p", uid: "u-2" } });
  });

  test("each token has an ID of its own", async () => {
    const signer = signerOf(neutral);
    const ids = await Promise.all(
      [1, 2].map(async () => (await read((await signer.sign(CLAIMS)).token, "vault")).payload.jti),
    );
    expect(new Set(ids).size).toBe(2);
    expect(signer.defaultAudience).toBe(ISSUER);
  });
});
