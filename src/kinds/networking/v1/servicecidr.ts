/**
 * ServiceCIDR: networks for the addresses of Services (KIND-ServiceCIDR-1..3). The ranges of this server are set at its start; the object
 * `kubernetes` shows them.
 *
 * @module
 */
import { familyOf, networkOf, networkFault } from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { Condition } from "../../rules/condition.ts";
import { keepAllButStatus } from "../../rules/status.ts";

const schema = objectSchema("Networks with the addresses of Services.", {
  spec: t.always(
    t.struct("The networks.", { cidrs: t.optional(t.atomicList(t.text(), "One network, or one of each family.")) }),
  ),
  status: t.always(
    t.struct("Whether addresses are given out.", {
      conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the networks.")),
    }),
  ),
});

type ServiceCidr = ObjectOf<typeof schema>;

const networksOf = ({ spec }: ServiceCidr): readonly string[] => spec.cidrs ?? [];

const FIELD = "spec.cidrs";

function validate(object: ServiceCidr, errors: FieldErrors): void {
  const networks = networksOf(object);
  if (networks.length === 0) return errors.required(FIELD, "expected a network");
  if (networks.length > 2) return errors.invalid(FIELD, networks, "expected at most two networks");
  networks.forEach((network, i) => {
    const wrong = networkFault(network);
    if (wrong) errors.invalid(`${FIELD}[${i}]`, network, wrong);
  });
  const [first, second] = networks.map((network) => networkOf(network)?.bytes);
  if (first && second && familyOf(first) === familyOf(second)) {
    errors.invalid(FIELD, networks, "expected networks of two families");
  }
}

/** Existing networks are immutable; a second family may be added after the first (KIND-ServiceCIDR-2). */
function validateUpdate(object: ServiceCidr, before: ServiceCidr, errors: FieldErrors): void {
  const [now, old] = [networksOf(object), networksOf(before)];
  const grows = old.length === 1 && now.length === 2;
  if (now.length !== old.length && !grows) return errors.invalid(FIELD, now, "expected no change");
  old.forEach((network, i) => {
    if (now[i] !== network) errors.invalid(`${FIELD}[${i}]`, now[i], `expected no change of ${network}`);
  });
  if (grows) validate(object, errors);
}

/** The definition of ServiceCIDR. */
export const serviceCidr = defineResource(schema, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "ServiceCIDR",
  plural: "servicecidrs",
  scope: "Cluster",
  validate,
  validateUpdate,
  subresources: {
    status: { verbs: ["get", "patch", "update"], prepareForUpdate: keepAllButStatus },
  },
  columns: [textColumn("CIDRs", "The networks.", (object) => networksOf(object).join(",")), ageColumn],
});
