/**
 * Checks of users, privileges and capabilities.
 *
 * @module
 */
import type { ContainerValue } from "../../../kinds/core/v1/pod/container-schema.ts";
import {
  type Check,
  type CheckPod,
  type CheckedPod,
  containersText,
  exceptInUserNamespace,
  exceptOnWindows,
  namesOf,
  quoted,
  settersText,
  sorted,
} from "../check.ts";

const checkPrivileged: CheckPod = (pod) => {
  const names = namesOf(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return { reason: "privileged", detail: `${containersText(names)} must not set securityContext.privileged=true` };
};

const checkEscalation: CheckPod = (pod) => {
  const names = namesOf(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const checkNonRoot: CheckPod = (pod) => {
  const reason = "runAsNonRoot != true";
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const ofContainer = ({ securityContext }: ContainerValue): boolean | undefined => securityContext?.runAsNonRoot;
  const setters = settersText(
    ofPod === false,
    namesOf(pod, (container) => ofContainer(container) === false),
  );
  if (setters !== "") return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const unset = ofPod === true ? [] : namesOf(pod, (container) => ofContainer(container) === undefined);
  if (unset.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(unset)} must set securityContext.runAsNonRoot=true` };
};

const checkUser: CheckPod = (pod) => {
  const names = namesOf(pod, ({ securityContext }) => securityContext?.runAsUser === 0);
  const setters = settersText(pod.spec.securityContext?.runAsUser === 0, names);
  return setters === "" ? undefined : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
};

const DEFAULT_CAPABILITIES: readonly string[] = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

const addedBut =
  (allowed: readonly string[]) =>
  ({ securityContext }: ContainerValue): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !allowed.includes(name));

/** The violation by capabilities that containers add; undefined for none. */
function addedText(pod: CheckedPod, allowed: readonly string[]): string | undefined {
  const forbiddenIn = addedBut(allowed);
  const names = namesOf(pod, (container) => forbiddenIn(container).length > 0);
  if (names.length === 0) return undefined;
  const forbidden = sorted(pod.containers.flatMap(forbiddenIn));
  return `${containersText(names)} must not include ${quoted(forbidden)} in securityContext.capabilities.add`;
}

const checkDefaultCapabilities: CheckPod = (pod) => {
  const detail = addedText(pod, DEFAULT_CAPABILITIES);
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
};

const checkDroppedCapabilities: CheckPod = (pod) => {
  const keeping = namesOf(pod, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"));
  const kept = `${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`;
  const added = addedText(pod, ["NET_BIND_SERVICE"]);
  const texts = [...(keeping.length > 0 ? [kept] : []), ...(added === undefined ? [] : [added])];
  return texts.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: texts.join("; ") };
};

/** The checks of this file. */
export const PRIVILEGE_CHECKS: readonly Check[] = [
  { id: "privileged", level: "baseline", revisions: [{ since: 0, check: checkPrivileged }] },
  { id: "capabilities_baseline", level: "baseline", revisions: [{ since: 0, check: checkDefaultCapabilities }] },
  {
    id: "capabilities_restricted",
    level: "restricted",
    overrides: ["capabilities_baseline"],
    revisions: [
      { since: 22, check: checkDroppedCapabilities },
      { since: 25, check: exceptOnWindows(checkDroppedCapabilities) },
    ],
  },
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    revisions: [
      { since: 8, check: checkEscalation },
      { since: 25, check: exceptOnWindows(checkEscalation) },
    ],
  },
  {
    id: "runAsNonRoot",
    level: "restricted",
    revisions: [
      { since: 0, check: checkNonRoot },
      { since: 35, check: exceptInUserNamespace(checkNonRoot) },
    ],
  },
  {
    id: "runAsUser",
    level: "restricted",
    revisions: [
      { since: 23, check: checkUser },
      { since: 35, check: exceptInUserNamespace(checkUser) },
    ],
  },
];
