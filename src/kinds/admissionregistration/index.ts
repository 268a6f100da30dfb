import type { DefinitionFactory, ResourceDefinition } from "../../schema/definition.ts";
import { olderVersion } from "../rules/older-version.ts";
import type { BindingValue } from "./policy.ts";
import { mutatingWebhookConfiguration } from "./v1/mutatingwebhookconfiguration.ts";
import { validatingAdmissionPolicy } from "./v1/validatingadmissionpolicy.ts";
import { validatingAdmissionPolicyBinding } from "./v1/validatingadmissionpolicybinding.ts";
import { validatingWebhookConfiguration } from "./v1/validatingwebhookconfiguration.ts";
import { mutatingAdmissionPolicy } from "./v1beta1/mutatingadmissionpolicy.ts";
import { mutatingAdmissionPolicyBinding } from "./v1beta1/mutatingadmissionpolicybinding.ts";

const ALPHA = "v1alpha1";
const ALPHA_REMOVED = "1.38";

/** The binding in v1alpha1, where a parameter that is not found refuses by default. */
function alphaBinding(binding: ResourceDefinition): ResourceDefinition {
  const older = olderVersion(binding, ALPHA, ALPHA_REMOVED);
  return {
    ...older,
    defaults(object, ctx) {
      binding.defaults?.(object, ctx);
      const { paramRef } = (object["spec"] ?? {}) as BindingValue;
      if (paramRef) paramRef.parameterNotFoundAction ??= "Deny";
    },
  };
}

/** The group of webhooks and policies of admission: mutating policies in v1beta1 and v1alpha1, everything else in v1. */
export const admissionRegistrationGroup: DefinitionFactory = (ctx) => {
  const policy = mutatingAdmissionPolicy(ctx);
  const binding = mutatingAdmissionPolicyBinding(ctx);
  return [
    validatingWebhookConfiguration,
    mutatingWebhookConfiguration,
    validatingAdmissionPolicy,
    validatingAdmissionPolicyBinding,
    policy,
    binding,
    ...(ctx.dialect.rules.enforceDocumented ? [] : [olderVersion(policy, ALPHA, ALPHA_REMOVED), alphaBinding(binding)]),
  ];
};
