/** The verbs of the objects of one kind. */
import { pathSegment } from "../meta/names.ts";
import type { AdmissionReport } from "../meta/admission-report.ts";
import { HISTORY_PATH, type HistoryReport } from "../meta/history-report.ts";
import { type BlameReport, acceptReport } from "../meta/ownership-reports.ts";
import { WHY_PATH, type WhyReport } from "../meta/why-report.ts";
import { attempt, retryOnConflict } from "./errors.ts";
import {
  type ApiObject,
  type ApplyConfiguration,
  type JsonPatchOperation,
  type Key,
  type Kind,
  type MergePatch,
  type NewObject,
  type Scope,
  type StrategicPatch,
  apiVersionOf,
  keyOf,
  nameOfKind,
} from "./kind.ts";
import type {
  ApplyOptions,
  DeleteOptions,
  Event,
  ExplainQuery,
  HistoryQuery,
  List,
  ListQuery,
  PatchOptions,
  Query,
  WatchQuery,
  WhyQuery,
  Write,
  WriteOptions,
} from "./queries.ts";
import type { RequestOptions, Requests } from "./requests.ts";
import type { TransportRequest } from "./transport.ts";
import { explained, pathOf } from "./unserved.ts";
import { type Until, type WaitOptions, waitFor, waitForDelete } from "./wait.ts";

const APPLY_TYPE = "application/apply-patch+yaml";
const JSON_PATCH_TYPE = "application/json-patch+json";
const MERGE_TYPE = "application/merge-patch+json";
const STRATEGIC_TYPE = "application/strategic-merge-patch+json";
const EXPLAINED = `${acceptReport("ApplyConflict")}, application/json`;

/** The verbs of a subresource such as `status`. */
export type SubresourceClient<T extends ApiObject, S extends Scope> = Pick<
  ResourceClient<T, S>,
  "update" | "modify" | "patch" | "apply" | "applyText"
>;

/** The verbs of the objects of one kind. */
export class ResourceClient<T extends ApiObject = ApiObject, S extends Scope = Scope> {
  readonly kind: Kind<T, S>;
  readonly #client: Requests;
  readonly #prefix: string;
  readonly #subresource: string;

  constructor(client: Requests, kind: Kind<T, S>, subresource = "") {
    this.#client = client;
    this.kind = kind;
    this.#prefix = pathOf(kind);
    this.#subresource = subresource;
  }

  /** Reads an object. @throws StatusError NotFound where there is none */
  async get(key: Key<S>, { signal }: Pick<Query, "signal"> = {}): Promise<T> {
    return this.#withNames(await this.#json<T>("GET", this.#item(key), { ...this.#accept(), signal }));
  }

  /** Reads an object; undefined where there is none. An invalid key sends no request. */
  async find(key: Key<S>, options: Pick<Query, "signal"> = {}): Promise<T | undefined> {
    const names = key.namespace === undefined ? [key.name] : [key.name, key.namespace];
    if (names.some((name) => name === "" || pathSegment(name) !== undefined)) return undefined;
    const found = await attempt(this.get(key, options), "NotFound");
    // An unserved kind is an error.
    if (!found.ok && found.error.status.details?.name === undefined) throw found.error;
    return found.ok ? found.value : undefined;
  }

  async list({ namespace, signal, ...rest }: ListQuery = {}): Promise<List<T>> {
    const path = this.#collection(namespace) + queryText(rest);
    const { metadata, items } = await this.#json<Pick<List<T>, "metadata"> & { items: readonly T[] | null }>(
      "GET",
      path,
      { ...this.#accept("List"), signal },
    );
    // Go programs write an empty list as null.
    return { metadata, items: (items ?? []).map((item) => this.#withNames(item)) };
  }

  /** Opens a watch with bookmarks; the generator ends when the server ends it. */
  watch({ namespace, signal, opened, ...rest }: WatchQuery = {}): AsyncGenerator<Event<T>> {
    const text = queryText({ watch: true, allowWatchBookmarks: true, ...rest });
    const events = this.#client.events<T>(this.#collection(namespace) + text, { ...this.#accept(), signal, opened });
    return this.kind.metadataOnly === true ? this.#wholeEvents(events) : events;
  }

  async *#wholeEvents(events: AsyncGenerator<Event<T>>): AsyncGenerator<Event<T>> {
    for await (const { type, object } of events) yield { type, object: this.#withNames(object) };
  }

  /**
   * Waits until an object exists and meets a condition, and returns it: `waitFor(key, "Ready")`, `waitFor(key,
   * "Ready=False")`, or a function of the object.
   *
   * @throws WaitError when it is deleted meanwhile, or after the timeout: 30 s by default
   */
  waitFor(key: Key<S>, until: Until<T>, options: WaitOptions = {}): Promise<T> {
    return waitFor(this, key, until, this.#client.clock, options);
  }

  /**
   * Waits until an object is deleted: any of the key, or the one with the `uid`.
   *
   * @throws WaitError after the timeout: 30 s by default
   */
  waitForDelete(target: Key<S> | T, options: WaitOptions & { readonly uid?: string } = {}): Promise<void> {
    const object = "metadata" in target ? target : undefined;
    const key = object ? keyOf<S>(object) : (target as Key<S>);
    const uid = options.uid ?? object?.metadata.uid;
    return waitForDelete(this, key, uid, this.#client.clock, options);
  }

  create(object: NewObject<T>, options: WriteOptions = {}): Promise<T> {
    const body = this.#body(object);
    const path = this.#collection(this.#namespaceOf(object.metadata)) + writeText(options);
    return this.#write("create", "POST", path, undefined, { body }, options);
  }

  /** Replaces this version of an object. */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    const key = keyOf<S>(object);
    const path = this.#item(key) + writeText(options);
    return this.#write("update", "PUT", path, key, { body: this.#body(object) }, options);
  }

  /**
   * Reads, changes and replaces an object, with five tries on conflicts. A change that returns undefined writes
   * nothing.
   */
  modify(key: Key<S>, change: (object: T) => T | undefined, options: WriteOptions = {}): Promise<T> {
    return retryOnConflict(async () => {
      const object = await new ResourceClient(this.#client, this.kind).get(key, options);
      const changed = change(object);
      return changed === undefined ? object : this.update(changed, options);
    });
  }

  /** A merge patch (RFC 7386): null removes a field. */
  patch(key: Key<S>, patch: MergePatch<T>, options?: PatchOptions & { readonly strategic?: false }): Promise<T>;
  /** A strategic merge patch, which merges lists by key. */
  patch(key: Key<S>, patch: StrategicPatch<T>, options: PatchOptions & { readonly strategic: true }): Promise<T>;
  /** A JSON patch (RFC 6902). */
  patch(key: Key<S>, patch: readonly JsonPatchOperation[], options?: PatchOptions): Promise<T>;
  patch(key: Key<S>, patch: object, options: PatchOptions = {}): Promise<T> {
    const path = this.#item(key) + writeText(options);
    const merge = options.strategic === true ? STRATEGIC_TYPE : MERGE_TYPE;
    const request = { body: patch, type: Array.isArray(patch) ? JSON_PATCH_TYPE : merge };
    return this.#write("patch", "PATCH", path, key, request, options);
  }

  /** A server-side apply (APPLY-1..7). */
  apply(intent: ApplyConfiguration<T>, options: ApplyOptions): Promise<T> {
    const { name, namespace } = intent.metadata;
    const key = (namespace === undefined ? { name } : { name, namespace }) as Key<S>;
    return this.#apply(key, Object.assign(this.#names(), intent), options);
  }

  /** A server-side apply of YAML or JSON with apiVersion and kind. */
  applyText(key: Key<S>, text: string, options: ApplyOptions): Promise<T> {
    return this.#apply(key, text, options);
  }

  /** Deletes an object by key; an object that was read is deleted only with the same uid. */
  async delete(target: Key<S> | T, options: DeleteOptions = {}): Promise<void> {
    const object = "metadata" in target ? target : undefined;
    const key = object ? keyOf<S>(object) : (target as Key<S>);
    const { uid = object?.metadata.uid } = options;
    await this.#write(
      "delete",
      "DELETE",
      this.#item(key),
      key,
      deleteBody({ ...options, ...defined({ uid }) }),
      options,
    );
  }

  /** Deletes the selected objects as {@link delete} does; a failed precondition is an error. */
  async deleteCollection({ namespace, signal, ...rest }: ListQuery = {}, options: DeleteOptions = {}): Promise<void> {
    const path = this.#collection(namespace) + queryText(rest);
    const how = { ...options, ...defined({ signal }) };
    await this.#write("deletecollection", "DELETE", path, undefined, deleteBody(options), how);
  }

  get status(): SubresourceClient<T, S> {
    return this.subresource("status");
  }

  /** Returns the verbs of a subresource that is a view of the same object. */
  subresource(name: string): SubresourceClient<T, S> {
    return new ResourceClient<T, S>(this.#client, this.kind, name);
  }

  /** Returns the owners of each field. Servers without this respond with 406. */
  blame(key: Key<S>): Promise<BlameReport> {
    return this.#json("GET", this.#item(key), { accept: acceptReport("Blame") });
  }

  /** Returns the kept versions of an object, also of a deleted one. Only Keelson has this. */
  history({ name, namespace }: Key<S>, query: HistoryQuery = {}): Promise<HistoryReport> {
    const { group, version, plural: resource } = this.kind;
    return this.#client.json("GET", HISTORY_PATH + queryText({ group, version, resource, namespace, name, ...query }));
  }

  /** Explains the state of an object: what it waits for, what holds it, and who can act. Only Keelson has this. */
  why({ name, namespace }: Key<S>, { signal, limit }: WhyQuery = {}): Promise<WhyReport> {
    const { group, version, plural: resource } = this.kind;
    const query = queryText({ group, version, resource, namespace, name, limit });
    return this.#client.json("GET", WHY_PATH + query, { signal });
  }

  /**
   * Explains what admission would do with a write: which steps run, what each changes and who refuses; nothing is stored. An
   * apply by default, a create for an object without a name. Only Keelson has this.
   */
  explainWrite(object: NewObject<T>, { operation, fieldManager, signal }: ExplainQuery = {}): Promise<AdmissionReport> {
    const { name = "", namespace } = object.metadata;
    const query = { ...dryRunQuery(true), explain: true, fieldManager };
    if (operation === "create" || (operation === undefined && name === "")) {
      const body = this.#body(object);
      return this.#json("POST", this.#collection(this.#namespaceOf({ namespace })) + queryText(query), {
        body,
        signal,
      });
    }
    const item = this.#item({ name, namespace });
    if (operation === "delete") return this.#json("DELETE", item + queryText(query), { signal });
    const forced = { ...query, fieldManager: fieldManager ?? "keelson", force: true };
    return this.#json("PATCH", item + queryText(forced), { body: this.#body(object), type: APPLY_TYPE, signal });
  }

  #apply(key: Key<S>, body: unknown, options: ApplyOptions): Promise<T> {
    const { fieldManager, force = false, dryRun, explain } = options;
    const path = this.#item(key) + queryText({ fieldManager, force, ...dryRunQuery(dryRun) });
    const request = { body, type: APPLY_TYPE, ...(explain ? { accept: EXPLAINED } : {}) };
    return this.#write("apply", "PATCH", path, key, request, options);
  }

  async #write(
    verb: Write["verb"],
    method: TransportRequest["method"],
    path: string,
    key: Key | undefined,
    request: RequestOptions,
    { dryRun, signal }: Pick<WriteOptions, "dryRun" | "signal">,
  ): Promise<T> {
    const writes = dryRun === true ? undefined : this.#client.writes;
    writes?.before();
    // The response to a delete is a Status, an object or a list.
    const accept = method === "DELETE" ? {} : this.#accept();
    const response = await this.#json<T>(method, path, { ...accept, ...request, signal });
    const { kind } = this;
    writes?.after({ verb, kind, key: verb === "create" ? keyOf(response) : key, response });
    return response;
  }

  async #json<V>(method: TransportRequest["method"], path: string, options: RequestOptions): Promise<V> {
    try {
      return await this.#client.json<V>(method, path, options);
    } catch (error) {
      throw await explained(error, this.#client, this.kind, options.signal);
    }
  }

  #names(): { apiVersion: string; kind: string } {
    return { apiVersion: apiVersionOf(this.kind), kind: this.kind.kind };
  }

  #body(object: object): object {
    if (this.kind.metadataOnly === true) {
      throw new TypeError(`expected a patch or an apply: of ${nameOfKind(this.kind)} only the metadata is known here`);
    }
    return { ...this.#names(), ...object };
  }

  /** Adds the apiVersion and kind of the list to an item. */
  #withNames(object: T): T {
    return object.kind === undefined || this.kind.metadataOnly === true ? { ...object, ...this.#names() } : object;
  }

  #accept(suffix = ""): RequestOptions {
    if (this.kind.metadataOnly !== true) return {};
    return { accept: `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1` };
  }

  #namespaceOf({ namespace }: { readonly namespace?: string | undefined }): string | undefined {
    if (this.kind.scope === "Namespaced" && !namespace) throw this.#expectedNamespace("an object");
    return namespace;
  }

  #collection(namespace: string | undefined): string {
    return `${this.#prefix}${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ""}/${this.kind.plural}`;
  }

  #item(key: Key): string {
    if (this.kind.scope === "Namespaced" && !key.namespace) throw this.#expectedNamespace(JSON.stringify(key.name));
    if (key.name === "") throw new TypeError(`expected the name of one of ${nameOfKind(this.kind)}`);
    const path = `${this.#collection(key.namespace)}/${encodeURIComponent(key.name)}`;
    return this.#subresource === "" ? path : `${path}/${this.#subresource}`;
  }

  #expectedNamespace(what: string): TypeError {
    return new TypeError(`expected a namespace for ${what} of ${nameOfKind(this.kind)}`);
  }
}

function queryText(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return pairs.length === 0 ? "" : `?${pairs.map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`).join("&")}`;
}

const dryRunQuery = (dryRun: boolean | undefined): { dryRun: string | undefined } => ({
  dryRun: dryRun ? "All" : undefined,
});

const writeText = ({ fieldManager, dryRun }: WriteOptions): string =>
  queryText({ fieldManager, ...dryRunQuery(dryRun) });

/** The options of a delete are in its body, so the query has none (DEC-26). */
function deleteBody(options: DeleteOptions): { readonly body: object } {
  const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options;
  const preconditions = defined({ uid, resourceVersion });
  const dryRun = options.dryRun === true ? ["All"] : undefined;
  const how = defined({ propagationPolicy, gracePeriodSeconds, dryRun });
  return { body: { apiVersion: "v1", kind: "DeleteOptions", preconditions, ...how } };
}

function defined<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
