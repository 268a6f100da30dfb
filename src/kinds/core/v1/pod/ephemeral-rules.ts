import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { PodSpec } from "./spec-schema.ts";

/** The forbidden members of an ephemeral container: no client should rely on it. */
const LASTING = [
  "ports",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
] as const;

/** All faults of ephemeral containers as such (KIND-Pod-10). */
export function checkEphemeral(spec: PodSpec, errors: FieldErrors): void {
  const { ephemeralContainers = [] } = spec;
  if (ephemeralContainers.length === 0) return;
  const lasting = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const none = "expected none in an ephemeral container";
  ephemeralContainers.forEach((container, i) => {
    const at = `spec.ephemeralContainers[${i}]`;
    const { targetContainerName: target = "", volumeMounts = [], resources } = container;
    if (target !== "" && !lasting.has(target)) errors.notFound(`${at}.targetContainerName`, target);
    for (const member of LASTING) if (container[member] !== undefined) errors.forbidden(`${at}.${member}`, none);
    if (resources && Object.keys(resources).length > 0) errors.forbidden(`${at}.resources`, none);
    volumeMounts.forEach(({ subPath, subPathExpr }, j) => {
      if (subPath) errors.forbidden(`${at}.volumeMounts[${j}].subPath`, none);
      if (subPathExpr) errors.forbidden(`${at}.volumeMounts[${j}].subPathExpr`, none);
    });
  });
}
