/**
 * A typed client: the verbs of a resource over a {@link Transport}.
 *
 *     const client = new Client(transport, { userAgent: "my-controller/1.0" });
 *     const configMaps = client.resource<ConfigMap>({ group: "", version: "v1", plural: "configmaps" });
 *     const { items } = await configMaps.list({ namespace: "default", labelSelector: "app=web" });
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import { HISTORY_PATH, type HistoryReport } from "../meta/history-report.ts";
import { type ApplyConflictReport, type BlameReport, acceptReport } from "../meta/ownership-reports.ts";
import type { Status, StatusReason } from "../meta/status.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** A resource by its path. */
export interface ResourceRef {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** A failure that the server told: its Status, with predicates in place of codes. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;
  /** Why an apply was refused, where that was asked for: {@link ApplyQuery.explain}. */
  readonly conflict: ApplyConflictReport | undefined;

  constructor(status: Status, conflict?: ApplyConflictReport) {
    super(status.message ?? `the server answered ${status.code}`);
    this.status = status;
    this.conflict = conflict;
  }

  /** Whether the failure has one of these reasons. */
  is(...reasons: StatusReason[]): boolean {
    return this.status.reason !== undefined && reasons.includes(this.status.reason);
  }
}

/** Whether `error` is a {@link StatusError} with one of these reasons. */
export const isStatus = (error: unknown, ...reasons: StatusReason[]): error is StatusError =>
  error instanceof StatusError && error.is(...reasons);

/** Where an object or a collection lies. */
export interface Place {
  readonly namespace?: string | undefined;
}

/** Options of a list. */
export interface ListQuery extends Place {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  /** Gives the request up. */
  readonly signal?: AbortSignal;
}

/** A page of a list. */
export interface List<T> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** An event of a watch. `BOOKMARK` objects have only a resourceVersion. */
export interface Event<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

/** Options of a watch. */
export interface WatchQuery extends Place {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

/** Options of an apply. Controllers always force (APPLY-23). */
export interface ApplyQuery extends Place {
  readonly fieldManager: string;
  readonly force?: boolean;
  readonly subresource?: string;
  /** Ask for conflicts that explain themselves; they come as {@link StatusError.conflict}. */
  readonly explain?: boolean;
}

/** Options of a create and of an update. */
export interface WriteQuery extends Place {
  readonly fieldManager?: string;
  /** Nothing is stored; the answer is what would be. */
  readonly dryRun?: boolean;
}

/** What of the past of an object is asked for. */
export interface HistoryQuery extends Place {
  /** At most this many versions. */
  readonly limit?: number;
  /** The objects themselves, too. */
  readonly objects?: boolean;
  /** The one version that the object had at this resourceVersion. */
  readonly at?: string;
}

/** Options of a delete. */
export interface DeleteQuery extends Place {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
}

const JSON_TYPE = "application/json";
const APPLY_TYPE = "application/apply-patch+yaml";
const EXPLAINED = `${acceptReport("ApplyConflict")}, ${JSON_TYPE}`;

/** Talks to one server. */
export class Client {
  readonly #transport: Transport;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(transport: Transport, options: { readonly userAgent: string; readonly token?: string }) {
    this.#transport = transport;
    this.#headers = {
      accept: JSON_TYPE,
      "user-agent": options.userAgent,
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    };
  }

  /** The verbs of one resource. */
  resource<T extends ApiObject = ApiObject>(ref: ResourceRef): ResourceClient<T> {
    return new ResourceClient<T>(this, ref);
  }

  /**
   * Sends a request and returns the answer's JSON; throws a {@link StatusError} for anything but success.
   *
   * @param body a text is sent as it is, all else as JSON
   */
  async json<T>(
    method: TransportRequest["method"],
    path: string,
    body?: unknown,
    type = JSON_TYPE,
    accept = JSON_TYPE,
    signal?: AbortSignal,
  ): Promise<T> {
    const answer = await this.#send(method, path, body, { "content-type": type, accept }, signal);
    const text = await readAll(answer.body);
    if (answer.status >= 300) throw failureOf(answer.status, text);
    return JSON.parse(text) as T;
  }

  /** Opens a watch and yields its events; ends when the server ends it. Throws a {@link StatusError} for an ERROR event. */
  async *events<T>(path: string, signal?: AbortSignal): AsyncGenerator<Event<T>> {
    const answer = await this.#send("GET", path, undefined, {}, signal);
    if (answer.status >= 300) throw failureOf(answer.status, await readAll(answer.body));
    for await (const line of lines(answer.body)) {
      const event = JSON.parse(line) as { type: string; object: unknown };
      if (event.type === "ERROR") throw new StatusError(event.object as Status);
      yield event as Event<T>;
    }
  }

  #send(
    method: TransportRequest["method"],
    path: string,
    body: unknown,
    more: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) {
    const { "content-type": _, ...withoutBody } = more;
    return this.#transport({
      method,
      path,
      headers: { ...this.#headers, ...(body === undefined ? withoutBody : more) },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

/** The verbs of one resource. */
export class ResourceClient<T extends ApiObject = ApiObject> {
  readonly #client: Client;
  readonly #prefix: string;
  readonly ref: ResourceRef;

  constructor(client: Client, ref: ResourceRef) {
    this.#client = client;
    this.ref = ref;
    this.#prefix = ref.group ? `/apis/${ref.group}/${ref.version}` : `/api/${ref.version}`;
  }

  get(name: string, place: Place = {}): Promise<T> {
    return this.#client.json("GET", this.#item(name, place));
  }

  list(query: ListQuery = {}): Promise<List<T>> {
    const { namespace, signal, ...rest } = query;
    const path = this.#collection({ namespace }) + queryText(rest);
    return this.#client.json("GET", path, undefined, JSON_TYPE, JSON_TYPE, signal);
  }

  watch(query: WatchQuery = {}): AsyncGenerator<Event<T>> {
    const { namespace, signal, ...rest } = query;
    const text = queryText({ watch: true, allowWatchBookmarks: true, ...rest });
    return this.#client.events<T>(this.#collection({ namespace }) + text, signal);
  }

  create(object: Partial<T>, query: WriteQuery = {}): Promise<T> {
    const namespace = query.namespace ?? object.metadata?.namespace;
    return this.#client.json("POST", this.#collection({ namespace }) + writeText(query), object);
  }

  /** Replaces an object; with `metadata.resourceVersion` only that version. */
  update(object: T, subresource = "", query: WriteQuery = {}): Promise<T> {
    const path = this.#item(object.metadata.name!, object.metadata, subresource);
    return this.#client.json("PUT", path + writeText(query), object);
  }

  /** A merge patch (RFC 7386). */
  patch(name: string, patch: unknown, place: Place & { readonly subresource?: string } = {}): Promise<T> {
    return this.#client.json(
      "PATCH",
      this.#item(name, place, place.subresource),
      patch,
      "application/merge-patch+json",
    );
  }

  /** A server-side apply of an intent, which names its kind and apiVersion (APPLY-1..7). */
  apply(intent: Partial<T>, query: ApplyQuery): Promise<T> {
    const { name = "", namespace } = intent.metadata ?? {};
    return this.#apply(name, intent, { ...query, namespace: query.namespace ?? namespace });
  }

  /** An apply of an intent that is written in YAML or JSON. */
  applyText(name: string, text: string, query: ApplyQuery): Promise<T> {
    return this.#apply(name, text, query);
  }

  #apply(name: string, body: unknown, query: ApplyQuery): Promise<T> {
    const { fieldManager, force = false, subresource, explain } = query;
    const path = this.#item(name, query, subresource) + queryText({ fieldManager, force });
    return this.#client.json("PATCH", path, body, APPLY_TYPE, explain ? EXPLAINED : JSON_TYPE);
  }

  /** Who owns each leaf of an object. Servers that do not know this answer 406. */
  blame(name: string, place: Place = {}): Promise<BlameReport> {
    return this.#client.json("GET", this.#item(name, place), undefined, JSON_TYPE, acceptReport("Blame"));
  }

  /** The versions of an object that the server keeps, also of one that is deleted. Only Keelson knows this. */
  history(name: string, { namespace, ...rest }: HistoryQuery = {}): Promise<HistoryReport> {
    const { group, version, plural } = this.ref;
    const path = HISTORY_PATH + queryText({ group, version, resource: plural, namespace, name, ...rest });
    return this.#client.json("GET", path);
  }

  /** Deletes an object, that very one where `uid` or `resourceVersion` is given. */
  delete(name: string, query: DeleteQuery = {}): Promise<unknown> {
    const { uid, resourceVersion, propagationPolicy } = query;
    const preconditions = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    return this.#client.json("DELETE", this.#item(name, query), {
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions,
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    });
  }

  /** Deletes what the query selects. */
  deleteCollection(query: ListQuery = {}): Promise<unknown> {
    const { namespace, signal, ...rest } = query;
    const path = this.#collection({ namespace }) + queryText(rest);
    return this.#client.json("DELETE", path, undefined, JSON_TYPE, JSON_TYPE, signal);
  }

  #collection({ namespace }: Place): string {
    return `${this.#prefix}${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ""}/${this.ref.plural}`;
  }

  #item(name: string, place: Place, subresource = ""): string {
    return `${this.#collection(place)}/${encodeURIComponent(name)}${subresource ? `/${subresource}` : ""}`;
  }
}

function queryText(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return pairs.length === 0 ? "" : `?${pairs.map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`).join("&")}`;
}

const writeText = ({ fieldManager, dryRun }: WriteQuery): string =>
  queryText({ fieldManager, dryRun: dryRun ? "All" : undefined });

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new TextDecoder().decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

/** The error of a failed answer; a Status is made up for answers that carry none. */
function failureOf(code: number, text: string): StatusError {
  const made = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code } as const;
  try {
    const parsed = JSON.parse(text) as Status | ApplyConflictReport;
    if (parsed.kind === "Status") return new StatusError(parsed);
    if (parsed.kind === "ApplyConflict") {
      return new StatusError({ ...made, message: parsed.message, reason: parsed.reason }, parsed);
    }
  } catch {
    // Not JSON: a proxy answered, or a path that is served as text.
  }
  return new StatusError({ ...made, message: text.slice(0, 500) });
}

/** The lines of a stream, without their ends. */
async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop()!;
    for (const line of parts) if (line !== "") yield line;
  }
  if (rest !== "") yield rest;
}
