/**
 * Validates and compiles the settings of one issuer (OIDC-2..5).
 *
 * @module
 */
import { BOOL } from "../../cel/types.ts";
import { compileClaims, compileUser } from "../../cel/environments/claims.ts";
import type { Compiled, Program } from "../../cel/program.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";
import { domainPrefixedPath } from "../../meta/names.ts";
import { withoutTrailing } from "../../util/scan.ts";
import { readsClaim } from "./reads-claim.ts";
import type { JwtSettings } from "./schema.ts";

/** The source of a value: a claim with a prefix, or an expression. */
export type Mapping = { readonly claim: string; readonly prefix: string } | { readonly program: Program };

/** An expression that must be true, and the message where it is not. */
export interface Rule {
  readonly program: Program;
  readonly message: string;
}

/** A compiled issuer. */
export interface Issuer {
  readonly url: string;
  /** The URL of the discovery document. */
  readonly discovery: string;
  /** PEM; undefined for the authorities of this machine. */
  readonly ca: string | undefined;
  readonly audiences: readonly string[];
  /** The accepted algorithms of signatures. */
  readonly algorithms: readonly string[];
  readonly required: readonly (readonly [claim: string, value: string])[];
  readonly claimRules: readonly Rule[];
  readonly username: Mapping;
  readonly groups: Mapping | undefined;
  readonly uid: Mapping | undefined;
  readonly extra: readonly (readonly [key: string, program: Program])[];
  readonly userRules: readonly Rule[];
}

/** The algorithms that are accepted by default (OIDC-8). */
export const ALGORITHMS: readonly string[] = ["RS", "ES", "PS"].flatMap((kind) =>
  [256, 384, 512].map((n) => `${kind}${n}`),
);

/** Stands for an invalid mapping, whose fault is in the errors; the issuer is then not used. */
const INVALID: Mapping = { claim: "", prefix: "" };

/** Compiles settings and reports their faults to `errors`, at paths below `field`. */
export function compileIssuer(
  settings: JwtSettings,
  field: string,
  own: readonly string[],
  errors: FieldErrors,
): Issuer {
  const { issuer, claimMappings, claimValidationRules = [], userValidationRules = [] } = settings;
  validateIssuer(issuer, `${field}.issuer`, own, errors);
  const compiler = new Expressions(errors);
  const mappings = `${field}.claimMappings`;
  const username = mappingOf(claimMappings.username, `${mappings}.username`, true, compiler) ?? INVALID;
  const groups = mappingOf(claimMappings.groups ?? {}, `${mappings}.groups`, false, compiler);
  const uid = mappingOf({ ...claimMappings.uid, prefix: undefined }, `${mappings}.uid`, false, compiler, true);
  const extra = extraOf(claimMappings.extra ?? [], `${mappings}.extra`, compiler);
  const { required, rules } = claimRulesOf(claimValidationRules, `${field}.claimValidationRules`, compiler);
  const userRules = userRulesOf(userValidationRules, `${field}.userValidationRules`, compiler);
  validateEmail(settings, `${mappings}.username.expression`, errors);
  return {
    url: issuer.url,
    discovery: issuer.discoveryURL || `${issuer.url.replace(/\/$/, "")}/.well-known/openid-configuration`,
    ca: issuer.certificateAuthority || undefined,
    audiences: issuer.audiences ?? [],
    algorithms: ALGORITHMS,
    required,
    claimRules: rules,
    username,
    groups,
    uid,
    extra,
    userRules,
  };
}

function validateIssuer(
  issuer: JwtSettings["issuer"],
  field: string,
  own: readonly string[],
  errors: FieldErrors,
): void {
  const { url, discoveryURL = "", certificateAuthority = "", audiences = [], audienceMatchPolicy = "" } = issuer;
  if (url === "") errors.required(`${field}.url`, "expected the https URL of the issuer");
  else validateUrl(url, `${field}.url`, errors);
  if (own.includes(url))
    errors.invalid(`${field}.url`, url, `URL must not overlap with disallowed issuers: ${JSON.stringify(own)}`);
  if (discoveryURL !== "") {
    validateUrl(discoveryURL, `${field}.discoveryURL`, errors);
    if (trimmed(discoveryURL) === trimmed(url))
      errors.invalid(`${field}.discoveryURL`, discoveryURL, "discoveryURL must be different from URL");
  }
  if (certificateAuthority !== "" && !certificateAuthority.includes("-----BEGIN CERTIFICATE-----")) {
    errors.invalid(`${field}.certificateAuthority`, "<omitted>", "expected certificates in PEM");
  }
  if (issuer.egressSelectorType)
    errors.invalid(`${field}.egressSelectorType`, issuer.egressSelectorType, "expected none");
  validateAudiences(audiences, audienceMatchPolicy, field, errors);
}

const trimmed = (url: string): string => withoutTrailing(url, "/");

function validateAudiences(audiences: readonly string[], policy: string, field: string, errors: FieldErrors): void {
  if (audiences.length === 0) errors.required(`${field}.audiences`, "at least one issuer.audiences is required");
  for (const [i, audience] of audiences.entries()) {
    if (audience === "") errors.required(`${field}.audiences[${i}]`);
    if (audiences.indexOf(audience) < i) errors.duplicate(`${field}.audiences[${i}]`, audience);
  }
  if (policy !== "MatchAny" && (audiences.length > 1 || policy !== "")) {
    errors.invalid(
      `${field}.audienceMatchPolicy`,
      policy,
      "audienceMatchPolicy must be MatchAny for multiple audiences",
    );
  }
}

function validateUrl(text: string, field: string, errors: FieldErrors): void {
  const url = URL.parse(text);
  if (!url) return errors.invalid(field, text, "expected a URL");
  if (url.protocol !== "https:") errors.invalid(field, text, "URL scheme must be https");
  if (url.username !== "" || url.password !== "") {
    errors.invalid(field, "<omitted>", "URL must not contain a username or password");
  }
  if (url.search !== "") errors.invalid(field, text, "URL must not contain a query");
  if (url.hash !== "") errors.invalid(field, text, "URL must not contain a fragment");
}

/** Compiles expressions and reports their faults. */
class Expressions {
  readonly errors: FieldErrors;

  constructor(errors: FieldErrors) {
    this.errors = errors;
  }

  /** An expression over `claims`, of any type. */
  ofClaims(source: string, field: string): Program | undefined {
    return this.#checked(compileClaims(source), source, field);
  }

  /** An expression over `claims` or `user` that is a bool. */
  rule(about: "claims" | "user", source: string, field: string): Program | undefined {
    return this.#checked((about === "claims" ? compileClaims : compileUser)(source, [BOOL]), source, field);
  }

  #checked({ program, error }: Compiled, source: string, field: string): Program | undefined {
    if (error !== undefined) this.errors.invalid(field, source, error.split("\n", 1).join(""));
    return program;
  }
}

interface ClaimOrExpression {
  readonly claim?: string | undefined;
  readonly prefix?: string | undefined;
  readonly expression?: string | undefined;
}

function mappingOf(
  { claim = "", prefix, expression = "" }: ClaimOrExpression,
  field: string,
  isRequired: boolean,
  compiler: Expressions,
  isWithoutPrefix = false,
): Mapping | undefined {
  const { errors } = compiler;
  if (claim !== "" && expression !== "") errors.invalid(field, "", "claim and expression can't both be set");
  else if (expression !== "") {
    if (prefix !== undefined) errors.invalid(`${field}.prefix`, prefix, "may not be specified when expression is set");
    const program = compiler.ofClaims(expression, `${field}.expression`);
    return program && { program };
  } else if (claim !== "") {
    if (prefix === undefined && !isWithoutPrefix)
      errors.required(
        `${field}.prefix`,
        "prefix is required when claim is set. It can be set to an empty string to disable prefixing",
      );
    return { claim, prefix: prefix ?? "" };
  } else if (isRequired) errors.required(field, "claim or expression is required");
  return undefined;
}

type Extra = NonNullable<JwtSettings["claimMappings"]["extra"]>;

function extraOf(extra: Extra, field: string, compiler: Expressions): Issuer["extra"] {
  const { errors } = compiler;
  const programs = new Map<string, Program>();
  const seen = new Set<string>();
  for (const [i, { key, valueExpression }] of extra.entries()) {
    const at = `${field}[${i}]`;
    const wrong = domainPrefixedPath(key);
    if (wrong !== undefined) errors.invalid(`${at}.key`, key, wrong);
    if (key !== key.toLowerCase()) errors.invalid(`${at}.key`, key, "must be lowercase");
    if (/^(?:[^/]*\.)?(?:kubernetes|k8s)\.io\//.test(key)) {
      errors.invalid(`${at}.key`, key, "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use");
    }
    if (seen.has(key)) errors.duplicate(`${at}.key`, key);
    seen.add(key);
    if (valueExpression === "") errors.required(`${at}.valueExpression`);
    else {
      const program = compiler.ofClaims(valueExpression, `${at}.valueExpression`);
      if (program) programs.set(key, program);
    }
  }
  return [...programs];
}

type ClaimRules = NonNullable<JwtSettings["claimValidationRules"]>;

function claimRulesOf(
  all: ClaimRules,
  field: string,
  compiler: Expressions,
): { readonly required: Issuer["required"]; readonly rules: readonly Rule[] } {
  const { errors } = compiler;
  const required = new Map<string, string>();
  const rules = new Map<string, Rule>();
  for (const [i, { claim = "", requiredValue = "", expression = "", message = "" }] of all.entries()) {
    const at = `${field}[${i}]`;
    if (claim !== "" && expression !== "") errors.invalid(at, claim, "claim and expression can't both be set");
    else if (claim === "" && expression === "") errors.required(at, "claim or expression is required");
    else if (claim !== "") {
      if (message !== "") errors.invalid(`${at}.message`, message, "may not be specified when claim is set");
      if (required.has(claim)) errors.duplicate(`${at}.claim`, claim);
      required.set(claim, requiredValue);
    } else {
      if (requiredValue !== "")
        errors.invalid(`${at}.requiredValue`, requiredValue, "may not be specified when expression is set");
      if (rules.has(expression)) errors.duplicate(`${at}.expression`, expression);
      const program = compiler.rule("claims", expression, `${at}.expression`);
      if (program) rules.set(expression, { program, message });
    }
  }
  return { required: [...required], rules: [...rules.values()] };
}

type UserRules = NonNullable<JwtSettings["userValidationRules"]>;

function userRulesOf(all: UserRules, field: string, compiler: Expressions): readonly Rule[] {
  const rules = new Map<string, Rule>();
  for (const [i, { expression, message = "" }] of all.entries()) {
    const at = `${field}[${i}].expression`;
    if (expression === "") compiler.errors.required(at);
    else if (rules.has(expression)) compiler.errors.duplicate(at, expression);
    else {
      const program = compiler.rule("user", expression, at);
      if (program) rules.set(expression, { program, message });
    }
  }
  return [...rules.values()];
}

/** OIDC-4: where the user name is the email address, an expression must read whether the address is verified. */
function validateEmail(
  { claimMappings, claimValidationRules = [] }: JwtSettings,
  field: string,
  errors: FieldErrors,
): void {
  const { username, extra = [] } = claimMappings;
  const { expression = "" } = username;
  if (!readsClaim(expression, "email")) return;
  const others = [
    ...extra.map(({ valueExpression }) => valueExpression),
    ...claimValidationRules.map((rule) => rule.expression ?? ""),
  ];
  if ([expression, ...others].some((source) => readsClaim(source, "email_verified"))) return;
  errors.invalid(
    field,
    expression,
    "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression",
  );
}
