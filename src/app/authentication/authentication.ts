/**
 * Builds the authenticators of a server from its options, in their order, and reads their files.
 *
 * @module
 */
import { webhookTokens } from "../../auth/webhook-tokens.ts";
import { accountTokens } from "../../auth/account-authenticator.ts";
import { AccountTokenMetrics } from "../../auth/account-token-metrics.ts";
import { bootstrapTokens } from "../../auth/bootstrap-tokens.ts";
import { certificateUsers } from "../../auth/certificates.ts";
import { authenticatorChain } from "../../auth/chain.ts";
import type { Authenticator, AuthContext, HeldCertificate, TokenAuthenticator } from "../../auth/contract.ts";
import { frontProxy } from "../../auth/front-proxy.ts";
import { opaqueTokens } from "../../auth/opaque-tokens.ts";
import type { SessionReader } from "../../auth/sessions.ts";
import { type TokenSigner, tokenSigner } from "../../auth/service-account-tokens.ts";
import { type TokenKey, type TokenKeys, tokenKeys, tokenKeysIn } from "../../auth/token-keys.ts";
import { readTokens } from "../../auth/token-file.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type Route, issuerRoutes } from "../../server/index.ts";
import type { Collector } from "../../util/exposition.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";
import type { AuthenticationSettings } from "../options/authentication-settings.ts";
import { readNamed } from "../files/named-file.ts";
import { openOidc } from "./oidc.ts";
import { OptionError } from "../options/types.ts";
import { openTokenReviews } from "./token-webhook.ts";
import { messageOf } from "../../util/error.ts";

/** What authentication is built from, in addition to the options. */
export interface AuthenticationParts extends TracedSystemParts {
  readonly dialect: Dialect;
  /** Keys of tokens in PEM, used if no file has a signing key; the first signs, all are accepted. */
  readonly keys: () => readonly string[];
  /** Token authenticators that are called before those of the options, for the audiences of the server. */
  readonly tokens?: (audiences: readonly string[]) => readonly TokenAuthenticator[];
  readonly isRevoked?: (certificate: HeldCertificate) => boolean;
  /** Reads the sessions of requests to a cluster; without it there are none. */
  readonly sessions?: ((context: AuthContext) => SessionReader) | undefined;
  /** Whether every user may do everything; called for each request without a credential. */
  readonly allowsAll: () => boolean;
  /** The address of the server; called once it is known. */
  readonly url: () => string;
}

/** The authenticator of a server, and what is built from the same settings. */
export interface Authentication {
  /** CA certificates for client certificates and for proxies, PEM; empty for none. */
  readonly clientCa: string;
  readonly proxyCa: string;
  readonly authenticator: (context: AuthContext) => Authenticator;
  readonly signer: () => TokenSigner;
  /** The discovery documents of the token issuer; none if its name is not an https URL. */
  readonly routes: readonly Route[];
  readonly metrics: readonly Collector[];
  /** The private key that signs tokens of service accounts, PEM. */
  readonly signingKey: () => string;
  /** Stops watching files and closes the connections to webhooks. */
  close(): void;
}

/** Reads the files of the settings. @throws OptionError for a file that is not valid */
export function openAuthentication(settings: AuthenticationSettings, own: AuthenticationParts): Authentication {
  const { accounts, proxy } = settings;
  const { dialect, clock, random, log } = own;
  const keys = keysOf(settings, own.keys);
  const { maxSeconds, extendsExpiration } = accounts;
  const issuers = accounts.issuers.length > 0 ? accounts.issuers : [defaultIssuer(dialect)];
  const audiences = accounts.audiences.length > 0 ? accounts.audiences : issuers;
  const [issuer = ""] = issuers;
  const issuance = { issuer, audiences, maxSeconds, extendsExpiration };
  const now = (): number => clock.now();
  const { webhook } = settings;
  using opened = new DisposableStack();
  const reviews =
    webhook.configFile === ""
      ? undefined
      : opened.adopt(openTokenReviews(webhook.configFile, own), (one) => one.close());
  const fileTokens = tokensOf(settings, audiences);
  const oidc = opened.use(openOidc(settings.oidc, { clock, log, issuers, audiences }));
  if (settings.anonymous !== undefined && oidc?.anonymous("/") !== undefined) {
    throw new OptionError("expected --anonymous-auth or anonymous in --authentication-config, got both");
  }
  const anonymous = anonymousOf(settings, own, (path) => oidc?.anonymous(path));
  const clientCa = pemOf("client-ca-file", settings.clientCaFile);
  const proxyCa = pemOf("requestheader-client-ca-file", proxy.caFile);
  const accountMetrics = new AccountTokenMetrics();
  let signer: TokenSigner | undefined;
  const held = opened.move();
  return {
    clientCa,
    proxyCa,
    authenticator: (context) =>
      authenticatorChain({
        clock,
        random,
        proxy: proxy.caFile === "" ? undefined : frontProxy({ ...proxy, now }),
        certificate: certificateUsers({ dialect, now, isRevoked: own.isRevoked }),
        tokens: [
          ...(own.tokens?.(audiences) ?? []),
          ...fileTokens,
          accountTokens({ keys, issuers, audiences, metrics: accountMetrics }, context),
          ...(settings.bootstrapTokens ? [bootstrapTokens(audiences, context)] : []),
          ...(oidc ? [oidc.tokens] : []),
          ...(reviews ? [webhookTokens({ ...webhook, ask: reviews.send, audiences, clock })] : []),
        ],
        sessions: own.sessions?.(context),
        anonymous,
        onError: (kind, error) => log.error("tokens could not be authenticated", { kind, error: String(error) }, kind),
      }),
    signer: () => (signer ??= tokenSigner(keys, issuance, { dialect, clock, random })),
    routes: issuerRoutes({
      issuer: issuance.issuer,
      jwksUri: () => accounts.jwksUri || `${own.url()}/openid/v1/jwks`,
      keys: () => keys().accepted,
    }),
    signingKey: () => keys().signing,
    metrics: [accountMetrics.collector, ...(oidc ? [oidc.metrics] : [])],
    close: () => held.dispose(),
  };
}

/** A path of the API on which a user may write. */
const API_PATH = "/api/v1/namespaces";

/**
 * Returns whether anonymous requests are accepted, by path (AUTHN-14). As in kube-apiserver the mode AlwaysAllow disables them,
 * whatever `--anonymous-auth` says, unless a file of `--authentication-config` enables them. The log warns of both cases.
 */
function anonymousOf(
  { anonymous }: AuthenticationSettings,
  { dialect, log, allowsAll }: AuthenticationParts,
  configured: (path: string) => boolean | undefined,
): (path: string) => boolean {
  const isEnabled = anonymous ?? dialect.rules.anonymousByRoles;
  const inFile = configured(API_PATH);
  if (allowsAll() && inFile === true) {
    log.warn(
      "anonymous requests may do everything: --authentication-config accepts them, and AlwaysAllow allows everything",
    );
  } else if (allowsAll() && inFile === undefined && isEnabled) {
    log.warn("anonymous requests are refused: the mode AlwaysAllow would allow them everything");
  }
  return (path) => configured(path) ?? (isEnabled && !allowsAll());
}

const defaultIssuer = ({ labelDomain, rules }: Dialect): string =>
  rules.namespaceObjects ? "https://kubernetes.default.svc.cluster.local" : `https://${labelDomain}`;

const pemOf = (flag: string, file: string): string => {
  const pem = file === "" ? "" : readNamed(flag, file);
  if (file !== "" && !pem.includes("-----BEGIN CERTIFICATE-----")) {
    throw new OptionError(`expected --${flag} to hold certificates in PEM, found none in ${file}`);
  }
  return pem;
};

/** Tokens of a file, which are for this server alone (AUTHN-19). */
function tokensOf({ tokenFile }: AuthenticationSettings, audiences: readonly string[]): readonly TokenAuthenticator[] {
  if (tokenFile === "") return [];
  const users = readAs(() => readTokens(readNamed("token-auth-file", tokenFile), tokenFile));
  return [opaqueTokens({ name: "token file", audiences, find: (digest) => users.get(digest) })];
}

function readAs<T>(read: () => T, about = ""): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof OptionError ? error : new OptionError(about + messageOf(error));
  }
}

/** The keys of tokens as they are now (AUTHN-34). */
function keysOf(
  { accounts: { keyFiles, signingKeyFile } }: AuthenticationSettings,
  own: () => readonly string[],
): () => TokenKeys {
  const named = keyFiles.flatMap((file): readonly TokenKey[] => {
    const text = readNamed("service-account-key-file", file);
    return readAs(() => tokenKeysIn(text), `expected --service-account-key-file ${file} to hold a key: `);
  });
  if (signingKeyFile !== "") {
    const pem = readNamed("service-account-signing-key-file", signingKeyFile);
    const keys = readAs(
      () => tokenKeys(pem, named),
      "expected --service-account-signing-key-file to hold a private key: ",
    );
    return () => keys;
  }
  let made: { readonly of: string; readonly keys: TokenKeys } | undefined;
  return () => {
    const [signing = "", ...others] = own();
    const of = [signing, ...others].join("");
    if (made?.of !== of) made = { of, keys: tokenKeys(signing, [...named, ...others.flatMap(tokenKeysIn)]) };
    return made.keys;
  };
}
