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
}

/** A client certificate that the TLS layer has verified against the server's client CA. */
export interface ClientCertificate {
  /** The common name of the subject: the user. */
  readonly commonName: string;
  /** The organisations of the subject: the groups. */
  readonly organizations: readonly string[];
  /** Milliseconds since the epoch at which the certificate ends; a connection may outlive it. */
  readonly notAfter: number;
}

/** One connection of a client; the same object for all requests on it, so that work may be kept with it in a WeakMap. */
export interface Connection {
  /** The verified client certificate, undefined when there is none. */
  readonly certificate: ClientCertificate | undefined;
  /** The address of the peer, empty in process. */
  readonly address: string;
  readonly encrypted: boolean;
}

/** What an authenticator sees of a request. */
export interface Credentials {
  /** The value of a header by its lower-case name, empty when it was not sent. */
  readonly header: (name: string) => string;
  readonly connection: Connection;
}

/** Finds out who sends a request. */
export interface Authenticator {
  /**
   * The sender; undefined when no credential was sent. Throws or rejects with `unauthorized()` when a credential is
   * there and is not acceptable.
   */
  authenticate(credentials: Credentials): Identity | undefined | Promise<Identity | undefined>;
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
  /** What audit says of requests with the token, by the key of the annotation. */
  readonly notes?: Readonly<Record<string, string>>;
}

/** Why a token is not accepted. Only a review of the token tells it (AUTHN-5); never with the token in its text. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
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
}

/** What authenticators and authorizers may know of the cluster that they are made for. */
export interface TrustGround {
  /** Objects as they are now: roles, accounts, Secrets. */
  readonly lookup: Lookup;
  readonly api: ApiContext;
}

/** The user of a request without a credential, where such requests are let in at all (DEC-35). */
export const ANONYMOUS: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"] };
