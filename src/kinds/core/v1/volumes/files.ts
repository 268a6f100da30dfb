/**
 * Volumes whose files come from the API: configMap, secret, downwardAPI, and the entries that they share with
 * projections (VOL-4..15, PROJ-1..9, DEC-51, DEC-53).
 *
 * @module
 */
import { qualifiedName } from "../../../../meta/names.ts";
import { quantitySign } from "../../../../meta/quantity.ts";
import { splitSubscript } from "../../../../meta/subscripted-path.ts";
import * as t from "../../../../meta/types.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { type Loose, type SourceCheck, type SourceFamily, form } from "./form.ts";
import { checkMode, checkRequiredPath } from "./paths.ts";

const MODE = "Mode bits of the file, 0000 to 0777 octal (JSON has decimal numbers only: 0 to 511)";

/** The mode of files without their own: 0644 by default (VOL-6, LIM-16, AMB-12). */
export const defaultMode = t.pointer(t.int32(`${MODE}, of files that do not say their own.`, { default: 0o644 }));

/** A key and the file for its value. */
export const KeyToPath = t.struct("A key and the file for its value.", {
  key: t.required(t.text("The key to project.")),
  path: t.required(t.text("The file, relative to the volume; without `..` as an element or at the beginning.")),
  mode: t.pointer(t.int32(`${MODE}; the defaultMode of the volume when unset.`)),
});

/** A member of the Pod. */
export const ObjectFieldSelector = t.struct(
  "A member of the Pod.",
  {
    apiVersion: t.optional(t.text("The version in which the path is written.", { default: "v1" })),
    fieldPath: t.required(t.text("The member, such as `metadata.labels` or `metadata.annotations['key']`.")),
  },
  { atomic: true },
);

/** A resource of a container. */
export const ResourceFieldSelector = t.struct(
  "A resource of a container.",
  {
    containerName: t.optional(t.text("The container; required in volumes, optional in environment variables.")),
    resource: t.required(t.text("The resource, such as `limits.cpu`.")),
    divisor: t.always(t.quantity("The unit in which the value is written, 1 when unset.")),
  },
  { atomic: true },
);

/** A file with a member of the Pod or a resource of a container. */
export const DownwardAPIVolumeFile = t.struct("A file that holds a member of the Pod or a resource of a container.", {
  path: t.required(t.text("The file, relative to the volume; without `..` as an element or at the beginning.")),
  fieldRef: t.pointer(ObjectFieldSelector),
  resourceFieldRef: t.pointer(ResourceFieldSelector),
  mode: t.pointer(t.int32(`${MODE}; the defaultMode of the volume when unset.`)),
});

type Keys = readonly Loose<t.Static<typeof KeyToPath>>[] | undefined;
type Files = readonly Loose<t.Static<typeof DownwardAPIVolumeFile>>[] | undefined;

/** The entries of a configMap or secret volume (PROJ-1..4). */
export function checkKeys(items: Keys, at: string, check: SourceCheck): void {
  items?.forEach((item, i) => {
    check.need(`${at}[${i}].key`, item.key);
    checkRequiredPath(`${at}[${i}].path`, item.path, check);
    checkMode(`${at}[${i}].mode`, item.mode, check);
  });
}

const VOLUME_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** The members of a Pod that Kubernetes knows; unknown ones have another error than those that are forbidden here. */
const KNOWN_FIELDS = [
  ...VOLUME_FIELDS,
  "spec.host",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.phase",
  "status.podIP",
  "status.podIPs",
];

/**
 * A member of the Pod that may be named here: one of `allowed`, or one label or annotation (PROJ-7, DEC-53).
 *
 * @param allowed the paths without subscript that are allowed here
 */
export function checkFieldRef(
  ref: Loose<t.Static<typeof ObjectFieldSelector>>,
  at: string,
  allowed: readonly string[],
  check: SourceCheck,
): void {
  // The old name of the node.
  const path = ref.fieldPath === "spec.host" ? "spec.nodeName" : (ref.fieldPath ?? "");
  if (path === "") return check.errors.required(`${at}.fieldPath`);
  const version = ref.apiVersion ?? "v1";
  if (version !== "v1")
    return check.errors.invalid(`${at}.fieldPath`, path, `expected a path of v1, got one of ${version}`);
  const entry = splitSubscript(path);
  if (!entry) {
    if (!check.strict || KNOWN_FIELDS.includes(path)) check.oneOf(`${at}.fieldPath`, path, allowed);
    else check.errors.invalid(`${at}.fieldPath`, path, "expected a member of the Pod");
  } else if (entry.member === "metadata.annotations") {
    check.text(at, entry.key, (name) => qualifiedName(name.toLowerCase()));
  } else if (entry.member === "metadata.labels") check.text(at, entry.key, qualifiedName);
  else
    check.errors.invalid(
      `${at}.fieldPath`,
      path,
      "expected a subscript behind metadata.labels or metadata.annotations",
    );
}

const CONTAINER_RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const DIVISORS: Readonly<Record<string, readonly string[]>> = {
  cpu: ["1m", "1"],
  memory: ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"],
};

/** A resource that may be named: cpu, memory, ephemeral storage, huge pages (PROJ-8, AMB-30). */
export function checkResourceRef(
  ref: Loose<t.Static<typeof ResourceFieldSelector>>,
  at: string,
  inVolume: boolean,
  check: SourceCheck,
): void {
  const { resource = "", divisor = "0" } = ref;
  const hugePages = /^(?:limits|requests)\.hugepages-/.test(resource);
  if (inVolume && !ref.containerName) check.errors.required(`${at}.containerName`);
  else if (resource === "") check.errors.required(`${at}.resource`);
  else if (!hugePages) check.oneOf(`${at}.resource`, resource, CONTAINER_RESOURCES);
  if (!check.strict || quantitySign(divisor) === 0) return;
  if (!hugePages && !CONTAINER_RESOURCES.includes(resource)) return;
  const units = DIVISORS[resource.endsWith(".cpu") ? "cpu" : "memory"]!;
  if (!units.includes(divisor)) check.errors.invalid(`${at}.divisor`, divisor, `expected one of ${units.join(", ")}`);
}

/** Files of the downward API: errors name the volume, as Kubernetes has it, or the entry (PROJ-6..9). */
export function checkFiles(items: Files, at: string, check: SourceCheck): void {
  items?.forEach((item, i) => {
    const file = check.ctx.dialect.rules.recordedCauseNames ? at : `${at}.items[${i}]`;
    checkRequiredPath(`${file}.path`, item.path, check);
    checkMode(`${file}.mode`, item.mode, check);
    if (item.fieldRef) {
      checkFieldRef(item.fieldRef, `${file}.fieldRef`, VOLUME_FIELDS, check);
      if (item.resourceFieldRef) check.errors.invalid(file, item, "expected fieldRef or resourceFieldRef, got both");
    } else if (item.resourceFieldRef) checkResourceRef(item.resourceFieldRef, `${file}.resourceFieldRef`, true, check);
    else check.errors.required(file, "expected fieldRef or resourceFieldRef, got none");
  });
}

const OPTIONAL_SOURCE = "Whether the Pod may start without it, or without a listed key.";

const items = t.optional(
  t.atomicList(
    KeyToPath,
    "The keys to project; all when empty. A listed key that is missing is an error unless optional.",
  ),
);

/** A ConfigMap as files (VOL-4..10). */
export const configMap: SourceFamily = {
  member: "configMap",
  inline: form(
    t.struct("A ConfigMap as files: one for each key.", {
      name: t.optional(t.text("Name of the ConfigMap.")),
      items,
      defaultMode,
      optional: t.pointer(t.bool(OPTIONAL_SOURCE)),
    }),
    (source, at, check) => {
      check.needUndocumented(`${at}.name`, source.name);
      checkMode(`${at}.defaultMode`, source.defaultMode, check);
      checkKeys(source.items, `${at}.items`, check);
    },
  ),
};

/** A Secret as files (VOL-11..13, DEC-51). */
export const secret: SourceFamily = {
  member: "secret",
  inline: form(
    t.struct("A Secret as files: one for each key.", {
      secretName: t.optional(t.text("Name of the Secret.")),
      items,
      defaultMode,
      optional: t.pointer(t.bool(OPTIONAL_SOURCE)),
    }),
    (source, at, check) => {
      check.needUndocumented(`${at}.secretName`, source.secretName);
      checkMode(`${at}.defaultMode`, source.defaultMode, check);
      checkKeys(source.items, `${at}.items`, check);
    },
  ),
};

/** Properties of the Pod, as files (VOL-14, VOL-15). */
export const downwardAPI = (ctx: ApiContext): SourceFamily => ({
  member: "downwardAPI",
  // Kubernetes misspells the second source of a volume.
  clashName: ctx.dialect.rules.recordedCauseNames ? "downwarAPI" : "downwardAPI",
  inline: form(
    t.struct("Members of the Pod and resources of its containers as files.", {
      items: t.optional(t.atomicList(DownwardAPIVolumeFile, "The files.")),
      defaultMode,
    }),
    (source, at, check) => {
      checkMode(`${at}.defaultMode`, source.defaultMode, check);
      checkFiles(source.items, at, check);
    },
  ),
});
