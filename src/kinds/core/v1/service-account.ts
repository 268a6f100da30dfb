/**
 * ServiceAccount: the identity of a program (SUP-7). The `token` subresource issues its tokens; its body is of another kind and no view of
 * this object.
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

/** A secret has only a name: it is always one of the same namespace. */
function keepSecretNames(object: ObjectOf<typeof schema>): void {
  const { secrets } = object;
  if (secrets) object.secrets = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** The last part of the key of a deprecated annotation; the domain of labels precedes it. */
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
  deleteReturns: "object",
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  warnings,
  // A token is requested by a create below the account; it is no view of the account.
  subresources: {
    token: { verbs: ["create"], takes: tokenRequest },
  },
  columns: [ageColumn],
});
