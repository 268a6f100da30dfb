/**
 * From the claims of a token to its bearer (OIDC-4, OIDC-11..14): required claims, rules, name, groups, UID, extra, rules of
 * users. Each refusal says which rule it was.
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

/** The bearer of a token with these claims. @throws TokenRefused */
export function bearerOf(issuer: Issuer, claims: ValueObject): Identity {
  const celClaims = claimsValue(claims);
  const run = (program: Program, about: string): CelValue => ran(program, celClaims, about);
  for (const [claim, wanted] of issuer.required) {
    if (!Object.hasOwn(claims, claim)) throw refused(`required claim ${claim} is not there`);
    if (claims[claim] !== wanted) throw refused(`required claim ${claim} has not the value that it must have`);
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

function ran(program: Program, value: CelValue, about: string): CelValue {
  const { value: result } = program.run([value]);
  if (result instanceof Failure) throw refused(`${about} could not be evaluated: ${result.message}`);
  return result;
}

/** All must be true. */
function check(rules: readonly Rule[], value: CelValue, about: string): void {
  for (const { program, message } of rules) {
    if (ran(program, value, about) !== true) throw refused(`${about} is not true${message ? `: ${message}` : ""}`);
  }
}

function usernameOf(mapping: Mapping, claims: ValueObject, run: Run): string {
  if ("program" in mapping) {
    const name = run(mapping.program, "the expression of username");
    if (typeof name !== "string") throw refused("the expression of username gave no text");
    if (name === "") throw refused("the expression of username gave an empty text");
    return name;
  }
  const { claim, prefix } = mapping;
  const name = textClaim(claims, claim);
  const verified = claims["email_verified"];
  if (claim === "email" && verified !== undefined && verified !== true) throw refused("email is not verified");
  return prefix + name;
}

function textClaim(claims: ValueObject, claim: string): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (value === undefined) throw refused(`claim ${claim} is not there`);
  if (typeof value !== "string") throw refused(`claim ${claim} is no text`);
  return value;
}

function groupsOf(mapping: Mapping | undefined, claims: ValueObject, run: Run): readonly string[] {
  if (!mapping) return [];
  if ("program" in mapping) return textsOf(run(mapping.program, "the expression of groups"), "groups");
  const { claim, prefix } = mapping;
  const value = (Object.hasOwn(claims, claim) ? claims[claim] : undefined) ?? [];
  const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
  return groups.map((group) => {
    if (typeof group !== "string") throw refused(`claim ${claim} is neither a text nor a list of texts`);
    return prefix + group;
  });
}

function uidOf(mapping: Mapping | undefined, claims: ValueObject, run: Run): string {
  if (!mapping) return "";
  if (!("program" in mapping)) return textClaim(claims, mapping.claim);
  const uid = run(mapping.program, "the expression of uid");
  if (typeof uid !== "string") throw refused("the expression of uid gave no text");
  return uid;
}

function extraOf(extra: Issuer["extra"], run: Run): Readonly<Record<string, readonly string[]>> | undefined {
  const found = extra.map(
    ([key, program]) => [key, textsOf(run(program, `the expression of extra ${key}`), key)] as const,
  );
  const filled = found.filter(([, texts]) => texts.length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

/** The texts that an expression gave: one or a list, null for none; empty ones are left out. */
function textsOf(value: CelValue, about: string): readonly string[] {
  const texts = value === null ? [] : value instanceof List ? [...value] : [value];
  return texts
    .map((one) => {
      if (typeof one !== "string") throw refused(`the expression of ${about} gave neither a text nor a list of texts`);
      return one;
    })
    .filter((one) => one !== "");
}
