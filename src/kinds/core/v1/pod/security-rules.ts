/**
 * The rules of the security contexts of Pods and containers (KIND-PodSpec-9).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsSubdomain } from "../../../../meta/names.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { SourceCheck } from "../volumes/form.ts";
import { checkDescending } from "../volumes/paths.ts";
import type { ContainerValue } from "./container-schema.ts";
import { containersOf } from "./containers.ts";
import type { PodSpec } from "./spec-schema.ts";
import { checkUserName } from "./windows-user.ts";

type PodSecurity = NonNullable<PodSpec["securityContext"]>;
type ContainerSecurity = NonNullable<ContainerValue["securityContext"]>;
type Seccomp = NonNullable<PodSecurity["seccompProfile"]>;
type AppArmor = NonNullable<PodSecurity["appArmorProfile"]>;
type Windows = NonNullable<PodSecurity["windowsOptions"]>;

const MAX_ID = 2 ** 31 - 1;
const PROFILE_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];
const MAX_PROFILE_LENGTH = 4095;
const MAX_CREDENTIAL_SPEC_LENGTH = 64 * 1024;

const POLICIES = {
  fsGroupChangePolicy: ["Always", "OnRootMismatch"],
  supplementalGroupsPolicy: ["Merge", "Strict"],
  seLinuxChangePolicy: ["MountOption", "Recursive"],
} as const;

/** The security context of a Pod. */
export function checkPodSecurity(spec: PodSpec, errors: FieldErrors, ctx: ApiContext): void {
  const { securityContext: context } = spec;
  if (!context) return;
  const at = "spec.securityContext";
  for (const member of ["fsGroup", "runAsUser", "runAsGroup"] as const) {
    checkId(context[member], `${at}.${member}`, errors);
  }
  context.supplementalGroups?.forEach((id, i) => checkId(id, `${at}.supplementalGroups[${i}]`, errors));
  if (context.sysctls) checkSysctls(context.sysctls, spec, `${at}.sysctls`, errors);
  checkPolicies(context, at, errors, ctx);
  checkShared(context, at, errors, ctx);
}

/**
 * The security context of a container.
 *
 * @param hasOwnUsers whether user ids of the Pod are not those of the node
 */
export function checkSecurity(
  context: ContainerSecurity,
  hasOwnUsers: boolean,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  checkId(context.runAsUser, `${at}.runAsUser`, errors);
  checkId(context.runAsGroup, `${at}.runAsGroup`, errors);
  const { procMount } = context;
  if (procMount !== undefined && procMount !== "Default") {
    if (procMount !== "Unmasked") errors.notSupported(`${at}.procMount`, procMount, ["Default", "Unmasked"]);
    else if (!hasOwnUsers) errors.invalid(`${at}.procMount`, procMount, "expected hostUsers false together with it");
  }
  if (context.privileged && ctx.allowsPrivileged === false) errors.forbidden(`${at}.privileged`, DISALLOWED);
  checkEscalation(context, at, errors);
  checkShared(context, at, errors, ctx);
}

/** Why a right is refused that this server is configured to refuse. */
const DISALLOWED = "disallowed by cluster policy";

/** A container with all rights cannot be prevented from gaining more. */
function checkEscalation(context: ContainerSecurity, at: string, errors: FieldErrors): void {
  if (context.allowPrivilegeEscalation !== false) return;
  const why = (what: string) => `expected no allowPrivilegeEscalation false together with ${what}`;
  if (context.privileged) errors.invalid(at, context, why("privileged"));
  if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) errors.invalid(at, context, why("CAP_SYS_ADMIN"));
}

/** The common members of both security contexts. */
function checkShared(context: ContainerSecurity | PodSecurity, at: string, errors: FieldErrors, ctx: ApiContext): void {
  const { seccompProfile, appArmorProfile, windowsOptions } = context;
  if (seccompProfile) checkSeccomp(seccompProfile, `${at}.seccompProfile`, errors, ctx);
  if (appArmorProfile) checkAppArmor(appArmorProfile, `${at}.appArmorProfile`, errors);
  if (windowsOptions) checkWindows(windowsOptions, `${at}.windowsOptions`, errors);
}

/** An id of a user or a group. */
export function checkId(id: number | undefined, field: string, errors: FieldErrors): void {
  if (id !== undefined && (id < 0 || id > MAX_ID)) {
    errors.invalid(field, id, `expected a number from 0 to ${MAX_ID}`);
  }
}

function checkPolicies(context: PodSecurity, at: string, errors: FieldErrors, { gates }: ApiContext): void {
  for (const member of ["fsGroupChangePolicy", "supplementalGroupsPolicy", "seLinuxChangePolicy"] as const) {
    const value = context[member];
    if (value === undefined) continue;
    const words: readonly string[] =
      member === "seLinuxChangePolicy" && !gates.SELinuxMount ? ["Recursive"] : POLICIES[member];
    if (!words.includes(value)) errors.notSupported(`${at}.${member}`, value, words);
  }
}

const SEGMENT = "[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?";
const SYSCTL = new RegExp(`^(?:${SEGMENT}[./])*${SEGMENT}$`);
const MAX_SYSCTL_LENGTH = 253;

function checkSysctls(
  sysctls: NonNullable<PodSecurity["sysctls"]>,
  spec: PodSpec,
  at: string,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  sysctls.forEach(({ name }, i) => {
    const field = `${at}[${i}].name`;
    if (!name) errors.required(field);
    else if (name.length > MAX_SYSCTL_LENGTH || !SYSCTL.test(name)) {
      errors.invalid(field, name, "expected a parameter such as 'kernel.shm_rmid_forced'");
    } else if (names.has(name)) errors.duplicate(field, name);
    names.add(name);
    const shared = sharedNamespace(name, spec);
    if (shared) errors.invalid(field, name, `expected a parameter of the Pod alone, as ${shared} is true`);
  });
}

const IPC = /^(?:kernel\.(?:sem|shm(?:all|max|mni|_rmid_forced)?|msg(?:max|mnb|mni)?)$|fs\.mqueue\.)/;

/** Why a parameter of the kernel belongs to the node: the member that shares its namespace. */
function sharedNamespace(name: string, { hostNetwork, hostIPC }: PodSpec): string | undefined {
  // With '/' as the first separator, the two separators are exchanged.
  const dotted = /^[^./]*\//.test(name)
    ? name.replaceAll(/[./]/g, (separator) => (separator === "." ? "/" : "."))
    : name;
  if (hostNetwork && dotted.startsWith("net.")) return "hostNetwork";
  return hostIPC && IPC.test(dotted) ? "hostIPC" : undefined;
}

function checkSeccomp(
  { type, localhostProfile: profile }: Seccomp,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  checkProfileType(type, at, errors);
  const field = `${at}.localhostProfile`;
  if (type !== "Localhost") {
    if (profile !== undefined) errors.invalid(field, profile, "expected none but for Localhost");
  } else if (profile === undefined) errors.required(field, "expected the path of a profile for Localhost");
  else checkDescending(field, profile, new SourceCheck(errors, ctx, ""));
}

/** The fault of an AppArmor profile. */
export function checkAppArmor({ type, localhostProfile: profile }: AppArmor, at: string, errors: FieldErrors): void {
  checkProfileType(type, at, errors);
  const field = `${at}.localhostProfile`;
  if (type !== "Localhost") {
    if (profile !== undefined && PROFILE_TYPES.includes(type)) {
      errors.invalid(field, profile, "expected none but for Localhost");
    }
    return;
  }
  if (!profile) return errors.required(field, "expected the name of a profile for Localhost");
  if (profile !== profile.trim()) errors.invalid(field, profile, "expected no blanks around the name");
  if (Buffer.byteLength(profile) > MAX_PROFILE_LENGTH) errors.tooLong(field, MAX_PROFILE_LENGTH);
}

function checkProfileType(type: string, at: string, errors: FieldErrors): void {
  if (!type) errors.required(`${at}.type`, `expected one of ${PROFILE_TYPES.join(", ")}`);
  else if (!PROFILE_TYPES.includes(type)) errors.notSupported(`${at}.type`, type, PROFILE_TYPES);
}

function checkWindows(options: Windows, at: string, errors: FieldErrors): void {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  const wrong = name === undefined ? undefined : dnsSubdomain(name);
  if (wrong !== undefined) errors.invalid(`${at}.gmsaCredentialSpecName`, name, wrong);
  if (spec !== undefined && (spec === "" || Buffer.byteLength(spec) > MAX_CREDENTIAL_SPEC_LENGTH)) {
    errors.invalid(`${at}.gmsaCredentialSpec`, spec, `expected 1 to ${MAX_CREDENTIAL_SPEC_LENGTH} bytes`);
  }
  if (user !== undefined) checkUserName(user, `${at}.runAsUserName`, errors);
}

/** Host processes are set for all containers of the Pod, and require the network of the node. */
export function checkHostProcess(spec: PodSpec, errors: FieldErrors, ctx: ApiContext): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let all = 0;
  let ofHost = 0;
  for (const [{ securityContext }, at] of containersOf(spec)) {
    const own = securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && own !== ofPod) {
      const field = `${at}.securityContext.windowsOptions.hostProcess`;
      errors.invalid(field, own, `expected ${ofPod}, as for the Pod`);
    }
    all++;
    if (own ?? ofPod) ofHost++;
  }
  if (ofHost === 0) return;
  if (ofHost < all) errors.invalid("spec", "", `expected hostProcess in all ${all} containers, got ${ofHost}`);
  if (!spec.hostNetwork) errors.invalid("spec.hostNetwork", false, "expected true together with hostProcess");
  if (ctx.allowsPrivileged === false) errors.forbidden("spec", `hostProcess containers are ${DISALLOWED}`);
}
