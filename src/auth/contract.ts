/**
 * The interfaces of authentication and authorization.
 *
 * Results may be promises; a direct result keeps the way of a request free of waiting.
 *
 * @module
 */
import type { RequestInfo } from "../meta/request-info.ts";
import type { ApiContext } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";

/** The user of a request (AUTH-1, DEC-35). */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further attributes, such as the scopes of a token. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** Audit annotations of requests with this credential. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** Whose certificates an authority signs: those of clients (AUTHN-16), or of front proxies (AUTHN-18). */
export type Authority = "client" | "proxy";

/** A client certificate of the TLS handshake, which proves that the client has its key. */
export interface ClientCertificate {
  /** The common name of the subject: the user. */
  readonly commonName: string;
  /** The organisations of the subject: the groups. */
  readonly organizations: readonly string[];
  /** The UID of the user, where the subject has one: its attribute 1.3.6.1.4.1.57683.2. */
  readonly uid?: string;
  /** SHA-256 of the certificate, hexadecimal in lower case. */
  readonly fingerprint: string;
  /** The authorities that have signed it as a client certificate; none where it is not valid (AUTHN-17). */
  readonly signedBy: readonly Authority[];
  /** Milliseconds since the epoch at which the certificate expires; a connection may outlive it. */
  readonly notAfter: number;
}

/** One connection of a client; all requests on it have the same object, which may be the key of a WeakMap. */
export interface Connection {
  /** The client certificate; undefined where the client has sent none. */
  readonly certificate: ClientCertificate | undefined;
  /** The address of the peer, empty in process. */
  readonly address: string;
  readonly encrypted: boolean;
}

/** The part of a request that authenticators read. */
export interface Credentials {
  /** The value of a header by its lower-case name; empty where it was not sent. */
  readonly header: (name: string) => string;
  /** The values of a header that was sent several times, one for each line. */
  readonly lines: (name: string) => readonly string[];
  /** The names of all headers, in lower case. */
  readonly names: () => readonly string[];
  readonly path: string;
  readonly connection: Connection;
}

/** A credential that a request was accepted with, in a form that can be checked again without the client. */
export type HeldCredential =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "certificate"; readonly certificate: HeldCertificate };

/** A client certificate that was accepted: without the authorities, which have been checked. */
export type HeldCertificate = Omit<ClientCertificate, "signedBy">;

/** Authenticates requests. */
export interface Authenticator {
  /**
   * The user of a request. A request without a credential is {@link ANONYMOUS} where that is allowed, else undefined. Throws
   * or rejects with `unauthorized()` where a credential is not accepted.
   */
  authenticate(credentials: Credentials): Identity | undefined | Promise<Identity | undefined>;
  /**
   * The owner of a token, for a TokenReview (AUTHN-39); undefined for an unknown token. Rejects with {@link TokenRefused},
   * which says why the token is not accepted.
   *
   * @param audiences the audiences that are accepted; without any, those of this server
   */
  review?(token: string, audiences?: readonly string[]): Promise<TokenOwner | undefined>;
  /**
   * Whether the credential of an identity has been revoked since {@link Authenticator.authenticate} returned it on that
   * connection; its open requests end then. False for credentials that cannot be revoked.
   */
  isRevoked?(identity: Identity, connection: Connection): boolean;
  /**
   * The credential that {@link Authenticator.authenticate} has accepted a request with; undefined where it has none that could be
   * checked again later: it is anonymous, belongs to a session, or a front proxy vouches for its user.
   */
  credentialOf?(credentials: Credentials): HeldCredential | undefined;
}

/** Authenticates one kind of bearer tokens (AUTHN-3). */
export interface TokenAuthenticator {
  readonly name: string;
  /**
   * The owner of a token; undefined where it is not of this kind. Throws or rejects with {@link TokenRefused} where it is of
   * this kind and not accepted; the other authenticators are called all the same.
   *
   * @param audiences the audiences that are accepted; without any, those of this server
   */
  identify(token: string, audiences?: readonly string[]): TokenOwner | undefined | Promise<TokenOwner | undefined>;
}

/** The owner of a token. */
export interface TokenOwner {
  readonly identity: Identity;
  /** The requested audiences that the token is for, in their order; those of this server where none were requested. */
  readonly audiences: readonly string[];
  /** Whether the token is still valid, called whenever a cached owner is used. Without it the whole time of the cache counts (AUTHN-10). */
  readonly isValid?: () => boolean;
  /** Whether the token was revoked or has expired; only for tokens that can be revoked. */
  readonly isRevoked?: () => boolean;
}

/** Why a token is not accepted. Only a TokenReview returns the message (AUTHN-5), which never contains the token. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

/** An authenticator has too many tokens in its queue; the client may retry. */
export class AuthenticatorBusy extends Error {
  override readonly name = "AuthenticatorBusy";
}

/**
 * The decision about a request.
 *
 * - allowed; `reason` names the binding and the role, or is empty where no role decided (RBAC-37)
 * - denied: no other authorizer is called
 * - neither: no opinion; another authorizer may allow it
 *
 * `error` says what could not be read.
 */
export interface Decision {
  readonly allowed: boolean;
  readonly denied?: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** The verbs that are allowed on objects, in the form of a rule of a role. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The verbs that are allowed on paths, in the form of a rule of a role. */
export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The rights of a user in a namespace, as far as the authorizer can list them (RBAC-53). */
export interface Rights {
  readonly resourceRules: readonly ResourceRule[];
  readonly pathRules: readonly PathRule[];
  /** Whether the user may have more rights. */
  readonly incomplete: boolean;
  readonly error?: string;
}

/** Decides what users may do. */
export interface Authorizer {
  authorize(identity: Identity, info: RequestInfo): Decision | Promise<Decision>;
  /** The rights of a user in a namespace, cluster-wide rules first. */
  rightsOf(identity: Identity, namespace: string): Rights | Promise<Rights>;
  /** A sentence about what would help a user who was refused; undefined where there is none, or the user may not see it. */
  advise?(identity: Identity, info: RequestInfo): Promise<string | undefined>;
}

/** The cluster of authenticators and authorizers. */
export interface AuthContext {
  /** Current objects: roles, accounts, Secrets. */
  readonly lookup: Lookup;
  readonly api: ApiContext;
}

/** The user of a request without a credential (DEC-35). */
export const ANONYMOUS: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"] };
