/**
 * Node: a machine that runs programs (SUP-6). Typed as far as clients ask for it; nothing here schedules anything.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { networkVersion } from "../../../meta/network.ts";
import { labelValue, qualifiedName } from "../../../meta/names.ts";
import {
  always,
  atomicList,
  bool,
  int32,
  int64,
  keyedList,
  map,
  nullable,
  optional,
  quantity,
  required,
  setList,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { isObject } from "../../../value/value.ts";

const description = "A machine that runs programs.";

const Taint = struct("Keeps programs away that do not tolerate it.", {
  key: required(text("Key of the taint.")),
  value: optional(text("Value of the taint.")),
  effect: required(text("NoSchedule, PreferNoSchedule or NoExecute.")),
  timeAdded: optional(time("When the taint was added.")),
});

const Condition = struct("What is known of one side of the node.", {
  type: required(text("What it is about, such as Ready.")),
  status: required(text("True, False or Unknown.")),
  lastHeartbeatTime: nullable(time("When it was last reported.")),
  lastTransitionTime: nullable(time("When the status last changed.")),
  reason: optional(text("Why, for programs.")),
  message: optional(text("Why, for people.")),
});

const NodeInfo = struct("What runs on the node.", {
  machineID: always(text("ID of the machine.")),
  systemUUID: always(text("UUID of the machine.")),
  bootID: always(text("ID of this boot.")),
  kernelVersion: always(text("Version of the kernel.")),
  osImage: always(text("Name of the operating system's image.")),
  containerRuntimeVersion: always(text("Name and version of the container runtime.")),
  kubeletVersion: always(text("Version of the node agent.")),
  kubeProxyVersion: always(text("No longer filled.")),
  operatingSystem: always(text("Name of the operating system.")),
  architecture: always(text("Architecture of the processor.")),
});

const NodeStatus = struct("How the node is, as its agent reports it.", {
  capacity: optional(map(quantity(), "What the node has.")),
  allocatable: optional(map(quantity(), "What programs can have of it.")),
  phase: optional(text("No longer filled.")),
  conditions: optional(keyedList(Condition, ["type"], "What is known of the node.")),
  addresses: optional(
    keyedList(
      struct("One address of the node.", {
        type: required(text("Hostname, InternalIP, ExternalIP and the like.")),
        address: required(text("The address.")),
      }),
      ["type"],
      "Where the node is found.",
    ),
  ),
  daemonEndpoints: always(
    struct("Where the agent listens.", {
      kubeletEndpoint: always(struct("The endpoint of the agent.", { Port: required(int32("Its port.")) })),
    }),
  ),
  nodeInfo: always(NodeInfo),
  images: optional(
    atomicList(
      struct("An image on the node.", {
        names: nullable(atomicList(text(), "Names of the image.")),
        sizeBytes: optional(int64("Its size in bytes.")),
      }),
      "Images that are there.",
    ),
  ),
  volumesInUse: optional(atomicList(text(), "Volumes that are mounted or being mounted.")),
  volumesAttached: optional(
    atomicList(
      struct("A volume that is attached.", {
        name: required(text("Name of the volume.")),
        devicePath: required(text("Where it is found.")),
      }),
      "Volumes that are attached.",
    ),
  ),
});

const schema = objectSchema(description, {
  spec: always(
    struct("What is asked of the node.", {
      podCIDR: optional(text("Addresses for programs on the node.")),
      podCIDRs: optional(setList(text(), "The same, one for each family of addresses.")),
      providerID: optional(text("How the provider of the machine calls it.")),
      unschedulable: optional(bool("Whether new programs are kept away.")),
      taints: optional(atomicList(Taint, "What keeps programs away.")),
      externalID: optional(text("No longer used.")),
    }),
  ),
  status: always(NodeStatus),
});

interface Node extends ApiObject {
  spec: {
    podCIDR?: string;
    podCIDRs?: string[];
    providerID?: string;
    unschedulable?: boolean;
    taints?: { key: string; value?: string; effect: string }[];
  };
  status: {
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    conditions?: { type: string; status: string }[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: Partial<Record<"kubeletVersion" | "osImage" | "kernelVersion" | "containerRuntimeVersion", string>>;
  };
}

const asNode = (object: ApiObject): Node => object as Node;

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** The first of podCIDRs is podCIDR, which counts when both are given. */
function convert(object: ApiObject): void {
  const { spec } = object;
  if (!isObject(spec)) return;
  const { podCIDR, podCIDRs } = spec;
  const before = Array.isArray(podCIDRs) ? podCIDRs[0] : undefined;
  const first = podCIDR || before;
  if (typeof first !== "string") return;
  spec["podCIDR"] = first;
  if (before !== first) spec["podCIDRs"] = [first];
}

/** Until its agent says otherwise, programs can have all of the node. */
function defaults(object: ApiObject): void {
  const { status } = asNode(object);
  if (!status.allocatable && status.capacity) status.allocatable = { ...status.capacity };
}

/** Each address is listed once. */
function validateStatus(object: ApiObject, errors: FieldErrors): void {
  const seen = new Set<string>();
  asNode(object).status.addresses?.forEach(({ type, address }, i) => {
    const identity = JSON.stringify([type, address]);
    if (seen.has(identity)) errors.duplicate(`status.addresses[${i}]`, { type, address });
    seen.add(identity);
  });
}

function validate(object: ApiObject, errors: FieldErrors, ctx: ApiContext): void {
  validateTaints(object, errors, ctx);
  const { podCIDRs = [] } = asNode(object).spec;
  podCIDRs.forEach((network, i) => {
    if (networkVersion(network) === 0) errors.invalid(`spec.podCIDRs[${i}]`, network, "expected ADDRESS/BITS");
  });
  const families = new Set(podCIDRs.map(networkVersion));
  if (families.size < podCIDRs.length) {
    errors.invalid("spec.podCIDRs", podCIDRs, "expected at most one network of each family of addresses");
  }
}

/** What was said of the machine once stays. */
function validateChange(object: ApiObject, old: ApiObject, errors: FieldErrors, ctx: ApiContext): void {
  validate(object, errors, ctx);
  const [now, before] = [asNode(object).spec, asNode(old).spec];
  if (before.podCIDRs?.length && before.podCIDRs.join() !== (now.podCIDRs ?? []).join()) {
    errors.forbidden("spec.podCIDRs", "field is immutable once it is set");
  }
  if (before.providerID && before.providerID !== now.providerID) {
    errors.forbidden("spec.providerID", "field is immutable once it is set");
  }
}

function validateTaints(object: ApiObject, errors: FieldErrors, { dialect }: ApiContext): void {
  const seen = new Set<string>();
  const taints = dialect.rules.recordedCauseNames ? "metadata.taints" : "spec.taints";
  asNode(object).spec?.taints?.forEach(({ key, value, effect }, i) => {
    const field = `${taints}[${i}]`;
    const wrongKey = qualifiedName(key);
    if (wrongKey) errors.invalid(`${field}.key`, key, wrongKey);
    const wrongValue = labelValue(value ?? "");
    if (wrongValue) errors.invalid(`${field}.value`, value, wrongValue);
    if (effect === "") errors.required(`${field}.effect`);
    else if (!EFFECTS.includes(effect)) errors.notSupported(`${field}.effect`, effect, EFFECTS);
    const identity = `${key}:${effect}`;
    if (seen.has(identity)) errors.duplicate(field, identity);
    seen.add(identity);
  });
}

function statusOf(node: Node): string {
  const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
  const shown = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return node.spec?.unschedulable ? `${shown},SchedulingDisabled` : shown;
}

function rolesOf(node: Node, labelDomain: string): string {
  const prefix = `node-role.${labelDomain}/`;
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(prefix) && key.length > prefix.length) roles.add(key.slice(prefix.length));
    else if (key === `${labelDomain}/role` && value) roles.add(value);
  }
  return [...roles].toSorted().join(",") || "<none>";
}

const addressOf = (node: Node, type: string): string =>
  node.status?.addresses?.find((address) => address.type === type)?.address ?? "<none>";

const infoColumn = (name: string, about: string, member: keyof NonNullable<Node["status"]["nodeInfo"]>): Column =>
  textColumn(name, about, (object) => asNode(object).status?.nodeInfo?.[member] || "<unknown>", true);

const columnsOf = (labelDomain: string): readonly Column[] => [
  textColumn("Status", "Whether the node is ready.", (object) => statusOf(asNode(object))),
  textColumn("Roles", "The roles of the node.", (object) => rolesOf(asNode(object), labelDomain)),
  ageColumn,
  textColumn(
    "Version",
    "Version of the node agent.",
    (object) => asNode(object).status?.nodeInfo?.kubeletVersion ?? "",
  ),
  textColumn("Internal-IP", "Address inside the cluster.", (object) => addressOf(asNode(object), "InternalIP"), true),
  textColumn("External-IP", "Address for the outside.", (object) => addressOf(asNode(object), "ExternalIP"), true),
  infoColumn("OS-Image", "The operating system.", "osImage"),
  infoColumn("Kernel-Version", "Version of the kernel.", "kernelVersion"),
  infoColumn("Container-Runtime", "The container runtime.", "containerRuntimeVersion"),
];

/** The definition of Node. */
export const node = ({ dialect }: ApiContext): ResourceDefinition => ({
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  singular: "node",
  shortNames: ["no"],
  scope: "Cluster",
  description,
  schema,
  prepareForUpdate: (object, old) => {
    object["status"] = old["status"];
  },
  resetFields: ["status"],
  convert,
  defaults,
  validate,
  validateUpdate: validateChange,
  deleteAnswers: "status",
  subresources: {
    status: {
      verbs: ["get", "patch", "update"],
      prepareForUpdate: (object, old) => {
        object["spec"] = old["spec"];
      },
      resetFields: ["spec"],
      validateUpdate: (object, _old, errors) => validateStatus(object, errors),
    },
  },
  selectableFields: { "spec.unschedulable": (object) => String(asNode(object).spec?.unschedulable ?? false) },
  columns: columnsOf(dialect.labelDomain),
});
