/**
 * IPAddress: who has an address of the cluster (KIND-IPAddress-1). Services take theirs by making one.
 *
 * @module
 */
import { wrongAddress } from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsSubdomain, pathSegment } from "../../../meta/names.ts";
import { always, needed, optional, pointer, struct, text } from "../../../meta/types.ts";
import { textColumn } from "../../../schema/columns.ts";
import type { ApiObject, NameRule, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";

const description = "An address of the cluster, and who has it.";

const ParentReference = struct("The object that has the address.", {
  group: optional(text("Its API group, empty for the core group.")),
  resource: needed(text("Its resource, the plural.")),
  namespace: optional(text("Its namespace, where it has one.")),
  name: needed(text("Its name.")),
});

const schema = objectSchema(description, {
  spec: always(struct("Who has the address.", { parentRef: needed(pointer(ParentReference)) })),
});

interface IPAddress extends ApiObject {
  spec: { parentRef?: { group?: string; resource?: string; namespace?: string; name?: string } };
}

const parentOf = (object: ApiObject) => (object as IPAddress).spec.parentRef;

const nameRule: NameRule = (name) => wrongAddress(name) ?? true;

function validate(object: ApiObject, errors: FieldErrors): void {
  const parent = parentOf(object);
  const field = "spec.parentRef";
  if (!parent) return errors.required(field, "expected the object that has the address");
  const { group = "", resource = "", namespace = "", name = "" } = parent;
  const wrongGroup = group === "" ? undefined : dnsSubdomain(group);
  if (wrongGroup) errors.invalid(`${field}.group`, group, wrongGroup);
  if (resource === "") errors.required(`${field}.resource`);
  if (name === "") errors.required(`${field}.name`);
  for (const [member, value] of Object.entries({ resource, namespace, name })) {
    const wrong = value === "" ? undefined : pathSegment(value);
    if (wrong) errors.invalid(`${field}.${member}`, value, wrong);
  }
}

function parentText(object: ApiObject): string {
  const { group = "", resource = "", namespace = "", name = "" } = parentOf(object) ?? {};
  const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return parentOf(object) ? [kind, ...(namespace === "" ? [] : [namespace]), name].join("/") : "<none>";
}

/** The definition of IPAddress. */
export const ipAddress: ResourceDefinition = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IPAddress",
  plural: "ipaddresses",
  singular: "ipaddress",
  shortNames: ["ip"],
  scope: "Cluster",
  description,
  schema,
  nameRule,
  deleteAnswers: "status",
  validate,
  validateUpdate(object, old, errors) {
    validate(object, errors);
    if (sameMeaning(ParentReference, parentOf(object), parentOf(old))) return;
    errors.invalid("spec.parentRef", parentOf(object), "expected no change of who has the address");
  },
  columns: [textColumn("ParentRef", "Who has the address.", parentText)],
};
