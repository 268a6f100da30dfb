import type { OidcFlags } from "../../auth/oidc/flags.ts";

/** The options of authentication. The name of a file is empty if there is none. */
export interface AuthenticationSettings {
  /** CA certificates for client certificates, in addition to the CA of the server. */
  readonly clientCaFile: string;
  readonly proxy: ProxySettings;
  /** A file of tokens. */
  readonly tokenFile: string;
  /** Whether anonymous requests are accepted; undefined for the default of the dialect. */
  readonly anonymous: boolean | undefined;
  readonly accounts: AccountSettings;
  readonly webhook: TokenWebhookSettings;
  /** Whether bootstrap tokens are accepted, which are Secrets. */
  readonly bootstrapTokens: boolean;
  readonly oidc: OidcSettings;
}

/** The webhook for tokens that no other authenticator knows; none without `configFile`. */
export interface TokenWebhookSettings {
  /** A kubeconfig. */
  readonly configFile: string;
  readonly cacheMillis: number;
  readonly version: "v1" | "v1beta1";
}

/** OIDC issuers: those of a file, or one that flags name. */
export interface OidcSettings extends OidcFlags {
  /** An AuthenticationConfiguration. */
  readonly configFile: string;
  /** CA certificates for the issuer of the flags. */
  readonly caFile: string;
}

/** Proxies that send the user in headers; none without `caFile`. */
export interface ProxySettings {
  readonly caFile: string;
  readonly allowedNames: readonly string[];
  readonly userHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Tokens of service accounts. */
export interface AccountSettings {
  /** Issuers whose tokens are accepted; the first signs. Empty for the default of the dialect. */
  readonly issuers: readonly string[];
  /** The audiences of this server; empty for its issuers. */
  readonly audiences: readonly string[];
  /** Keys that verify tokens, in addition to the signing key. */
  readonly keyFiles: readonly string[];
  readonly signingKeyFile: string;
  readonly maxSeconds: number | undefined;
  readonly extendsExpiration: boolean;
  /** The URL of the keys; empty for this server. */
  readonly jwksUri: string;
}
