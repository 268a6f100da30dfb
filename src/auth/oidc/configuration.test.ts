import { describe, expect, test } from "vitest";
import { ConfigurationError, readConfiguration } from "./configuration.ts";

const HEAD = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration" };
const issuer = { url: "https://a.example", audiences: ["us"] };
const claimMappings = { username: { claim: "sub", prefix: "" } };

/** The paths of the faults of a configuration. */
function wrong(configuration: object, own: readonly string[] = []): string[] {
  try {
    readConfiguration(JSON.stringify({ ...HEAD, ...configuration }), own);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.split("\n").map((line) => line.slice(0, line.indexOf(": ")));
  }
}

/** The same for one issuer. */
const wrongJwt = (jwt: object, own?: readonly string[]): string[] =>
  wrong({ jwt: [{ issuer, claimMappings, ...jwt }] }, own);

describe("a configuration of authentication", () => {
  test("OIDC-1: is YAML of a known version, decoded strictly", () => {
    const yaml = "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\njwt: []\n";
    expect(readConfiguration(yaml, []).issuers).toEqual([]);
    expect(wrong({ apiVersion: "apiserver.config.k8s.io/v2" })).toEqual(["apiVersion"]);
    expect(wrong({ kind: "Other" })).toEqual(["kind"]);
    expect(wrong({ jwts: [] })).toEqual(["jwts"]);
    expect(wrong({ jwt: {} })).toEqual(["jwt"]);
    expect(wrongJwt({ issuer: { ...issuer, urls: "x" } })).toEqual(["jwt[0].issuer.urls"]);
    expect(() => readConfiguration("{", [])).toThrow(ConfigurationError);
    const missing = ["jwt[0].issuer.url", "jwt[0].issuer.audiences", "jwt[0].claimMappings.username"];
    expect(wrong({ jwt: [{}] })).toEqual(missing);
    expect(() => readConfiguration(`${yaml}jwt: []\n`, [])).toThrow("jwt: the key is set twice");
  });

  test("OIDC-1: has 64 issuers at most, each once", () => {
    const many = Array.from({ length: 65 }, (_, i) => ({
      issuer: { ...issuer, url: `https://a${i}.example` },
      claimMappings,
    }));
    expect(wrong({ jwt: many.slice(1) })).toEqual([]);
    expect(wrong({ jwt: many })).toEqual(["jwt"]);
    const one = { issuer, claimMappings };
    expect(wrong({ jwt: [one, one] })).toEqual(["jwt[1].issuer.url"]);
  });

  test("AUTHN-14: has the paths of anonymous requests", () => {
    const lets = (anonymous: object) => readConfiguration(JSON.stringify({ ...HEAD, anonymous }), []).anonymous!;
    expect(lets({ enabled: true })("/x")).toBe(true);
    expect(lets({ enabled: false })("/x")).toBe(false);
    const some = lets({ enabled: true, conditions: [{ path: "/livez" }] });
    expect([some("/livez"), some("/livez/ping")]).toEqual([true, false]);
    expect(wrong({ anonymous: { enabled: false, conditions: [{ path: "/x" }] } })).toEqual(["anonymous.conditions"]);
    expect(readConfiguration(JSON.stringify(HEAD), []).anonymous).toBeUndefined();
  });

  test.each([
    ["url", { url: "" }],
    ["url", { url: "http://a.example" }],
    ["url", { url: "https://u:p@a.example" }],
    ["url", { url: "https://a.example?x=1" }],
    ["url", { url: "https://a.example#x" }],
    ["url", { url: "https://own.example" }],
    ["discoveryURL", { discoveryURL: "https://a.example/" }],
    ["discoveryURL", { discoveryURL: "http://b.example" }],
    ["certificateAuthority", { certificateAuthority: "x" }],
    ["audiences", { audiences: [] }],
    ["audiences[1]", { audiences: ["a", "a"], audienceMatchPolicy: "MatchAny" }],
    ["audiences[0]", { audiences: [""] }],
    ["audienceMatchPolicy", { audiences: ["a", "b"] }],
    ["audienceMatchPolicy", { audienceMatchPolicy: "MatchAll" }],
    ["egressSelectorType", { egressSelectorType: "cluster" }],
  ])("OIDC-2: %s is invalid in %j", (member, changes) => {
    expect(wrongJwt({ issuer: { ...issuer, ...changes } }, ["https://own.example"])).toEqual([
      `jwt[0].issuer.${member}`,
    ]);
  });

  test.each([
    ["username", { username: {} }],
    ["username", { username: { claim: "a", expression: "claims.a" } }],
    ["username.prefix", { username: { claim: "a" } }],
    ["username.prefix", { username: { expression: "claims.a", prefix: "" } }],
    ["username.expression", { username: { expression: "claims." } }],
    ["groups.prefix", { groups: { claim: "a" } }],
    ["groups.expression", { groups: { expression: "nosuch" } }],
    ["uid", { uid: { claim: "a", expression: "claims.a" } }],
    ["extra[0].key", { extra: [{ key: "plain", valueExpression: "'a'" }] }],
    ["extra[0].key", { extra: [{ key: "x.k8s.io/a", valueExpression: "'a'" }] }],
    ["extra[0].key", { extra: [{ key: "a.b/C", valueExpression: "'a'" }] }],
    ["extra[0].valueExpression", { extra: [{ key: "a.b/c", valueExpression: "" }] }],
    ["extra[1].key", { extra: Array(2).fill({ key: "a.b/c", valueExpression: "'a'" }) }],
  ])("OIDC-3: %s is invalid in %j", (path, changes) => {
    expect(wrongJwt({ claimMappings: { ...claimMappings, ...changes } })).toEqual([`jwt[0].claimMappings.${path}`]);
  });

  test("OIDC-4: a user name from the email address requires that email_verified is read", () => {
    const by = (expression: string) => ({ claimMappings: { username: { expression } } });
    const path = ["jwt[0].claimMappings.username.expression"];
    expect(wrongJwt(by("claims.email"))).toEqual(path);
    expect(wrongJwt(by("claims.?email.orValue('x')"))).toEqual(path);
    expect(wrongJwt(by("claims.email_verified ? claims.email : claims.sub"))).toEqual([]);
    const claimValidationRules = [{ expression: "claims.?email_verified.orValue(true) == true" }];
    expect(wrongJwt({ ...by("claims.email"), claimValidationRules })).toEqual([]);
  });

  test.each([
    ["claimValidationRules[0]", { claimValidationRules: [{}] }],
    ["claimValidationRules[0]", { claimValidationRules: [{ claim: "a", expression: "true" }] }],
    ["claimValidationRules[0].message", { claimValidationRules: [{ claim: "a", message: "m" }] }],
    ["claimValidationRules[1].claim", { claimValidationRules: [{ claim: "a" }, { claim: "a" }] }],
    ["claimValidationRules[0].requiredValue", { claimValidationRules: [{ expression: "true", requiredValue: "m" }] }],
    ["claimValidationRules[0].expression", { claimValidationRules: [{ expression: "'a'" }] }],
    ["claimValidationRules[1].expression", { claimValidationRules: [{ expression: "true" }, { expression: "true" }] }],
    ["userValidationRules[0].expression", { userValidationRules: [{ expression: "" }] }],
    ["userValidationRules[0].expression", { userValidationRules: [{ expression: "user.nosuch == ''" }] }],
    ["userValidationRules[1].expression", { userValidationRules: [{ expression: "true" }, { expression: "true" }] }],
  ])("OIDC-5: %s is invalid in %j", (path, changes) => {
    expect(wrongJwt(changes)).toEqual([`jwt[0].${path}`]);
  });
});
