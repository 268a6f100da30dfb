/**
 * FlowSchema: the requests that it matches, their priority level, and how their flows are distinguished (APF-1, 2, 4..8).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { equal } from "../../../value/value.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { fixedSchemaSpec } from "./provided.ts";
import { Status, statusRules } from "./status.ts";

const Subject = t.struct("The sender of a request.", {
  kind: t.required(t.text("User, Group or ServiceAccount; the member of that name identifies it.")),
  user: t.pointer(t.struct("A user.", { name: t.required(t.text("The name, or * for all.")) })),
  group: t.pointer(t.struct("A group.", { name: t.required(t.text("The name, or * for any.")) })),
  serviceAccount: t.pointer(
    t.struct("A service account.", {
      namespace: t.required(t.text("Its namespace.")),
      name: t.required(t.text("Its name, or * for all of the namespace.")),
    }),
  ),
});

const verbs = t.requiredOrNull(t.setList(t.text(), "The verbs, or * alone."));

const ResourceRule = t.struct("Requests for resources.", {
  verbs,
  apiGroups: t.requiredOrNull(t.setList(t.text(), "The groups, an empty text for the core group, or * alone.")),
  resources: t.requiredOrNull(t.setList(t.text(), "Resources and subresources (pods, pods/log), or * alone.")),
  clusterScope: t.optional(t.bool("Whether requests without a namespace are meant.")),
  namespaces: t.nullable(t.setList(t.text(), "In which namespaces, or * alone for all.")),
});

const PathRule = t.struct("Requests for paths that are no resources.", {
  verbs,
  nonResourceURLs: t.requiredOrNull(t.setList(t.text(), "The paths; /a/* is all below /a/, * alone any.")),
});

const Rule = t.struct("Subjects and requests.", {
  subjects: t.requiredOrNull(t.atomicList(Subject, "The senders: one of them must match.")),
  resourceRules: t.optional(
    t.atomicList(ResourceRule, "The requested resources: one of them, or of the other rules, must match."),
  ),
  nonResourceRules: t.optional(t.atomicList(PathRule, "The requested paths.")),
});

const schema = objectSchema("Assigns requests to a priority level, and to flows.", {
  spec: t.always(
    t.struct("Which requests, and where they go.", {
      priorityLevelConfiguration: t.required(
        t.struct("The level that takes them.", { name: t.required(t.text("The name of the level.")) }),
      ),
      matchingPrecedence: t.always(
        t.int32("Of all matching schemas the one with the lowest number is used; 1000 by default."),
      ),
      distinguisherMethod: t.pointer(
        t.struct("How flows are distinguished; without it all requests are one flow.", {
          type: t.required(t.text("ByUser or ByNamespace.")),
        }),
      ),
      rules: t.optional(t.atomicList(Rule, "The requests: those that one of the rules speaks of.")),
    }),
  ),
  status: Status,
});

/** The subjects that send requests. */
export type FlowSubject = t.Static<typeof Subject>;

/** Requests for resources. */
export type FlowResourceRule = t.Static<typeof ResourceRule>;

/** Requests for paths. */
export type FlowPathRule = t.Static<typeof PathRule>;

/** Subjects with their requests. */
export type FlowRule = t.Static<typeof Rule>;

/** A schema as its rules and the server see it. */
export type FlowSchema = ObjectOf<typeof schema>;

const VERBS = ["get", "list", "create", "update", "delete", "deletecollection", "patch", "watch", "proxy"];
const METHODS = ["ByNamespace", "ByUser"];
const LAST = 10_000;

function validate(object: FlowSchema, errors: FieldErrors, ctx: ApiContext): void {
  const { metadata, spec } = object;
  const { name = "" } = metadata;
  validatePrecedence(spec.matchingPrecedence ?? 0, name, errors);
  const { distinguisherMethod: method } = spec;
  if (method && !METHODS.includes(method.type ?? "")) {
    errors.notSupported("spec.distinguisherMethod.type", method.type ?? "", METHODS);
  }
  const level = spec.priorityLevelConfiguration?.name ?? "";
  const wrong = level === "" ? undefined : dnsSubdomain(level);
  if (level === "") errors.required("spec.priorityLevelConfiguration.name", "expected the name of a level");
  else if (wrong !== undefined) errors.invalid("spec.priorityLevelConfiguration.name", level, wrong);
  for (const [i, rule] of (spec.rules ?? []).entries()) validateRule(rule, `spec.rules[${i}]`, errors);
  const fixed = fixedSchemaSpec(name, ctx);
  if (fixed && !equal(spec as never, fixed)) {
    errors.invalid("spec", spec, `expected the spec of ${name} as it was made`);
  }
}

function validatePrecedence(precedence: number, name: string, errors: FieldErrors): void {
  const first = name === "exempt" ? 1 : 2;
  if (precedence >= first && precedence <= LAST) return;
  errors.invalid("spec.matchingPrecedence", precedence, `expected ${first} to ${LAST}; 1 is for the schema exempt`);
}

function validateRule(rule: FlowRule, field: string, errors: FieldErrors): void {
  const subjects = rule.subjects ?? [];
  const resourceRules = rule.resourceRules ?? [];
  const pathRules = rule.nonResourceRules ?? [];
  if (subjects.length === 0) errors.required(`${field}.subjects`, "expected one or more");
  for (const [i, subject] of subjects.entries()) validateSubject(subject, `${field}.subjects[${i}]`, errors);
  if (resourceRules.length === 0 && pathRules.length === 0) {
    errors.required(field, "expected resourceRules or nonResourceRules");
  }
  for (const [i, one] of resourceRules.entries()) validateResourceRule(one, `${field}.resourceRules[${i}]`, errors);
  for (const [i, one] of pathRules.entries()) validatePathRule(one, `${field}.nonResourceRules[${i}]`, errors);
}

const MEMBERS = { User: "user", Group: "group", ServiceAccount: "serviceAccount" } as const;

/** A subject has exactly the member of its kind (APF-5). */
function validateSubject(subject: FlowSubject, field: string, errors: FieldErrors): void {
  const { kind } = subject;
  if (!Object.hasOwn(MEMBERS, kind)) {
    errors.notSupported(`${field}.kind`, kind, Object.keys(MEMBERS).toSorted());
    return;
  }
  for (const [of, member] of Object.entries(MEMBERS)) {
    const found = subject[member];
    if (of === kind && !found) errors.required(`${field}.${member}`, `expected it together with the kind ${kind}`);
    if (of !== kind && found) errors.forbidden(`${field}.${member}`, `expected it together with the kind ${of} only`);
    if (of === kind && found && !found.name) errors.required(`${field}.${member}.name`);
  }
  if (kind === "ServiceAccount" && subject.serviceAccount) validateAccount(subject.serviceAccount, field, errors);
}

function validateAccount(
  { namespace, name }: NonNullable<FlowSubject["serviceAccount"]>,
  field: string,
  errors: FieldErrors,
): void {
  const wrongName = name === "" || name === "*" ? undefined : dnsSubdomain(name);
  if (wrongName !== undefined) errors.invalid(`${field}.serviceAccount.name`, name, wrongName);
  const wrong = namespace === "" ? undefined : dnsLabel(namespace);
  if (namespace === "") errors.required(`${field}.serviceAccount.namespace`);
  else if (wrong !== undefined) errors.invalid(`${field}.serviceAccount.namespace`, namespace, wrong);
}

/** Validates that a list has texts or only a star; returns whether its texts must be validated. */
function validateChoice(choice: readonly string[] | null | undefined, field: string, errors: FieldErrors): boolean {
  if (!choice?.length) errors.required(field, "expected one or more, or * alone");
  else if (choice.includes("*")) {
    if (choice.length > 1) errors.invalid(field, choice, "expected * alone");
  } else return true;
  return false;
}

function validateVerbs(choice: readonly string[] | null | undefined, field: string, errors: FieldErrors): void {
  if (!validateChoice(choice, field, errors)) return;
  if (!choice!.every((verb) => VERBS.includes(verb))) errors.notSupported(field, choice, VERBS.toSorted());
}

function validateResourceRule(rule: FlowResourceRule, field: string, errors: FieldErrors): void {
  validateVerbs(rule.verbs, `${field}.verbs`, errors);
  validateChoice(rule.apiGroups, `${field}.apiGroups`, errors);
  validateChoice(rule.resources, `${field}.resources`, errors);
  const namespaces = rule.namespaces ?? [];
  if (namespaces.length === 0 && rule.clusterScope) return;
  if (!validateChoice(namespaces, `${field}.namespaces`, errors)) return;
  for (const [i, namespace] of namespaces.entries()) {
    const wrong = dnsLabel(namespace);
    if (wrong !== undefined) errors.invalid(`${field}.namespaces[${i}]`, namespace, wrong);
  }
}

function validatePathRule(rule: FlowPathRule, field: string, errors: FieldErrors): void {
  validateVerbs(rule.verbs, `${field}.verbs`, errors);
  if (!validateChoice(rule.nonResourceURLs, `${field}.nonResourceURLs`, errors)) return;
  for (const [i, path] of rule.nonResourceURLs!.entries()) {
    const wrong = pathPattern(path);
    if (wrong !== undefined) errors.invalid(`${field}.nonResourceURLs[${i}]`, path, wrong);
  }
}

function pathPattern(path: string): string | undefined {
  if (!path.startsWith("/")) return "expected a slash first";
  if (path.includes(" ")) return "expected no spaces";
  if (path.includes("//")) return "expected no two slashes in a row";
  const star = path.indexOf("*");
  if (star >= 0 && !(star === path.length - 1 && path.endsWith("/*"))) return "expected * as the last segment only";
  return undefined;
}

const specOf = (object: FlowSchema): Partial<FlowSchema["spec"]> => object.spec ?? {};

/** Whether the level of a schema is missing, as the condition Dangling has it: True, False or ?. */
const missing = (object: FlowSchema): string =>
  (object.status.conditions ?? []).find(({ type }) => type === "Dangling")?.status ?? "?";

const columns: readonly Column<FlowSchema>[] = [
  textColumn(
    "PriorityLevel",
    "The level that takes its requests.",
    (object) => specOf(object).priorityLevelConfiguration?.name ?? "",
  ),
  textColumn(
    "MatchingPrecedence",
    "Schemas with a lower number are matched first.",
    (object) => specOf(object).matchingPrecedence ?? 0,
  ),
  textColumn(
    "DistinguisherMethod",
    "How its flows are distinguished.",
    (object) => specOf(object).distinguisherMethod?.type ?? "<none>",
  ),
  ageColumn,
  textColumn("MissingPL", "Whether its level does not exist.", missing),
];

/** The definition of FlowSchema. */
export const flowSchema = (ctx: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: "flowcontrol.apiserver.k8s.io",
    version: "v1",
    kind: "FlowSchema",
    plural: "flowschemas",
    scope: "Cluster",
    generation: "fromOne",
    defaults({ spec }) {
      spec.matchingPrecedence ||= 1000;
    },
    validate: (object, errors) => validate(object, errors, ctx),
    validateUpdate: (object, _old, errors) => validate(object, errors, ctx),
    ...statusRules,
    columns,
  });
