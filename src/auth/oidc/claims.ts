/**
 * Maps the claims of a token to a user (OIDC-4, OIDC-11..14): required claims, claim rules, user name, groups, UID, extra, user
 * rules. Each error names the rule that failed.
 *
 * @module
 */
import { claimsValue, userValue } from "../../cel/environments/claims.ts";
import type { Program } from "../../cel/program.ts";
import { Failure, List, type Value as CelValue } from "../../cel/values.ts";
import type { ValueObject } from "../../value/value.ts";
import { type Identity, TokenRefused } from "../contract.ts";
import type { Issuer, Mapping, Rule } from "./rules.ts";

const refused = (why: string): TokenRefused => new TokenRefused(`oidc: ${why}`);

/** The user of a token with these claims. @throws TokenRefused */
export function identityOf(issuer: Issuer, claims: ValueObject): Identity {
  const celClaims = claimsValue(claims);
  const run = (program: Program, about: string): CelValue => evaluated(program, celClaims, about);
  for (const [claim, required] of issuer.required) {
    if (!Object.hasOwn(claims, claim)) throw refused(`required claim ${claim} not present in ID token`);
    if (claims[claim] !== required) throw refused(`required claim ${claim} value does not match`);
  }
  check(issuer.claimRules, celClaims, "validation expression of claims");
  const user = usernameOf(issuer.username, claims, run);
  const groups = groupsOf(issuer.groups, claims, run);
  const uid = uidOf(issuer.uid, claims, run);
  const extra = extraOf(issuer.extra, run);
  const identity: Identity = { user, groups, ...(uid === "" ? {} : { uid }), ...(extra ? { extra } : {}) };
  check(
    issuer.userRules,
    userValue({ username: user, uid, groups, extra: extra ?? {} }),
    "validation expression of users",
  );
  return { ...identity, groups: groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED] };
}

const AUTHENTICATED = "system:authenticated";

type Run = (program: Program, about: string) => CelValue;

function evaluated(program: Program, value: CelValue, about: string): CelValue {
  const { value: result } = program.run([value]);
  if (result instanceof Failure) throw refused(`${about} could not be evaluated: ${result.message}`);
  return result;
}

/** Evaluates rules, all of which must be true. */
function check(rules: readonly Rule[], value: CelValue, about: string): void {
  for (const { program, message } of rules) {
    if (evaluated(program, value, about) !== true)
      throw refused(`${about} is not true${message ? `: ${message}` : ""}`);
  }
}

function usernameOf(mapping: Mapping, claims: ValueObject, run: Run): string {
  if ("program" in mapping) {
    const name = run(mapping.program, "the expression of username");
    if (typeof name !== "string") throw refused("expected the expression of username to return a string");
    if (name === "") throw refused("expected the expression of username to return a non-empty string");
    return name;
  }
  const { claim, prefix } = mapping;
  const name = stringClaim(claims, claim);
  const verified = claims["email_verified"];
  if (claim === "email" && verified !== undefined && verified !== true) throw refused("email not verified");
  return prefix + name;
}

function stringClaim(claims: ValueObject, claim: string): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (value === undefined) throw refused(`claim ${claim} not present in ID token`);
  if (typeof value !== "string") throw refused(`expected claim ${claim} to be a string`);
  return value;
}

function groupsOf(mapping: Mapping | undefined, claims: ValueObject, run: Run): readonly string[] {
  if (!mapping) return [];
  if ("program" in mapping) return stringsOf(run(mapping.program, "the expression of groups"), "groups");
  const { claim, prefix } = mapping;
  const value = (Object.hasOwn(claims, claim) ? claims[claim] : undefined) ?? [];
  const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
  return groups.map((group) => {
    if (typeof group !== "string") throw refused(`expected claim ${claim} to be a string or a list of strings`);
    return prefix + group;
  });
}

function uidOf(mapping: Mapping | undefined, claims: ValueObject, run: Run): string {
  if (!mapping) return "";
  if (!("program" in mapping)) return stringClaim(claims, mapping.claim);
  const uid = run(mapping.program, "the expression of uid");
  if (typeof uid !== "string") throw refused("expected the expression of uid to return a string");
  return uid;
}

function extraOf(extra: Issuer["extra"], run: Run): Readonly<Record<string, readonly string[]>> | undefined {
  const found = extra.map(
    ([key, program]) => [key, stringsOf(run(program, `the expression of extra ${key}`), key)] as const,
  );
  const filled = found.filter(([, strings]) => strings.length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

/** The strings of a result: one or a list, null for none; empty strings are left out. */
function stringsOf(value: CelValue, about: string): readonly string[] {
  const strings = value === null ? [] : value instanceof List ? [...value] : [value];
  return strings
    .map((one) => {
      if (typeof one !== "string")
        throw refused(`expected the expression of ${about} to return a string or a list of strings`);
      return one;
    })
    .filter((one) => one !== "");
}
