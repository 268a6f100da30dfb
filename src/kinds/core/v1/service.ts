/**
 * Service: a name, addresses and ports for a set of programs (KIND-Service-1..20). It gets its addresses and ports from the
 * ranges of the server; nothing is proxied.
 *
 * @module
 */
import { label1035Name } from "../../../meta/names.ts";
import { unavailable } from "../../../meta/status.ts";
import { nameInSegment, proxyOptions } from "./pod/connectors.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition, Connector } from "../../../schema/definition.ts";
import { sameAddresses, sameFamilies } from "./service/families.ts";
import { oddPlaces } from "../../rules/load-balancer.ts";
import { validateChange, validateLoadBalancer, validateService, warningsOf } from "./service/rules.ts";
import {
  type Port,
  type Service,
  type ServiceSpec,
  description,
  hasNodePorts,
  isBalanced,
  isReachedFromOutside,
  needsAddress,
  needsHealthPort,
  schema,
} from "./service/schema.ts";
import { servicePools } from "./service/pools.ts";
import { serviceAllocations } from "./service/allocation.ts";
import { statusPath } from "../../rules/status.ts";

const HOURS_3 = 10_800;

function setDefaults({ spec, status }: Service): void {
  spec.type ||= "ClusterIP";
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: HOURS_3 } };
  }
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    port.targetPort ||= port.port;
  }
  if (isReachedFromOutside(spec)) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type === "ClusterIP" || hasNodePorts(spec)) spec.internalTrafficPolicy ??= "Cluster";
  if (!isBalanced(spec)) return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP";
}

/** Drops members that the new type does not use, unless the client has changed them (KIND-Service-8). */
function dropUseless(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsAddress(old) && !needsAddress(spec)) {
    if (sameAddresses(spec, old)) for (const member of ["clusterIP", "clusterIPs"] as const) delete spec[member];
    if (sameFamilies(spec, old)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  const had = new Set(old.ports?.map(({ nodePort = 0 }) => nodePort));
  const addsNone = spec.ports?.every(({ nodePort = 0 }) => nodePort === 0 || had.has(nodePort));
  if (hasNodePorts(old) && !hasNodePorts(spec) && addsNone) for (const port of spec.ports ?? []) delete port.nodePort;
  const drops = (wasOf: boolean, isOf: boolean, member: keyof ServiceSpec): void => {
    if (wasOf && !isOf && spec[member] === old[member]) delete spec[member];
  };
  drops(needsHealthPort(old), needsHealthPort(spec), "healthCheckNodePort");
  drops(isBalanced(old), isBalanced(spec), "allocateLoadBalancerNodePorts");
  drops(isBalanced(old), isBalanced(spec), "loadBalancerClass");
  drops(isReachedFromOutside(old), isReachedFromOutside(spec), "externalTrafficPolicy");
  drops(needsAddress(old), needsAddress(spec), "internalTrafficPolicy");
}

const ingressOf = (object: Service) => object.status?.loadBalancer?.ingress ?? [];

function externalOf(object: Service): string {
  const { spec } = object;
  const more = spec.externalIPs ?? [];
  if (spec.type === "ExternalName") return spec.externalName ?? "";
  if (!isBalanced(spec)) return more.join(",") || "<none>";
  const points = new Set(ingressOf(object).map(({ ip, hostname }) => ip || hostname || ""));
  points.delete("");
  return [...[...points].toSorted(), ...more].join(",") || "<pending>";
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

/** The connection to the programs behind a Service, which its Endpoints list. */
const proxy: Connector = {
  kind: "ServiceProxyOptions",
  verbs: ["create", "delete", "get", "patch", "update"],
  options: proxyOptions,
  isDeep: true,
  nameIn: nameInSegment,
  needs: ({ metadata }) => ({ resource: ["", "endpoints"], name: metadata.name! }),
  reach({ metadata }) {
    throw unavailable(
      `no endpoints available for service ${JSON.stringify(metadata.name)}: this server sends no requests on`,
    );
  },
};

/** The definition of Service. */
export function service(ctx: ApiContext): ResourceDefinition {
  const { labelDomain } = ctx.dialect;
  return defineResource(schema, {
    group: "",
    version: "v1",
    kind: "Service",
    plural: "services",
    shortNames: ["svc"],
    categories: ["all"],
    scope: "Namespaced",
    description,
    nameRule: label1035Name,
    createOnUpdate: true,
    deleteReturns: "object",
    allocations: serviceAllocations(servicePools(ctx)),
    resetFields: ["status"],
    defaults(object) {
      if (object["spec"]) setDefaults(object);
    },
    prepareForCreate(object) {
      object["status"] = { loadBalancer: {} };
    },
    prepareForUpdate(object, old) {
      object["status"] = isBalanced(object.spec) ? old["status"] : { ...(old["status"] as object), loadBalancer: {} };
      dropUseless(object.spec, old.spec);
    },
    validate: (object, errors, write) => validateService(object, undefined, errors, write),
    validateUpdate(object, old, errors, write) {
      validateChange(object.spec, old.spec, errors);
      validateService(object, old, errors, write);
    },
    warnings: (object) => warningsOf(object, labelDomain),
    subresources: {
      status: statusPath({
        validateUpdate(object, old, errors) {
          const [field, ingress] = ["status.loadBalancer.ingress", ingressOf(object)];
          if (!isBalanced(object.spec) && ingress.length > 0) {
            errors.forbidden(field, "expected none, it is for the type LoadBalancer");
          } else validateLoadBalancer(ingress, field, errors, ingressOf(old));
        },
        warnings: (object) => oddPlaces(ingressOf(object), "status.loadBalancer.ingress"),
      }),
    },
    connectors: { proxy },
    selectableFields: {
      "spec.clusterIP": (object) => object.spec.clusterIP ?? "",
      "spec.type": (object) => object.spec.type ?? "",
    },
    columns: [
      textColumn("Type", "The type of the service.", (object) => object.spec.type ?? ""),
      textColumn("Cluster-IP", "Its address in the cluster.", (object) => object.spec.clusterIPs?.[0] ?? "<none>"),
      textColumn("External-IP", "Its addresses for the outside.", (object) => externalOf(object)),
      textColumn("Port(s)", "Its ports.", (object) => portsOf(object.spec.ports)),
      ageColumn,
      textColumn("Selector", "Labels of the programs behind it.", (object) => selectorOf(object.spec.selector), true),
    ],
  });
}
