/**
 * Reads the documents of a trial: policies and bindings of both sorts, and objects that exist only in the trial, such as params.
 *
 * @module
 */
import { badRequest, invalid } from "../meta/status.ts";
import type { Kind, Kinds } from "../registry/index.ts";
import { decodeReturned } from "../registry/objects/decode.ts";
import { asObject } from "../schema/api-object.ts";
import type { ApiContext, ApiObject, WriteContext } from "../schema/definition.ts";
import { longRules, prepareCreate } from "../schema/write/prepare.ts";
import { inSlices } from "../util/steps.ts";
import { type Value, clone, isObject } from "../value/value.ts";
import type { Shown } from "./overlay.ts";

/** The two sorts of policies. */
export type Sort = "Validating" | "Mutating";

/** A document of a trial, decoded. */
export interface TrialDocument extends Shown {
  /** The source, for messages. */
  readonly from: string;
}

/** A policy with its bindings. */
export interface TriedPolicy {
  readonly sort: Sort;
  readonly policy: TrialDocument;
  readonly bindings: readonly TrialDocument[];
}

/** The documents of a trial. */
export interface TrialDocuments {
  readonly policies: readonly TriedPolicy[];
  /** Configurations of webhooks. */
  readonly webhooks: readonly TrialDocument[];
  /** All other documents. */
  readonly others: readonly TrialDocument[];
}

/** A value with its source. */
export interface SourceValue {
  readonly value: Value;
  readonly from: string;
}

const GROUP = "admissionregistration.k8s.io";

/** The resources of policies and bindings of a sort. */
export const resourcesOfSort = (sort: Sort): { readonly policies: string; readonly bindings: string } => ({
  policies: `${sort.toLowerCase()}admissionpolicies.${GROUP}`,
  bindings: `${sort.toLowerCase()}admissionpolicybindings.${GROUP}`,
});

/** The resources of configurations of webhooks. */
export const WEBHOOKS: ReadonlySet<string> = new Set([
  `validatingwebhookconfigurations.${GROUP}`,
  `mutatingwebhookconfigurations.${GROUP}`,
]);

const SORTS: readonly Sort[] = ["Validating", "Mutating"];

/** The kinds that are stored, by apiVersion and kind; also those whose version is not served. */
export class KindTable {
  readonly #kinds = new Map<string, Kind>();

  constructor(kinds: Pick<Kinds, "allStored">) {
    for (const { stored } of kinds.allStored()) {
      for (const kind of stored.versions.values()) this.#kinds.set(`${kind.apiVersion}/${kind.definition.kind}`, kind);
    }
  }

  /** The kind of a value. Throws 400 for a value that is no object, or has no such kind. */
  of({ value, from }: SourceValue): Kind {
    if (!isObject(value)) throw badRequest(`expected ${from} to be an object`);
    const { apiVersion, kind } = value;
    if (typeof apiVersion !== "string" || typeof kind !== "string") {
      throw badRequest(`expected ${from} to have apiVersion and kind`);
    }
    const found = this.find(apiVersion, kind);
    if (found) return found;
    throw badRequest(`expected ${from} to be of a kind that is served, got ${shown(`${kind} of ${apiVersion}`)}`);
  }

  /** The kind of a name; undefined for a kind that is not stored. */
  find(apiVersion: string, kind: string): Kind | undefined {
    return this.#kinds.get(`${apiVersion}/${kind}`);
  }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

/**
 * Decodes an object as the server would: defaults are set, unknown members dropped. Throws 400 for values of wrong types.
 *
 * @param namespace the namespace of an object that names none
 */
export function decodeDocument(kind: Kind, value: Value, api: ApiContext, namespace = "default"): ApiObject {
  const context: WriteContext = { ...api, warnings: [] };
  const object = decodeReturned(kind, clone(value), context);
  const { metadata } = object;
  if (!kind.namespaced) delete metadata.namespace;
  else metadata.namespace ||= namespace;
  return object;
}

/**
 * Reads documents. Rejects with 400 for one of an unknown kind, and with 422 for a policy or a binding that the server would
 * refuse.
 *
 * @param defaultBindings whether a policy without a binding gets one that matches everything
 */
export async function readDocuments(
  values: readonly SourceValue[],
  { kinds, api }: { readonly kinds: Kinds; readonly api: ApiContext },
  defaultBindings = true,
): Promise<TrialDocuments> {
  const table = new KindTable(kinds);
  const documents: TrialDocument[] = [];
  for (const one of values) documents.push(await readDocument(table, one, api));
  const policies = SORTS.flatMap((sort) => policiesOf(sort, documents, defaultBindings));
  const known = new Set(SORTS.flatMap((sort) => Object.values(resourcesOfSort(sort))));
  const webhooks = documents.filter(({ resource }) => WEBHOOKS.has(resource));
  const others = documents.filter(({ resource }) => !known.has(resource) && !WEBHOOKS.has(resource));
  return { policies, webhooks, others };
}

async function readDocument(table: KindTable, source: SourceValue, api: ApiContext): Promise<TrialDocument> {
  const kind = table.of(source);
  const object = decodeDocument(kind, source.value, api);
  const resource = kind.stored.key.replace(/\.$/, "");
  if (kind.ref.group === GROUP) await validate(kind, object, api);
  return { resource, object, from: source.from };
}

/** Rejects with 422 for an object that the server would refuse. */
async function validate(kind: Kind, object: ApiObject, api: ApiContext): Promise<void> {
  const context: WriteContext = { ...api, warnings: [] };
  const errors = prepareCreate(kind, object, context);
  const rules = longRules(kind, object, undefined, "", errors, context);
  if (rules) await inSlices(rules, api.clock.loop.slice());
  if (errors.any) throw invalid(kind.ref, object.metadata.name ?? "", errors.causes);
}

function policiesOf(sort: Sort, documents: readonly TrialDocument[], defaultBindings: boolean): TriedPolicy[] {
  const { policies, bindings } = resourcesOfSort(sort);
  const bound = documents.filter(({ resource }) => resource === bindings);
  return documents
    .filter(({ resource }) => resource === policies)
    .map((policy) => {
      const own = bound.filter(({ object }) => specOf(object)["policyName"] === policy.object.metadata.name);
      return { sort, policy, bindings: own.length > 0 || !defaultBindings ? own : [bindingOf(sort, policy, bindings)] };
    });
}

/** A binding that matches everything, with all existing params. */
function bindingOf(sort: Sort, { object, from }: TrialDocument, resource: string): TrialDocument {
  const name = object.metadata.name ?? "";
  const spec = {
    policyName: name,
    ...(sort === "Validating" ? { validationActions: ["Deny"] } : {}),
    ...(specOf(object)["paramKind"] ? { paramRef: { selector: {}, parameterNotFoundAction: "Allow" } } : {}),
  };
  const binding = { apiVersion: object.apiVersion, kind: `${object.kind}Binding`, metadata: { name }, spec };
  return { resource, object: asObject(binding), from };
}

/** The spec of an object. */
export function specOf(object: ApiObject): Readonly<Record<string, Value>> {
  const spec = object["spec"] as Value | undefined;
  return isObject(spec) ? spec : {};
}
