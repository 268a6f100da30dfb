/**
 * DeviceClass: devices of one sort, with the configuration for their drivers (KIND-DeviceClass-1).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { isExtended } from "../../rules/quantities.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { CONFIGURATION, validateConfiguration } from "./configuration.ts";
import { checkList } from "./lists.ts";
import { expressionsOf, selectors, validateExpressions, validateSelectors } from "./selectors.ts";
import { same } from "../../rules/same.ts";

const Spec = t.struct("Which devices they are.", {
  selectors: selectors("Expressions that must all be true for each device; at most 32."),
  config: t.optional(
    t.atomicList(t.struct("A configuration of devices.", CONFIGURATION), "Configurations for drivers; at most 32."),
  ),
  extendedResourceName: t.pointer(
    t.text("The extended resource by which containers request devices of this class, such as example.com/gpu."),
  ),
});

const schema = objectSchema("A class of devices.", { spec: t.required(Spec) });

type DeviceClass = ObjectOf<typeof schema>;

const MAX_ENTRIES = 32;

/** Whether a member of the spec is unchanged. */
const isKept = (member: "config" | "selectors", object: DeviceClass, old: DeviceClass | undefined): boolean =>
  old !== undefined && same(object.spec[member] ?? null, old.spec[member] ?? null);

function validate(object: DeviceClass, old: DeviceClass | undefined, errors: FieldErrors, ctx: WriteContext): void {
  const { spec } = object;
  validateSelectors(spec.selectors, "spec.selectors", errors);
  const isKnown = isKept("config", object, old);
  checkList(spec.config, MAX_ENTRIES, "spec.config", errors, (configuration, at) =>
    validateConfiguration(configuration, at, errors, isKnown),
  );
  const { extendedResourceName: name } = spec;
  if (name !== undefined && !isExtended(name, ctx.dialect)) {
    errors.invalid(
      "spec.extendedResourceName",
      name,
      "expected a name with a domain of its own, such as example.com/gpu",
    );
  }
}

const dropName = (object: DeviceClass, old: DeviceClass | undefined, ctx: WriteContext): void =>
  dropGated(object.spec, old && old.spec, "extendedResourceName", "DRAExtendedResource", "spec", ctx);

/** The definition of DeviceClass. */
export const deviceClass = defineResource(schema, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "DeviceClass",
  plural: "deviceclasses",
  scope: "Cluster",
  deleteReturns: "object",
  generation: "fromOne",
  prepareForCreate: (object, ctx) => dropName(object, undefined, ctx),
  prepareForUpdate: dropName,
  validate: (object, errors, ctx) => validate(object, undefined, errors, ctx),
  validateUpdate: validate,
  *validateInSteps(object, old, _subresource, errors, ctx) {
    const expressions = expressionsOf(object.spec.selectors, "spec.selectors");
    return yield* validateExpressions(expressions, errors, ctx, isKept("selectors", object, old));
  },
  columns: [ageColumn],
});
