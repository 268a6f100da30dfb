/**
 * Authenticates tokens of service accounts (AUTHN-21, AUTHN-30).
 *
 * A token is valid while its account and the object that it is bound to exist with the UIDs of the token. This is checked
 * whenever the token is used, also where its signature is cached (AUTHN-31).
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import type { JWTPayload } from "jose";
import type { ApiObject } from "../schema/definition.ts";
import type { AccountTokenMetrics } from "./account-token-metrics.ts";
import { type CompactToken, readCompactToken } from "./compact-token.ts";
import { isJoseError } from "./jose-error.ts";
import { type Identity, type TokenAuthenticator, type TokenOwner, TokenRefused, type AuthContext } from "./contract.ts";
import { type Named, SECRET_ISSUER, accountUser, secretClaims } from "./service-account-tokens.ts";
import type { TokenKey, TokenKeys } from "./token-keys.ts";

/** The keys, issuers and audiences of the accepted tokens. */
export interface AccountTokenOptions {
  /** The current keys; called for each token. */
  readonly keys: () => TokenKeys;
  readonly issuers: readonly string[];
  /** The audiences of this server. */
  readonly audiences: readonly string[];
  readonly metrics?: AccountTokenMetrics;
}

/** The private claim of Kubernetes: the objects of a token. */
interface BoundObjects {
  readonly namespace: string;
  readonly serviceaccount: Named;
  readonly pod?: Named;
  readonly secret?: Named;
  readonly node?: { readonly name: string; readonly uid?: string };
  readonly warnafter?: number;
}

/** The largest difference of clocks, and how long an object counts after its deletion time. */
const LEEWAY_SECONDS = 60;

/** Authenticates tokens of the issuers of this server, and tokens of Secrets. */
export function accountTokens(options: AccountTokenOptions, context: AuthContext): TokenAuthenticator {
  const { issuers, audiences: own, metrics } = options;
  const { clock, dialect } = context.api;
  return {
    name: "service account",
    identify(token, audiences = own) {
      const { header, claims } = readCompactToken(token) ?? {};
      const issuer = claims?.["iss"];
      if (!header || typeof issuer !== "string") return undefined;
      if (issuer === SECRET_ISSUER) return identifySecret({ token, header }, audiences);
      return issuers.includes(issuer) ? identify({ token, header }, audiences) : undefined;
    },
  };

  async function identify(token: ReadToken, audiences: readonly string[]): Promise<TokenOwner> {
    const payload = await payloadOf(token, options.keys(), clock.now());
    const { exp, jti } = payload;
    if (exp === undefined) throw new TokenRefused("expected the token to have an expiration time");
    const shared = sharedAudiences(payload, audiences);
    const bound = boundObjectsOf(payload, dialect.labelDomain);
    const fault = (): string | undefined =>
      boundObjectFault(bound, context) ?? (exp + LEEWAY_SECONDS < clock.now() / 1000 ? EXPIRED : undefined);
    refuse(fault());
    const stale = staleness(payload, bound, clock.now());
    if (bound.warnafter) metrics?.extended(stale !== undefined);
    return {
      identity: {
        ...identityOf(bound.namespace, bound.serviceaccount),
        extra: extraOf(bound, jti, dialect.labelDomain),
        ...(stale ? { auditAnnotations: { "authentication.k8s.io/stale-token": stale } } : {}),
      },
      audiences: shared,
      isValid: () => fault() === undefined,
    };
  }

  async function identifySecret(token: ReadToken, audiences: readonly string[]): Promise<TokenOwner> {
    const payload = await payloadOf(token, options.keys(), clock.now());
    const shared = audiences.filter((one) => own.includes(one));
    if (shared.length === 0) throw new TokenRefused(audienceFault(own, audiences));
    const claims = secretClaimsOf(payload, dialect.labelDomain);
    const fault = (): string | undefined => secretFault(claims, token.token, context);
    refuse(fault());
    metrics?.ofSecret();
    return {
      identity: identityOf(claims.namespace, claims.account),
      audiences: shared,
      isValid: () => fault() === undefined,
    };
  }
}

/** A token with its decoded header. */
interface ReadToken {
  readonly token: string;
  readonly header: CompactToken["header"];
}

const EXPIRED = "service account token has expired";

/** The payload of a token, once its signature and its times are verified. */
async function payloadOf({ token, header }: ReadToken, { accepted }: TokenKeys, now: number): Promise<JWTPayload> {
  // Imported with the first token: most servers never get one.
  const { jwtVerify } = await import("jose");
  const named = accepted.filter((key) => key.kid === header["kid"]);
  const verify = async ({ key, alg }: TokenKey): Promise<JWTPayload | undefined> => {
    try {
      const times = { currentDate: new Date(now), clockTolerance: LEEWAY_SECONDS };
      return (await jwtVerify(token, key, { algorithms: [alg], ...times })).payload;
    } catch (error) {
      if (isJoseError(error, "ERR_JWT_EXPIRED")) throw new TokenRefused(EXPIRED);
      if (isJoseError(error, "ERR_JWT_CLAIM_VALIDATION_FAILED")) {
        throw new TokenRefused("service account token is not valid yet");
      }
      return undefined;
    }
  };
  for (const key of named.length > 0 ? named : accepted) {
    const payload = await verify(key);
    if (payload) return payload;
  }
  throw new TokenRefused("expected the token to be signed with one of the keys of this server");
}

const refuse = (why: string | undefined): void => {
  if (why !== undefined) throw new TokenRefused(why);
};

const audienceFault = (audiences: readonly string[], requested: readonly string[]): string =>
  `token audiences ${JSON.stringify(audiences)} is invalid for the target audiences ${JSON.stringify(requested)}`;

/** The requested audiences that a token is for, in their order. */
function sharedAudiences({ aud = [] }: JWTPayload, requested: readonly string[]): readonly string[] {
  const audiences = [aud].flat();
  const shared = requested.filter((one) => audiences.includes(one));
  if (shared.length > 0) return shared;
  throw new TokenRefused(audienceFault(audiences, requested));
}

function boundObjectsOf(payload: JWTPayload, labelDomain: string): BoundObjects {
  const bound = payload[labelDomain] as Partial<BoundObjects> | undefined;
  const { namespace, serviceaccount } = bound ?? {};
  if (namespace && serviceaccount?.name) return { ...bound, namespace, serviceaccount };
  throw new TokenRefused("expected the token to name a service account");
}

const INVALIDATED = "service account token has been invalidated";

const isDeleted = ({ metadata: { deletionTimestamp } }: ApiObject, now: number): boolean =>
  deletionTimestamp !== undefined && Date.parse(deletionTimestamp) + LEEWAY_SECONDS * 1000 < now;

/** The fault of the objects that a token depends on. The node of a Pod is information only. */
function boundObjectFault(
  { namespace, serviceaccount, pod, secret, node }: BoundObjects,
  { lookup, api: { clock } }: AuthContext,
): string | undefined {
  const account = lookup.get("serviceaccounts", namespace, serviceaccount.name);
  if (!account) return `serviceaccounts "${serviceaccount.name}" not found`;
  if (account.metadata.uid !== serviceaccount.uid) {
    return `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`;
  }
  if (isDeleted(account, clock.now())) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
  const fault = (what: string, { name, uid }: Partial<Named>, scope = namespace): string | undefined => {
    const found = lookup.get(`${what}s`, scope, name ?? "");
    if (!found || isDeleted(found, clock.now())) return INVALIDATED;
    const own = found.metadata.uid;
    return own === uid ? undefined : `${what} UID (${own}) does not match service account ${what} ref claim (${uid})`;
  };
  return (
    (secret && fault("secret", secret)) ??
    (pod && fault("pod", pod)) ??
    (node && !pod ? fault("node", node, "") : undefined)
  );
}

/** The claims of a token of a Secret. */
interface SecretClaims {
  readonly namespace: string;
  readonly account: Named;
  readonly secret: string;
}

function secretClaimsOf(payload: JWTPayload, labelDomain: string): SecretClaims {
  const claim = (name: string): string => {
    const value = payload[secretClaims(labelDomain) + name];
    if (typeof value === "string" && value !== "") return value;
    throw new TokenRefused(`${name} claim is missing`);
  };
  const namespace = claim("namespace");
  const account = { name: claim("service-account.name"), uid: claim("service-account.uid") };
  if (payload.sub !== accountUser(namespace, account.name)) throw new TokenRefused("sub claim is invalid");
  return { namespace, secret: claim("secret.name"), account };
}

/** Why the Secret or the account of a token is not valid; both are invalid as soon as they are being deleted. */
function secretFault(
  { namespace, account, secret }: SecretClaims,
  token: string,
  { lookup, api: { dialect } }: AuthContext,
): string | undefined {
  const stored = lookup.get("secrets", namespace, secret);
  if (!stored || stored.metadata.deletionTimestamp !== undefined) return "Token has been invalidated";
  const { token: copy = "" } = (stored["data"] ?? {}) as Readonly<Record<string, string>>;
  if (!isSame(Buffer.from(copy, "base64"), Buffer.from(token))) return "Token does not match server's copy";
  const found = lookup.get("serviceaccounts", namespace, account.name);
  if (!found || found.metadata.deletionTimestamp !== undefined) {
    return `ServiceAccount ${namespace}/${account.name} has been deleted`;
  }
  if (found.metadata.uid !== account.uid) {
    return `ServiceAccount UID (${found.metadata.uid}) does not match claim (${account.uid})`;
  }
  const label = `${dialect.labelDomain}/legacy-token-invalid-since`;
  return stored.metadata.labels?.[label]
    ? `the token in secret ${namespace}/${secret} for service account ${namespace}/${account.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${label}' label from the secret to temporarily allow use of this token`
    : undefined;
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/** The user of an account, without the group of all authenticated users. */
const identityOf = (namespace: string, { name, uid }: Named): Identity => ({
  user: accountUser(namespace, name),
  uid,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
});

/** The audit annotation of a token that is used after the lifetime that its Pod knows; undefined before that. */
function staleness({ sub }: JWTPayload, { warnafter }: BoundObjects, now: number): string | undefined {
  const seconds = warnafter ? Math.floor(now / 1000) - warnafter : 0;
  return seconds > 0 ? `subject: ${sub}, seconds after warning threshold: ${seconds}` : undefined;
}

/** The extra attributes of a user, by the keys of kube-apiserver (AUTHN-32). */
function extraOf({ pod, node }: BoundObjects, jti: string | undefined, domain: string): NonNullable<Identity["extra"]> {
  const attributes: readonly (readonly [string, string | undefined])[] = [
    ["credential-id", jti && `JTI=${jti}`],
    ["pod-name", pod?.name],
    ["pod-uid", pod?.uid],
    ["node-name", node?.name],
    ["node-uid", node?.uid],
  ];
  return Object.fromEntries(
    attributes.flatMap(([name, value]) => (value ? [[`authentication.${domain}/${name}`, [value]]] : [])),
  );
}
