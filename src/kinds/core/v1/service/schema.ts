/**
 * What a Service consists of.
 *
 * @module
 */
import {
  type Static,
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
} from "../../../../meta/types.ts";
import type { ObjectOf } from "../../../../schema/define-resource.ts";
import { objectSchema } from "../../../../schema/object-schema.ts";

/** A Service in a sentence. */
export const description = "A name and ports under which a set of programs is found.";

const ServicePort = struct("One port of the service.", {
  name: optional(text("Name of the port; needed when there are several.")),
  protocol: optional(text("TCP, UDP or SCTP.", { default: "TCP" })),
  appProtocol: pointer(text("What is spoken on the port.")),
  port: required(int32("The port of the service.")),
  targetPort: always(intOrString("The port of the programs, by number or name; the same as `port` by default.")),
  nodePort: optional(int32("The port on every node, for the types that have one; given out unless it is asked for.")),
});

const Condition = struct("What is known of one side of the service.", {
  type: required(text("What it is about.")),
  status: required(text("True, False or Unknown.")),
  observedGeneration: optional(int64("The generation of the service that this is known of.")),
  reason: required(text("Why, for programs.")),
  message: required(text("Why, for people.")),
  lastTransitionTime: nullable(time("When the status last changed.")),
});

const PortStatus = struct("One port of the load balancer.", {
  port: required(int32("The port of the service.")),
  protocol: required(text("TCP, UDP or SCTP.")),
  error: pointer(text("What is wrong with it.")),
});

const Ingress = struct("Where a load balancer takes requests.", {
  ip: optional(text("Its address.")),
  hostname: optional(text("Its name.")),
  ipMode: pointer(text("VIP: packets keep the address; Proxy: they get that of a node or a program.")),
  ports: optional(atomicList(PortStatus, "How its ports are.")),
});

const loadBalancerStatus = always(
  struct("The load balancer.", { ingress: optional(atomicList(Ingress, "Where it takes requests.")) }),
);

const Affinity = struct("How long clients are bound.", {
  clientIP: pointer(
    struct("By the address of the client.", { timeoutSeconds: pointer(int32("How long, 10800 by default.")) }),
  ),
});

/** The schema of a Service. */
export const schema = objectSchema(description, {
  spec: always(
    struct("What the service offers.", {
      ports: optional(keyedList(ServicePort, ["port", "protocol"], "The ports of the service.")),
      selector: optional(map(text(), "Labels of the programs behind it.", { atomic: true })),
      clusterIP: optional(text("The address of the service, given out unless it is asked for; None for one without.")),
      clusterIPs: optional(atomicList(text(), "The addresses, one for each family; the first is `clusterIP`.")),
      type: optional(text("ClusterIP, NodePort, LoadBalancer or ExternalName.", { default: "ClusterIP" })),
      externalIPs: optional(atomicList(text(), "More addresses that lead to it.")),
      sessionAffinity: optional(text("ClientIP or None.", { default: "None" })),
      loadBalancerIP: optional(text("The address that a load balancer should have.")),
      loadBalancerSourceRanges: optional(atomicList(text(), "From where a load balancer takes requests.")),
      externalName: optional(text("The name that it stands for, of the type ExternalName.")),
      externalTrafficPolicy: optional(text("Cluster or Local, for requests from outside.")),
      healthCheckNodePort: optional(int32("The port on which nodes tell whether they serve it.")),
      publishNotReadyAddresses: optional(bool("Whether programs count before they are ready.")),
      sessionAffinityConfig: pointer(Affinity),
      ipFamilyPolicy: pointer(text("SingleStack, PreferDualStack or RequireDualStack.")),
      ipFamilies: optional(atomicList(text(), "IPv4, IPv6 or both.")),
      allocateLoadBalancerNodePorts: pointer(bool("Whether a load balancer needs ports on the nodes.")),
      loadBalancerClass: pointer(text("Which load balancer serves it.")),
      internalTrafficPolicy: pointer(text("Cluster or Local, for requests from inside.")),
      trafficDistribution: pointer(
        text("Which programs are preferred: PreferSameZone, PreferSameNode or PreferClose."),
      ),
    }),
  ),
  status: always(
    struct("How the service is.", {
      loadBalancer: loadBalancerStatus,
      conditions: optional(keyedList(Condition, ["type"], "What is known of the service.")),
    }),
  ),
});

/** A port of a Service. */
export type Port = Static<typeof ServicePort>;

/** The spec of a Service. */
export type ServiceSpec = Service["spec"];

/** A Service. */
export type Service = ObjectOf<typeof schema>;

/** Which members a Service of some type has use for. */
export const isHeadless = ({ clusterIPs }: ServiceSpec): boolean =>
  clusterIPs?.length === 1 && clusterIPs[0] === "None";
export const needsAddress = ({ type }: ServiceSpec): boolean => type !== "ExternalName";
export const isBalanced = ({ type }: ServiceSpec): boolean => type === "LoadBalancer";
export const hasNodePorts = (spec: ServiceSpec): boolean => spec.type === "NodePort" || isBalanced(spec);
export const needsHealthPort = (spec: ServiceSpec): boolean =>
  isBalanced(spec) && spec.externalTrafficPolicy === "Local";
export const isReachedFromOutside = (spec: ServiceSpec): boolean =>
  hasNodePorts(spec) || (spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0);
