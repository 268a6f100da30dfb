/**
 * The rules of containers: names, images, ports, and calls of the rules in other files (SUP-5).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsLabel } from "../../../../meta/names.ts";
import { PULL_POLICIES } from "../volumes/images.ts";
import type { ContainerCheck } from "./check.ts";
import type { ContainerValue } from "./container-schema.ts";
import { checkEphemeral } from "./ephemeral-rules.ts";
import { checkEnv, checkEnvFrom } from "./env-rules.ts";
import { checkDevices, checkMounts } from "./mount-rules.ts";
import { checkPortNumber, isPortName } from "../../../rules/ports.ts";
import { checkLifecycle, checkProbes } from "./probe-rules.ts";
import { checkResizePolicy } from "./resize-policy.ts";
import { checkResources } from "./resource-rules.ts";
import { checkRestart } from "./restart-rules.ts";
import { checkSecurity } from "./security-rules.ts";

const LISTS = ["containers", "initContainers", "ephemeralContainers"] as const;
type List = (typeof LISTS)[number];

/** All faults of the containers of a Pod. */
export function validateContainers(check: ContainerCheck): void {
  const { errors, spec, ctx } = check;
  const containers = spec.containers ?? [];
  if (containers.length === 0 && ctx.dialect.rules.requireUndocumented) {
    errors.required("spec.containers", "expected at least one container");
  }
  const names = new Set<string>();
  for (const list of LISTS) {
    (spec[list] ?? []).forEach((container, i) => {
      const at = `spec.${list}[${i}]`;
      checkContainer(container, list, at, check);
      if (names.has(container.name)) errors.duplicate(`${at}.name`, container.name);
      else if (container.name || list !== "initContainers") names.add(container.name);
    });
  }
  checkEphemeral(spec, errors);
  checkHostPorts(check);
}

function checkContainer(container: ContainerValue, list: List, at: string, check: ContainerCheck): void {
  const { errors, ctx } = check;
  checkLabel(`${at}.name`, container.name, errors);
  const image = container.image ?? "";
  if (image === "" && ctx.dialect.rules.requireUndocumented) errors.required(`${at}.image`);
  if (image !== image.trim() && (!check.isTemplate || list === "ephemeralContainers")) {
    errors.invalid(`${at}.image`, image, "expected no blanks around the image");
  }
  const policy = container.imagePullPolicy;
  if (policy && !PULL_POLICIES.includes(policy)) errors.notSupported(`${at}.imagePullPolicy`, policy, PULL_POLICIES);
  const message = container.terminationMessagePolicy;
  const policies = ["FallbackToLogsOnError", "File"];
  if (message && !policies.includes(message)) errors.notSupported(`${at}.terminationMessagePolicy`, message, policies);
  const { ports, env, envFrom, volumeMounts, volumeDevices, resources, securityContext } = container;
  if (ports) checkPorts(ports, `${at}.ports`, errors);
  if (env) checkEnv(env, `${at}.env`, check);
  if (envFrom) checkEnvFrom(envFrom, `${at}.envFrom`, check);
  if (volumeMounts) checkMounts(volumeMounts, container, `${at}.volumeMounts`, check);
  if (volumeDevices) checkDevices(volumeDevices, container, `${at}.volumeDevices`, check);
  if (resources) checkResources(resources, check.claims, `${at}.resources`, errors, ctx);
  if (securityContext) {
    checkSecurity(securityContext, check.spec.hostUsers === false, `${at}.securityContext`, errors, ctx);
  }
  if (container.resizePolicy) checkResizePolicy(container.resizePolicy, `${at}.resizePolicy`, check);
  if (list === "containers" || (list === "initContainers" && container.restartPolicy === "Always")) {
    checkProbes(container, at, errors);
    if (container.lifecycle) checkLifecycle(container.lifecycle, `${at}.lifecycle`, check);
  } else if (list === "initContainers") forbidLasting(container, at, errors);
  if (list !== "ephemeralContainers") checkRestart(container, list === "initContainers", at, errors, ctx);
}

/** An init container that ends has no probes and no lifecycle hooks (KIND-Pod-18). */
function forbidLasting(container: ContainerValue, at: string, errors: FieldErrors): void {
  for (const member of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
    if (container[member] === undefined) continue;
    errors.forbidden(`${at}.${member}`, "expected none in an init container, unless its restartPolicy is Always");
  }
}

function checkLabel(field: string, name: string | undefined, errors: FieldErrors): void {
  if (!name) return errors.required(field);
  const wrong = dnsLabel(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
}

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

/** KIND-PodSpec-3. */
function checkPorts(ports: Ports, at: string, errors: FieldErrors): void {
  const names = new Set<string>();
  ports.forEach((port, i) => {
    const field = `${at}[${i}]`;
    if (port.name) {
      if (!isPortName(port.name)) errors.invalid(`${field}.name`, port.name, "expected a port name such as 'http'");
      else if (names.has(port.name)) errors.duplicate(`${field}.name`, port.name);
      names.add(port.name);
    }
    if (!port.containerPort) errors.required(`${field}.containerPort`);
    else checkPortNumber(`${field}.containerPort`, port.containerPort, errors);
    if (port.hostPort) checkPortNumber(`${field}.hostPort`, port.hostPort, errors);
    if (port.protocol && !PROTOCOLS.includes(port.protocol)) {
      errors.notSupported(`${field}.protocol`, port.protocol, PROTOCOLS);
    }
  });
}

/** On the network of the node the ports are the same inside and outside; no two containers have the same one (KIND-Pod-3). */
function checkHostPorts({ spec, errors, ctx }: ContainerCheck): void {
  const taken = new Set<string>();
  (spec.containers ?? []).forEach(({ ports }, i) => {
    if (!ports) return;
    const at = `spec.containers[${i}].ports`;
    if (spec.hostNetwork) checkSamePorts(ports, at, errors);
    checkTaken(ports, taken, at, errors);
  });
  // Init containers run one after another; Kubernetes reports the fault at the first of them for all.
  (spec.initContainers ?? []).forEach(({ ports }, i) => {
    const blamed = ctx.dialect.rules.recordedCauseNames ? 0 : i;
    if (ports) checkTaken(ports, new Set(), `spec.initContainers[${blamed}].ports`, errors);
  });
}

type Ports = NonNullable<ContainerValue["ports"]>;

function checkSamePorts(ports: Ports, at: string, errors: FieldErrors): void {
  ports.forEach(({ hostPort, containerPort }, i) => {
    if (!hostPort || hostPort === containerPort) return;
    errors.invalid(`${at}[${i}].hostPort`, hostPort, "expected the containerPort, as hostNetwork is true");
  });
}

function checkTaken(ports: Ports, taken: Set<string>, at: string, errors: FieldErrors): void {
  ports.forEach(({ hostPort, protocol, hostIP = "" }, i) => {
    if (!hostPort) return;
    const key = `${protocol}/${hostIP}/${hostPort}`;
    if (taken.has(key)) errors.duplicate(`${at}[${i}].hostPort`, key);
    taken.add(key);
  });
}
