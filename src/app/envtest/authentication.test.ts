import { describe, expect, test } from "vitest";
import { ANONYMOUS, type ClientCertificate } from "../../auth/contract.ts";
import { unauthorized } from "../../meta/status.ts";
import { authenticator } from "./authentication.ts";
import { readTokens } from "./token-file.ts";

const NOW = Date.UTC(2026, 0, 1);
const ACCOUNT = { user: "system:serviceaccount:a:b", groups: ["system:serviceaccounts"] };
const UNAUTHORIZED = expect.objectContaining({ code: 401 }) as Error;

interface Shown {
  readonly authorization?: string;
  readonly certificate?: Partial<ClientCertificate>;
  readonly anonymous?: boolean;
}

/** Who it is that shows this. */
const whoIs = async ({ authorization = "", certificate, anonymous = true }: Shown): Promise<unknown> =>
  authenticator({
    tokens: readTokens("t1,pat,7,ops", "tokens.csv"),
    accounts: { identify: (token) => (token === "jwt" ? Promise.resolve(ACCOUNT) : Promise.reject(unauthorized())) },
    anonymous,
    now: () => NOW,
  }).authenticate({
    header: (name) => (name === "authorization" ? authorization : ""),
    connection: {
      certificate: certificate && { commonName: "kim", organizations: ["team"], notAfter: NOW + 1, ...certificate },
      address: "",
      encrypted: true,
    },
  });

describe("authenticator", () => {
  test("a certificate names a user and groups, and counts before a token", async () => {
    const kim = { user: "kim", groups: ["team", "system:authenticated"] };
    expect(await whoIs({ certificate: {} })).toEqual(kim);
    expect(await whoIs({ certificate: {}, authorization: "Bearer t1" })).toEqual(kim);
  });

  test("a certificate that has ended is refused, one without a name is none", async () => {
    await expect(whoIs({ certificate: { notAfter: NOW - 1 } })).rejects.toThrow(UNAUTHORIZED);
    expect(await whoIs({ certificate: { commonName: "" } })).toBe(ANONYMOUS);
  });

  test("a token is one of the file, or of a service account", async () => {
    expect(await whoIs({ authorization: "Bearer t1" })).toMatchObject({ user: "pat", uid: "7" });
    expect(await whoIs({ authorization: "bearer jwt" })).toBe(ACCOUNT);
    await expect(whoIs({ authorization: "Bearer t2" })).rejects.toThrow(UNAUTHORIZED);
    await expect(whoIs({ authorization: "Basic t1" })).rejects.toThrow(UNAUTHORIZED);
  });

  test("who shows nothing is anonymous, where that is allowed", async () => {
    expect(await whoIs({})).toBe(ANONYMOUS);
    expect(await whoIs({ anonymous: false })).toBeUndefined();
  });
});
