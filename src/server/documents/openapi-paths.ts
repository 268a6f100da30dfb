/**
 * Paths and operations of OpenAPI v3, one set for each resource.
 *
 * kubectl decides by the PATCH operation whether the server validates fields: it must list the query parameter
 * `fieldValidation` in place, and name its kind as a single object.
 *
 * @module
 */
import { ALL_PATCHES, PATCH_MEDIA } from "../../schema/patch-types.ts";
import { ALL_VERBS, type ResourceDefinition, type Verb } from "../../schema/definition.ts";
import { type Json, SHARED, componentName, ref } from "./openapi-schemas.ts";

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The paths of a resource. */
export function resourcePaths(d: ResourceDefinition): Record<string, Json> {
  const { group, version, plural, scope } = d;
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const namespaced = scope === "Namespaced";
  const collection = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
  const inNamespace = namespaced ? [NAMESPACE] : [];
  const paths: Record<string, Json> = {
    [collection]: pathItem(operations(d, scoped(d), COLLECTION), inNamespace),
    [`${collection}/{name}`]: pathItem(operations(d, scoped(d), ITEM), [NAME, ...inNamespace]),
  };
  if (namespaced) paths[`${base}/${plural}`] = pathItem(operations(d, `${d.kind}ForAllNamespaces`, ["list"]), []);
  for (const [name, { verbs, takes = d }] of Object.entries(d.subresources ?? {})) {
    const spot = scoped(d, name.charAt(0).toUpperCase() + name.slice(1));
    const found = operations(d, spot, SUBRESOURCE, verbs, kindOf(takes));
    paths[`${collection}/{name}/${name}`] = pathItem(found, [NAME, ...inNamespace]);
  }
  return Object.fromEntries(Object.entries(paths).filter(([, item]) => Object.keys(item).length > 1));
}

const COLLECTION: readonly Verb[] = ["list", "create", "deletecollection"];
const ITEM: readonly Verb[] = ["get", "update", "patch", "delete"];
const SUBRESOURCE: readonly Verb[] = ["get", "update", "patch", "create"];

const pathItem = (operations: Json, parameters: readonly Json[]): Json => ({
  ...operations,
  parameters: [...parameters, PRETTY],
});

const pathParameter = (name: string, description: string): Json => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string", uniqueItems: true },
});

const query = (name: string, type: "string" | "integer" | "boolean", description: string): Json => ({
  name,
  in: "query",
  description,
  schema: { type, uniqueItems: true },
});

const NAME = pathParameter("name", "Name of the object.");
const NAMESPACE = pathParameter("namespace", "Namespace of the objects.");
const PRETTY = query("pretty", "string", "Whether the response is indented.");

const LIST_PARAMETERS: readonly Json[] = [
  query("allowWatchBookmarks", "boolean", "Whether a watch has bookmarks of versions without changes."),
  query("continue", "string", "Where to continue, from the previous page."),
  query("fieldSelector", "string", "Selects objects by their fields."),
  query("labelSelector", "string", "Selects objects by their labels."),
  query("limit", "integer", "The maximum number of objects in the response."),
  query("resourceVersion", "string", "The requested version."),
  query("resourceVersionMatch", "string", "How the version is matched: Exact or NotOlderThan."),
  query("sendInitialEvents", "boolean", "Whether a watch begins with the existing objects."),
  query("timeoutSeconds", "integer", "The maximum seconds of the response."),
  query("watch", "boolean", "Whether to watch for changes."),
];

const DRY_RUN = query("dryRun", "string", "All: do everything except to store the result.");
const FIELD_MANAGER = query("fieldManager", "string", "The name of the manager of the fields.");
const FIELD_VALIDATION = query(
  "fieldValidation",
  "string",
  "What becomes of unknown and duplicate fields: Ignore, Warn or Strict.",
);
const FORCE = query("force", "boolean", "Whether an apply takes fields over from other managers.");
const WRITE_PARAMETERS = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];

const DELETE_PARAMETERS: readonly Json[] = [
  DRY_RUN,
  query("gracePeriodSeconds", "integer", "The grace period of the object in seconds."),
  query("orphanDependents", "boolean", "Replaced by propagationPolicy."),
  query("propagationPolicy", "string", "How dependents are handled: Background, Foreground or Orphan."),
];

const MEDIA = ["application/json", "application/yaml"];
const patchMedia = ({ patches = ALL_PATCHES }: ResourceDefinition): readonly string[] =>
  patches.map((type) => PATCH_MEDIA[type]).toSorted();

const content = (media: readonly string[], schema: Json): Json =>
  Object.fromEntries(media.map((type) => [type, { schema }]));

/** An operation of a verb. */
interface Operation {
  readonly action: string;
  readonly method: string;
  /** The component of a success. */
  readonly result: string;
  readonly codes?: readonly number[];
  readonly parameters?: readonly Json[];
  readonly body?: Json;
}

/** How the names of operations begin; generated clients make their functions of them, so people know them by heart. */
const BEGINNINGS: Readonly<Record<string, string>> = { post: "create", get: "read", put: "replace" };

/** The name of an operation, as Kubernetes makes it: `listCoreV1NamespacedSecret`, `deleteCoreV1CollectionNode`. */
function operationId(action: string, family: string, version: string, spot: string): string {
  const all = action === "deletecollection";
  const beginning = all ? "delete" : (BEGINNINGS[action] ?? action);
  const rest = [family, version, all ? "Collection" : "", spot];
  return beginning + rest.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join("");
}

/** Domains of groups that names of operations leave out: those of the built-in groups. */
const DOMAINS = [".k8s.io", ".svc.io"];

/**
 * A group in the names of operations and in tags, as Kubernetes makes it: the whole group in one word, so that groups of
 * different domains never share a name; `rbacAuthorization`, `aExampleCom`, `core`.
 */
export function familyOf(group: string): string {
  if (group === "") return "core";
  const domain = DOMAINS.find((one) => group.endsWith(one)) ?? "";
  const [first = "", ...rest] = group.slice(0, group.length - domain.length).split(/[.-]/);
  return first + rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

const DESCRIPTIONS: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

/** Operations of those verbs that are served, as members of a path item. */
const operations = (
  d: ResourceDefinition,
  spot: string,
  verbs: readonly Verb[],
  served: readonly string[] = d.verbs ?? ALL_VERBS,
  kind: Kind = kindOf(d),
): Json =>
  Object.fromEntries(
    verbs.filter((verb) => served.includes(verb)).map((verb) => operation(d, spot, kind, OPERATIONS[verb](d, kind))),
  );

function operation(d: ResourceDefinition, spot: string, kind: Kind, what: Operation): readonly [string, Json] {
  const { action, method, parameters = [], codes = [200] } = what;
  const family = familyOf(d.group);
  const body = { content: content(MEDIA, ref(what.result)) };
  const item = {
    tags: [`${family}_${d.version}`],
    description: `${action} ${kind.kind}`,
    operationId: operationId(action, family, d.version, spot),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(what.body ? { requestBody: what.body } : {}),
    responses: {
      ...Object.fromEntries(codes.map((code) => [String(code), { description: DESCRIPTIONS[code], ...body }])),
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": d.untyped ? kindOf(d) : kind,
  };
  return [method, item];
}

const kindOf = ({ group, version, kind }: ResourceDefinition): Kind => ({ group, version, kind });
const objectOf = ({ group, version, kind }: Kind): string => componentName(group, version, kind);
const listOf = (d: ResourceDefinition): string => componentName(d.group, d.version, d.listKind ?? `${d.kind}List`);

// Generated clients send the first type as it stands here, so it must not be a wildcard, which no body is of.
const bodyOf = (name: string, required = true): Json => ({
  content: content(MEDIA, ref(name)),
  ...(required ? { required: true } : {}),
});

const scoped = (d: ResourceDefinition, rest = ""): string =>
  `${d.scope === "Namespaced" ? "Namespaced" : ""}${d.kind}${rest}`;

const list = (d: ResourceDefinition): Operation => ({
  action: "list",
  method: "get",
  result: listOf(d),
  parameters: LIST_PARAMETERS,
});

/** The operation of each verb on a resource and the kind of its bodies. */
const OPERATIONS: Readonly<Record<Verb, (d: ResourceDefinition, kind: Kind) => Operation>> = {
  list,
  watch: list,
  get: (_d, kind) => ({ action: "get", method: "get", result: objectOf(kind) }),
  create: (_d, kind) => ({
    action: "post",
    method: "post",
    result: objectOf(kind),
    codes: [200, 201, 202],
    parameters: WRITE_PARAMETERS,
    body: bodyOf(objectOf(kind)),
  }),
  update: (_d, kind) => ({
    action: "put",
    method: "put",
    result: objectOf(kind),
    codes: [200, 201],
    parameters: WRITE_PARAMETERS,
    body: bodyOf(objectOf(kind)),
  }),
  patch: (d, kind) => ({
    action: "patch",
    method: "patch",
    result: objectOf(kind),
    codes: [200, 201],
    parameters: [...WRITE_PARAMETERS, FORCE],
    body: { content: content(patchMedia(d), ref(SHARED.patch)), required: true },
  }),
  delete: (d, kind) => ({
    action: "delete",
    method: "delete",
    result: d.deleteReturns === "object" ? objectOf(kind) : SHARED.status,
    codes: [200, 202],
    parameters: DELETE_PARAMETERS,
    body: bodyOf(SHARED.deleteOptions, false),
  }),
  deletecollection: () => ({
    action: "deletecollection",
    method: "delete",
    result: SHARED.status,
    parameters: [...LIST_PARAMETERS.filter(({ name }) => name !== "watch"), ...DELETE_PARAMETERS],
    body: bodyOf(SHARED.deleteOptions, false),
  }),
};
