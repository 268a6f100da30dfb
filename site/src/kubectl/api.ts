/**
 * The requests of the small kubectl, and its errors in the words of kubectl.
 *
 * @module
 */
import { Client } from "../../../src/client/client.ts";
import { Discovery } from "../../../src/client/discovery.ts";
import { type ServedKind, apiVersionOf } from "../../../src/client/kind.ts";
import type { Transport } from "../../../src/client/transport.ts";
import { readAll } from "../../../src/client/bodies.ts";
import type { Status } from "../../../src/meta/status.ts";
import type { Clock } from "../../../src/util/clock.ts";

/** An object as JSON. */
export interface Json {
  [member: string]: JsonValue | undefined;
}
export type JsonValue = null | boolean | number | string | JsonValue[] | Json;

/** A value as a text: itself where it is one, else its JSON. */
export const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** An object of the API. */
export interface ApiJson extends Json {
  apiVersion: string;
  kind: string;
  metadata: Json & { name: string; namespace?: string };
}

/** A response that is an error. */
export class ApiFailure extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? `the server responded with ${status.code}`);
    this.status = status;
  }
}

/** A message for people that is printed as it is, and the exit code. */
export class Failure extends Error {
  readonly code: number;

  constructor(message: string, code = 1) {
    super(message);
    this.code = code;
  }
}

/** A request beside its method and path. */
export interface ApiRequest {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
export const APPLY = "application/apply-patch+yaml";
export const MERGE = "application/merge-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";

/** Sends requests for one command. */
export class Api {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly #userAgent: string;
  readonly #warn: (text: string) => void;
  #kinds: Promise<readonly ServedKind[]> | undefined;

  constructor(transport: Transport, clock: Clock, warn: (text: string) => void, userAgent = "kubectl/v1.35.0") {
    this.transport = transport;
    this.clock = clock;
    this.#warn = warn;
    this.#userAgent = userAgent;
  }

  /** The text of a response. @throws ApiFailure */
  async text(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    request: ApiRequest = {},
  ): Promise<string> {
    const { status, body } = await this.open(method, path, request);
    const text = await readAll(body);
    if (status >= 400) throw failureOf(status, text);
    return text;
  }

  /** The value of a response. @throws ApiFailure */
  async json<T = ApiJson>(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    request: ApiRequest = {},
  ): Promise<T> {
    return JSON.parse(await this.text(method, path, request)) as T;
  }

  /** The response itself, for streams. */
  async open(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    { query = {}, body, contentType = "application/json", accept = "application/json", signal }: ApiRequest,
  ): ReturnType<Transport> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
    const separator = path.includes("?") ? "&" : "?";
    const response = await this.transport({
      method,
      path: search.size === 0 ? path : `${path}${separator}${search.toString()}`,
      headers: {
        accept,
        "user-agent": this.#userAgent,
        ...(body === undefined ? {} : { "content-type": contentType }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    for (const warning of warningsOf(response.headers?.["warning"])) this.#warn(`Warning: ${warning}\n`);
    return response;
  }

  /** The kinds that the server serves. */
  kinds(): Promise<readonly ServedKind[]> {
    return (this.#kinds ??= new Discovery(new Client(this.transport, { userAgent: this.#userAgent })).read());
  }

  /** Finds a kind by what people type. @throws Failure */
  async findKind(text: string): Promise<ServedKind> {
    const lower = text.toLowerCase();
    const [name = "", ...rest] = lower.split(".");
    const isCalled = ({ plural, singular, kind, shortNames }: ServedKind): boolean =>
      plural === name || singular === name || kind.toLowerCase() === name || shortNames.includes(name);
    const isIn = ({ group, version }: ServedKind): boolean => {
      const asked = rest.join(".");
      return asked === "" || group === asked || group.startsWith(`${asked}.`) || `${version}.${group}` === asked;
    };
    const found = (await this.kinds()).find((kind) => isCalled(kind) && isIn(kind));
    if (found) return found;
    throw new Failure(`error: the server doesn't have a resource type "${text}"`);
  }

  /** Finds the kind of an object. @throws Failure */
  async kindOf({ apiVersion, kind, metadata }: ApiJson, source: string): Promise<ServedKind> {
    const found = (await this.kinds()).find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
    if (found) return found;
    throw new Failure(
      `error: resource mapping not found for name: "${metadata.name}" namespace: "${metadata.namespace ?? ""}" from "${source}": no matches for kind "${kind}" in version "${apiVersion}"\nensure CRDs are installed first`,
    );
  }
}

/** The path of a collection, or of an object in it. */
export function pathOf(kind: ServedKind, namespace: string | undefined, name?: string, subresource?: string): string {
  const base = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const within =
    kind.scope === "Namespaced" && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const own = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return `${base}${within}/${kind.plural}${own}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** `deployment.apps/web`, `configmap/web`. */
export const nameOf = ({ kind, group }: Pick<ServedKind, "kind" | "group">, name: string): string =>
  `${titleOf({ kind, group })}/${name}`;

/** `deployment.apps`, `configmap`. */
export const titleOf = ({ kind, group }: Pick<ServedKind, "kind" | "group">): string =>
  group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;

/** `deployments.apps`, `configmaps`. */
export const resourceOf = ({ plural, group }: Pick<ServedKind, "plural" | "group">): string =>
  group === "" ? plural : `${plural}.${group}`;

function warningsOf(header: string | number | readonly string[] | undefined): readonly string[] {
  const texts = header === undefined ? [] : typeof header === "object" ? header : [String(header)];
  return texts.flatMap((text) =>
    [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = ""]) => quoted.replace(/\\(.)/g, "$1")),
  );
}

function failureOf(code: number, text: string): ApiFailure {
  try {
    const status = JSON.parse(text) as Status;
    if (status.kind === "Status") return new ApiFailure(status);
  } catch {
    // It is no JSON.
  }
  return new ApiFailure({ kind: "Status", apiVersion: "v1", status: "Failure", code, message: text.trim() } as Status);
}

const CONFLICT_HELP = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`;

/** What kubectl prints for an error of a response. */
export function failureText({ status }: ApiFailure): string {
  const { reason, message = "", details } = status;
  if (reason === "Invalid" && details) {
    const causes = details.causes ?? [];
    const head = `The ${details.kind ?? ""} "${details.name ?? ""}" is invalid`;
    const lines = causes.map(({ field, message: text }) => (field ? `${field}: ${text}` : `${text}`));
    if (lines.length === 0) return message === "" ? head : `${head}: ${message}`;
    return lines.length === 1 ? `${head}: ${lines[0]}` : `${head}: \n${lines.map((line) => `* ${line}`).join("\n")}`;
  }
  return `Error from server${!reason ? "" : ` (${reason})`}: ${message}`;
}

/** The text for a server-side apply that others' fields hinder; undefined for another error. */
export function conflictText({ status }: ApiFailure): string | undefined {
  const isApply = status.details?.causes?.some(({ reason }) => reason === "FieldManagerConflict") === true;
  if (status.reason !== "Conflict" || !isApply) return undefined;
  return `error: ${status.message}\n${CONFLICT_HELP}`;
}
