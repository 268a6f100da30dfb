/**
 * SelfSubjectReview, the reviews of access and SelfSubjectRulesReview: who am I, what may I, what may they (AUTHN-38,
 * RBAC-48..54).
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Authorizer, Identity } from "../../auth/contract.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import { formatTime } from "../../meta/time.ts";
import { type Action, type Actions, type Question, actionKey } from "./asked.ts";
import {
  type ReviewSelector,
  askedFields,
  askedLabels,
  judgeFields,
  judgeLabels,
  leftOut,
} from "./review-selectors.ts";
import { userInfo } from "./user-info.ts";

/** The actions of the reviews. */
export function reviewActions(authorizer: Authorizer): Actions {
  return new Map<string, Action>([
    [actionKey({ group: "authentication.k8s.io", kind: "SelfSubjectReview" }), { answer: whoAmI }],
    [review("SelfSubjectAccessReview"), { judge: judgeAccess, answer: (asked) => mayI(authorizer, asked) }],
    [review("SubjectAccessReview"), { judge: judgeSubject, answer: (asked) => mayThey(authorizer, asked) }],
    [review("LocalSubjectAccessReview"), { judge: judgeLocal, answer: (asked) => mayThey(authorizer, asked) }],
    [review("SelfSubjectRulesReview"), { judge: judgeRules, answer: (asked) => myRules(authorizer, asked) }],
  ]);
}

const review = (kind: string): string => actionKey({ group: "authorization.k8s.io", kind });

function whoAmI({ object, caller, ctx }: Question): void {
  object.metadata = { creationTimestamp: formatTime(ctx.clock.now()) };
  object["status"] = { userInfo: userInfo(caller) };
}

async function mayI(authorizer: Authorizer, { object, caller }: Question): Promise<void> {
  object["status"] = await decide(authorizer, caller, question(object));
  object.metadata = {};
}

/** Who is asked about, and the request that is asked about. */
function judgeSubject(asked: Question): void {
  judgeWho(asked);
  judgeAccess(asked);
}

function judgeWho({ object, errors }: Question): void {
  const { user, groups } = specOf(object);
  if (!user && !groups?.length) errors.invalid("spec.user", "", "expected a user or a group");
}

/** RBAC-51: a question in a namespace is about that namespace, and not about paths. */
function judgeLocal(asked: Question): void {
  judgeWho(asked);
  const { object, errors } = asked;
  const { namespace, ...metadata } = object.metadata;
  judgeAccess({ object: { ...object, metadata }, errors });
  const { resourceAttributes, nonResourceAttributes } = specOf(object);
  const about = resourceAttributes?.namespace ?? "";
  if (resourceAttributes && about !== namespace) {
    errors.invalid("spec.resourceAttributes.namespace", about, `expected ${namespace}, the namespace of the request`);
  }
  if (nonResourceAttributes) {
    errors.invalid("spec.nonResourceAttributes", nonResourceAttributes, "expected none: a namespace has no paths");
  }
}

async function mayThey(authorizer: Authorizer, { object }: Question): Promise<void> {
  const spec = specOf(object);
  const identity: Identity = {
    user: spec.user ?? "",
    groups: spec.groups ?? [],
    ...(spec.uid && { uid: spec.uid }),
    ...(spec.extra && { extra: spec.extra }),
  };
  object["status"] = await decide(authorizer, identity, question(object));
  const { namespace } = object.metadata;
  object.metadata = namespace === undefined ? {} : { namespace };
}

function judgeRules({ object }: Question): void {
  if (namespaceIn(object) === "") throw badRequest("expected spec.namespace to be a namespace, got none");
}

const namespaceIn = (object: ApiObject): string =>
  (object["spec"] as { namespace?: string } | undefined)?.namespace ?? "";

async function myRules(authorizer: Authorizer, { object, caller }: Question): Promise<void> {
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

const specOf = (object: ApiObject): AccessSpec => (object["spec"] as AccessSpec | undefined) ?? {};

const PLACE = "spec.resourceAttributes";

/** Exactly one of the two kinds of attributes, and no metadata: the question is not an object (RBAC-49, RBAC-51). */
function judgeAccess({ object, errors }: Pick<Question, "object" | "errors">): void {
  const { resourceAttributes: resource, nonResourceAttributes: other } = specOf(object);
  if (!resource && !other) errors.invalid(PLACE, null, "expected resourceAttributes or nonResourceAttributes");
  if (resource && other) errors.invalid("spec.nonResourceAttributes", other, "expected only one kind of attributes");
  if (resource?.fieldSelector) judgeFields(resource.fieldSelector, `${PLACE}.fieldSelector`, errors);
  if (resource?.labelSelector) judgeLabels(resource.labelSelector, `${PLACE}.labelSelector`, errors);
  if (Object.entries(object.metadata).some(isSaid)) errors.invalid("metadata", object.metadata, "expected no metadata");
}

/** What the server itself writes, whatever was sent. */
const SYSTEM: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "managedFields",
  "selfLink",
  "uid",
]);

/** Whether a member of metadata says something. */
function isSaid([name, value]: [string, unknown]): boolean {
  if (SYSTEM.has(name) || value === undefined || value === null || value === "" || value === 0) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function question(object: ApiObject): RequestInfo {
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
    fieldSelector: askedFields(r?.fieldSelector),
    labelSelector: askedLabels(r?.labelSelector),
  };
}

async function decide(authorizer: Authorizer, identity: Identity, info: RequestInfo): Promise<Record<string, unknown>> {
  const { allowed, denied, reason, error } = await authorizer.authorize(identity, info);
  const errors = [
    error,
    leftOut(info.fieldSelector, `${PLACE}.fieldSelector`),
    leftOut(info.labelSelector, `${PLACE}.labelSelector`),
  ].filter((one) => one);
  return {
    allowed,
    ...(denied ? { denied } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(errors.length > 0 ? { evaluationError: errors.join("; ") } : {}),
  };
}
