/**
 * The identifiers of a request in match criteria: its resource, the kind of its object, its namespace.
 *
 * @module
 */
import { apiVersionOf } from "../../meta/versions.ts";
import { type AdmissionRequest, type ResourceVersion, concerns } from "../contract.ts";
import type { MatchedResource } from "./contract.ts";

/** The resource of the namespaces themselves. */
export const NAMESPACES = { group: "", plural: "namespaces" };

/** The resource of a request in the version of the request. */
export const resourceOf = ({ ref, version }: AdmissionRequest): ResourceVersion => ({
  group: ref.group,
  version,
  plural: ref.plural,
  kind: ref.kind,
});

/** The resource and the kind of a request as the client has named them: those in a rule for its version. */
export function requestedResource(request: AdmissionRequest): MatchedResource {
  const { ref, version } = request;
  return {
    apiVersion: apiVersionOf(ref.group, version),
    resource: { group: ref.group, version, resource: ref.plural },
    kind: kindOf(request),
  };
}

/** The kind of the object of a request, which differs from that of its resource where a subresource has a kind of its own. */
function kindOf({ object, old, ref, version }: AdmissionRequest): MatchedResource["kind"] {
  const { apiVersion, kind } = object ?? old ?? { apiVersion: apiVersionOf(ref.group, version), kind: ref.kind };
  const slash = apiVersion.indexOf("/");
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
}

/** The names in a rule for another version of the resource of a request. */
export function equivalentResource(request: AdmissionRequest, other: ResourceVersion): MatchedResource {
  const own = requestedResource(request);
  const { group, version, plural, kind } = other;
  const resource = { group, version, resource: plural };
  // A Scale, or an Eviction, has the same form in all versions of the resource.
  const isVersioned = own.kind.group === request.ref.group && own.kind.kind === request.ref.kind;
  if (!isVersioned) return { ...own, resource };
  return { apiVersion: apiVersionOf(group, version), resource, kind: { group, version, kind } };
}

/** The namespace of a request; a Namespace is in itself. */
export const namespaceOf = (request: AdmissionRequest): string =>
  concerns(request, NAMESPACES) ? request.name : request.namespace;

/** The request as the matched rule sees it: in the version that the rule names. Rejects where a conversion fails. */
export function asMatched(
  request: AdmissionRequest,
  { apiVersion }: MatchedResource,
): AdmissionRequest | Promise<AdmissionRequest> {
  return request.as(apiVersion) ?? request;
}
