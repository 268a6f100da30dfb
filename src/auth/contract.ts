/**
 * What the server asks of authentication and authorisation: who is it, and may they.
 *
 * Both answers may be given at once or later; giving them at once keeps the path of a request free of waiting.
 *
 * @module
 */
import type { RequestInfo } from "../meta/request-info.ts";
import type { ApiContext } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";

/** Who sends a request (AUTH-1, DEC-35). */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further attributes, such as the scopes of a token. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** What audit says of requests with this credential, by the key of the annotation. */
  readonly notes?: Readonly<Record<string, string>>;
}

/** For whom an authority signs: for clients (AUTHN-16), or for proxies that say who their clients are (AUTHN-18). */
export type Authority = "client" | "proxy";

/** A client certificate that was shown in the handshake; whoever shows it has its key. */
export interface ClientCertificate {
  /** The common name of the subject: the user. */
  readonly commonName: string;
  /** The organisations of the subject: the groups. */
  readonly organizations: readonly string[];
  /** The UID of the user, where the subject has one: its attribute 1.3.6.1.4.1.57683.2. */
  readonly uid?: string;
  /** SHA-256 of the certificate, hexadecimal in lower case. */
  readonly fingerprint: string;
  /** The authorities that vouch for it as a certificate of a client; none where it is not acceptable (AUTHN-17). */
  readonly signedBy: readonly Authority[];
  /** Milliseconds since the epoch at which the certificate ends; a connection may outlive it. */
  readonly notAfter: number;
}

/** One connection of a client; the same object for all requests on it, so that work may be kept with it in a WeakMap. */
export interface Connection {
  /** The client certificate, undefined when none was shown. */
  readonly certificate: ClientCertificate | undefined;
  /** The address of the peer, empty in process. */
  readonly address: string;
  readonly encrypted: boolean;
}

/** What an authenticator sees of a request. */
export interface Credentials {
  /** The value of a header by its lower-case name, empty when it was not sent. */
  readonly header: (name: string) => string;
  /** The values of a header that was sent several times, one for each line. */
  readonly lines: (name: string) => readonly string[];
  /** The names of all headers, in lower case. */
  readonly names: () => readonly string[];
  readonly path: string;
  readonly connection: Connection;
}

/** Finds out who sends a request. */
export interface Authenticator {
  /**
   * The sender, {@link ANONYMOUS} where requests without a credential are let in; undefined when no credential was sent and
   * they are not. Throws or rejects with `unauthorized()` when a credential is there and is not acceptable.
   */
  authenticate(credentials: Credentials): Identity | undefined | Promise<Identity | undefined>;
  /**
   * Whose a token is, for who has to judge it (AUTHN-39); undefined where nobody knows it. Rejects with
   * {@link TokenRefused}, which says why it is not accepted.
   *
   * @param audiences for whom the token has to be; where none are named, for this server
   */
  review?(token: string, audiences?: readonly string[]): Promise<TokenOwner | undefined>;
  /**
   * Whether somebody has taken back the credential by which {@link Authenticator.authenticate} has found an identity, of a
   * request on that connection: what it has begun ends then. False of credentials that nobody takes back.
   */
  isRevoked?(identity: Identity, connection: Connection): boolean;
}

/** Finds out whose a bearer token is; one of those that are asked in their order (AUTHN-3). */
export interface TokenAuthenticator {
  readonly name: string;
  /**
   * The owner of a token; undefined where it is none of this kind. Throws or rejects with {@link TokenRefused} where it is
   * of this kind and not acceptable: the others are asked all the same.
   *
   * @param audiences for whom the token has to be; where none are named, for this server
   */
  identify(token: string, audiences?: readonly string[]): TokenOwner | undefined | Promise<TokenOwner | undefined>;
}

/** Whose a token is. */
export interface TokenOwner {
  readonly identity: Identity;
  /** Those of the audiences asked for that the token is for, in their order; this server's where none were named. */
  readonly audiences: readonly string[];
  /**
   * Whether all that made it good is still so; asked whenever an answer that was remembered is used again. Without it the
   * token is good for as long as answers are remembered (AUTHN-10).
   */
  readonly holds?: () => boolean;
  /** Whether the token was taken back, or has ended; only of tokens that somebody takes back. */
  readonly isRevoked?: () => boolean;
}

/** Why a token is not accepted. Only a review of the token tells it (AUTHN-5); never with the token in its text. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

/** A token that nobody has the time to judge: whoever shows it may try again. */
export class TokenUnjudged extends Error {
  override readonly name = "TokenUnjudged";
}

/**
 * What was decided about a request.
 *
 * - allowed: it may go on; `reason` is which binding and role say so, empty where no role was asked (RBAC-37)
 * - denied: it may not, and no other authorizer is asked
 * - neither: this authorizer does not allow it; another one may
 *
 * `error` tells what could not be read while it was decided.
 */
export interface Decision {
  readonly allowed: boolean;
  readonly denied?: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** What is allowed of objects, as a rule of a role says it. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What is allowed of paths, as a rule of a role says it. */
export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** All that somebody may do in a namespace, as far as the authorizer can list it (RBAC-53). */
export interface Rights {
  readonly resourceRules: readonly ResourceRule[];
  readonly pathRules: readonly PathRule[];
  /** Whether there may be more. */
  readonly incomplete: boolean;
  readonly error?: string;
}

/** Decides what somebody may do. */
export interface Authorizer {
  authorize(identity: Identity, info: RequestInfo): Decision | Promise<Decision>;
  /** What somebody may do in a namespace, rules for the whole cluster first. */
  rightsOf(identity: Identity, namespace: string): Rights | Promise<Rights>;
  /**
   * What would help somebody who was refused, in words, where they may know it; undefined where there is nothing to say. Not
   * every authorizer has an answer.
   */
  advise?(identity: Identity, info: RequestInfo): Promise<string | undefined>;
}

/** What authenticators and authorizers may know of the cluster that they are made for. */
export interface TrustGround {
  /** Objects as they are now: roles, accounts, Secrets. */
  readonly lookup: Lookup;
  readonly api: ApiContext;
}

/** The user of a request without a credential, where such requests are let in at all (DEC-35). */
export const ANONYMOUS: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"] };
