/**
 * Who sends a request, as the flags of kube-apiserver say: the certificates of one authority, the tokens of a file, those
 * of service accounts, and nobody.
 *
 * @module
 */
import { ANONYMOUS, type Authenticator, type ClientCertificate, type Identity } from "../../auth/contract.ts";
import type { AccountTokens } from "../../auth/account-identities.ts";
import { unauthorized } from "../../meta/status.ts";
import { type TokenUsers, digestOf } from "./token-file.ts";

/** Whom an authenticator believes. */
export interface Believed {
  readonly tokens: TokenUsers;
  readonly accounts: AccountTokens;
  /** Whether who shows nothing is let in as {@link ANONYMOUS}. */
  readonly anonymous: boolean;
  /** Milliseconds since the epoch; a connection may outlive its certificate. */
  readonly now: () => number;
}

const BEARER = /^bearer +(\S+)$/i;

/** See the head of this file. A certificate counts before a token. */
export const authenticator = ({ tokens, accounts, anonymous, now }: Believed): Authenticator => ({
  authenticate({ header, connection }) {
    const { certificate } = connection;
    if (certificate?.commonName) return certified(certificate, now());
    const authorization = header("authorization");
    if (authorization === "") return anonymous ? ANONYMOUS : undefined;
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) throw unauthorized();
    return tokens.get(digestOf(token)) ?? accounts.identify(token);
  },
});

function certified({ commonName, organizations, notAfter }: ClientCertificate, now: number): Identity {
  if (notAfter < now) throw unauthorized("Unauthorized: the client certificate has expired");
  return { user: commonName, groups: [...organizations, "system:authenticated"] };
}
