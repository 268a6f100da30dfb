/**
 * `pods/ephemeralcontainers`: containers that are added to a running Pod for debugging (KIND-Pod-10). They cannot be changed or removed.
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { SubresourceRules, WriteRules } from "../../../../schema/definition.ts";
import { sameMeaning } from "../../../../schema/same-meaning.ts";
import { keepMetadata } from "../../../rules/status.ts";
import { wholeObject } from "../../../rules/whole-object.ts";
import { EphemeralContainer } from "./container-schema.ts";
import type { Pod } from "./defaults.ts";
import { dropGatedMembers } from "./gated-fields.ts";
import { isMirror } from "./mirror.ts";

function validateOnlyAdded({ spec }: Pod, old: Pod, errors: FieldErrors): void {
  const now = new Map(spec.ephemeralContainers?.map((container) => [container.name, container]));
  for (const before of old.spec.ephemeralContainers ?? []) {
    const after = now.get(before.name);
    if (after && sameMeaning(EphemeralContainer, after, before)) continue;
    errors.forbidden("spec.ephemeralContainers", `expected ${before.name} to stay as it is`);
  }
}

/** The subresource, for Pods whose other members are validated by `validate`. */
export const ephemeralRules = (validate: NonNullable<WriteRules<Pod>["validateUpdate"]>): SubresourceRules<Pod> => ({
  verbs: ["get", "patch", "update"],
  prepareForUpdate(object, old, ctx) {
    const { ephemeralContainers: containers } = object.spec;
    object.spec = { ...old.spec };
    if (containers) object.spec.ephemeralContainers = containers;
    else delete object.spec.ephemeralContainers;
    dropGatedMembers(object.spec, old.spec, ctx);
    object.status = old.status;
    keepMetadata(object, old);
  },
  validateUpdate(object, old, errors, ctx) {
    if (isMirror(old, ctx.dialect)) {
      return errors.forbidden(
        wholeObject(ctx.dialect),
        "expected no ephemeral containers: the Pod is one of its node, not of this server",
      );
    }
    validate(object, old, errors, ctx);
    validateOnlyAdded(object, old, errors);
  },
});
