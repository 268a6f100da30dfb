/**
 * `authorization.k8s.io/v1`: reviews of the rights of a user. Nothing here is stored; the server makes the results. The group has this name
 * in both dialects, because clients know no other.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { DefinitionFactory, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const SelectorRequirement = t.struct("A requirement for a key.", {
  key: t.required(t.text("The key.")),
  operator: t.required(t.text("In, NotIn, Exists or DoesNotExist.")),
  values: t.optional(t.atomicList(t.text(), "The values of In and NotIn.")),
});

const SelectorAttributes = t.struct("The selector of the request, as text or as requirements.", {
  rawSelector: t.optional(t.text("The selector as it was sent.")),
  requirements: t.optional(t.atomicList(SelectorRequirement, "The selector, read.")),
});

const ResourceAttributes = t.struct("A request for objects; `*` means all.", {
  namespace: t.optional(t.text("Namespace of the object, empty for the cluster or all of them.")),
  verb: t.optional(t.text("get, list, watch, create, update, patch, delete, deletecollection or another.")),
  group: t.optional(t.text("Group of the resource.")),
  version: t.optional(t.text("Version of the resource.")),
  resource: t.optional(t.text("The resource, in the plural.")),
  subresource: t.optional(t.text("Its subresource.")),
  name: t.optional(t.text("Name of the object, empty for all.")),
  fieldSelector: t.pointer(SelectorAttributes),
  labelSelector: t.pointer(SelectorAttributes),
});

const NonResourceAttributes = t.struct("A request for a path that is no resource.", {
  path: t.optional(t.text("The path of the request.")),
  verb: t.optional(t.text("The method of the request, in lower case.")),
});

const attributes = {
  resourceAttributes: t.pointer(ResourceAttributes),
  nonResourceAttributes: t.pointer(NonResourceAttributes),
};

const AccessStatus = t.struct("The decision.", {
  allowed: t.required(t.bool("Whether the request is allowed.")),
  denied: t.optional(t.bool("Whether it is denied, even if another authorizer would allow it.")),
  reason: t.optional(t.text("Why.")),
  evaluationError: t.optional(t.text("The error of the authorizer.")),
});

const rule = <P extends Record<string, t.TSchema>>(about: string, more: P): ReturnType<typeof t.atomicList> =>
  t.atomicList(t.struct(about, { verbs: t.required(t.atomicList(t.text(), "The permitted verbs.")), ...more }), about);

const RulesStatus = t.struct("The permitted actions, as far as they are known.", {
  resourceRules: t.required(
    rule("Permitted actions on resources.", {
      apiGroups: t.optional(t.atomicList(t.text(), "Groups of the resources.")),
      resources: t.optional(t.atomicList(t.text(), "The resources.")),
      resourceNames: t.optional(t.atomicList(t.text(), "Names of objects; all when there are none.")),
    }),
  ),
  nonResourceRules: t.required(
    rule("Permitted actions on paths that are no resources.", {
      nonResourceURLs: t.optional(t.atomicList(t.text(), "The paths; `*` at the end matches any rest.")),
    }),
  ),
  incomplete: t.required(t.bool("Whether there may be more that is allowed.")),
  evaluationError: t.optional(t.text("The error of the authorizer.")),
});

const question = (
  kind: string,
  about: string,
  spec: t.TSchema,
  status: t.TSchema,
  scope: ResourceDefinition["scope"] = "Cluster",
): ResourceDefinition =>
  defineResource(objectSchema(about, { spec: t.required(spec), status: t.always(status) }), {
    group: "authorization.k8s.io",
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope,
    verbs: ["create"],
    asked: true,
  });

const someone = t.struct("The user, and the request to check; one of both kinds.", {
  ...attributes,
  user: t.optional(t.text("The user.")),
  groups: t.optional(t.atomicList(t.text(), "The groups of the user.")),
  extra: t.optional(t.map(t.atomicList(t.text()), "Further attributes of the user.")),
  uid: t.optional(t.text("The UID of the user.")),
});

/** The definitions of the group; the same in both dialects. */
export const authorizationGroup: DefinitionFactory = () => [
  question(
    "LocalSubjectAccessReview",
    "Checks whether a user may do something in a namespace.",
    someone,
    AccessStatus,
    "Namespaced",
  ),
  question(
    "SelfSubjectAccessReview",
    "Checks whether the current user may do something.",
    t.struct("The request to check; one of both kinds.", attributes),
    AccessStatus,
  ),
  question(
    "SelfSubjectRulesReview",
    "Lists what the current user may do in a namespace.",
    t.struct("The scope of the list.", { namespace: t.optional(t.text("The namespace.")) }),
    RulesStatus,
  ),
  question("SubjectAccessReview", "Checks whether a user may do something.", someone, AccessStatus),
];
