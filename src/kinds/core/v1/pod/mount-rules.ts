/**
 * The rules of mounts and raw devices of a container (KIND-PodSpec-15).
 *
 * @module
 */
import type { ContainerCheck } from "./check.ts";
import { SourceCheck } from "../volumes/form.ts";
import { checkDescending, checkNoBacksteps } from "../volumes/paths.ts";
import type { ContainerValue } from "./container-schema.ts";

type Mount = NonNullable<ContainerValue["volumeMounts"]>[number];

const PROPAGATIONS = ["Bidirectional", "HostToContainer", "None"];
const RECURSIVE = ["Disabled", "Enabled", "IfPossible"];

/** Mounts of existing volumes, each at a path of its own. */
export function checkMounts(
  mounts: readonly Mount[],
  container: ContainerValue,
  at: string,
  check: ContainerCheck,
): void {
  const { errors, ctx } = check;
  const { recordedCauseNames, enforceDocumented } = ctx.dialect.rules;
  const devices = new Map(container.volumeDevices?.map(({ name, devicePath }) => [name, devicePath]));
  const devicePaths = new Set(devices.values());
  const paths = new Set<string>();
  mounts.forEach((mount, i) => {
    const field = `${at}[${i}]`;
    const { name, mountPath: path } = mount;
    if (!name) errors.required(`${field}.name`);
    if (!check.volumes.has(name)) errors.notFound(`${field}.name`, name);
    if (devices.has(name)) errors.invalid(`${field}.name`, name, "expected a volume that is no device as well");
    if (!path) errors.required(`${field}.mountPath`);
    if (paths.has(path)) errors.invalid(`${field}.mountPath`, path, "expected a path used once");
    if (devicePaths.has(path)) errors.invalid(`${field}.mountPath`, path, "expected a path where no device is");
    if (enforceDocumented && path.includes(":"))
      errors.invalid(`${field}.mountPath`, path, "expected a path without ':'");
    paths.add(path);
    // Kubernetes reports the following faults at the list, not at the entry.
    checkPart(mount, container, recordedCauseNames ? at : field, field, check);
  });
}

/** The visible part of the volume, and how it is mounted. */
function checkPart(mount: Mount, container: ContainerValue, at: string, field: string, check: ContainerCheck): void {
  const { errors, ctx } = check;
  const { subPath, subPathExpr } = mount;
  if (subPath) checkDescending(`${at}.subPath`, subPath, new SourceCheck(errors, ctx, ""));
  if (subPathExpr) {
    if (subPath) errors.invalid(`${field}.subPathExpr`, subPathExpr, "expected none together with subPath");
    checkDescending(`${at}.subPathExpr`, subPathExpr, new SourceCheck(errors, ctx, ""));
  }
  checkPropagation(mount, container, `${at}.mountPropagation`, check);
  checkRecursive(mount, `${at}.recursiveReadOnly`, check);
}

function checkPropagation(
  { mountPropagation: propagation }: Mount,
  { securityContext }: ContainerValue,
  field: string,
  { errors }: ContainerCheck,
): void {
  if (propagation === undefined) return;
  if (!PROPAGATIONS.includes(propagation)) errors.notSupported(field, propagation, PROPAGATIONS);
  if (propagation === "Bidirectional" && !securityContext?.privileged) {
    errors.forbidden(field, "expected a privileged container for Bidirectional");
  }
}

function checkRecursive(mount: Mount, field: string, { errors }: ContainerCheck): void {
  const { recursiveReadOnly: recursive, mountPropagation: propagation = "None" } = mount;
  if (recursive === undefined || recursive === "Disabled") return;
  if (!RECURSIVE.includes(recursive)) return errors.notSupported(field, recursive, RECURSIVE);
  if (!mount.readOnly) errors.forbidden(field, "expected readOnly together with it");
  if (propagation !== "None") errors.forbidden(field, "expected no mountPropagation together with it");
}

/** Devices of claims, each at a path of its own; a volume is mounted or a device. */
export function checkDevices(
  devices: NonNullable<ContainerValue["volumeDevices"]>,
  container: ContainerValue,
  at: string,
  check: ContainerCheck,
): void {
  const { errors, ctx, volumes, spec } = check;
  if (spec.hostUsers === false) errors.forbidden(at, "expected none where hostUsers is false");
  const mounts = new Map(container.volumeMounts?.map(({ name, mountPath }) => [name, mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  devices.forEach(({ name, devicePath: path }, i) => {
    const field = `${at}[${i}]`;
    const volume = volumes.get(name);
    if (!name) errors.required(`${field}.name`);
    else if (names.has(name)) errors.invalid(`${field}.name`, name, "expected a volume used once");
    if (!volume) errors.notFound(`${field}.name`, name);
    else if (volume["persistentVolumeClaim"] === undefined && volume["ephemeral"] === undefined) {
      errors.invalid(`${field}.name`, name, "expected a volume behind a claim");
    }
    if (mounts.has(name)) errors.invalid(`${field}.name`, name, "expected a volume that is not mounted as well");
    if (!path) errors.required(`${field}.devicePath`);
    else checkNoBacksteps(`${field}.devicePath`, path, new SourceCheck(errors, ctx, ""));
    if (paths.has(path)) errors.invalid(`${field}.devicePath`, path, "expected a path used once");
    if (mountPaths.has(path)) errors.invalid(`${field}.devicePath`, path, "expected a path where nothing is mounted");
    names.add(name);
    paths.add(path);
  });
}
