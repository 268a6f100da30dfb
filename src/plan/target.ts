/**
 * The resource and the object that a document is about.
 *
 * @module
 */
import { type RequestInfo, requestInfo } from "../meta/request-info.ts";
import type { ReportedObject } from "../meta/ownership-reports.ts";
import { ApiError, badRequest } from "../meta/status.ts";
import type { Kinds, Resource, Target } from "../registry/index.ts";
import { type Value, memberOf, textIn } from "../value/value.ts";

/** An object of a resource. */
export interface ResourceTarget {
  readonly resource: Resource;
  readonly target: Target;
}

/** The kind and name of a document; undefined where one of them is missing. */
export function objectIn(document: Value): ReportedObject | undefined {
  const [apiVersion, kind] = [textIn(document, "apiVersion"), textIn(document, "kind")];
  const metadata = memberOf(document, "metadata");
  const [name, namespace] = [textIn(metadata, "name"), textIn(metadata, "namespace")];
  if (apiVersion === "" || kind === "" || name === "") return undefined;
  return { apiVersion, kind, name, ...(namespace === "" ? {} : { namespace }) };
}

/** A served resource of a kind in an apiVersion. */
export function resourceOf(kinds: Kinds, apiVersion: string, kind: string): Resource | undefined {
  const slash = apiVersion.indexOf("/");
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  return kinds.version(group, version)?.resources.find(({ definition }) => definition.kind === kind);
}

/** The object of a document; 400 where its names cannot be segments of a path, 404 where its kind is not served. */
export function targetOf(kinds: Kinds, object: ReportedObject, usual: string): ResourceTarget {
  const { apiVersion, kind, name } = object;
  const resource = resourceOf(kinds, apiVersion, kind);
  if (!resource?.storage) {
    const message = `expected a kind that is served and stored, got ${shown(kind)} in version ${shown(apiVersion)}`;
    throw new ApiError("NotFound", message, { details: {} });
  }
  const isNamespaced = resource.definition.scope === "Namespaced";
  const namespace = isNamespaced ? (object.namespace ?? usual) : "";
  for (const segment of [name, namespace]) {
    if (segment === "." || segment === ".." || /[/%]/.test(segment)) {
      throw badRequest(`expected a name and a namespace that can be segments of a path, got ${shown(segment)}`);
    }
  }
  return { resource, target: { namespace, name, subresource: "" } };
}

/** The request that a write of its own would be, for authorization. */
export function infoOf({ resource: { definition }, target }: ResourceTarget, method: "DELETE" | "PATCH"): RequestInfo {
  return requestInfo(method, `${collectionPath(definition, target.namespace)}/${target.name}`, () => false);
}

/** The request of a list. */
export const listInfo = (definition: Named, namespace: string): RequestInfo =>
  requestInfo("GET", collectionPath(definition, namespace), () => false);

/** The key of an object in the store. */
export function storeKeyOf(
  kinds: Kinds,
  { resource: { definition }, target: { namespace, name } }: ResourceTarget,
): string {
  const { group, version, plural, scope } = definition;
  const prefix = kinds.kind(group, version, plural)?.stored.prefix ?? "";
  return prefix + (scope === "Namespaced" ? `${namespace}/${name}` : name);
}

type Named = Pick<Resource["definition"], "group" | "version" | "plural">;

function collectionPath({ group, version, plural }: Named, namespace: string): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespace === "" ? "" : `/namespaces/${namespace}`}/${plural}`;
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));
