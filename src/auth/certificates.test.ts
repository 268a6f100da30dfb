import { expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { certificateUsers } from "./certificates.ts";
import type { ClientCertificate, Connection, Identity } from "./contract.ts";
import { NOW, certificateOf } from "./testing/auth-context.ts";

const on = (certificate?: ClientCertificate): Connection => ({ certificate, address: "", encrypted: true });
const userOf = (certificate?: ClientCertificate, more = {}): Identity | undefined =>
  certificateUsers({ dialect: kubernetes, now: () => NOW, ...more }).userOf(on(certificate));

test("AUTHN-16: a certificate has a user, groups and perhaps a UID; its fingerprint is the credential ID", () => {
  expect(userOf(certificateOf())).toEqual({
    user: "kim",
    groups: ["team", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ab12"] },
  });
  expect(userOf(certificateOf({ uid: "7" }))).toMatchObject({ uid: "7" });
  expect(Object.keys(userOf(certificateOf(), { dialect: neutral })!.extra!)).toEqual([
    "authentication.svc.io/credential-id",
  ]);
});

test.each([
  ["of another authority", { signedBy: [] }],
  ["of a proxy", { signedBy: ["proxy"] as const }],
  ["without a name", { commonName: "" }],
  ["that has ended on an open connection", { notAfter: NOW - 1 }],
])("AUTHN-16, AUTHN-17: one %s is not accepted", (_, more) => {
  expect(userOf(certificateOf(more))).toBeUndefined();
});

test("a revoked certificate is refused at once, also on an open connection", () => {
  let revoked = false;
  const users = certificateUsers({ dialect: kubernetes, now: () => NOW, isRevoked: () => revoked });
  const connection = on(certificateOf());
  const user = users.userOf(connection)!;
  const other = users.userOf(on(certificateOf()))!;
  expect([users.isRevoked(user, connection), users.isRevoked(other, connection)]).toEqual([false, false]);
  revoked = true;
  expect(users.userOf(connection)).toBeUndefined();
  // Another user on that connection, by a token, is not revoked.
  expect([users.isRevoked(user, connection), users.isRevoked(other, connection)]).toEqual([true, false]);
});
