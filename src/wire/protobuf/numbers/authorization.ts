import type { Messages } from "./numbers.ts";

/** `authorization.k8s.io/v1`. */
export const authorization: Messages = {
  SelfSubjectAccessReview: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "SelfSubjectAccessReviewSpec"],
    status: [3, "SubjectAccessReviewStatus"],
  },
  SelfSubjectAccessReviewSpec: {
    resourceAttributes: [1, "ResourceAttributes"],
    nonResourceAttributes: [2, "NonResourceAttributes"],
  },
  ResourceAttributes: {
    namespace: 1,
    verb: 2,
    group: 3,
    version: 4,
    resource: 5,
    subresource: 6,
    name: 7,
    fieldSelector: [8, "FieldSelectorAttributes"],
    labelSelector: [9, "LabelSelectorAttributes"],
  },
  FieldSelectorAttributes: { rawSelector: 1, requirements: [2, "meta.FieldSelectorRequirement"] },
  LabelSelectorAttributes: { rawSelector: 1, requirements: [2, "meta.LabelSelectorRequirement"] },
  NonResourceAttributes: { path: 1, verb: 2 },
  SubjectAccessReviewStatus: { allowed: 1, reason: 2, evaluationError: 3, denied: 4 },
  SelfSubjectRulesReview: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "SelfSubjectRulesReviewSpec"],
    status: [3, "SubjectRulesReviewStatus"],
  },
  SelfSubjectRulesReviewSpec: { namespace: 1 },
  SubjectRulesReviewStatus: {
    resourceRules: [1, "ResourceRule"],
    nonResourceRules: [2, "NonResourceRule"],
    incomplete: 3,
    evaluationError: 4,
  },
  ResourceRule: { verbs: 1, apiGroups: 2, resources: 3, resourceNames: 4 },
  NonResourceRule: { verbs: 1, nonResourceURLs: 2 },
  SubjectAccessReview: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "SubjectAccessReviewSpec"],
    status: [3, "SubjectAccessReviewStatus"],
  },
  LocalSubjectAccessReview: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "SubjectAccessReviewSpec"],
    status: [3, "SubjectAccessReviewStatus"],
  },
  SubjectAccessReviewSpec: {
    resourceAttributes: [1, "ResourceAttributes"],
    nonResourceAttributes: [2, "NonResourceAttributes"],
    user: 3,
    groups: 4,
    extra: 5,
    uid: 6,
  },
};
