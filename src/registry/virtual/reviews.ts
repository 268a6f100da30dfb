/**
 * SelfSubjectReview, SelfSubjectAccessReview, SelfSubjectRulesReview and SubjectAccessReview: who am I, and what may I.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Authorizer, Identity } from "../../auth/contract.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { formatTime } from "../../meta/time.ts";
import { equal, type Value } from "../../value/value.ts";
import { type Action, type Actions, type Question, actionKey } from "./asked.ts";
import { userInfo } from "./user-info.ts";

/** The actions of the reviews. */
export function reviewActions(authorizer: Authorizer): Actions {
  return new Map<string, Action>([
    [actionKey({ group: "authentication.k8s.io", kind: "SelfSubjectReview" }), { answer: whoAmI }],
    [review("SelfSubjectAccessReview"), { judge: judgeAccess, answer: (asked) => mayI(authorizer, asked) }],
    [review("SubjectAccessReview"), { judge: judgeSubject, answer: (asked) => mayThey(authorizer, asked) }],
    [review("SelfSubjectRulesReview"), { judge: judgeRules, answer: (asked) => myRules(authorizer, asked) }],
  ]);
}

const review = (kind: string): string => actionKey({ group: "authorization.k8s.io", kind });

function whoAmI({ object, caller, ctx }: Question): void {
  object.metadata.creationTimestamp = formatTime(ctx.clock.now());
  object["status"] = { userInfo: userInfo(caller) };
}

async function mayI(authorizer: Authorizer, { object, caller }: Question): Promise<void> {
  object["status"] = await decide(authorizer, caller, question(object));
}

function judgeSubject({ object, errors }: Question): void {
  const spec = object["spec"] as SubjectSpec;
  if (!spec.user && !spec.groups?.length) errors.invalid("spec.user", "", "expected a user or a group");
  judgeAccess({ object, errors });
}

async function mayThey(authorizer: Authorizer, { object }: Question): Promise<void> {
  const spec = object["spec"] as SubjectSpec;
  const identity: Identity = {
    user: spec.user ?? "",
    groups: spec.groups ?? [],
    ...(spec.uid && { uid: spec.uid }),
    ...(spec.extra && { extra: spec.extra }),
  };
  object["status"] = await decide(authorizer, identity, question(object));
}

function judgeRules({ object, errors }: Question): void {
  const { namespace } = object["spec"] as { namespace?: string };
  if (!namespace) errors.required("spec.namespace");
}

async function myRules(authorizer: Authorizer, { object, caller }: Question): Promise<void> {
  const { namespace = "" } = object["spec"] as { namespace?: string };
  const { resourceRules, pathRules, incomplete, error } = await authorizer.rightsOf(caller, namespace);
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
}

interface SubjectSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

/** Exactly one of the two kinds of attributes, and no metadata: the question is not an object. */
function judgeAccess({ object, errors }: Pick<Question, "object" | "errors">): void {
  const spec = object["spec"] as SubjectSpec | undefined;
  const [resource, other] = [spec?.resourceAttributes, spec?.nonResourceAttributes];
  if (!resource && !other) {
    errors.invalid("spec.resourceAttributes", null, "expected resourceAttributes or nonResourceAttributes");
  }
  if (resource && other) errors.invalid("spec.nonResourceAttributes", other, "expected only one kind of attributes");
  if (!equal(object.metadata as unknown as Value, {})) {
    errors.invalid("metadata", object.metadata, "expected no metadata");
  }
}

function question(object: ApiObject): RequestInfo {
  const { resourceAttributes: r, nonResourceAttributes: n } = object["spec"] as SubjectSpec;
  if (n) return { ...NO_REQUEST, path: n.path ?? "", verb: n.verb ?? "" };
  return {
    ...NO_REQUEST,
    isResource: true,
    verb: r?.verb ?? "",
    group: r?.group ?? "",
    version: r?.version ?? "",
    namespace: r?.namespace ?? "",
    resource: r?.resource ?? "",
    subresource: r?.subresource ?? "",
    name: r?.name ?? "",
  };
}

async function decide(authorizer: Authorizer, identity: Identity, info: RequestInfo): Promise<Record<string, unknown>> {
  const decision = await authorizer.authorize(identity, info);
  const { allowed, denied, reason, error } = decision;
  return {
    allowed,
    ...(denied ? { denied } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(error ? { evaluationError: error } : {}),
  };
}
