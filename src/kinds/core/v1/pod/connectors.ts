/**
 * The connectors of a Pod (KIND-Pod-22): they validate the request; only logs of a node in the same process are connected.
 *
 * @module
 */
import { addressBytes, specialAddressFault } from "../../../../meta/addresses.ts";
import { FieldErrors } from "../../../../meta/field-errors.ts";
import { badRequest, invalid, unavailable } from "../../../../meta/status.ts";
import type { Value } from "../../../../value/value.ts";
import type { ApiObject, ConnectQuery, Connector, ConnectRequest } from "../../../../schema/definition.ts";
import type { Pod } from "./defaults.ts";

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** A requested container must exist; where there are several, one must be requested. */
function checkContainer({ metadata: { name }, spec }: Pod, { query }: ConnectRequest): void {
  const asked = query("container") ?? "";
  const all = LISTS.flatMap((list) => spec[list]?.map((container) => container.name) ?? []);
  if (asked !== "" && !all.includes(asked))
    throw badRequest(`container ${asked} is not valid for pod ${name}: it has ${all.join(", ")}`);
  if (asked === "" && spec.containers.length !== 1) {
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: ${all.join(", ")}`);
  }
}

const nodeOf = ({ spec: { nodeName } }: Pod): ReturnType<NonNullable<Connector["needs"]>> =>
  nodeName ? { resource: ["", "nodes"], name: nodeName } : undefined;

const nobody = (what: string, { metadata: { name }, spec }: Pod) =>
  unavailable(
    `${what} of pod ${name} cannot be reached: this server asks no agent of node ${spec.nodeName}, ` +
      "which would have to run in its own process (serve --node) and is asked for logs alone",
  );

const STREAMS = ["stdin", "stdout", "stderr", "tty"] as const;

/** The options of a program in a container: its streams, and the command where it is a new one. */
function streamOptions(query: ConnectQuery): Readonly<Record<string, Value>> {
  const [container = ""] = query.all("container");
  const command = query.all("command");
  return {
    ...Object.fromEntries(STREAMS.filter((name) => query.flag(name)).map((name) => [name, true])),
    ...(container === "" ? {} : { container }),
    ...(command.length === 0 ? {} : { command: [...command] }),
  };
}

function portOptions(query: ConnectQuery): Readonly<Record<string, Value>> {
  const ports = query.all("ports").map((text) => wholeNumber("ports", text));
  return ports.length === 0 ? {} : { ports };
}

/** The options of a proxy: the requested path of the program. */
export const proxyOptions: NonNullable<Connector["options"]> = (_query, path) => ({ path: `/${path}` });

/** A connector that goes through the agent of the node. */
const stream = (kind: string, what: string, hasContainer: boolean): Connector<Pod> => ({
  kind,
  verbs: ["create", "get"],
  options: hasContainer ? streamOptions : portOptions,
  needs: nodeOf,
  reach(pod, request) {
    if (hasContainer) checkContainer(pod, request);
    if (!pod.spec.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
    const result = request.ask?.(pod);
    if (result) return result;
    throw nobody(what, pod);
  },
});

/** The integer of a parameter; undefined where there is none. */
function numberIn({ query }: ConnectRequest, parameter: string): number | undefined {
  const text = query(parameter);
  return text === undefined || text === "" ? undefined : wholeNumber(parameter, text);
}

function wholeNumber(parameter: string, text: string): number {
  if (/^[+-]?\d{1,18}$/.test(text)) return Number(text);
  throw badRequest(`expected ${parameter} to be a whole number, got ${JSON.stringify(text)}`);
}

function checkLogOptions({ metadata }: ApiObject, request: ConnectRequest): void {
  const errors = new FieldErrors();
  const [lines, bytes, seconds] = ["tailLines", "limitBytes", "sinceSeconds"].map((name) => numberIn(request, name));
  if (lines !== undefined && lines < 0) errors.invalid("tailLines", lines, "expected 0 or more");
  if (bytes !== undefined && bytes < 1) errors.invalid("limitBytes", bytes, "expected 1 or more");
  if (seconds !== undefined && (request.query("sinceTime") ?? "") !== "") {
    errors.forbidden("", "expected sinceSeconds or sinceTime, not both");
  } else if (seconds !== undefined && seconds < 1) errors.invalid("sinceSeconds", seconds, "expected 1 or more");
  if (errors.any) throw invalid({ group: "", kind: "PodLogOptions" }, metadata.name ?? "", errors.causes);
}

const log: Connector<Pod> = {
  kind: "Pod",
  verbs: ["get"],
  needs: nodeOf,
  reach(pod, request) {
    checkLogOptions(pod, request);
    checkContainer(pod, request);
    if (!pod.spec.nodeName) return undefined;
    const result = request.ask?.(pod);
    if (result) return result;
    throw nobody("the log", pod);
  },
};

/** `NAME`, `NAME:PORT` or `https:NAME:PORT`; undefined for anything else. */
export function nameInSegment(segment: string): string | undefined {
  const parts = segment.split(":");
  const [first, second] = parts as [string, string?];
  if (parts.length === 1) return first;
  if (parts.length === 2) return first || undefined;
  return parts.length === 3 && /^https?$|^$/.test(first) ? second || undefined : undefined;
}

const proxy: Connector<Pod> = {
  kind: "PodProxyOptions",
  verbs: ["create", "delete", "get", "patch", "update"],
  options: proxyOptions,
  isDeep: true,
  nameIn: nameInSegment,
  reach({ metadata, status }) {
    const bytes = addressBytes(status.podIP ?? "");
    if (!bytes || specialAddressFault(bytes)) throw badRequest(`pod ${metadata.name} has no address that may be asked`);
    throw unavailable(`pod ${metadata.name} cannot be reached: this server sends no requests on`);
  },
};

/** The connectors of a Pod. */
export const podWays: Readonly<Record<string, Connector<Pod>>> = {
  attach: stream("PodAttachOptions", "the streams", true),
  exec: stream("PodExecOptions", "the containers", true),
  log,
  portforward: stream("PodPortForwardOptions", "the ports", false),
  proxy,
};
