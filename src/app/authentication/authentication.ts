/**
 * Who asks, as the options of a server say: files are read here, and the kinds of credentials put in their order.
 *
 * @module
 */
import { webhookTokens } from "../../auth/webhook-tokens.ts";
import { accountTokens } from "../../auth/account-authenticator.ts";
import { AccountTokenMetrics } from "../../auth/account-token-metrics.ts";
import { bootstrapTokens } from "../../auth/bootstrap-tokens.ts";
import { certificateUsers } from "../../auth/certificates.ts";
import { authenticatorChain } from "../../auth/chain.ts";
import type { Authenticator, ClientCertificate, TokenAuthenticator, AuthContext } from "../../auth/contract.ts";
import { frontProxy } from "../../auth/front-proxy.ts";
import { opaqueTokens } from "../../auth/opaque-tokens.ts";
import { type TokenSigner, tokenSigner } from "../../auth/service-account-tokens.ts";
import { type TokenKey, type TokenKeys, tokenKeys, tokenKeysIn } from "../../auth/token-keys.ts";
import { readTokens } from "../../auth/token-file.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type Route, issuerRoutes } from "../../server/index.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Collector } from "../../util/exposition.ts";
import type { Log } from "../../util/log.ts";
import type { AuthenticationSettings } from "../options/authentication-settings.ts";
import { readNamed } from "../files/named-file.ts";
import { openOidc } from "./oidc.ts";
import { OptionError } from "../options/types.ts";
import { openTokenReviews } from "./token-webhook.ts";

/** What a server has of its own, beside what its options name. */
export interface OwnCredentials {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The keys of tokens where no file has the one that signs; PEM, the first signs, and all are accepted. */
  readonly keys: () => readonly string[];
  /** Tokens that come before those of the options; for these audiences, which are the server's. */
  readonly tokens?: (audiences: readonly string[]) => readonly TokenAuthenticator[];
  readonly isRevoked?: (certificate: ClientCertificate) => boolean;
  /** Whether everybody may do everything; asked for each request without a credential. */
  readonly allowsAll: () => boolean;
  /** The address at which others reach the server, once it is known. */
  readonly url: () => string;
}

/** What finds out who asks, and what is made of the same settings. */
export interface Authentication {
  /** Authorities of client certificates and of proxies, PEM; empty for none. */
  readonly clientCa: string;
  readonly proxyCa: string;
  readonly authenticator: (context: AuthContext) => Authenticator;
  readonly signer: () => TokenSigner;
  /** The documents of the issuer of tokens; none where its name is no https URL. */
  readonly routes: readonly Route[];
  /** What `/metrics` tells of it. */
  readonly metrics: readonly Collector[];
  /** Follows nothing any more, and ends connections to who is asked about tokens. */
  close(): void;
}

/** Reads what the settings name. @throws OptionError for a file that is not what it has to be */
export function openAuthentication(settings: AuthenticationSettings, own: OwnCredentials): Authentication {
  const { accounts, proxy } = settings;
  const { dialect, clock, random, log } = own;
  const keys = keysOf(settings, own.keys);
  const { maxSeconds, extendsExpiration } = accounts;
  const issuers = accounts.issuers.length > 0 ? accounts.issuers : [usualIssuer(dialect)];
  const audiences = accounts.audiences.length > 0 ? accounts.audiences : issuers;
  const issuance = { issuer: issuers[0]!, audiences, maxSeconds, extendsExpiration };
  const now = (): number => clock.now();
  const { webhook } = settings;
  using opened = new DisposableStack();
  const reviews =
    webhook.configFile === ""
      ? undefined
      : opened.adopt(openTokenReviews(webhook.configFile, clock), (one) => one.close());
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
          ...(reviews ? [webhookTokens({ ...webhook, ask: (review) => reviews.ask(review), audiences, clock })] : []),
        ],
        anonymous,
        onError: (kind, error) => log.error("tokens could not be judged", { kind, error: String(error) }, kind),
      }),
    signer: () => (signer ??= tokenSigner(keys, issuance, { dialect, clock, random })),
    routes: issuerRoutes({
      issuer: issuance.issuer,
      jwksUri: () => accounts.jwksUri || `${own.url()}/openid/v1/jwks`,
      keys: () => keys().accepted,
    }),
    metrics: [accountMetrics.collector, ...(oidc ? [oidc.metrics] : [])],
    close: () => held.dispose(),
  };
}

/** Any path of the API: whoever is let in there may write. */
const SOME_PATH = "/api/v1/namespaces";

/**
 * Whether a request without a credential is let in, by its path (AUTHN-14). The mode AlwaysAllow would let nobody in particular
 * do everything: as in kube-apiserver such requests are refused beside it, whatever `--anonymous-auth` says, unless a file
 * of `--authentication-config` lets them in. A warning tells either.
 */
function anonymousOf(
  { anonymous: said }: AuthenticationSettings,
  { dialect, log, allowsAll }: OwnCredentials,
  configured: (path: string) => boolean | undefined,
): (path: string) => boolean {
  const isUsual = said ?? dialect.rules.anonymousByRoles;
  const inFile = configured(SOME_PATH);
  if (allowsAll() && inFile === true) {
    log.warn(
      "requests without a credential may do everything: --authentication-config lets them in, and AlwaysAllow allows it",
    );
  } else if (allowsAll() && inFile === undefined && isUsual) {
    log.warn("requests without a credential are refused: the mode AlwaysAllow would let anybody do everything");
  }
  return (path) => configured(path) ?? (isUsual && !allowsAll());
}

/** The issuer of tokens where none is named: the one that most clusters of Kubernetes have, or one of the dialect. */
const usualIssuer = ({ labelDomain, rules }: Dialect): string =>
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
    throw error instanceof OptionError ? error : new OptionError(about + (error as Error).message);
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
