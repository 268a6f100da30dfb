/**
 * Service: a name and ports for a set of programs. Served so that clients which list services find them; no address is
 * given out and nothing is proxied.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain, label1035Name } from "../../../meta/names.ts";
import {
  always,
  atomicList,
  bool,
  int32,
  int64,
  intOrString,
  keyedList,
  map,
  nullable,
  optional,
  pointer,
  required,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import type { ApiObject, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const description = "A name and ports under which a set of programs is found.";

const ServicePort = struct("One port of the service.", {
  name: optional(text("Name of the port; needed when there are several.")),
  protocol: optional(text("TCP, UDP or SCTP.", { default: "TCP" })),
  appProtocol: pointer(text("What is spoken on the port.")),
  port: required(int32("The port of the service.")),
  targetPort: optional(intOrString("The port of the programs, by number or name; the same as `port` by default.")),
  nodePort: optional(int32("The port on every node, for the types that have one.")),
});

const Condition = struct("What is known of one side of the service.", {
  type: required(text("What it is about.")),
  status: required(text("True, False or Unknown.")),
  observedGeneration: optional(int64("The generation of the service that this is known of.")),
  reason: optional(text("Why, for programs.")),
  message: optional(text("Why, for people.")),
  lastTransitionTime: nullable(time("When the status last changed.")),
});

const Ingress = struct("Where a load balancer takes requests.", {
  ip: optional(text("Its address.")),
  hostname: optional(text("Its name.")),
});

const schema = objectSchema(description, {
  spec: always(
    struct("What the service offers.", {
      ports: optional(keyedList(ServicePort, ["port", "protocol"], "The ports of the service.")),
      selector: optional(map(text(), "Labels of the programs behind it.", { atomic: true })),
      clusterIP: optional(text("The address of the service; None for one without.")),
      clusterIPs: optional(atomicList(text(), "The addresses, one for each family.")),
      type: optional(text("ClusterIP, NodePort, LoadBalancer or ExternalName.", { default: "ClusterIP" })),
      externalIPs: optional(atomicList(text(), "More addresses that lead to it.")),
      sessionAffinity: optional(text("ClientIP or None.", { default: "None" })),
      loadBalancerIP: optional(text("The address that a load balancer should have.")),
      loadBalancerSourceRanges: optional(atomicList(text(), "From where a load balancer takes requests.")),
      loadBalancerClass: pointer(text("Which load balancer serves it.")),
      externalName: optional(text("The name that it stands for, of the type ExternalName.")),
      externalTrafficPolicy: optional(text("Cluster or Local, for requests from outside.")),
      internalTrafficPolicy: pointer(text("Cluster or Local, for requests from inside.")),
      healthCheckNodePort: optional(int32("The port on which nodes tell whether they serve it.")),
      publishNotReadyAddresses: optional(bool("Whether programs count before they are ready.")),
      ipFamilies: optional(atomicList(text(), "IPv4, IPv6 or both.")),
      ipFamilyPolicy: pointer(text("SingleStack, PreferDualStack or RequireDualStack.")),
      allocateLoadBalancerNodePorts: pointer(bool("Whether a load balancer needs ports on the nodes.")),
    }),
  ),
  status: always(
    struct("How the service is.", {
      loadBalancer: always(
        struct("The load balancer.", { ingress: optional(atomicList(Ingress, "Where it takes requests.")) }),
      ),
      conditions: optional(keyedList(Condition, ["type"], "What is known of the service.")),
    }),
  ),
});

interface Port {
  name?: string;
  port: number;
  protocol?: string;
  targetPort?: number | string;
  nodePort?: number;
}

interface Service extends ApiObject {
  spec: {
    type?: string;
    ports?: Port[];
    selector?: Record<string, string>;
    clusterIP?: string;
    externalIPs?: string[];
    externalName?: string;
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

const specOf = (object: ApiObject): Service["spec"] => (object as Service).spec;

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function validate(object: ApiObject, errors: FieldErrors): void {
  const { type = "ClusterIP", ports = [], clusterIP, externalName } = specOf(object);
  if (!TYPES.includes(type)) errors.notSupported("spec.type", type, TYPES);
  if (type === "ExternalName") {
    const wrong = externalName ? dnsSubdomain(externalName.toLowerCase().replace(/\.$/, "")) : undefined;
    if (!externalName) errors.required("spec.externalName");
    if (wrong) errors.invalid("spec.externalName", externalName, wrong);
  } else if (ports.length === 0 && clusterIP !== "None") {
    errors.required("spec.ports");
  }
  validatePorts(ports, errors);
}

function validatePorts(ports: readonly Port[], errors: FieldErrors): void {
  const names = new Set<string>();
  const pairs = new Set<string>();
  ports.forEach(({ name = "", port, protocol = "TCP", targetPort }, i) => {
    const field = `spec.ports[${i}]`;
    if (name === "" && ports.length > 1) errors.required(`${field}.name`, "expected a name, there are several ports");
    const wrong = name === "" ? undefined : dnsLabel(name);
    if (wrong) errors.invalid(`${field}.name`, name, wrong);
    if (name !== "" && names.has(name)) errors.duplicate(`${field}.name`, name);
    names.add(name);
    if (!isPort(port)) errors.invalid(`${field}.port`, port, "expected 1 to 65535");
    if (!PROTOCOLS.includes(protocol)) errors.notSupported(`${field}.protocol`, protocol, PROTOCOLS);
    if (typeof targetPort === "number" && !isPort(targetPort)) {
      errors.invalid(`${field}.targetPort`, targetPort, "expected 1 to 65535");
    }
    if (pairs.has(`${port}/${protocol}`)) errors.duplicate(field, { port, protocol });
    pairs.add(`${port}/${protocol}`);
  });
}

const isPort = (port: number): boolean => port >= 1 && port <= 65535;

function externalOf({ spec, status }: Service): string {
  const more = spec.externalIPs ?? [];
  if (spec.type === "ExternalName") return spec.externalName ?? "";
  if (spec.type !== "LoadBalancer") return more.join(",") || "<none>";
  const points = status?.loadBalancer?.ingress?.map(({ ip, hostname }) => ip ?? hostname ?? "") ?? [];
  return [...points, ...more].join(",") || "<pending>";
}

const portsOf = (ports: readonly Port[] = []): string =>
  ports
    .map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol ?? "TCP"}`)
    .join(",") || "<none>";

const selectorOf = (selector: Readonly<Record<string, string>> = {}): string =>
  Object.keys(selector)
    .toSorted()
    .map((key) => `${key}=${selector[key]}`)
    .join(",") || "<none>";

/** The definition of Service. */
export const service: ResourceDefinition = {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  singular: "service",
  shortNames: ["svc"],
  categories: ["all"],
  scope: "Namespaced",
  description,
  schema,
  nameRule: label1035Name,
  defaults(object) {
    const { spec } = object as Service;
    for (const port of spec.ports ?? []) port.targetPort ??= port.port;
  },
  prepareForCreate(object) {
    object["status"] = { loadBalancer: {} };
  },
  prepareForUpdate(object, old) {
    object["status"] = old["status"];
  },
  resetFields: ["status"],
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  deleteAnswers: "object",
  subresources: {
    status: {
      verbs: ["get", "patch", "update"],
      prepareForUpdate(object, old) {
        object["spec"] = old["spec"];
      },
      resetFields: ["spec"],
    },
  },
  selectableFields: {
    "spec.clusterIP": (object) => specOf(object).clusterIP ?? "",
    "spec.type": (object) => specOf(object).type ?? "",
  },
  columns: [
    textColumn("Type", "The type of the service.", (object) => specOf(object).type ?? ""),
    textColumn("Cluster-IP", "Its address in the cluster.", (object) => specOf(object).clusterIP || "<none>"),
    textColumn("External-IP", "Its addresses for the outside.", (object) => externalOf(object as Service)),
    textColumn("Port(s)", "Its ports.", (object) => portsOf(specOf(object).ports)),
    ageColumn,
    textColumn("Selector", "Labels of the programs behind it.", (object) => selectorOf(specOf(object).selector), true),
  ],
};
