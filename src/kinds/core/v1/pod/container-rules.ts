/**
 * The rules of containers: names, images, ports, variables, mounts, probes, resources (SUP-5).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsLabel } from "../../../../meta/names.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { SourceCheck } from "../volumes/form.ts";
import { PULL_POLICIES } from "../volumes/images.ts";
import { checkDescending, checkNoBacksteps } from "../volumes/paths.ts";
import type { ContainerValue } from "./container-schema.ts";
import { checkEnv, checkEnvFrom } from "./env-rules.ts";
import { checkPortNumber, isPortName } from "./ports.ts";
import { checkLifecycle, checkProbes } from "./probe-rules.ts";
import { checkResources } from "./resource-rules.ts";
import type { PodSpec, PodVolume } from "./spec-schema.ts";

/** What the rules of a container see of its Pod. */
export interface ContainerCheck {
  readonly errors: FieldErrors;
  readonly ctx: ApiContext;
  /** The volumes that are right, by name. */
  readonly volumes: ReadonlyMap<string, PodVolume>;
  /** The names of the Pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  readonly spec: PodSpec;
}

/** Everything that is wrong with the containers of a Pod. */
export function validateContainers(check: ContainerCheck): void {
  const { errors, spec, ctx } = check;
  const containers = spec.containers ?? [];
  if (containers.length === 0 && ctx.dialect.rules.requireUndocumented) {
    errors.required("spec.containers", "expected at least one container");
  }
  const names = new Set<string>();
  for (const list of ["containers", "initContainers", "ephemeralContainers"] as const) {
    (spec[list] ?? []).forEach((container, i) => {
      const at = `spec.${list}[${i}]`;
      checkContainer(container, at, check);
      if (names.has(container.name)) errors.duplicate(`${at}.name`, container.name);
      names.add(container.name);
    });
  }
  checkHostPorts(check);
}

function checkContainer(container: ContainerValue, at: string, check: ContainerCheck): void {
  const { errors, ctx } = check;
  checkLabel(`${at}.name`, container.name, errors);
  const image = container.image ?? "";
  if (image === "" && ctx.dialect.rules.requireUndocumented) errors.required(`${at}.image`);
  if (image !== image.trim()) errors.invalid(`${at}.image`, image, "expected no blanks around the image");
  const policy = container.imagePullPolicy;
  if (policy && !PULL_POLICIES.includes(policy)) errors.notSupported(`${at}.imagePullPolicy`, policy, PULL_POLICIES);
  const message = container.terminationMessagePolicy;
  const policies = ["FallbackToLogsOnError", "File"];
  if (message && !policies.includes(message)) errors.notSupported(`${at}.terminationMessagePolicy`, message, policies);
  checkPorts(container, at, check);
  checkEnv(container.env ?? [], `${at}.env`, errors, ctx);
  checkEnvFrom(container.envFrom ?? [], `${at}.envFrom`, errors);
  checkMounts(container, at, check);
  checkDevices(container, at, check);
  checkProbes(container, at, errors);
  checkLifecycle(container.lifecycle, `${at}.lifecycle`, errors);
  if (container.resources) checkResources(container.resources, check.claims, `${at}.resources`, errors, ctx);
}

function checkLabel(field: string, name: string | undefined, errors: FieldErrors): void {
  if (!name) return errors.required(field);
  const wrong = dnsLabel(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
}

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function checkPorts({ ports = [] }: ContainerValue, at: string, { errors }: ContainerCheck): void {
  const names = new Set<string>();
  ports.forEach((port, i) => {
    const field = `${at}.ports[${i}]`;
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

/** No two containers take the same port of the node; on its network the ports are the same. */
function checkHostPorts({ spec, errors }: ContainerCheck): void {
  const taken = new Set<string>();
  for (const list of ["containers", "initContainers"] as const) {
    (spec[list] ?? []).forEach((container, i) => {
      (container.ports ?? []).forEach((port, j) => {
        const field = `spec.${list}[${i}].ports[${j}]`;
        if (spec.hostNetwork && port.hostPort !== port.containerPort) {
          errors.invalid(`${field}.containerPort`, port.containerPort, "expected the hostPort, as hostNetwork is true");
        }
        if (!port.hostPort || list === "initContainers") return;
        const key = `${port.protocol}/${port.hostIP ?? ""}/${port.hostPort}`;
        if (taken.has(key)) errors.duplicate(`${field}.hostPort`, key);
        taken.add(key);
      });
    });
  }
}

const PROPAGATIONS = ["Bidirectional", "HostToContainer", "None"];
const RECURSIVE = ["Disabled", "Enabled", "IfPossible"];

function checkMounts(container: ContainerValue, at: string, check: ContainerCheck): void {
  const { errors } = check;
  const paths = new Set<string>();
  const source = new SourceCheck(errors, check.ctx, "");
  (container.volumeMounts ?? []).forEach((mount, i) => {
    const field = `${at}.volumeMounts[${i}]`;
    if (!mount.name) errors.required(`${field}.name`);
    if (!check.volumes.has(mount.name)) errors.notFound(`${field}.name`, mount.name);
    if (!mount.mountPath) errors.required(`${field}.mountPath`);
    if (paths.has(mount.mountPath)) errors.invalid(`${field}.mountPath`, mount.mountPath, "expected a path used once");
    paths.add(mount.mountPath);
    // Kubernetes blames the list for these two, not the entry.
    const path = check.ctx.dialect.rules.recordedCauseNames ? `${at}.volumeMounts` : field;
    if (mount.subPath) checkDescending(`${path}.subPath`, mount.subPath, source);
    if (mount.subPathExpr) {
      if (mount.subPath) errors.invalid(`${field}.subPathExpr`, mount.subPathExpr, "expected none beside subPath");
      checkDescending(`${path}.subPathExpr`, mount.subPathExpr, source);
    }
    checkPropagation(container, mount, field, errors);
  });
}

type Mount = NonNullable<ContainerValue["volumeMounts"]>[number];

function checkPropagation(container: ContainerValue, mount: Mount, at: string, errors: FieldErrors): void {
  const { mountPropagation: propagation, recursiveReadOnly: recursive } = mount;
  if (propagation !== undefined && !PROPAGATIONS.includes(propagation)) {
    errors.notSupported(`${at}.mountPropagation`, propagation, PROPAGATIONS);
  }
  if (propagation === "Bidirectional" && !container.securityContext?.privileged) {
    errors.forbidden(`${at}.mountPropagation`, "expected a privileged container for Bidirectional");
  }
  if (recursive === undefined || recursive === "Disabled") return;
  if (!RECURSIVE.includes(recursive)) return errors.notSupported(`${at}.recursiveReadOnly`, recursive, RECURSIVE);
  if (!mount.readOnly) errors.forbidden(`${at}.recursiveReadOnly`, "expected readOnly beside it");
  if (propagation !== undefined && propagation !== "None") {
    errors.forbidden(`${at}.recursiveReadOnly`, "expected no mountPropagation beside it");
  }
}

function checkDevices(container: ContainerValue, at: string, check: ContainerCheck): void {
  const { errors, volumes } = check;
  const mounted = new Set(container.volumeMounts?.map(({ name }) => name));
  const mountPaths = new Set(container.volumeMounts?.map(({ mountPath }) => mountPath));
  const names = new Set<string>();
  const paths = new Set<string>();
  const source = new SourceCheck(errors, check.ctx, "");
  (container.volumeDevices ?? []).forEach((device, i) => {
    const field = `${at}.volumeDevices[${i}]`;
    const { name, devicePath } = device;
    const volume = volumes.get(name);
    if (!name) errors.required(`${field}.name`);
    if (names.has(name)) errors.invalid(`${field}.name`, name, "expected a volume used once");
    if (!volume) errors.notFound(`${field}.name`, name);
    else if (volume["persistentVolumeClaim"] === undefined && volume["ephemeral"] === undefined) {
      errors.invalid(`${field}.name`, name, "expected a volume behind a claim");
    }
    if (!devicePath) errors.required(`${field}.devicePath`);
    if (paths.has(devicePath)) errors.invalid(`${field}.devicePath`, devicePath, "expected a path used once");
    if (devicePath) checkNoBacksteps(`${field}.devicePath`, devicePath, source);
    names.add(name);
    paths.add(devicePath);
    if (mounted.has(name)) {
      errors.invalid(`${field}.name`, name, "expected a volume that is not mounted, too");
    }
    if (mountPaths.has(devicePath)) {
      errors.invalid(`${field}.devicePath`, devicePath, "expected a path where nothing is mounted");
    }
  });
}
