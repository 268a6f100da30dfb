/**
 * Checks of the parts of the kernel that a Pod sees and sets.
 *
 * @module
 */
import { type Check, type CheckPod, containersText, exceptInUserNamespace, namesOf, quoted, sorted } from "../check.ts";

/** Safe parameters, with the minor number of the version from which on they are safe. */
const SAFE_SYSCTLS: ReadonlyMap<string, number> = new Map([
  ["kernel.shm_rmid_forced", 0],
  ["net.ipv4.ip_local_port_range", 0],
  ["net.ipv4.tcp_syncookies", 0],
  ["net.ipv4.ping_group_range", 0],
  ["net.ipv4.ip_unprivileged_port_start", 0],
  ["net.ipv4.ip_local_reserved_ports", 27],
  ["net.ipv4.tcp_keepalive_time", 29],
  ["net.ipv4.tcp_fin_timeout", 29],
  ["net.ipv4.tcp_keepalive_intvl", 29],
  ["net.ipv4.tcp_keepalive_probes", 29],
  ["net.ipv4.tcp_rmem", 32],
  ["net.ipv4.tcp_wmem", 32],
]);

/** The check of one version. */
const checkSysctls =
  (version: number): CheckPod =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
    const forbidden = names.filter((name) => (SAFE_SYSCTLS.get(name) ?? Infinity) > version);
    return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
  };

const DEFAULT = "Default";

const checkProcMount: CheckPod = (pod) => {
  const names = namesOf(pod, ({ securityContext }) => (securityContext?.procMount ?? DEFAULT) !== DEFAULT);
  if (names.length === 0) return undefined;
  const types = sorted(pod.containers.map(({ securityContext }) => securityContext?.procMount ?? DEFAULT));
  const forbidden = quoted(types.filter((type) => type !== DEFAULT));
  return {
    reason: "procMount",
    detail: `${containersText(names)} must not set securityContext.procMount to ${forbidden}`,
  };
};

/** The checks of this file. */
export const KERNEL_CHECKS: readonly Check[] = [
  {
    id: "sysctls",
    level: "baseline",
    revisions: [0, 27, 29, 32].map((since) => ({ since, check: checkSysctls(since) })),
  },
  {
    id: "procMount",
    level: "baseline",
    revisions: [
      { since: 0, check: checkProcMount },
      { since: 35, check: exceptInUserNamespace(checkProcMount) },
    ],
  },
  {
    id: "procMount_restricted",
    level: "restricted",
    overrides: ["procMount"],
    revisions: [{ since: 35, check: checkProcMount }],
  },
];
