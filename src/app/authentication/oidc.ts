/**
 * OIDC issuers from the options of a server: from a file that is watched, or from flags (OIDC-1, OIDC-17).
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
import { type Collector, Histogram } from "../../util/exposition.ts";
import type { OidcSettings } from "../options/authentication-settings.ts";
import { readNamed } from "../files/named-file.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { OptionError } from "../options/types.ts";
import { type Reloads, WatchedFile } from "../files/watched-file.ts";

/** What the authenticator of OIDC tokens is built from. */
export interface OidcParts extends Pick<SystemParts, "clock" | "log"> {
  /** The issuers of service account tokens; no OIDC issuer may have such a name. */
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
}

/** OIDC issuers; their file is watched until they are disposed of. */
export interface Oidc extends Disposable {
  readonly tokens: OidcAuthenticator;
  /** Whether the file accepts anonymous requests to a path; undefined if it does not say. */
  anonymous(path: string): boolean | undefined;
  readonly metrics: Collector;
}

const POLL_INTERVAL_MS = 20_000;
const NO_RELOADS: Reloads = { success: 0, failure: 0 };
const LATENCY_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Opens the issuers of the settings; undefined if there are none. @throws OptionError */
export function openOidc(settings: OidcSettings, { clock, log, issuers, audiences }: OidcParts): Oidc | undefined {
  const { configFile } = settings;
  const isFlagged = isSet(settings) || settings.caFile !== "";
  if (configFile === "" && !isFlagged) return undefined;
  if (configFile !== "" && isFlagged) {
    throw new OptionError("expected --authentication-config or --oidc-* options, got both");
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
    onError: (error) => log.warn("the keys of an OIDC issuer could not be read", { error: String(error) }),
    onResult: (issuer, result, seconds) => metrics.observe(issuer, result, seconds),
  });
  const watched =
    configFile === ""
      ? undefined
      : new WatchedFile({
          file: configFile,
          what: "authentication configuration",
          text: Buffer.from(text),
          intervalMs: POLL_INTERVAL_MS,
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
    throw new OptionError("expected --oidc-issuer-url and --oidc-client-id with the other --oidc-* options");
  }
  const unknown = algorithms.find((name) => !ALGORITHMS.includes(name));
  if (unknown !== undefined || algorithms.length === 0) {
    throw new OptionError(`expected --oidc-signing-algs to be of ${ALGORITHMS.join(", ")}, got "${unknown ?? ""}"`);
  }
  const wrong = requiredClaims.find((claim) => !/^[^=]+=/.test(claim));
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
    throw new OptionError(`expected ${where} to be a valid authentication configuration:\n${error.message}`);
  }
}

/** The latency of authentication, and the reloads of the file (OIDC-18). */
class OidcMetrics {
  readonly #latencies = new Map<
    string,
    { readonly labels: Readonly<Record<string, string>>; readonly seconds: Histogram }
  >();

  observe(issuer: string, result: string, seconds: number): void {
    const key = `${result} ${issuer}`;
    let known = this.#latencies.get(key);
    if (!known) {
      const hash = `sha256:${createHash("sha256").update(issuer).digest("hex")}`;
      known = { labels: { result, jwt_issuer_hash: hash }, seconds: new Histogram(LATENCY_BUCKETS) };
      this.#latencies.set(key, known);
    }
    known.seconds.observe(seconds);
  }

  all(reloads: Reloads): ReturnType<Collector> {
    return [
      {
        name: "apiserver_authentication_jwt_authenticator_latency_seconds",
        type: "histogram",
        help: "Seconds that tokens of issuers took to be judged.",
        samples: [...this.#latencies.values()].flatMap(({ labels, seconds }) => seconds.samples(labels)),
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
