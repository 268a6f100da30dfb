/**
 * Checks of profiles of the kernel's security modules: AppArmor, SELinux and seccomp.
 *
 * @module
 */
import { appArmorOf, seccompOf, seccompOfPod } from "../../../kinds/core/v1/pod/profile-annotations.ts";
import { goQuoted } from "../../../util/go-quote.ts";
import {
  type Check,
  type CheckPod,
  type CheckedPod,
  containersText,
  exceptOnWindows,
  namesOf,
  plural,
  quoted,
  settersText,
  sorted,
} from "../check.ts";

type SecurityContext = NonNullable<CheckedPod["spec"]["securityContext"]>;
type ProfileMember = "appArmorProfile" | "seccompProfile";

const RUNTIME_DEFAULT = "runtime/default";
const LOCALHOST = "localhost/";

const isAllowedType = (type: string): boolean => type === "RuntimeDefault" || type === "Localhost";

/** The forbidden type of a profile, which may be empty; undefined for none. */
function forbiddenType(
  context: Pick<SecurityContext, ProfileMember> | undefined,
  member: ProfileMember,
): string | undefined {
  const type = context?.[member]?.type;
  return type === undefined || isAllowedType(type) ? undefined : type;
}

/** Who sets a profile of a forbidden type, and the types. */
function forbiddenProfiles(pod: CheckedPod, member: ProfileMember): { setters: string; types: string[] } {
  const ofPod = forbiddenType(pod.spec.securityContext, member);
  const names = namesOf(pod, ({ securityContext }) => forbiddenType(securityContext, member) !== undefined);
  const types = pod.containers.map(({ securityContext }) => forbiddenType(securityContext, member));
  return {
    setters: settersText(ofPod !== undefined, names),
    types: sorted([ofPod, ...types].filter((type) => type !== undefined)),
  };
}

/** Annotations with a forbidden profile, as messages show them. */
const annotationTexts = (
  found: readonly (readonly [string, string])[],
  isAllowed: (profile: string) => boolean,
): string[] =>
  sorted(found.filter(([, profile]) => !isAllowed(profile)).map(([key, profile]) => `${key}=${goQuoted(profile)}`));

const checkAppArmor: CheckPod = (pod) => {
  const { setters, types } = forbiddenProfiles(pod, "appArmorProfile");
  const prefix = appArmorOf(pod.dialect);
  const found = Object.entries(pod.annotations).filter(([key]) => key.startsWith(prefix));
  const annotations = annotationTexts(
    found,
    (profile) => profile === "" || profile === RUNTIME_DEFAULT || profile.startsWith(LOCALHOST),
  );
  const who = [setters, annotations.length > 0 ? plural("annotation", "annotations", annotations) : ""].filter(Boolean);
  if (who.length === 0) return undefined;
  const values = [...types, ...annotations];
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const checkSeccompAnnotations: CheckPod = (pod) => {
  const keys = [seccompOfPod(pod.dialect), ...pod.containers.map(({ name }) => `${seccompOf(pod.dialect)}${name}`)];
  const found = keys.flatMap((key) => {
    const profile = Object.hasOwn(pod.annotations, key) ? pod.annotations[key] : undefined;
    return profile === undefined ? [] : [[key, profile] as const];
  });
  const forbidden = annotationTexts(
    found,
    (profile) => profile === RUNTIME_DEFAULT || profile === "docker/default" || profile.startsWith(LOCALHOST),
  );
  if (forbidden.length === 0) return undefined;
  const what = plural("annotation", "annotations", forbidden);
  return { reason: "seccompProfile", detail: `forbidden ${what} ${forbidden.join(", ")}` };
};

const checkSeccompTypes: CheckPod = (pod) => {
  const { setters, types } = forbiddenProfiles(pod, "seccompProfile");
  if (setters === "") return undefined;
  return {
    reason: "seccompProfile",
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
  };
};

const checkSeccompSet: CheckPod = (pod) => {
  const wrong = checkSeccompTypes(pod);
  if (wrong || pod.spec.securityContext?.seccompProfile) return wrong;
  const names = namesOf(pod, ({ securityContext }) => !securityContext?.seccompProfile);
  if (names.length === 0) return undefined;
  const expected = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: "seccompProfile", detail: `pod or ${containersText(names)} ${expected}` };
};

const SELINUX_TYPES: readonly string[] = ["", "container_t", "container_init_t", "container_kvm_t"];

type SELinux = NonNullable<SecurityContext["seLinuxOptions"]>;

const checkSELinux =
  (allowed: readonly string[]): CheckPod =>
  (pod) => {
    const isAllowed = ({ type = "", user = "", role = "" }: SELinux): boolean =>
      allowed.includes(type) && user === "" && role === "";
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const names = namesOf(pod, ({ securityContext }) => !isAllowed(securityContext?.seLinuxOptions ?? {}));
    const setters = settersText(ofPod !== undefined && !isAllowed(ofPod), names);
    if (setters === "") return undefined;
    const all = [ofPod, ...pod.containers.map(({ securityContext }) => securityContext?.seLinuxOptions)];
    const detail = forbiddenLabels(
      all.filter((options) => options !== undefined),
      allowed,
    );
    return { reason: "seLinuxOptions", detail: `${setters} set forbidden securityContext.seLinuxOptions: ${detail}` };
  };

function forbiddenLabels(all: readonly SELinux[], allowed: readonly string[]): string {
  const types = sorted(all.map(({ type = "" }) => type).filter((type) => !allowed.includes(type)));
  return [
    ...(types.length > 0 ? [`${plural("type", "types", types)} ${quoted(types)}`] : []),
    ...(all.some(({ user = "" }) => user !== "") ? ["user may not be set"] : []),
    ...(all.some(({ role = "" }) => role !== "") ? ["role may not be set"] : []),
  ].join("; ");
}

/** The checks of this file. */
export const PROFILE_CHECKS: readonly Check[] = [
  { id: "appArmorProfile", level: "baseline", revisions: [{ since: 0, check: checkAppArmor }] },
  {
    id: "seLinuxOptions",
    level: "baseline",
    revisions: [
      { since: 0, check: checkSELinux(SELINUX_TYPES) },
      { since: 31, check: checkSELinux([...SELINUX_TYPES, "container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    revisions: [
      { since: 0, check: checkSeccompAnnotations },
      { since: 19, check: checkSeccompTypes },
    ],
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    overrides: ["seccompProfile_baseline"],
    revisions: [
      { since: 19, check: checkSeccompSet },
      { since: 25, check: exceptOnWindows(checkSeccompSet) },
    ],
  },
];
