import { expect, test } from "vitest";
import { configurationOf } from "./configuration.ts";
import { NO_ISSUER, configurationOfFlags, isSet } from "./flags.ts";

const flags = { ...NO_ISSUER, issuerUrl: "https://a.example", clientId: "us" };
const issuerOf = (more: object) => configurationOf(configurationOfFlags({ ...flags, ...more }, ""), []).issuers[0]!;

test.each([
  [{}, { claim: "sub", prefix: "https://a.example#" }],
  [{ usernamePrefix: "-" }, { claim: "sub", prefix: "" }],
  [{ usernamePrefix: "o:" }, { claim: "sub", prefix: "o:" }],
  [{ usernameClaim: "email" }, { claim: "email", prefix: "" }],
])("OIDC-17: the user name with the flags %j", (more, expected) => {
  expect(issuerOf(more).username).toEqual(expected);
});

test("OIDC-17: groups and required claims from flags", () => {
  const issuer = issuerOf({ groupsClaim: "groups", groupsPrefix: "g:", requiredClaims: ["a=b=c", "d="] });
  expect(issuer.groups).toEqual({ claim: "groups", prefix: "g:" });
  expect(issuer.required).toEqual([
    ["a", "b=c"],
    ["d", ""],
  ]);
  expect(issuer.audiences).toEqual(["us"]);
});

test("OIDC-17: without a flag nothing is set", () => {
  expect(isSet(NO_ISSUER)).toBe(false);
  expect(isSet({ ...NO_ISSUER, algorithms: ["RS256", "ES256"] })).toBe(true);
  expect(isSet({ ...NO_ISSUER, groupsPrefix: "x" })).toBe(true);
});
