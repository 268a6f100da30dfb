/**
 * Reads an AuthenticationConfiguration strictly and reports all faults with their paths (OIDC-1).
 *
 * @module
 */
import { kubernetes } from "../../meta/dialect.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { DecodeReport } from "../../schema/decode-report.ts";
import { compileWalker } from "../../schema/walker.ts";
import { errorText } from "../../util/cut-text.ts";
import { decodeYaml } from "../../value/yaml.ts";
import { type Issuer, compileIssuer } from "./rules.ts";
import { AuthenticationConfiguration, type Configuration } from "./schema.ts";

/** An invalid configuration; the message has a line for each fault, and no secret. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** A compiled configuration. */
export interface OidcConfiguration {
  readonly issuers: readonly Issuer[];
  /** Whether anonymous requests of a path are allowed; undefined where the configuration does not say it (AUTHN-14). */
  readonly anonymous: ((path: string) => boolean) | undefined;
}

const VERSIONS = ["v1", "v1beta1", "v1alpha1"].map((version) => `apiserver.config.k8s.io/${version}`);
const MAX_ISSUERS = 64;

/**
 * Reads a configuration in YAML or JSON.
 *
 * @param own the issuers of the server's own tokens, which the configuration may not contain
 * @throws ConfigurationError
 */
export function readConfiguration(source: string, own: readonly string[]): OidcConfiguration {
  return configurationOf(decode(source), own);
}

/** Compiles a configuration. @throws ConfigurationError */
export function configurationOf(configuration: Configuration, own: readonly string[]): OidcConfiguration {
  const { jwt = [], anonymous } = configuration;
  const errors = new FieldErrors();
  if (jwt.length > MAX_ISSUERS) errors.tooMany("jwt", jwt.length, MAX_ISSUERS);
  const seen = { url: new Set<string>(), discoveryURL: new Set<string>() };
  const issuers = jwt.slice(0, MAX_ISSUERS).map((settings, i) => {
    for (const member of ["url", "discoveryURL"] as const) {
      const { [member]: url = "" } = settings.issuer;
      if (url !== "" && seen[member].has(url)) errors.duplicate(`jwt[${i}].issuer.${member}`, url);
      seen[member].add(url);
    }
    return compileIssuer(settings, `jwt[${i}]`, own, errors);
  });
  const paths = (anonymous?.conditions ?? []).map(({ path }) => path);
  if (anonymous && !anonymous.enabled && paths.length > 0) {
    errors.invalid("anonymous.conditions", paths, "expected none where enabled is false");
  }
  if (errors.any)
    throw new ConfigurationError(errors.causes.map(({ field, message }) => `${field}: ${message}`).join("\n"));
  const allows = anonymous && ((path: string) => anonymous.enabled && (paths.length === 0 || paths.includes(path)));
  return { issuers, anonymous: allows };
}

function decode(source: string): Configuration {
  const wrong = (...lines: readonly string[]): ConfigurationError => new ConfigurationError(lines.join("\n"));
  const { value, duplicates } = decoded(source);
  const report = new DecodeReport();
  const read = compileWalker(AuthenticationConfiguration, { dialect: kubernetes }).decode(value, report) as unknown;
  const lines = [
    ...report.mismatches.map(({ path, expected, got }) => `${path || "the file"}: expected ${expected}, got ${got}`),
    ...report.unknown.map((path) => `${path}: unknown field`),
    ...duplicates.map((path) => `${path}: the key is set twice`),
  ];
  if (lines.length > 0) throw wrong(...lines);
  const configuration = read as Configuration;
  if (!VERSIONS.includes(configuration.apiVersion)) {
    throw wrong(`apiVersion: expected one of ${VERSIONS.join(", ")}, got "${configuration.apiVersion}"`);
  }
  if (configuration.kind !== "AuthenticationConfiguration") {
    throw wrong(`kind: expected AuthenticationConfiguration, got "${configuration.kind}"`);
  }
  return configuration;
}

function decoded(source: string): ReturnType<typeof decodeYaml> {
  try {
    return decodeYaml(source);
  } catch (error) {
    throw new ConfigurationError(`expected YAML or JSON: ${errorText(error)}`);
  }
}
