/**
 * Checks the expressions of ValidatingAdmissionPolicies against the types of the objects that they match, and writes type errors into their
 * status (POL-A-9). It does not change the effects of policies.
 *
 * A policy is checked when its spec has changed, and when a definition has changed.
 */
import { TypeChecks } from "../../cel/environments/type-checks.ts";
import type { Schema } from "../../cel/schema/declaration.ts";
import { type Client, type Key, type ServedKind, attempt, metadataOf } from "../../client/index.ts";
import { CustomResourceDefinition, ValidatingAdmissionPolicy } from "../../client/kinds/index.ts";
import { type Controller, type GetInformer, defineController, sharedInformer, watches } from "../../runtime/index.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import { type CheckedKind, checkedKinds, textOf } from "./checked-kinds.ts";
import { type PublishedDocument, customSchema, publishedSchema } from "./published-schema.ts";

type Warning = NonNullable<
  NonNullable<ValidatingAdmissionPolicy["status"]["typeChecking"]>["expressionWarnings"]
>[number];

const policies = sharedInformer(ValidatingAdmissionPolicy);
const definitions = sharedInformer(metadataOf(CustomResourceDefinition));

/** The controller named `validatingadmissionpolicy-status-controller`, which is also its field manager. */
export const policyTypeChecking: Controller = defineController({
  name: "validatingadmissionpolicy-status-controller",
  for: policies,
  sources: [watches(definitions, policiesAbout)],
  async reconcile({ object: policy, client, kinds, clock, status }) {
    const served = await kinds.read();
    const schemas = await schemasOf(policy, served, client);
    const warnings = await inSlices(warningsOf(policy, schemas), clock.loop.slice());
    if (isWritten(policy, warnings)) return;
    const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
    const { generation: observedGeneration = 0 } = policy.metadata;
    await status({ observedGeneration, typeChecking });
  },
});

/** The policies that may match objects of a definition. */
function policiesAbout(
  { metadata }: { readonly metadata: { readonly name: string } },
  informer: GetInformer,
): Key<"Cluster">[] {
  const group = metadata.name.slice(metadata.name.indexOf(".") + 1);
  return informer(policies)
    .list()
    .filter(({ spec }) => groupsOf(spec).includes(group))
    .map(({ metadata: { name } }) => ({ name }));
}

const groupsOf = ({ matchConstraints, paramKind }: ValidatingAdmissionPolicy["spec"]): readonly string[] => [
  ...(matchConstraints?.resourceRules ?? []).flatMap(({ apiGroups = [] }) => apiGroups),
  groupIn(paramKind?.apiVersion ?? ""),
];

const groupIn = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));

function isWritten({ metadata, status }: ValidatingAdmissionPolicy, warnings: readonly Warning[]): boolean {
  const { observedGeneration, typeChecking } = status ?? {};
  const before = typeChecking?.expressionWarnings ?? [];
  return (
    typeChecking !== undefined &&
    observedGeneration === metadata.generation &&
    JSON.stringify(before.map(textOfWarning)) === JSON.stringify(warnings.map(textOfWarning))
  );
}

const textOfWarning = ({ fieldRef, warning }: Warning): readonly string[] => [fieldRef, warning];

/** The schemas of a policy: of the kinds that its rules name, and of its params. */
interface PolicySchemas {
  readonly objects: readonly { readonly kind: CheckedKind; readonly schema: Schema }[];
  readonly params: Schema | undefined;
}

async function schemasOf(
  { spec }: ValidatingAdmissionPolicy,
  served: readonly ServedKind[],
  client: Client,
): Promise<PolicySchemas> {
  const reader = new SchemaReader(client);
  const objects: { kind: CheckedKind; schema: Schema }[] = [];
  for (const kind of checkedKinds(spec.matchConstraints?.resourceRules ?? [], served)) {
    const schema = await reader.read(kind);
    if (schema) objects.push({ kind, schema });
  }
  const params = paramKindOf(spec, served);
  return { objects, params: params && (await reader.read(params)) };
}

function paramKindOf(
  { paramKind }: ValidatingAdmissionPolicy["spec"],
  served: readonly ServedKind[],
): CheckedKind | undefined {
  const { apiVersion = "", kind = "" } = paramKind ?? {};
  const group = groupIn(apiVersion);
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const known = served.find((one) => one.group === group && one.version === version && one.kind === kind);
  return known && { group, version, kind, plural: known.plural };
}

/** Reads schemas: of a custom kind from its definition, of others from the documents of the server. */
class SchemaReader {
  readonly #client: Client;
  readonly #documents = new Map<string, PublishedDocument | undefined>();

  constructor(client: Client) {
    this.#client = client;
  }

  async read(kind: CheckedKind): Promise<Schema | undefined> {
    const { group, version, plural } = kind;
    const path = group === "" ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
    const custom = group.includes(".") ? await this.#definition(`${plural}.${group}`) : undefined;
    if (!custom) {
      const document = await this.#document(path);
      return document && publishedSchema(document, kind);
    }
    const schema = custom.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
    return schema && customSchema(schema as Schema, (await this.#document("/openapi/v3/api/v1")) ?? {});
  }

  #definition(name: string): Promise<CustomResourceDefinition | undefined> {
    return found(this.#client.resource(CustomResourceDefinition).get({ name }));
  }

  async #document(path: string): Promise<PublishedDocument | undefined> {
    if (!this.#documents.has(path)) {
      this.#documents.set(path, await found(this.#client.json<PublishedDocument>("GET", path)));
    }
    return this.#documents.get(path);
  }
}

/** The schemas that were read; undefined for those that do not exist. */
async function found<T>(reading: Promise<T>): Promise<T | undefined> {
  const done = await attempt(reading, "NotFound");
  return done.ok ? done.value : undefined;
}

/** The findings about the expressions of a policy, in their order. */
function* warningsOf(
  { spec }: ValidatingAdmissionPolicy,
  { objects, params }: PolicySchemas,
): Steps<readonly Warning[]> {
  const checks: { kind: CheckedKind; types: TypeChecks }[] = [];
  for (const { kind, schema } of objects) {
    const types = new TypeChecks({ object: schema, params });
    for (const { name, expression } of spec.variables ?? []) {
      types.store(name, expression);
      yield;
    }
    checks.push({ kind, types });
  }
  const warnings: Warning[] = [];
  for (const [i, { expression, messageExpression = "" }] of (spec.validations ?? []).entries()) {
    for (const [member, source] of Object.entries({ expression, messageExpression })) {
      if (source === "") continue;
      const issues: string[] = [];
      for (const { kind, types } of checks) {
        const wrong = types.check(source);
        if (wrong !== undefined) issues.push(`${textOf(kind)}: ${wrong}\n`);
        yield;
      }
      if (issues.length > 0)
        warnings.push({ fieldRef: `spec.validations[${i}].${member}`, warning: issues.join("\n") });
    }
  }
  return warnings;
}
