/** Gives Services of the type LoadBalancer addresses of configured networks, as a load balancer would. */
import { type Key, parseKey } from "../../client/index.ts";
import type { Service } from "../../client/kinds/index.ts";
import { type Controller, type SourceParts, defineKeyController } from "../../runtime/index.ts";
import { AddressPool, addressesOfService, planAddresses } from "../../workloads/endpoints/load-balancer.ts";
import { perform } from "./perform.ts";
import { selectingServices, textOf } from "./services.ts";

/** The settings of the controller. */
export interface LoadBalancerSettings {
  /** Networks for the addresses, at most one of each family; without any no Service gets one. */
  readonly loadBalancerAddresses?: readonly string[] | undefined;
}

/** The addresses of Services: those in the objects, and those just written. */
class PoolMemory implements Disposable {
  readonly pool: AddressPool;
  readonly #following: Disposable;

  constructor(networks: readonly string[], { own }: SourceParts, add: (key: string) => void) {
    this.pool = new AddressPool(networks);
    // Existing addresses are kept: they are recorded before any is allocated.
    const services = own(selectingServices);
    for (const service of services.list()) this.#keep(service);
    this.#following = services.on((event) => {
      const key = textOf(event.object);
      // The last version seen may be from before it had its addresses.
      if (event.type === "deleted") this.pool.freeAll(key);
      else {
        if (event.type === "changed") {
          const kept = new Set(addressesOfService(event.object));
          for (const address of addressesOfService(event.old)) if (!kept.has(address)) this.pool.free(address, key);
        }
        this.#keep(event.object);
      }
      add(key);
    });
  }

  #keep(service: Service): void {
    if (service.spec.type !== "LoadBalancer") return;
    for (const address of addressesOfService(service)) this.pool.take(address, textOf(service));
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
  }
}

/** The controller named `service-lb`; it runs only where there are networks. */
export const loadBalancers = ({ loadBalancerAddresses: networks = [] }: LoadBalancerSettings): Controller =>
  defineKeyController({
    name: "keelson-service-lb",
    eventSource: "service-controller",
    uses: [selectingServices],
    // One after the other, so that an address is allocated once.
    concurrency: 1,
    begin: (parts, add) => new PoolMemory(networks, parts, add),
    async reconcile({ key: text, memory, informer, client, event }) {
      const key: Key<"Namespaced"> = parseKey(text);
      const service = informer(selectingServices).get(key);
      if (!service) return undefined;
      const plan = planAddresses(service, text, memory.pool);
      return perform(plan, { client, tell: (type, ...told) => event(type, service, ...told) });
    },
  });
