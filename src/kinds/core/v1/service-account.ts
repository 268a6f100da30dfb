/**
 * ServiceAccount: who a program is (SUP-7). Its tokens are made by the `token` subresource, which is a request of
 * another kind and not a view of this object.
 *
 * @module
 */
import { atomicList, bool, keyedList, optional, pointer } from "../../../meta/types.ts";
import { tokenRequest } from "../../authentication/v1/group.ts";
import { ageColumn } from "../../../schema/columns.ts";
import type { ApiObject, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LocalObjectReference, ObjectReference } from "./volumes/references.ts";

const description = "A name under which programs act, and what they may mount.";

const schema = objectSchema(description, {
  secrets: optional(keyedList(ObjectReference, ["name"], "Secrets that programs of this account may mount.")),
  imagePullSecrets: optional(atomicList(LocalObjectReference, "Secrets with which images are pulled.")),
  automountServiceAccountToken: pointer(bool("Whether programs are given a token without asking.")),
});

/** A secret is named, nothing else: it is always one of the same namespace. */
function keepSecretNames(object: ApiObject): void {
  const secrets = object["secrets"] as { name?: string }[] | undefined;
  if (secrets) object["secrets"] = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** The definition of ServiceAccount. */
export const serviceAccount: ResourceDefinition = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  singular: "serviceaccount",
  shortNames: ["sa"],
  scope: "Namespaced",
  description,
  schema,
  deleteAnswers: "object",
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  // A request for a token is a create below the account; it is no view of it.
  subresources: {
    token: { verbs: ["create"], takes: tokenRequest },
  },
  columns: [ageColumn],
};
