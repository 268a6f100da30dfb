/**
 * Requests of the API that are nearly right: those of the recorded scenarios, and objects made from the schemas of all
 * kinds that are served, changed in a few places, in every form, with every parameter.
 *
 * @module
 */
import { gzipSync } from "node:zlib";
import { stringify } from "yaml";
import { kubernetes } from "../../src/meta/dialect.ts";
import { ALL_VERBS, type ResourceDefinition, type Verb } from "../../src/schema/definition.ts";
import { builtInDefinitions } from "../../src/kinds/index.ts";
import { contextOf } from "../../src/schema/testing/kind.ts";
import { PROTOBUF, encodeProtobuf } from "../../src/wire/protobuf/envelope.ts";
import { type TestKind, protobufKinds, wireForm } from "../../src/wire/protobuf/testing/kinds.ts";
import { TOKEN } from "../attacks/target.ts";
import { fill } from "../conformance/paths.ts";
import { type Step, loadFiles } from "../conformance/scenario.ts";
import { mutateBytes } from "./bytes.ts";
import type { RequestCase } from "./case.ts";
import type { Draw } from "../../src/util/testing/draw.ts";
import { sample } from "./sample.ts";
import { jsonOf, mutateValue } from "./values.ts";

/** Where most of it happens. */
export const NAMESPACE = "fuzz";

const DEFINITIONS = builtInDefinitions(contextOf(kubernetes));
const PROTOBUF_KINDS: readonly TestKind[] = protobufKinds(kubernetes);
const STEPS: readonly (readonly Step[])[] = loadFiles(new URL("../conformance", import.meta.url).pathname).flatMap(
  ({ scenarios }) => scenarios.map(({ steps }) => steps.flatMap(requestsOf)),
);

function requestsOf(step: Step): readonly Step[] {
  if (step.parallel) return step.parallel.flat().flatMap(requestsOf);
  return step.do === undefined ? [] : [step];
}

const JSON_TYPE = "application/json";
const PATCHES = ["json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"].map(
  (name) => `application/${name}`,
);
const TYPES = [
  JSON_TYPE,
  "application/yaml",
  PROTOBUF,
  ...PATCHES,
  "text/plain",
  "",
  "*/*",
  "application/json;charset=utf-16",
  "a/b;".repeat(50),
];
const ACCEPTS = [
  JSON_TYPE, "application/yaml", PROTOBUF, `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1, ${JSON_TYPE}`, `${JSON_TYPE};as=Table;v=v1;g=meta.k8s.io`,
  `${JSON_TYPE};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`, `${JSON_TYPE};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`, `${JSON_TYPE};stream=watch`,
  `${JSON_TYPE};as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io`, "*/*", "*", "", "text/html", `${"a/b, ".repeat(300)}*/*`, `${JSON_TYPE};q=9`,
]; // prettier-ignore
const VERSIONS = ["0", "1", "3", "57", "1000", "99999999", "18446744073709551615", "-1", "x", "1.5", "", " 1"];
const TIMES = ["0", "1", "-1", "2", "1.5", "x", "99999999999999999999", ""];
const SELECTORS = [
  "a=b", "a!=b", "a", "!a", "a in (b,c)", "a notin (b)", "a in ()", ",", "a=b,a=c", "=", "!", "a>1", "a<x", "(", "é=1", `a in (${"v,".repeat(3000)}v)`,
  Array.from({ length: 300 }, (_, i) => `!k${i}`).join(","), `${"x".repeat(300)}=y`, "a=b=c", "\0", "kubernetes.io/x==y", "a in (b", "%2C", "__proto__=1",
]; // prettier-ignore
const FIELDS = [
  "metadata.name=a", "metadata.name!=a", "metadata.namespace=fuzz", "status.phase=Running", "spec.nodeName=", "type=Opaque", "x=y", "metadata.name", "=",
  "metadata.name=a,metadata.name=b", "metadata.name==a\\,b", "\\", `metadata.name=${"x".repeat(5000)}`, Array.from({ length: 300 }, (_, i) => `metadata.name!=n${i}`).join(","), "__proto__=1", "metadata.name=\0",
]; // prettier-ignore
const token = (content: unknown): string => Buffer.from(jsonOf(content)).toString("base64url");
const TOKENS = [
  token({ v: "meta.k8s.io/v1", rv: 3, start: "a\0" }), token({ v: "meta.k8s.io/v1", rv: -1, start: "fuzz/a\0" }), token({ v: "meta.k8s.io/v1", rv: 99999999, start: "z" }),
  token({ v: "meta.k8s.io/v1", rv: 1, start: "../../secrets/" }), token({ v: "meta.k8s.io/v1", rv: 2 ** 60, start: "" }), token({}), token(null), token([]), "x", "====", "A".repeat(5000),
]; // prettier-ignore
const BOOLS = ["true", "false", "1", "0", "x", ""];

/** Parameters and what may stand in them. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  limit: ["0", "1", "2", "500", "-1", "x", "99999999999999999999"],
  continue: TOKENS,
  resourceVersion: VERSIONS,
  resourceVersionMatch: ["Exact", "NotOlderThan", "x", ""],
  labelSelector: SELECTORS,
  fieldSelector: FIELDS,
  timeoutSeconds: TIMES,
  timeout: ["1s", "30s", "x", "-1s", "1h"],
  watch: BOOLS,
  allowWatchBookmarks: BOOLS,
  sendInitialEvents: BOOLS,
  fieldManager: ["a", "b", "x".repeat(129), "", "\0", "é"],
  fieldValidation: ["Strict", "Warn", "Ignore", "x"],
  force: BOOLS,
  dryRun: ["All", "x", "", "All,All"],
  pretty: BOOLS,
  gracePeriodSeconds: TIMES,
  propagationPolicy: ["Orphan", "Foreground", "Background", "x"],
  orphanDependents: BOOLS,
  includeObject: ["None", "Object", "Metadata", "x"],
  hash: ["A", ""],
  verbose: [""],
  exclude: ["etcd", "x"],
};

const METHOD_OF: Readonly<Record<Verb, string>> = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  get: "GET",
  list: "GET",
  watch: "GET",
  delete: "DELETE",
  deletecollection: "DELETE",
};
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
const SUBRESOURCES = [
  "status",
  "scale",
  "finalize",
  "token",
  "binding",
  "eviction",
  "log",
  "exec",
  "ephemeralcontainers",
  "proxy/x",
  "x",
  "status/x",
];
const PARTS = [
  "..",
  ".",
  "%2e%2e",
  "%2F",
  "%00",
  "%",
  "%zz",
  "é",
  "x".repeat(300),
  "__proto__",
  "constructor",
  "watch",
  "",
  ";a=b",
  "%25",
  "default",
  "fuzz",
  "a",
];
const PATHS = [
  "/", "/api", "/api/v1", "/apis", "/apis/storage.k8s.io", "/apis/storage.k8s.io/v1", "/apis/none.example/v1", "/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1",
  "/version", "/livez", "/readyz/etcd", "/healthz", "/metrics", "/api/v1/watch/configmaps", "/api/v1/watch/namespaces/fuzz/secrets/a", "/logs", "/debug/pprof",
]; // prettier-ignore

const NOT_MUTATED = 0.25;
const MOST_STEPS = 8;
const MOST_BYTES = 8 << 20;

/** What a request is made of, before its body has a form. */
interface Draft {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string | undefined;
  readonly body: unknown;
}

/** A few requests, one after the other. */
export function requestCases(draw: Draw): RequestCase[] {
  const drafts = draw.chance(0.7) ? scenarioDrafts(draw) : draw.many(1 + draw.small(MOST_STEPS), () => madeDraft(draw));
  return drafts.map((draft) => finish(draw, draft));
}

const variablesOf = (draw: Draw): Readonly<Record<string, string>> => ({
  ns: draw.chance(0.9) ? NAMESPACE : "none",
  id: `i${draw.below(20)}`,
  d: "k8s.io",
  rv: draw.pick(VERSIONS),
  uid: "6f1b5b3e-0000-4000-8000-000000000000",
});

/** Some steps of a scenario in their order, as they are in most places. */
function scenarioDrafts(draw: Draw): Draft[] {
  const steps = draw.pick(STEPS);
  const from = draw.chance(0.7) ? 0 : draw.below(steps.length);
  const variables = variablesOf(draw);
  return steps.slice(from, from + 1 + draw.below(MOST_STEPS)).map((step) => {
    const { do: method = "GET", path = "/", query = {}, headers = {}, type, body, raw } = fill(step, variables);
    return {
      method,
      path,
      query: Object.entries(query),
      headers: Object.fromEntries(Object.entries(headers).filter(isLine)),
      type: type ?? (body === undefined && raw === undefined ? undefined : JSON_TYPE),
      body: raw ?? body,
    };
  });
}

/** Whether a header is one line, as HTTP/2 has most. */
const isLine = (header: readonly [string, unknown]): header is [string, string] => typeof header[1] === "string";

const collectionOf = ({ group, version, plural, scope }: ResourceDefinition): string =>
  `${group === "" ? "/api" : `/apis/${group}`}/${version}${scope === "Namespaced" ? `/namespaces/${NAMESPACE}` : ""}/${plural}`;

/** A request for an object that is made from its schema, or for something else. */
function madeDraft(draw: Draw): Draft {
  const definition = draw.pick(DEFINITIONS);
  const { group, version, kind, schema, verbs = ALL_VERBS } = definition;
  const name = `${draw.pick(["a", "b", "c", "d"])}${draw.below(5)}`;
  const collection = collectionOf(definition);
  const method = draw.chance(0.95) ? METHOD_OF[draw.pick(verbs)] : draw.pick(METHODS);
  const named = method !== "POST" && draw.chance(0.8);
  const path = named ? `${collection}/${name}${draw.chance(0.15) ? `/${draw.pick(SUBRESOURCES)}` : ""}` : collection;
  const sampled = sample(draw, schema) as Record<string, unknown>;
  const metadata = { ...(sampled["metadata"] as object), name, labels: { a: draw.pick(["b", "c"]) } };
  const object = { ...sampled, apiVersion: group === "" ? version : `${group}/${version}`, kind, metadata };
  const isRead = method === "GET" || method === "HEAD";
  return {
    method,
    path: draw.chance(0.1) ? draw.pick(PATHS) : path,
    query: [],
    headers: {},
    type: isRead ? undefined : method === "PATCH" ? draw.pick(PATCHES) : JSON_TYPE,
    body: isRead ? undefined : method === "PATCH" ? patchOf(draw, object) : object,
  };
}

const patchOf = (draw: Draw, object: object): unknown =>
  draw.one<unknown>(
    () => object,
    () => ({ metadata: { labels: { x: "y", a: null }, $patch: "merge" }, data: { a: "b" } }),
    () => draw.many(1 + draw.small(20), () => operation(draw)),
  );

const POINTERS = [
  "/metadata/labels/a",
  "/data",
  "/data/a",
  "/spec/x/-",
  "/metadata/name",
  "",
  "/",
  "/a~1b",
  "/a~2",
  "x",
  "/metadata/managedFields",
  "/__proto__/a",
  "/metadata/finalizers/0",
];

const operation = (draw: Draw): object => ({
  op: draw.pick(["add", "remove", "replace", "move", "copy", "test", "x"]),
  path: draw.pick(POINTERS),
  from: draw.pick(POINTERS),
  value: draw.pick([1, "a", null, {}, []]),
});

function finish(draw: Draw, draft: Draft): RequestCase {
  if (draw.chance(NOT_MUTATED)) return encode(draw, draft, draft.type);
  const body = draft.body === undefined ? (draw.chance(0.1) ? {} : undefined) : mutateValue(draw, draft.body);
  const added = draw.many(draw.small(4), (): [string, string] => {
    const name = draw.pick(Object.keys(PARAMETERS));
    return [name, draw.pick(PARAMETERS[name]!)];
  });
  const changed: Draft = {
    ...draft,
    method: draw.chance(0.05) ? draw.pick(METHODS) : draft.method,
    path: draw.chance(0.1) ? mutatePath(draw, draft.path) : draft.path,
    query: [...draft.query, ...added],
    headers: { ...draft.headers, ...oddHeaders(draw) },
    body,
  };
  return encode(draw, changed, draw.chance(0.1) ? draw.pick(TYPES) : draft.type);
}

function mutatePath(draw: Draw, path: string): string {
  const parts = path.split("/");
  const at = 1 + draw.below(parts.length);
  const mutated = draw.one(
    () => parts.toSpliced(at, 1, draw.pick(PARTS)).join("/"),
    () => parts.toSpliced(at, 0, draw.pick(PARTS)).join("/"),
    () => parts.slice(0, at).join("/"),
    () => `${path}/${draw.pick(SUBRESOURCES)}`,
  );
  return mutated.startsWith("/") ? mutated : `/${mutated}`;
}

function oddHeaders(draw: Draw): Record<string, string> {
  const headers: Record<string, string> = {};
  const maybe = (chance: number, name: string, values: readonly string[]): void => {
    if (draw.chance(chance)) headers[name] = draw.pick(values);
  };
  maybe(0.3, "accept", ACCEPTS);
  maybe(0.05, "accept-encoding", ["gzip", "br", "*", "gzip;q=0", "x".repeat(1000)]);
  maybe(0.05, "authorization", [
    "",
    "Bearer x",
    "Basic YTpi",
    `Bearer  ${TOKEN}`,
    `bearer ${TOKEN}`,
    `Bearer ${"a.".repeat(4000)}`,
  ]);
  maybe(0.05, "impersonate-user", ["alice", "", "system:admin", "x".repeat(5000)]);
  maybe(0.03, "impersonate-group", ["system:masters", "a,b", `a${" ".repeat(5000)}b`]);
  maybe(0.03, "impersonate-extra-a", ["b"]);
  maybe(0.03, "if-match", ["*", '"1"', "x"]);
  maybe(0.03, "if-none-match", ["*", '"x"']);
  maybe(0.03, "expect", ["100-continue", "x"]);
  maybe(0.03, "audit-id", ["x".repeat(100), "a\u00e9"]);
  maybe(0.03, "user-agent", ["", "kubectl/v1", "x".repeat(5000), "Mozilla/5.0"]);
  maybe(0.02, "content-encoding", ["gzip", "br", "identity", "gzip, gzip"]);
  return headers;
}

/** The collection of all namespaces, which where it can be deleted takes that of the healthy client along. */
const NAMESPACES = /\/namespaces\/*(?:\?|$)/;

/** Puts the body into a form; sometimes one that the type does not say. */
function encode(draw: Draw, draft: Draft, type: string | undefined): RequestCase {
  const { path, body } = draft;
  const method = draft.method === "DELETE" && NAMESPACES.test(path) ? "GET" : draft.method;
  const query = draft.query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  const headers: Record<string, string> = { authorization: `Bearer ${TOKEN}`, accept: JSON_TYPE, ...draft.headers };
  const base = {
    as: "request" as const,
    method,
    path: query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`,
    headers,
  };
  if (body === undefined || type === undefined) return base;
  const { bytes, as } = formOf(draw, body, type);
  headers["content-type"] = as;
  const changed = draw.chance(0.08) ? mutateBytes(draw, bytes) : bytes;
  if (!draw.chance(0.05)) return { ...base, body: textOf(changed) };
  headers["content-encoding"] = "gzip";
  const packed = gzipSync(changed);
  return { ...base, body: textOf(draw.chance(0.3) ? mutateBytes(draw, packed) : packed) };
}

/** What is more than a server takes in any case is cut off: some scenarios have large bodies, and pieces are repeated. */
const textOf = (bytes: Buffer): string => bytes.subarray(0, MOST_BYTES).toString("base64");

function formOf(draw: Draw, body: unknown, type: string): { readonly bytes: Buffer; readonly as: string } {
  if (typeof body === "string") return { bytes: Buffer.from(body), as: type };
  const protobuf = type === JSON_TYPE && draw.chance(0.3) ? asProtobuf(body) : undefined;
  if (protobuf) return { bytes: protobuf, as: PROTOBUF };
  const isYaml = type.endsWith("yaml") || (type === JSON_TYPE && draw.chance(0.1));
  if (!isYaml || draw.chance(0.3)) return { bytes: Buffer.from(jsonOf(body)), as: type };
  return { bytes: Buffer.from(yamlOf(body)), as: type === JSON_TYPE ? "application/yaml" : type };
}

/** The YAML of a value; its JSON, which is YAML too, where it is so deep that the library cannot write it. */
function yamlOf(body: unknown): string {
  try {
    return stringify(body);
  } catch {
    return jsonOf(body);
  }
}

/** The protobuf form, where the kind has one and the value fits. */
function asProtobuf(body: unknown): Buffer | undefined {
  const { apiVersion, kind } = (body ?? {}) as { apiVersion?: unknown; kind?: unknown };
  const found = PROTOBUF_KINDS.find(
    ({ kind: one }) =>
      one.kind === kind && apiVersion === (one.group === "" ? one.version : `${one.group}/${one.version}`),
  );
  if (!found) return undefined;
  try {
    return encodeProtobuf(wireForm(found, body as never), found.kind);
  } catch {
    return undefined;
  }
}
