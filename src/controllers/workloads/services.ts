/** The parts that the controllers of Services share: the Pods that a Service selects, and the Services that a change concerns. */
import { type ApiObject, type Key, keyText } from "../../client/index.ts";
import { EndpointSlice, Node, Pod, Service } from "../../client/kinds/index.ts";
import { type GetInformer, type Informer, type SourceParts, sharedInformer } from "../../runtime/index.ts";
import { bucketOfLabels, hasLabels, labelBuckets } from "../../workloads/common/selecting.ts";
import { changesAddresses, hasPods } from "../../workloads/endpoints/pods.ts";
import { SERVICE_NAME } from "../../workloads/endpoints/slices.ts";
import { nodeOfPod } from "../common/nodes.ts";

/** The Pods by each of their labels, and by node. */
export const selectedPods = sharedInformer<Pod, "Namespaced", "label" | "node">(Pod, {
  indexes: { label: labelBuckets, node: nodeOfPod },
});

/** Indexes Services by one label of their selectors. */
const bucketOfService = (service: Service): string | undefined =>
  hasPods(service) ? bucketOfLabels(service.metadata.namespace ?? "", service.spec.selector!) : undefined;

/** The Services by one label of their selectors. */
export const selectingServices = sharedInformer(Service, { indexes: { selector: bucketOfService } });

/** Indexes slices by the Service that they name. */
const serviceOfSlice = ({ metadata: { namespace = "", labels } }: EndpointSlice): string | undefined => {
  const name = labels?.[SERVICE_NAME];
  return name === undefined ? undefined : keyText({ namespace, name });
};

/** The slices by the Service that they name. */
export const slicesOfServices = sharedInformer(EndpointSlice, { indexes: { service: serviceOfSlice } });

export const nodes = sharedInformer(Node);

/** Returns the Pods that the selector of a Service selects. */
export function podsOf(service: Service, pods: Informer<Pod, "Namespaced", "label">): readonly Pod[] {
  const { selector = {} } = service.spec;
  return pods
    .by("label", bucketOfLabels(service.metadata.namespace ?? "", selector))
    .filter((pod) => hasLabels(pod, selector));
}

/** Returns the keys of the Services whose selectors select a Pod. */
export function servicesOf(pod: Pod, services: Informer<Service, "Namespaced", "selector">): readonly string[] {
  return labelBuckets(pod).flatMap((bucket) =>
    services
      .by("selector", bucket)
      .filter(({ spec }) => hasLabels(pod, spec.selector!))
      .map(({ metadata: { namespace = "", name } }) => keyText({ namespace, name })),
  );
}

const ZONE = "topology.kubernetes.io/zone";

/** Adds the keys of Services whose addresses may have changed: by the Service, its Pods or their nodes. */
export function followServices(
  { own }: SourceParts,
  add: (key: string) => void,
  { withNodes }: { readonly withNodes: boolean },
): DisposableStack {
  const services = own(selectingServices);
  const pods = own(selectedPods);
  const following = new DisposableStack();
  const addServicesOf = (pod: Pod): void => {
    for (const key of servicesOf(pod, services)) add(key);
  };
  following.use(services.on(({ object }) => add(textOf(object))));
  following.use(
    pods.on((event) => {
      if (event.type !== "changed") addServicesOf(event.object);
      else if (changesAddresses(event.old, event.object)) {
        addServicesOf(event.object);
        addServicesOf(event.old);
      }
    }),
  );
  if (withNodes) {
    following.use(
      own(nodes).on((event) => {
        const zone = event.object.metadata.labels?.[ZONE];
        if (event.type === "changed" && event.old.metadata.labels?.[ZONE] === zone) return;
        for (const pod of pods.by("node", event.object.metadata.name)) addServicesOf(pod);
      }),
    );
  }
  return following;
}

/** The key of an object as a text. */
export const textOf = ({ metadata: { namespace = "", name } }: ApiObject): string => keyText({ namespace, name });

/** Adds the keys of the Services of slices that clients write. */
export const followSlices = (own: GetInformer, add: (key: string) => void, managedBy: string): Disposable =>
  own(slicesOfServices).on((event) => {
    const objects = event.type === "changed" ? [event.object, event.old] : [event.object];
    for (const slice of objects) {
      const key = slice.metadata.labels?.[MANAGED_BY_LABEL] === managedBy ? serviceOfSlice(slice) : undefined;
      if (key !== undefined) add(key);
    }
  });

const MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by";

/** The slices of a Service that clients write. */
export const slicesOf = (
  key: Key<"Namespaced">,
  slices: Informer<EndpointSlice, "Namespaced", "service">,
  managedBy: string,
): readonly EndpointSlice[] =>
  slices.by("service", keyText(key)).filter(({ metadata }) => metadata.labels?.[MANAGED_BY_LABEL] === managedBy);
