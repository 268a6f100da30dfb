import type { ContainerCheck } from "./check.ts";
import type { ContainerValue } from "./container-schema.ts";

const RESOURCES = ["cpu", "memory"];
const POLICIES = ["NotRequired", "RestartContainer"];

/**
 * The effects of changes of cpu and memory, each resource once; a container that never restarts does not restart for them either
 * (KIND-Pod-13).
 */
export function checkResizePolicy(
  list: NonNullable<ContainerValue["resizePolicy"]>,
  at: string,
  { errors, ctx, spec }: ContainerCheck,
): void {
  const seen = new Set<string>();
  list.forEach(({ resourceName, restartPolicy }, i) => {
    if (seen.has(resourceName)) errors.duplicate(`${at}[${i}]`, resourceName);
    seen.add(resourceName);
    // Kubernetes reports the fault at the list.
    const [resource, policy] = ctx.dialect.rules.recordedCauseNames
      ? [at, at]
      : [`${at}[${i}].resourceName`, `${at}[${i}].restartPolicy`];
    if (!resourceName) errors.required(resource);
    else if (!RESOURCES.includes(resourceName)) errors.notSupported(resource, resourceName, RESOURCES);
    if (!restartPolicy) errors.required(policy);
    else if (!POLICIES.includes(restartPolicy)) errors.notSupported(policy, restartPolicy, POLICIES);
    if (spec.restartPolicy === "Never" && restartPolicy !== "NotRequired") {
      errors.invalid(policy, restartPolicy, "expected NotRequired where the Pod never restarts");
    }
  });
}
