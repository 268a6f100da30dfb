/**
 * Reads the file of `--tracing-config-file`: a `TracingConfiguration`, with the members, limits and messages of kube-apiserver
 * (https://kubernetes.io/docs/concepts/cluster-administration/system-traces/).
 *
 * @module
 */
import type { Collector } from "../../tracing/exporter.ts";
import { messageOf } from "../../util/error.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import { decodeYaml } from "../../value/yaml.ts";

/** What the file configures. */
export interface TracingConfiguration {
  readonly collector: Collector;
  /** The share of requests that are traced, from 0 to 1. */
  readonly ratio: number;
}

/** The file is not valid; the message has a line for each error, with its path. */
export class TracingConfigurationError extends Error {
  override readonly name = "TracingConfigurationError";
}

const VERSIONS: readonly unknown[] = [
  "apiserver.config.k8s.io/v1",
  "apiserver.config.k8s.io/v1beta1",
  "apiserver.config.k8s.io/v1alpha1",
];
const KIND = "TracingConfiguration";
const MEMBERS: ReadonlySet<string> = new Set(["apiVersion", "kind", "endpoint", "samplingRatePerMillion"]);
const MILLION = 1_000_000;
const DEFAULT_ENDPOINT = "localhost:4317";
const DEFAULT_PORT = 4317;
/** The naming of gRPC (https://github.com/grpc/grpc/blob/master/doc/naming.md). */
const NAMING = "https://github.com/grpc/grpc/blob/master/doc/naming.md";

/** Reads a configuration in YAML or JSON. @throws TracingConfigurationError with all errors in it */
export function readTracingConfiguration(text: string): TracingConfiguration {
  const errors: string[] = [];
  const root = decoded(text, errors);
  for (const member of Object.keys(root)) {
    if (!MEMBERS.has(member)) errors.push(`${member}: expected one of ${[...MEMBERS].join(", ")}; it is unknown`);
  }
  if (!VERSIONS.includes(root["apiVersion"])) {
    errors.push(`apiVersion: expected one of ${VERSIONS.join(", ")}; found ${shown(root["apiVersion"])}`);
  }
  if (root["kind"] !== KIND) errors.push(`kind: expected ${KIND}, found ${shown(root["kind"])}`);
  const ratio = ratioOf(root["samplingRatePerMillion"] ?? null, errors);
  const collector = collectorOf(root["endpoint"] ?? null, errors);
  if (errors.length > 0 || !collector) throw new TracingConfigurationError(errors.join("\n"));
  return { ratio, collector };
}

const shown = (value: Value | undefined): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 200);

function decoded(text: string, errors: string[]): ValueObject {
  try {
    const { value, duplicates } = decodeYaml(text);
    errors.push(...duplicates.map((path) => `${path}: expected once, found twice`));
    if (isObject(value)) return value;
  } catch (error) {
    throw new TracingConfigurationError(`expected YAML or JSON: ${messageOf(error)}`);
  }
  throw new TracingConfigurationError(`expected an object of kind ${KIND}, found none`);
}

/** Without a rate a request is traced where a trusted client asks for it. */
function ratioOf(rate: Value, errors: string[]): number {
  const at = "samplingRatePerMillion";
  if (rate === null) return 0;
  if (typeof rate !== "number" || !Number.isInteger(rate)) {
    errors.push(`${at}: expected an integer, found ${shown(rate)}`);
    return 0;
  }
  if (rate < 0) errors.push(`${at}: Invalid value: ${rate}: sampling rate must be positive`);
  if (rate > MILLION) {
    errors.push(`${at}: Invalid value: ${rate}: sampling rate per million must be less than or equal to one million`);
  }
  return rate / MILLION;
}

/** The address of an endpoint in the naming of gRPC; without a port it is that of OTLP. */
function collectorOf(endpoint: Value, errors: string[]): Collector | undefined {
  const text = endpoint ?? DEFAULT_ENDPOINT;
  if (typeof text !== "string") {
    errors.push(`endpoint: expected a text, found ${shown(endpoint)}`);
    return undefined;
  }
  const invalid = (why: string): undefined => {
    errors.push(`endpoint: Invalid value: ${shown(text)}: ${why}`);
    return undefined;
  };
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  if (scheme === undefined && text.startsWith("unix:")) return socketOf(text.slice("unix:".length), "", invalid);
  if (scheme === undefined && text.startsWith("unix-abstract:")) {
    return socketOf(text.slice("unix-abstract:".length), "\0", invalid);
  }
  if (scheme === "unix") return socketOf(rest ?? "", "", invalid);
  if (scheme === "unix-abstract") return socketOf(rest ?? "", "\0", invalid);
  if (scheme !== undefined && scheme !== "dns") {
    return invalid(`unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See ${NAMING}`);
  }
  // The authority of `dns://AUTHORITY/HOST` names a DNS server; that of this machine is used.
  const host = scheme === undefined ? text.replace(/^dns:/, "") : (rest ?? "").replace(/^[^/]*\//, "");
  return urlOf(host, invalid);
}

function socketOf(path: string, before: string, invalid: (why: string) => undefined): Collector | undefined {
  return path === "" ? invalid("expected the path of a socket") : { socket: before + path };
}

function urlOf(host: string, invalid: (why: string) => undefined): Collector | undefined {
  const url = URL.parse(`http://${host}`);
  if (!url || url.hostname === "" || url.pathname !== "/" || url.search !== "" || url.username !== "") {
    return invalid("expected a host and a port, such as localhost:4317");
  }
  // A URL leaves out the port 80.
  const port = url.port || (host.endsWith(":80") ? 80 : DEFAULT_PORT);
  return { url: `http://${url.hostname}:${port}` };
}
