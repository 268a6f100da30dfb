/**
 * Node: a machine that runs programs (SUP-6). A create contains its status; nothing here schedules anything.
 *
 * @module
 */
import { addressBytes, networkWarnings, specialAddressFault } from "../../../meta/addresses.ts";
import { badRequest, unavailable } from "../../../meta/status.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition, Connector } from "../../../schema/definition.ts";
import { isObject } from "../../../value/value.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { validateNode, validateNodeChange, validateReport } from "./node-rules.ts";
import { nameInSegment, proxyOptions } from "./pod/connectors.ts";
import { type Node, nodeSchema } from "./node-schema.ts";
import { roundResources } from "../../rules/quantities.ts";
import { statusPath } from "../../rules/status.ts";

/** The first of podCIDRs is podCIDR, which has precedence when both are set. */
function convert(object: Node): void {
  const { spec } = object;
  if (!isObject(spec)) return;
  const { podCIDR, podCIDRs } = spec;
  const before = Array.isArray(podCIDRs) ? podCIDRs[0] : undefined;
  const first = podCIDR || before;
  if (typeof first !== "string") return;
  spec["podCIDR"] = first;
  if (before !== first) spec["podCIDRs"] = [first];
}

/** Without a value of its agent, programs can have all of the node. */
function defaults(object: Node): void {
  const { status } = object;
  if (!status.allocatable && status.capacity) status.allocatable = { ...status.capacity };
  roundResources(status.capacity);
  roundResources(status.allocatable);
}

/** Accepted values without an effect, or with another one than expected. */
function* warnings(object: Node): Generator<string> {
  const { externalID, podCIDRs = [] } = object.spec;
  if (externalID) yield "spec.externalID: this field is deprecated, nothing uses it";
  for (const [i, network] of podCIDRs.entries()) yield* networkWarnings(`spec.podCIDRs[${i}]`, network);
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

type Info = Exclude<keyof NonNullable<Node["status"]["nodeInfo"]>, "swap">;

const infoColumn = (name: string, about: string, member: Info): Column<Node> =>
  textColumn(name, about, (object) => object.status?.nodeInfo?.[member] || "<unknown>", true);

const columnsOf = (labelDomain: string): readonly Column<Node>[] => [
  textColumn("Status", "Whether the node is ready.", (object) => statusOf(object)),
  textColumn("Roles", "The roles of the node.", (object) => rolesOf(object, labelDomain)),
  ageColumn,
  textColumn("Version", "Version of the node agent.", (object) => object.status?.nodeInfo?.kubeletVersion ?? ""),
  textColumn("Internal-IP", "Address inside the cluster.", (object) => addressOf(object, "InternalIP"), true),
  textColumn("External-IP", "Address for the outside.", (object) => addressOf(object, "ExternalIP"), true),
  infoColumn("OS-Image", "The operating system.", "osImage"),
  infoColumn("Kernel-Version", "Version of the kernel.", "kernelVersion"),
  infoColumn("Container-Runtime", "The container runtime.", "containerRuntimeVersion"),
];

/** The types of addresses of an agent, in the order in which they are tried. */
const AGENT_ADDRESSES = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/** The connection to the agent of a node, and to other ports there. */
const proxy: Connector<Node> = {
  kind: "NodeProxyOptions",
  verbs: ["create", "delete", "get", "patch", "update"],
  options: proxyOptions,
  isDeep: true,
  nameIn: nameInSegment,
  reach(object) {
    const { name } = object.metadata;
    const addresses = object.status.addresses ?? [];
    const found = AGENT_ADDRESSES.map((type) => addresses.find((address) => address.type === type)).find(Boolean);
    if (!found) throw badRequest(`node ${name} has no address at which its agent could be asked`);
    const bytes = addressBytes(found.address);
    if (bytes && specialAddressFault(bytes)) throw badRequest(`node ${name} has no address that may be asked`);
    throw unavailable(`node ${name} cannot be reached: this server sends no requests on`);
  },
};

/** The definition of Node. */
export const node = ({ dialect }: ApiContext): ResourceDefinition =>
  defineResource(nodeSchema, {
    group: "",
    version: "v1",
    kind: "Node",
    plural: "nodes",
    shortNames: ["no"],
    scope: "Cluster",
    resetFields: ["status"],
    convert,
    defaults,
    // The configuration of an agent is not accepted any more.
    prepareForCreate(object, ctx) {
      const { spec, status } = object;
      delete spec.configSource;
      delete status.config;
      dropGated(status, undefined, "declaredFeatures", "NodeDeclaredFeatures", "status", ctx);
    },
    validate: (object, errors, ctx) => validateNode(object, errors, ctx),
    prepareForUpdate(object, old) {
      object["status"] = old["status"];
      delete object.spec.configSource;
    },
    validateUpdate(object, old, errors, ctx) {
      validateNode(object, errors, ctx);
      validateNodeChange(object, old, errors);
    },
    warnings,
    subresources: {
      status: statusPath({
        prepareForUpdate(object, old) {
          object["spec"] = old["spec"];
          delete object.status.config;
        },
        validateUpdate(object, old, errors, ctx) {
          validateReport(object, errors, ctx);
          validateNodeChange(object, old, errors);
        },
      }),
    },
    selectableFields: { "spec.unschedulable": (object) => String(object.spec?.unschedulable ?? false) },
    connectors: { proxy },
    columns: columnsOf(dialect.labelDomain),
  });
