/**
 * Checks of the resources of the node that a Pod uses: namespaces, ports, directories, and hosts that probes connect to.
 *
 * @module
 */
import type { ContainerValue } from "../../../kinds/core/v1/pod/container-schema.ts";
import { type Check, type CheckPod, containersText, namesOf, plural, quoted, settersText, sorted } from "../check.ts";

const HOST_NAMESPACES = ["hostNetwork", "hostPID", "hostIPC"] as const;

const checkHostNamespaces: CheckPod = ({ spec }) => {
  const used = HOST_NAMESPACES.filter((name) => spec[name]).map((name) => `${name}=true`);
  return used.length === 0 ? undefined : { reason: "host namespaces", detail: used.join(", ") };
};

const checkHostPaths: CheckPod = ({ spec: { volumes = [] } }) => {
  const names = volumes.filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", "volumes", names)} ${quoted(names)}` };
};

const hostPortsOf = ({ ports }: ContainerValue): string[] =>
  (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));

const checkHostPorts: CheckPod = (pod) => {
  const names = namesOf(pod, (container) => hostPortsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = sorted(pod.containers.flatMap(hostPortsOf));
  const uses = plural("uses", "use", names);
  return {
    reason: "hostPort",
    detail: `${containersText(names)} ${uses} ${plural("hostPort", "hostPorts", ports)} ${ports.join(", ")}`,
  };
};

type Handler = NonNullable<NonNullable<ContainerValue["lifecycle"]>["postStart"]>;

/** Hosts other than that of the Pod to which its node connects for a container. */
function probedHosts({ livenessProbe, readinessProbe, startupProbe, lifecycle }: ContainerValue): string[] {
  const actions = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  return actions.flatMap((action: Pick<Handler, "httpGet" | "tcpSocket"> | undefined) =>
    [action?.httpGet?.host, action?.tcpSocket?.host].filter((host) => host !== undefined && host !== ""),
  ) as string[];
}

const checkProbes: CheckPod = (pod) => {
  const names = sorted(namesOf(pod, (container) => probedHosts(container).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sorted(pod.containers.flatMap(probedHosts));
  const what = plural("probe or lifecycle host", "probe or lifecycle hosts", hosts);
  return {
    reason: "probe or lifecycle host",
    detail: `${containersText(names)} ${plural("uses", "use", names)} ${what} ${quoted(hosts)}`,
  };
};

const checkHostProcess: CheckPod = (pod) => {
  const names = namesOf(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  const setters = settersText(pod.spec.securityContext?.windowsOptions?.hostProcess === true, names);
  if (setters === "") return undefined;
  return { reason: "hostProcess", detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** The checks of this file. */
export const HOST_CHECKS: readonly Check[] = [
  { id: "hostNamespaces", level: "baseline", revisions: [{ since: 0, check: checkHostNamespaces }] },
  { id: "hostPathVolumes", level: "baseline", revisions: [{ since: 0, check: checkHostPaths }] },
  { id: "hostPorts", level: "baseline", revisions: [{ since: 0, check: checkHostPorts }] },
  { id: "hostProbesAndHostLifecycle", level: "baseline", revisions: [{ since: 34, check: checkProbes }] },
  { id: "windowsHostProcess", level: "baseline", revisions: [{ since: 0, check: checkHostProcess }] },
];
