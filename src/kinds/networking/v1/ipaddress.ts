/**
 * IPAddress: the owner of an address of the cluster (KIND-IPAddress-1). An address is allocated to a Service by creating one.
 *
 * @module
 */
import { addressFault } from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsSubdomain, pathSegment } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { NameRule } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";

const ParentReference = t.struct("The object that has the address.", {
  group: t.optional(t.text("Its API group, empty for the core group.")),
  resource: t.needed(t.text("Its resource, the plural.")),
  namespace: t.optional(t.text("Its namespace, where it has one.")),
  name: t.needed(t.text("Its name.")),
});

const schema = objectSchema("An address of the cluster, and the object that has it.", {
  spec: t.always(t.struct("The owner of the address.", { parentRef: t.needed(t.pointer(ParentReference)) })),
});

type IPAddress = ObjectOf<typeof schema>;

const nameRule: NameRule = (name) => addressFault(name) ?? true;

function validate(object: IPAddress, errors: FieldErrors): void {
  const parent = object.spec.parentRef;
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

function parentText(object: IPAddress): string {
  const { group = "", resource = "", namespace = "", name = "" } = object.spec.parentRef ?? {};
  const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return object.spec.parentRef ? [kind, ...(namespace === "" ? [] : [namespace]), name].join("/") : "<none>";
}

/** The definition of IPAddress. */
export const ipAddress = defineResource(schema, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IPAddress",
  plural: "ipaddresses",
  shortNames: ["ip"],
  scope: "Cluster",
  nameRule,
  validate,
  validateUpdate(object, old, errors) {
    validate(object, errors);
    if (sameMeaning(ParentReference, object.spec.parentRef, old.spec.parentRef)) return;
    errors.invalid("spec.parentRef", object.spec.parentRef, "expected no change of who has the address");
  },
  columns: [textColumn("ParentRef", "The owner of the address.", parentText)],
});
