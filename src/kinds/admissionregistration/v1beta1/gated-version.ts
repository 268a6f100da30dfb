import type { ApiContext } from "../../../schema/definition.ts";
import { GROUP } from "../group.ts";

/** The version of a kind that is served where the gate of mutating policies is on, with the warning of its responses. */
export const gatedVersion = (kind: string, { gates, dialect }: ApiContext) => ({
  version: "v1beta1",
  kind,
  served: gates.MutatingAdmissionPolicy,
  ...(dialect.rules.enforceUndocumented
    ? {
        deprecated: `${GROUP.group}/v1beta1 ${kind} is deprecated in v1.37+, unavailable in v1.40+`,
        removedRelease: "1.40",
      }
    : {}),
});
