/**
 * SelfSubjectReview, the reviews of access and SelfSubjectRulesReview: the user of a request, and what users may do
 * (AUTHN-38, RBAC-48..54).
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import { isObject } from "../value/value.ts";
import type { Authorizer, Identity } from "../auth/contract.ts";
import { NO_REQUEST, type RequestInfo } from "../meta/request-info.ts";
import { badRequest } from "../meta/status.ts";
import { formatTime } from "../meta/time.ts";
import { type Action, type ActionRequest, type Actions, actionKey } from "../registry/index.ts";
import {
  type ReviewSelector,
  fieldsOf,
  labelsOf,
  selectorError,
  validateFields,
  validateLabels,
} from "./review-selectors.ts";
import { userInfo } from "./user-info.ts";

/** The actions of the reviews. */
export function reviewActions(authorizer: Authorizer): Actions {
  return new Map<string, Action>([
    [actionKey({ group: "authentication.k8s.io", kind: "SelfSubjectReview" }), { handle: whoAmI }],
    [review("SelfSubjectAccessReview"), { validate: validateAccess, handle: (request) => mayI(authorizer, request) }],
    [review("SubjectAccessReview"), { validate: validateSubject, handle: (request) => mayThey(authorizer, request) }],
    [
      review("LocalSubjectAccessReview"),
      { validate: validateLocal, handle: (request) => mayThey(authorizer, request) },
    ],
    [review("SelfSubjectRulesReview"), { validate: validateRules, handle: (request) => myRules(authorizer, request) }],
  ]);
}

const review = (kind: string): string => actionKey({ group: "authorization.k8s.io", kind });

function whoAmI({ object, caller, ctx }: ActionRequest): void {
  object.metadata = { creationTimestamp: formatTime(ctx.clock.now()) };
  object["status"] = { userInfo: userInfo(caller) };
}

async function mayI(authorizer: Authorizer, { object, caller }: ActionRequest): Promise<void> {
  object["status"] = await decide(authorizer, caller, reviewedRequest(object));
  object.metadata = {};
}

function validateSubject(request: ActionRequest): void {
  validateUser(request);
  validateAccess(request);
}

function validateUser({ object, errors }: ActionRequest): void {
  const { user, groups } = specOf(object);
  if (!user && !groups?.length) errors.invalid("spec.user", "", "expected a user or a group");
}

/** RBAC-51: a review in a namespace is about that namespace, and not about paths. */
function validateLocal(request: ActionRequest): void {
  validateUser(request);
  const { object, errors } = request;
  const { namespace, ...metadata } = object.metadata;
  validateAccess({ object: { ...object, metadata }, errors });
  const { resourceAttributes, nonResourceAttributes } = specOf(object);
  const about = resourceAttributes?.namespace ?? "";
  if (resourceAttributes && about !== namespace) {
    errors.invalid("spec.resourceAttributes.namespace", about, `expected ${namespace}, the namespace of the request`);
  }
  if (nonResourceAttributes) {
    errors.invalid("spec.nonResourceAttributes", nonResourceAttributes, "expected none: a namespace has no paths");
  }
}

async function mayThey(authorizer: Authorizer, { object }: ActionRequest): Promise<void> {
  const spec = specOf(object);
  const identity: Identity = {
    user: spec.user ?? "",
    groups: spec.groups ?? [],
    ...(spec.uid && { uid: spec.uid }),
    ...(spec.extra && { extra: spec.extra }),
  };
  object["status"] = await decide(authorizer, identity, reviewedRequest(object));
  const { namespace } = object.metadata;
  object.metadata = namespace === undefined ? {} : { namespace };
}

function validateRules({ object }: ActionRequest): void {
  if (namespaceIn(object) === "") throw badRequest("expected spec.namespace to be a namespace, got none");
}

function namespaceIn({ spec }: ApiObject): string {
  const namespace = isObject(spec) ? spec["namespace"] : undefined;
  return typeof namespace === "string" ? namespace : "";
}

async function myRules(authorizer: Authorizer, { object, caller }: ActionRequest): Promise<void> {
  const { resourceRules, pathRules, incomplete, error } = await authorizer.rightsOf(caller, namespaceIn(object));
  object.metadata = {};
  object["spec"] = {};
  object["status"] = {
    incomplete,
    resourceRules,
    nonResourceRules: pathRules,
    ...(error ? { evaluationError: error } : {}),
  };
}

interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: ReviewSelector;
  readonly labelSelector?: ReviewSelector;
}

interface AccessSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

const specOf = (object: ApiObject): AccessSpec => object["spec"] ?? {};

const ATTRIBUTES = "spec.resourceAttributes";

/** Exactly one of the two kinds of attributes, and no metadata: a review is not stored (RBAC-49, RBAC-51). */
function validateAccess({ object, errors }: Pick<ActionRequest, "object" | "errors">): void {
  const { resourceAttributes: resource, nonResourceAttributes: other } = specOf(object);
  if (!resource && !other) errors.invalid(ATTRIBUTES, null, "expected resourceAttributes or nonResourceAttributes");
  if (resource && other) errors.invalid("spec.nonResourceAttributes", other, "expected only one kind of attributes");
  if (resource?.fieldSelector) validateFields(resource.fieldSelector, `${ATTRIBUTES}.fieldSelector`, errors);
  if (resource?.labelSelector) validateLabels(resource.labelSelector, `${ATTRIBUTES}.labelSelector`, errors);
  if (Object.entries(object.metadata).some(isSet)) errors.invalid("metadata", object.metadata, "expected no metadata");
}

/** Members of metadata that the server itself writes. */
const SYSTEM_MEMBERS: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "managedFields",
  "selfLink",
  "uid",
]);

/** Whether a client has set a member of metadata. */
function isSet([name, value]: [string, unknown]): boolean {
  if (SYSTEM_MEMBERS.has(name) || value === undefined || value === null || value === "" || value === 0) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/** The request that a review is about. */
function reviewedRequest(object: ApiObject): RequestInfo {
  const { resourceAttributes: r, nonResourceAttributes: n } = specOf(object);
  if (n) return { ...NO_REQUEST, path: n.path ?? "", verb: n.verb ?? "" };
  return {
    ...NO_REQUEST,
    isResource: true,
    verb: r?.verb ?? "",
    group: r?.group ?? "",
    version: r?.version || "*",
    namespace: r?.namespace ?? "",
    resource: r?.resource ?? "",
    subresource: r?.subresource ?? "",
    name: r?.name ?? "",
    fieldSelector: fieldsOf(r?.fieldSelector),
    labelSelector: labelsOf(r?.labelSelector),
  };
}

async function decide(authorizer: Authorizer, identity: Identity, info: RequestInfo): Promise<Record<string, unknown>> {
  const { allowed, denied, reason, error } = await authorizer.authorize(identity, info);
  const errors = [
    error,
    selectorError(info.fieldSelector, `${ATTRIBUTES}.fieldSelector`),
    selectorError(info.labelSelector, `${ATTRIBUTES}.labelSelector`),
  ].filter((one) => one);
  return {
    allowed,
    ...(denied ? { denied } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(errors.length > 0 ? { evaluationError: errors.join("; ") } : {}),
  };
}
