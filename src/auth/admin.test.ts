import { describe, expect, test } from "vitest";
import { requestInfo } from "../meta/request-info.ts";
import { ADMIN, adminAuthenticator, mastersAuthorizer } from "./admin.ts";
import type { ClientCertificate, Connection, Identity } from "./contract.ts";

const TOKEN = "the-token";
const NOW = Date.UTC(2026, 0, 1);

const connection = (certificate?: ClientCertificate): Connection => ({ certificate, address: "::1", encrypted: true });

/** Who sends a request with this Authorization header, over this connection. */
function whoIs(authorization: string, over: Connection = connection()): unknown {
  const authenticator = adminAuthenticator(TOKEN, () => NOW);
  return authenticator.authenticate({
    header: (name) => (name === "authorization" ? authorization : ""),
    connection: over,
  });
}

const UNAUTHORIZED = expect.objectContaining({ code: 401, reason: "Unauthorized" }) as Error;
const certificate = (more: Partial<ClientCertificate> = {}): ClientCertificate => ({
  commonName: "somebody",
  organizations: ["system:masters"],
  notAfter: NOW + 1,
  ...more,
});

describe("adminAuthenticator", () => {
  test.each(["Bearer the-token", "bearer the-token", "BEARER   the-token"])("AUTH-1: %j is the admin", (header) => {
    expect(whoIs(header)).toEqual(ADMIN);
  });

  test.each([
    "Bearer the-toke",
    "Bearer the-tokenn",
    "Bearer THE-TOKEN",
    "Bearer",
    "Bearer ",
    "the-token",
    "Basic the-token",
    "Bearer the-token x",
  ])("AUTH-1: %j is refused", (header) => {
    expect(() => whoIs(header)).toThrow(UNAUTHORIZED);
  });

  test("AUTH-1: without a credential nobody is known", () => {
    expect(whoIs("")).toBeUndefined();
  });

  test("DEC-36: a client certificate names the user and the groups", () => {
    expect(whoIs("", connection(certificate({ organizations: ["team", "system:masters"] })))).toEqual({
      user: "somebody",
      groups: ["team", "system:masters", "system:authenticated"],
    });
  });

  test.each([
    ["of no master", { organizations: ["team"] }],
    ["without a name", { commonName: "" }],
    ["that has ended on an open connection", { notAfter: NOW - 1 }],
  ])("AUTH-1: a client certificate %s is refused", (_, more) => {
    expect(() => whoIs("", connection(certificate(more)))).toThrow(UNAUTHORIZED);
  });

  test("a wrong token is refused whatever certificate and earlier requests the connection has", () => {
    const authenticator = adminAuthenticator(TOKEN, () => NOW);
    const over = connection(certificate());
    const ask = (authorization: string): unknown =>
      authenticator.authenticate({ header: () => authorization, connection: over });
    expect(ask(`Bearer ${TOKEN}`)).toEqual(ADMIN);
    expect(ask(`Bearer ${TOKEN}`)).toEqual(ADMIN);
    expect(() => ask("Bearer wrong")).toThrow(UNAUTHORIZED);
    expect(ask(`Bearer ${TOKEN}`)).toEqual(ADMIN);
  });
});

describe("mastersAuthorizer", () => {
  const decide = (groups: readonly string[], method: string, path: string): unknown => {
    const identity: Identity = { user: "u", groups };
    return mastersAuthorizer.authorize(
      identity,
      requestInfo(method, path, () => false),
    );
  };

  test("DEC-36: masters may do everything", () => {
    expect(decide(["system:masters"], "DELETE", "/api/v1/namespaces/default")).toEqual({ allowed: true, reason: "" });
    expect(decide(["a", "system:masters"], "GET", "/metrics")).toEqual({ allowed: true, reason: "" });
  });

  test("DEC-36: nobody else may do anything, and is told who may", () => {
    expect(decide(["system:authenticated"], "GET", "/api/v1/configmaps")).toEqual({
      allowed: false,
      reason: "expected a member of system:masters",
    });
    expect(decide([], "GET", "/metrics")).toEqual({ allowed: false, reason: "expected a member of system:masters" });
  });
});
