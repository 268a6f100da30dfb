/**
 * Issuers of tokens, as the options of a server say: read from a file that is followed, or from flags (OIDC-1, OIDC-17).
 *
 * @module
 */
import { createHash } from "node:crypto";
import { OidcAuthenticator } from "../../auth/oidc/authenticator.ts";
import {
  ConfigurationError,
  type OidcConfiguration,
  configurationOf,
  readConfiguration,
} from "../../auth/oidc/configuration.ts";
import { configurationOfFlags, isSet } from "../../auth/oidc/flags.ts";
import { ALGORITHMS } from "../../auth/oidc/rules.ts";
import { openDocuments } from "../../hooks/documents.ts";
import type { Clock } from "../../util/clock.ts";
import { type Collector, Histogram } from "../../util/exposition.ts";
import type { Log } from "../../util/log.ts";
import type { OidcSettings } from "../options/authentication-settings.ts";
import { readNamed } from "../files/named-file.ts";
import { OptionError } from "../options/types.ts";
import { type Reloads, WatchedFile } from "../files/watched-file.ts";

/** What a server has of its own. */
export interface OidcGround {
  readonly clock: Clock;
  readonly log: Log;
  /** The issuers of its own tokens, which nobody else may be. */
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
}

/** Issuers that are followed until they are closed. */
export interface Oidc extends Disposable {
  readonly tokens: OidcAuthenticator;
  /** Whether a request without a credential is let in, by its path; undefined where the file says nothing of it. */
  anonymous(path: string): boolean | undefined;
  readonly metrics: Collector;
}

/** The file is looked at so often. */
const LOOK_MS = 20_000;
const NO_RELOADS: Reloads = { success: 0, failure: 0 };
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Opens what the settings name; undefined where they name nothing. @throws OptionError */
export function openOidc(settings: OidcSettings, { clock, log, issuers, audiences }: OidcGround): Oidc | undefined {
  const { configFile } = settings;
  const isFlagged = isSet(settings) || settings.caFile !== "";
  if (configFile === "" && !isFlagged) return undefined;
  if (configFile !== "" && isFlagged) {
    throw new OptionError("expected --authentication-config or options that begin with --oidc-, got both");
  }
  const text = configFile === "" ? "" : readNamed("authentication-config", configFile);
  let current =
    configFile === "" ? flagged(settings, issuers) : checked(configFile, () => readConfiguration(text, issuers));
  const documents = openDocuments({ clock });
  const metrics = new OidcMetrics();
  const tokens = new OidcAuthenticator(current.issuers, {
    clock,
    audiences,
    fetch: (url, options) => documents.get(url, options),
    onError: (error) => log.warn("the keys of an issuer of tokens could not be read", { error: String(error) }),
    onResult: (issuer, result, seconds) => metrics.authenticated(issuer, result, seconds),
  });
  const watched =
    configFile === ""
      ? undefined
      : new WatchedFile({
          file: configFile,
          what: "authentication configuration",
          text: Buffer.from(text),
          lookMs: LOOK_MS,
          clock,
          log,
          use(changed) {
            current = readConfiguration(changed.toString(), issuers);
            tokens.configure(current.issuers);
          },
        });
  return {
    tokens,
    anonymous: (path) => current.anonymous?.(path),
    metrics: () => metrics.all(watched?.reloads ?? NO_RELOADS),
    [Symbol.dispose]() {
      watched?.[Symbol.dispose]();
      tokens[Symbol.dispose]();
      documents.close();
    },
  };
}

function flagged(settings: OidcSettings, own: readonly string[]): OidcConfiguration {
  const { issuerUrl, clientId, algorithms, requiredClaims, caFile } = settings;
  if (issuerUrl === "" || clientId === "") {
    throw new OptionError(
      "expected --oidc-issuer-url and --oidc-client-id beside other options that begin with --oidc-",
    );
  }
  const unknown = algorithms.find((name) => !ALGORITHMS.includes(name));
  if (unknown !== undefined || algorithms.length === 0) {
    throw new OptionError(`expected --oidc-signing-algs to be of ${ALGORITHMS.join(", ")}, got "${unknown ?? ""}"`);
  }
  const wrong = requiredClaims.find((said) => !/^[^=]+=/.test(said));
  if (wrong !== undefined) throw new OptionError(`expected --oidc-required-claim to be CLAIM=VALUE, got "${wrong}"`);
  const ca = caFile === "" ? "" : readNamed("oidc-ca-file", caFile);
  const configuration = checked("--oidc-*", () => configurationOf(configurationOfFlags(settings, ca), own));
  return { ...configuration, issuers: configuration.issuers.map((issuer) => ({ ...issuer, algorithms })) };
}

function checked<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new OptionError(`expected a configuration of authentication in ${where} without mistakes:\n${error.message}`);
  }
}

/** How long judgements took, and how often a changed file was used (OIDC-18). */
class OidcMetrics {
  readonly #authenticated = new Map<
    string,
    { readonly labels: Readonly<Record<string, string>>; readonly seconds: Histogram }
  >();

  authenticated(issuer: string, result: string, seconds: number): void {
    const key = `${result} ${issuer}`;
    let known = this.#authenticated.get(key);
    if (!known) {
      const hash = `sha256:${createHash("sha256").update(issuer).digest("hex")}`;
      known = { labels: { result, jwt_issuer_hash: hash }, seconds: new Histogram(BOUNDS) };
      this.#authenticated.set(key, known);
    }
    known.seconds.observe(seconds);
  }

  all(reloads: Reloads): ReturnType<Collector> {
    return [
      {
        name: "apiserver_authentication_jwt_authenticator_latency_seconds",
        type: "histogram",
        help: "Seconds that tokens of issuers took to be authenticated.",
        samples: [...this.#authenticated.values()].flatMap(({ labels, seconds }) => seconds.samples(labels)),
      },
      {
        name: "apiserver_authentication_config_controller_automatic_reloads_total",
        type: "counter",
        help: "Changes of the authentication configuration, by what became of them.",
        samples: Object.entries(reloads).map(([status, value]) => ({ value, labels: { status } })),
      },
    ];
  }
}
