/**
 * `authorization.k8s.io/v1`: questions about what somebody may do. Nothing here is stored; the answers come from the
 * server. The group has this name in both dialects, because clients know no other.
 *
 * @module
 */
import {
  type TSchema,
  always,
  atomicList,
  bool,
  map,
  optional,
  pointer,
  required,
  struct,
  text,
} from "../../../meta/types.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { DefinitionFactory, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const SelectorRequirement = struct("One thing that is asked of a key.", {
  key: required(text("The key.")),
  operator: required(text("In, NotIn, Exists or DoesNotExist.")),
  values: optional(atomicList(text(), "The values of In and NotIn.")),
});

const SelectorAttributes = struct("The selector of the request, as text or as requirements.", {
  rawSelector: optional(text("The selector as it was sent.")),
  requirements: optional(atomicList(SelectorRequirement, "The selector, read.")),
});

const ResourceAttributes = struct("A request for objects; `*` stands for all.", {
  namespace: optional(text("Namespace of the object, empty for the cluster or all of them.")),
  verb: optional(text("get, list, watch, create, update, patch, delete, deletecollection or another.")),
  group: optional(text("Group of the resource.")),
  version: optional(text("Version of the resource.")),
  resource: optional(text("The resource, in the plural.")),
  subresource: optional(text("Its subresource.")),
  name: optional(text("Name of the object, empty for all.")),
  fieldSelector: pointer(SelectorAttributes),
  labelSelector: pointer(SelectorAttributes),
});

const NonResourceAttributes = struct("A request for something that is no object.", {
  path: optional(text("The path of the request.")),
  verb: optional(text("The method of the request, in lower case.")),
});

const attributes = {
  resourceAttributes: pointer(ResourceAttributes),
  nonResourceAttributes: pointer(NonResourceAttributes),
};

const AccessStatus = struct("The answer.", {
  allowed: required(bool("Whether the request is allowed.")),
  denied: optional(bool("Whether it is refused for good, whoever else would allow it.")),
  reason: optional(text("Why.")),
  evaluationError: optional(text("What went wrong while it was decided.")),
});

const rule = <P extends Record<string, TSchema>>(about: string, more: P): ReturnType<typeof atomicList> =>
  atomicList(struct(about, { verbs: required(atomicList(text(), "What may be done.")), ...more }), about);

const RulesStatus = struct("The answer: what may be done, as far as it is known.", {
  resourceRules: required(
    rule("What may be done with objects.", {
      apiGroups: optional(atomicList(text(), "Groups of the resources.")),
      resources: optional(atomicList(text(), "The resources.")),
      resourceNames: optional(atomicList(text(), "Names of objects; all when there are none.")),
    }),
  ),
  nonResourceRules: required(
    rule("What may be done with what is no object.", {
      nonResourceURLs: optional(atomicList(text(), "The paths; `*` at the end stands for more.")),
    }),
  ),
  incomplete: required(bool("Whether there may be more that is allowed.")),
  evaluationError: optional(text("What went wrong while it was decided.")),
});

const question = (
  kind: string,
  about: string,
  spec: TSchema,
  status: TSchema,
  scope: ResourceDefinition["scope"] = "Cluster",
): ResourceDefinition =>
  defineResource(objectSchema(about, { spec: required(spec), status: always(status) }), {
    group: "authorization.k8s.io",
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope,
    verbs: ["create"],
    asked: true,
    deleteAnswers: "status",
  });

const someone = struct("Who, and the request that is asked about; one of both kinds.", {
  ...attributes,
  user: optional(text("The user.")),
  groups: optional(atomicList(text(), "The groups of the user.")),
  extra: optional(map(atomicList(text()), "What else is known of the user.")),
  uid: optional(text("The UID of the user.")),
});

/** The definitions of the group; the same in both dialects. */
export const authorizationGroup: DefinitionFactory = () => [
  question(
    "LocalSubjectAccessReview",
    "Answers whether somebody may do something in a namespace.",
    someone,
    AccessStatus,
    "Namespaced",
  ),
  question(
    "SelfSubjectAccessReview",
    "Answers whether the one who asks may do something.",
    struct("The request that is asked about; one of both kinds.", attributes),
    AccessStatus,
  ),
  question(
    "SelfSubjectRulesReview",
    "Answers what the one who asks may do in a namespace.",
    struct("What is asked about.", { namespace: optional(text("The namespace.")) }),
    RulesStatus,
  ),
  question("SubjectAccessReview", "Answers whether somebody may do something.", someone, AccessStatus),
];
