/**
 * ServiceAccount: who a program is (SUP-7). Its tokens are made by the `token` subresource, which is a request of
 * another kind and not a view of this object.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { tokenRequest } from "../../authentication/v1/group.ts";
import { ageColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiObject, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LocalObjectReference, ObjectReference } from "../../rules/references.ts";

const schema = objectSchema("An identity for programs, and the Secrets that they may mount.", {
  secrets: t.optional(t.keyedList(ObjectReference, ["name"], "Secrets that programs of this account may mount.")),
  imagePullSecrets: t.optional(t.atomicList(LocalObjectReference, "Secrets with which images are pulled.")),
  automountServiceAccountToken: t.pointer(t.bool("Whether programs are given a token without asking.")),
});

/** A secret is named, nothing else: it is always one of the same namespace. */
function keepSecretNames(object: ObjectOf<typeof schema>): void {
  const { secrets } = object;
  if (secrets) object.secrets = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** The word of an annotation of old that nobody should begin with; the domain of labels stands in front of it. */
const ENFORCED = "enforce-mountable-secrets";

function* warnings({ metadata }: ApiObject, old: ApiObject | undefined, { dialect }: WriteContext): Generator<string> {
  const annotation = `${dialect.labelDomain}/${ENFORCED}`;
  const isThere = (annotations: Readonly<Record<string, string>> = {}): boolean =>
    Object.hasOwn(annotations, annotation);
  if (!isThere(metadata.annotations) || isThere(old?.metadata.annotations)) return;
  yield `metadata.annotations[${annotation}]: deprecated; secrets are kept apart by namespaces of their own`;
}

/** The definition of ServiceAccount. */
export const serviceAccount = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  scope: "Namespaced",
  deleteAnswers: "object",
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  warnings,
  // A request for a token is a create below the account; it is no view of it.
  subresources: {
    token: { verbs: ["create"], takes: tokenRequest },
  },
  columns: [ageColumn],
});
