/**
 * Who a service account is, by a token that was signed for it (AUTHN-21, AUTHN-30).
 *
 * A token is as good as what it names: its account, and the object that it is bound to, have to be there with the uid that
 * it says. That is looked at whenever the token is used, also where its signature is remembered (AUTHN-31).
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import type { JWTPayload } from "jose";
import type { ApiObject } from "../schema/definition.ts";
import type { AccountTokenMetrics } from "./account-token-metrics.ts";
import { type CompactToken, readCompactToken } from "./compact-token.ts";
import { isCode } from "./jose-error.ts";
import { type Identity, type TokenAuthenticator, type TokenOwner, TokenRefused, type TrustGround } from "./contract.ts";
import { type Named, SECRET_ISSUER, accountUser, secretClaims } from "./service-account-tokens.ts";
import type { TokenKey, TokenKeys } from "./token-keys.ts";

/** Whose tokens are accepted. */
export interface AccountTokenOptions {
  /** One of them has signed a token; asked for each. */
  readonly keys: () => TokenKeys;
  readonly issuers: readonly string[];
  /** This server's audiences. */
  readonly audiences: readonly string[];
  readonly metrics?: AccountTokenMetrics;
}

/** What the member of a token that Kubernetes has for itself says. */
interface Place {
  readonly namespace: string;
  readonly serviceaccount: Named;
  readonly pod?: Named;
  readonly secret?: Named;
  readonly node?: { readonly name: string; readonly uid?: string };
  readonly warnafter?: number;
}

/** How far clocks may be apart, and how long an object counts after its deletion time, in seconds. */
const LEEWAY = 60;

/** Tokens of service accounts, of all issuers of this server and of Secrets. */
export function accountTokens(options: AccountTokenOptions, ground: TrustGround): TokenAuthenticator {
  const { issuers, audiences: own, metrics } = options;
  const { clock, dialect } = ground.api;
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
    if (payload.exp === undefined) throw new TokenRefused("expected the token to have an end, it has none");
    const those = audiencesOf(payload, audiences);
    const place = placeOf(payload, dialect.labelDomain);
    const standing = (): string | undefined => missingOf(place, ground) ?? endOf(payload, clock.now());
    refuse(standing());
    const stale = staleness(payload, place, clock.now());
    if (place.warnafter) metrics?.extended(stale !== undefined);
    const identity = accountOf(place.namespace, place.serviceaccount);
    return {
      identity: {
        ...identity,
        extra: extraOf(place, payload.jti, dialect.labelDomain),
        ...(stale ? { notes: { "authentication.k8s.io/stale-token": stale } } : {}),
      },
      audiences: those,
      holds: () => standing() === undefined,
    };
  }

  async function identifySecret(token: ReadToken, audiences: readonly string[]): Promise<TokenOwner> {
    const payload = await payloadOf(token, options.keys(), clock.now());
    const those = audiences.filter((one) => own.includes(one));
    if (those.length === 0) throw new TokenRefused("expected the token to be for one of the audiences asked for");
    const said = secretSays(payload, dialect.labelDomain);
    const standing = (): string | undefined => missingOfSecret(said, token.token, ground);
    refuse(standing());
    metrics?.ofSecret();
    return {
      identity: accountOf(said.namespace, said.account),
      audiences: those,
      holds: () => standing() === undefined,
    };
  }
}

/** A token with what it says of itself. */
interface ReadToken {
  readonly token: string;
  readonly header: CompactToken["header"];
}

/** What a token says, once one of the keys is found to have signed it, and its times are right. */
async function payloadOf({ token, header }: ReadToken, { accepted }: TokenKeys, now: number): Promise<JWTPayload> {
  // Loaded with the first token: most servers never see one.
  const { jwtVerify } = await import("jose");
  const named = accepted.filter((key) => key.kid === header["kid"]);
  const verify = async ({ key, alg }: TokenKey): Promise<JWTPayload | undefined> => {
    try {
      const times = { currentDate: new Date(now), clockTolerance: LEEWAY };
      return (await jwtVerify(token, key, { algorithms: [alg], ...times })).payload;
    } catch (error) {
      if (isCode(error, "ERR_JWT_EXPIRED")) throw new TokenRefused("the token has expired");
      if (isCode(error, "ERR_JWT_CLAIM_VALIDATION_FAILED")) throw new TokenRefused("the token is not valid yet");
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

/** The audiences asked for that a token is for, in their order. */
function audiencesOf({ aud = [] }: JWTPayload, asked: readonly string[]): readonly string[] {
  const held = new Set([aud].flat());
  const those = asked.filter((one) => held.has(one));
  if (those.length > 0) return those;
  throw new TokenRefused(
    `expected the token to be for one of ${JSON.stringify(asked)}, it is for ${JSON.stringify(aud)}`,
  );
}

function placeOf(payload: JWTPayload, labelDomain: string): Place {
  const place = payload[labelDomain] as Partial<Place> | undefined;
  if (place?.namespace && place.serviceaccount?.name) return place as Place;
  throw new TokenRefused("expected the token to name a service account");
}

const endOf = ({ exp }: JWTPayload, now: number): string | undefined =>
  exp! + LEEWAY < now / 1000 ? "the token has expired" : undefined;

/** Why an object that a token names does not stand behind it any more; undefined where it does. */
function goneOf(what: string, found: ApiObject | undefined, uid: string | undefined, now: number): string | undefined {
  if (!found) return `the ${what} of the token is not there`;
  if (found.metadata.uid !== uid) return `the ${what} of the token has another uid`;
  const { deletionTimestamp } = found.metadata;
  const isOver = deletionTimestamp !== undefined && Date.parse(deletionTimestamp) + LEEWAY * 1000 < now;
  return isOver ? `the ${what} of the token has been deleted` : undefined;
}

/** What of the objects that a token depends on is gone. The node of a Pod is only told. */
function missingOf(
  { namespace, serviceaccount, pod, secret, node }: Place,
  { lookup, api: { clock } }: TrustGround,
): string | undefined {
  const gone = (what: string, plural: string, { name, uid }: Partial<Named>, scope = namespace): string | undefined =>
    goneOf(what, lookup.get(plural, scope, name ?? ""), uid, clock.now());
  return (
    gone("service account", "serviceaccounts", serviceaccount) ??
    (secret && gone("Secret", "secrets", secret)) ??
    (pod && gone("Pod", "pods", pod)) ??
    (node && !pod ? gone("Node", "nodes", node, "") : undefined)
  );
}

/** What a token of a Secret says of itself. */
interface SecretSays {
  readonly namespace: string;
  readonly account: Named;
  readonly secret: string;
}

function secretSays(payload: JWTPayload, labelDomain: string): SecretSays {
  const [namespace, secret, name, uid] = [
    "namespace",
    "secret.name",
    "service-account.name",
    "service-account.uid",
  ].map((claim) => payload[secretClaims(labelDomain) + claim]);
  const texts = [namespace, secret, name, uid].every((text) => typeof text === "string" && text !== "");
  if (!texts || payload.sub !== accountUser(namespace as string, name as string)) {
    throw new TokenRefused("expected the token to name a service account, its namespace and a Secret");
  }
  return {
    namespace: namespace as string,
    secret: secret as string,
    account: { name: name as string, uid: uid as string },
  };
}

/** Why the Secret or the account of a token is not what the token says; both end at once when they are deleted. */
function missingOfSecret(
  { namespace, account, secret }: SecretSays,
  token: string,
  { lookup, api: { dialect } }: TrustGround,
): string | undefined {
  const kept = lookup.get("secrets", namespace, secret);
  if (!kept || kept.metadata.deletionTimestamp !== undefined) return "the Secret of the token is not there";
  const { token: copy = "" } = (kept["data"] ?? {}) as Readonly<Record<string, string>>;
  if (!isSame(Buffer.from(copy, "base64"), Buffer.from(token))) return "the Secret of the token holds another one";
  const found = lookup.get("serviceaccounts", namespace, account.name);
  if (!found || found.metadata.deletionTimestamp !== undefined) return "the service account of the token is not there";
  if (found.metadata.uid !== account.uid) return "the service account of the token has another uid";
  const invalidSince = kept.metadata.labels?.[`${dialect.labelDomain}/legacy-token-invalid-since`];
  return invalidSince ? "the token has been marked as invalid" : undefined;
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/** The user that an account is; everybody that is known is in one more group. */
const accountOf = (namespace: string, { name, uid }: Named): Identity => ({
  user: accountUser(namespace, name),
  uid,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
});

/** What audit says of a token that is used after the time its bearer knows of; undefined before that. */
function staleness({ sub }: JWTPayload, { warnafter }: Place, now: number): string | undefined {
  const seconds = warnafter ? Math.floor(now / 1000) - warnafter : 0;
  return seconds > 0 ? `subject: ${sub}, seconds after warning threshold: ${seconds}` : undefined;
}

/** What else is known of the sender, by the names under which reviews show it (AUTHN-32). */
function extraOf({ pod, node }: Place, jti: string | undefined, domain: string): NonNullable<Identity["extra"]> {
  const said: readonly (readonly [string, string | undefined])[] = [
    ["credential-id", jti && `JTI=${jti}`],
    ["pod-name", pod?.name],
    ["pod-uid", pod?.uid],
    ["node-name", node?.name],
    ["node-uid", node?.uid],
  ];
  return Object.fromEntries(
    said.flatMap(([name, value]) => (value ? [[`authentication.${domain}/${name}`, [value]]] : [])),
  );
}
