/**
 * The rules of a Pod's operating system: its name, and the members that only the other system has (KIND-PodSpec-10).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { containersOf } from "./containers.ts";
import type { PodSpec } from "./spec-schema.ts";

const NAMES = ["linux", "windows"];

/** The members of a Pod that only Linux has. */
const OF_PODS = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"] as const;

/** The members of the security context of a Pod that only Linux has. */
const OF_ALL = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;

/** The members of the security context of a container that only Linux has. */
const OF_CONTAINERS = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

/** A known system, and no member that it does not have. */
export function checkOs(spec: PodSpec, errors: FieldErrors, ctx: ApiContext): void {
  const { os } = spec;
  if (!os) return;
  if (!os.name) return errors.required("spec.os.name", `expected one of ${NAMES.join(", ")}`);
  if (os.name === "linux") return checkContexts(spec, ["windowsOptions"], ["windowsOptions"], os.name, errors);
  if (os.name !== "windows") {
    const field = ctx.dialect.rules.recordedCauseNames ? "spec.os" : "spec.os.name";
    return errors.notSupported(field, os.name, NAMES);
  }
  for (const member of OF_PODS) {
    if (spec[member] !== undefined) errors.forbidden(`spec.${member}`, "expected none for windows");
  }
  checkContexts(spec, OF_ALL, OF_CONTAINERS, os.name, errors);
}

type PodMember = keyof NonNullable<PodSpec["securityContext"]>;
type ContainerMember = (typeof OF_CONTAINERS)[number] | "windowsOptions";

function checkContexts(
  spec: PodSpec,
  ofAll: readonly PodMember[],
  ofContainers: readonly ContainerMember[],
  os: string,
  errors: FieldErrors,
): void {
  const why = `expected none for ${os}`;
  for (const member of ofAll) {
    if (spec.securityContext?.[member] !== undefined) errors.forbidden(`spec.securityContext.${member}`, why);
  }
  for (const [{ securityContext }, at] of containersOf(spec)) {
    if (!securityContext) continue;
    for (const member of ofContainers) {
      if (securityContext[member] !== undefined) errors.forbidden(`${at}.securityContext.${member}`, why);
    }
  }
}
