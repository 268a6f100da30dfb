import { NO_ISSUER, type OidcFlags } from "../../auth/oidc/flags.ts";

/** What the options of a server say of those who ask it. Names of files are empty where none is given. */
export interface AuthenticationSettings {
  /** Authorities beside the own one whose certificates are those of users. */
  readonly clientCaFile: string;
  readonly proxy: ProxySettings;
  /** A file of tokens. */
  readonly tokenFile: string;
  /** Whether a request without a credential is one of nobody in particular; as the dialect has it where it is not said. */
  readonly anonymous: boolean | undefined;
  readonly accounts: AccountSettings;
  readonly webhook: TokenWebhookSettings;
  /** Whether Secrets are tokens with which nodes come to the cluster. */
  readonly bootstrapTokens: boolean;
  readonly oidc: OidcSettings;
}

/** Who judges tokens that nobody here knows; nobody without `configFile`. */
export interface TokenWebhookSettings {
  /** A kubeconfig. */
  readonly configFile: string;
  readonly cacheMillis: number;
  readonly version: "v1" | "v1beta1";
}

/** Issuers of tokens: those of a file, or one that flags name. */
export interface OidcSettings extends OidcFlags {
  /** An AuthenticationConfiguration. */
  readonly configFile: string;
  /** Authorities of the issuer that flags name. */
  readonly caFile: string;
}

/** Proxies in front that say who their clients are; none without `caFile`. */
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
  /** Whose tokens are accepted; the first signs. The usual one of the dialect where none is named. */
  readonly issuers: readonly string[];
  /** Those of this server; its issuers where none is named. */
  readonly audiences: readonly string[];
  /** Keys that tokens may be signed with beside the one that signs. */
  readonly keyFiles: readonly string[];
  readonly signingKeyFile: string;
  readonly maxSeconds: number | undefined;
  readonly extendsExpiration: boolean;
  /** Where the keys can be read; this server by default, for which it is empty. */
  readonly jwksUri: string;
}

/** The headers of proxies that kube-apiserver is usually told. */
export const PROXY_HEADERS = {
  userHeaders: ["X-Remote-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group"],
  extraPrefixes: ["X-Remote-Extra-"],
} as const;

/** No issuer of tokens. */
export const NO_OIDC: OidcSettings = { ...NO_ISSUER, configFile: "", caFile: "" };
