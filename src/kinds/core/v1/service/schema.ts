/**
 * The schema of a Service.
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import type { ObjectOf } from "../../../../schema/define-resource.ts";
import { objectSchema } from "../../../../schema/object-schema.ts";

/** The description of a Service. */
export const description = "A name, addresses and ports for a set of Pods.";

const ServicePort = t.struct("One port of the service.", {
  name: t.optional(t.text("Name of the port; needed when there are several.")),
  protocol: t.optional(t.text("TCP, UDP or SCTP.", { default: "TCP" })),
  appProtocol: t.pointer(t.text("The protocol of the application.")),
  port: t.required(t.int32("The port of the service.")),
  targetPort: t.always(t.intOrString("The port of the programs, by number or name; the same as `port` by default.")),
  nodePort: t.optional(
    t.int32("The port on every node, for the types that have one; allocated unless it is requested."),
  ),
});

const Condition = t.struct("A condition of the service.", {
  type: t.required(t.text("The type of the condition.")),
  status: t.required(t.text("True, False or Unknown.")),
  observedGeneration: t.optional(t.int64("The generation of the service that this is known of.")),
  reason: t.required(t.text("Why, for programs.")),
  message: t.required(t.text("Why, for people.")),
  lastTransitionTime: t.nullable(t.time("When the status last changed.")),
});

const PortStatus = t.struct("One port of the load balancer.", {
  port: t.required(t.int32("The port of the service.")),
  protocol: t.required(t.text("TCP, UDP or SCTP.")),
  error: t.pointer(t.text("The error.")),
});

const Ingress = t.struct("An address of a load balancer.", {
  ip: t.optional(t.text("Its address.")),
  hostname: t.optional(t.text("Its name.")),
  ipMode: t.pointer(t.text("VIP: packets keep the address; Proxy: they get that of a node or a program.")),
  ports: t.optional(t.atomicList(PortStatus, "How its ports are.")),
});

const loadBalancerStatus = t.always(
  t.struct("The load balancer.", { ingress: t.optional(t.atomicList(Ingress, "The addresses for requests.")) }),
);

const Affinity = t.struct("How long clients are bound.", {
  clientIP: t.pointer(
    t.struct("By the address of the client.", { timeoutSeconds: t.pointer(t.int32("How long, 10800 by default.")) }),
  ),
});

/** The schema of a Service. */
export const schema = objectSchema(description, {
  spec: t.always(
    t.struct("The properties of the service.", {
      ports: t.optional(t.keyedList(ServicePort, ["port", "protocol"], "The ports of the service.")),
      selector: t.optional(t.map(t.text(), "Labels of the programs behind it.", { atomic: true })),
      clusterIP: t.optional(
        t.text("The address of the service, allocated unless it is requested; None for a service without one."),
      ),
      clusterIPs: t.optional(t.atomicList(t.text(), "The addresses, one for each family; the first is `clusterIP`.")),
      type: t.optional(t.text("ClusterIP, NodePort, LoadBalancer or ExternalName.", { default: "ClusterIP" })),
      externalIPs: t.optional(t.atomicList(t.text(), "More addresses that lead to it.")),
      sessionAffinity: t.optional(t.text("ClientIP or None.", { default: "None" })),
      loadBalancerIP: t.optional(t.text("The address that a load balancer should have.")),
      loadBalancerSourceRanges: t.optional(t.atomicList(t.text(), "From where a load balancer takes requests.")),
      externalName: t.optional(t.text("The external name, for the type ExternalName.")),
      externalTrafficPolicy: t.optional(t.text("Cluster or Local, for requests from outside.")),
      healthCheckNodePort: t.optional(t.int32("The port on which nodes tell whether they serve it.")),
      publishNotReadyAddresses: t.optional(t.bool("Whether programs count before they are ready.")),
      sessionAffinityConfig: t.pointer(Affinity),
      ipFamilyPolicy: t.pointer(t.text("SingleStack, PreferDualStack or RequireDualStack.")),
      ipFamilies: t.optional(t.atomicList(t.text(), "IPv4, IPv6 or both.")),
      allocateLoadBalancerNodePorts: t.pointer(t.bool("Whether a load balancer needs ports on the nodes.")),
      loadBalancerClass: t.pointer(t.text("Which load balancer serves it.")),
      internalTrafficPolicy: t.pointer(t.text("Cluster or Local, for requests from inside.")),
      trafficDistribution: t.pointer(
        t.text("Which programs are preferred: PreferSameZone, PreferSameNode or PreferClose."),
      ),
    }),
  ),
  status: t.always(
    t.struct("How the service is.", {
      loadBalancer: loadBalancerStatus,
      conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the service.")),
    }),
  ),
});

/** A port of a Service. */
export type Port = t.Static<typeof ServicePort>;

/** The spec of a Service. */
export type ServiceSpec = Service["spec"];

/** A Service. */
export type Service = ObjectOf<typeof schema>;

/** The members that a Service of a type uses. */
export const isHeadless = ({ clusterIPs }: ServiceSpec): boolean =>
  clusterIPs?.length === 1 && clusterIPs[0] === "None";
export const needsAddress = ({ type }: ServiceSpec): boolean => type !== "ExternalName";
export const isBalanced = ({ type }: ServiceSpec): boolean => type === "LoadBalancer";
export const hasNodePorts = (spec: ServiceSpec): boolean => spec.type === "NodePort" || isBalanced(spec);
export const needsHealthPort = (spec: ServiceSpec): boolean =>
  isBalanced(spec) && spec.externalTrafficPolicy === "Local";
export const isReachedFromOutside = (spec: ServiceSpec): boolean =>
  hasNodePorts(spec) || (spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0);
