/**
 * What the server asks of authentication and authorisation: who is it, and may they.
 *
 * Both answers may be given at once or later; giving them at once keeps the path of a request free of waiting.
 *
 * @module
 */
import type { RequestInfo } from "../meta/request-info.ts";

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

/** Whether a request may go on; `reason` tells why not. */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** Decides what somebody may do. */
export interface Authorizer {
  authorize(identity: Identity, info: RequestInfo): Decision | Promise<Decision>;
}

/** The user of a request without a credential, where such requests are let in at all (DEC-35). */
export const ANONYMOUS: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"] };
