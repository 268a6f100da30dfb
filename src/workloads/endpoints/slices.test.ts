import fc from "fast-check";
import { expect, test } from "vitest";
import type { EndpointSlice, Node, Pod, Service } from "../../client/kinds/index.ts";
import type { PlannedWrite } from "../common/plan.ts";
import { planEndpoints } from "./endpoints.ts";
import { MAX_ENDPOINTS } from "./endpoint.ts";
import { atOnce } from "../../util/steps.ts";
import { planSlices } from "./slices.ts";

const service = (spec: object = {}): Service =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", namespace: "default", uid: "service" },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.1",
      ipFamilies: ["IPv4"],
      selector: { app: "a" },
      ports: [{ port: 80, protocol: "TCP", targetPort: "web" }],
      ...spec,
    },
    status: { loadBalancer: {} },
  }) as unknown as Service;

interface Wanted {
  readonly ready: boolean;
  readonly port: number;
  readonly node: boolean;
  readonly six: boolean;
}
const podOf = (i: number, { ready, port, node, six }: Wanted): Pod => {
  const podIPs = [{ ip: `10.1.${i >> 8}.${i & 255}` }, ...(six ? [{ ip: `fd00::${(i + 1).toString(16)}` }] : [])];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p${i}`, namespace: "default", uid: `u${i}`, labels: { app: "a" } },
    spec: {
      nodeName: node ? "n" : "gone",
      containers: [{ name: "c", ports: [{ name: "web", containerPort: port, protocol: "TCP" }] }],
    },
    status: {
      phase: "Running",
      podIP: podIPs[0]!.ip,
      podIPs,
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  } as unknown as Pod;
};
const nodeOf = (name: string) => (name === "n" ? ({ metadata: { name } } as Node) : undefined);

/** Slices as a server would store them after a plan. */
class Store {
  slices: readonly EndpointSlice[] = [];
  #count = 0;

  apply(writes: readonly PlannedWrite[]): void {
    for (const write of writes) {
      if (write.verb === "create") {
        const name = `s-${this.#count++}`;
        this.slices = [
          ...this.slices,
          { ...write.object, metadata: { ...write.object.metadata, name } } as unknown as EndpointSlice,
        ];
      } else if (write.verb === "update") {
        const { name } = write.object.metadata;
        this.slices = this.slices.map((slice) =>
          slice.metadata.name === name ? (write.object as EndpointSlice) : slice,
        );
      } else if (write.verb === "delete") {
        this.slices = this.slices.filter(({ metadata }) => metadata.name !== write.object.metadata.name);
      }
    }
  }
}

const writesOf = (pods: readonly Pod[], slices: readonly EndpointSlice[], of = service()) =>
  atOnce(planSlices({ service: of, pods, slices, nodeOf, triggerTime: undefined })).stages.flat();

const state = fc.record({
  ready: fc.boolean(),
  port: fc.constantFrom(8080, 8080, 8080, 9090),
  node: fc.constant(true),
  six: fc.boolean(),
});
const change = fc.oneof(
  fc.record({ do: fc.constant("add" as const), count: fc.integer({ min: 1, max: 130 }), state }),
  fc.record({ do: fc.constant("remove" as const), from: fc.nat(400), count: fc.integer({ min: 1, max: 130 }) }),
  fc.record({ do: fc.constant("set" as const), from: fc.nat(400), count: fc.integer({ min: 1, max: 5 }), state }),
  fc.record({ do: fc.constant("lose" as const), from: fc.nat(400) }),
  fc.record({ do: fc.constant("families" as const), both: fc.boolean() }),
);

test("WL-EP-1, WL-EP-2, WL-EP-5: after any history the slices are exactly the Pods, never more than 100 each, and at rest nothing is written", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      const store = new Store();
      const pods = new Map<number, Wanted>();
      let families = ["IPv4"];
      let next = 0;
      for (const one of changes) {
        if (one.do === "families") families = one.both ? ["IPv4", "IPv6"] : ["IPv4"];
        else if (one.do === "add") for (let i = 0; i < one.count; i++) pods.set(next++, one.state);
        else if (one.do === "lose") {
          const known = pods.get(one.from);
          if (known) pods.set(one.from, { ...known, node: !known.node });
        } else {
          for (let i = one.from; i < one.from + one.count; i++) {
            if (one.do === "remove") pods.delete(i);
            else if (pods.has(i)) pods.set(i, one.state);
          }
        }
        const of = service({ ipFamilies: families });
        const all = [...pods].map(([i, wanted]) => podOf(i, wanted));
        store.apply(writesOf(all, store.slices, of));
        expect(store.slices.every((slice) => slice.endpoints.length <= MAX_ENDPOINTS)).toBe(true);
        expect(found(store.slices)).toEqual(expected(pods, families));
        expect(new Set(store.slices.map(({ addressType }) => addressType))).toEqual(new Set(families));
        expect(writesOf(all, store.slices, of)).toEqual([]);
      }
    }),
  );
});

const found = (slices: readonly EndpointSlice[]) =>
  slices
    .flatMap(({ endpoints, ports, addressType }) =>
      endpoints.map((one) => `${addressType} ${one.addresses.join()} ${ports[0]?.port} ${one.conditions.ready}`),
    )
    .toSorted();
const expected = (pods: ReadonlyMap<number, Wanted>, families: readonly string[]) =>
  [...pods]
    .filter(([, { node }]) => node)
    .flatMap(([i, wanted]) => {
      const { podIPs } = podOf(i, wanted).status;
      const rest = `${wanted.port} ${wanted.ready}`;
      return families.flatMap((family) => {
        const ip = podIPs!.find((one) => one.ip!.includes(":") === (family === "IPv6"))?.ip;
        return ip === undefined ? [] : `${family} ${ip} ${rest}`;
      });
    })
    .toSorted();

const USUAL: Wanted = { ready: true, port: 8080, node: true, six: false };

test("WL-EP-5: a change of one Pod of 1,000 writes one slice, and a further one goes where there is room", () => {
  const store = new Store();
  const pods = Array.from({ length: 950 }, (_, i) => podOf(i, USUAL));
  store.apply(writesOf(pods, []));
  expect(store.slices.map((slice) => slice.endpoints.length).toSorted((a, b) => a - b)).toEqual([
    50,
    ...Array(9).fill(100),
  ]);
  const one = pods.with(500, podOf(500, { ...USUAL, ready: false }));
  expect(writesOf(one, store.slices)).toMatchObject([{ verb: "update" }]);
  store.apply(writesOf(one, store.slices));
  expect(writesOf([...one, podOf(950, USUAL)], store.slices)).toMatchObject([{ verb: "update" }]);
  const more = Array.from({ length: 60 }, (_, i) => podOf(950 + i, USUAL));
  expect(writesOf([...one, ...more], store.slices)).toMatchObject([{ verb: "create" }]);
});

test("WL-EP-4: the family of Endpoints is the first of the Service", () => {
  const pods = [podOf(1, { ...USUAL, six: true }), podOf(2, USUAL)];
  const of = service({ ipFamilies: ["IPv6", "IPv4"] });
  const [write] = atOnce(
    planEndpoints({ service: of, pods, current: undefined, triggerTime: undefined }),
  ).stages.flat();
  expect(write).toMatchObject({ object: { subsets: [{ addresses: [{ ip: "fd00::2" }], ports: [{ port: 8080 }] }] } });
});

test("WL-EP-6: killed after any write, it ends in the same endpoints", () => {
  const pods = fc.array(fc.tuple(fc.nat(180), state), { maxLength: 150 });
  fc.assert(
    fc.property(pods, pods, fc.nat(6), (before, after, writes) => {
      const store = new Store();
      const all = (some: readonly (readonly [number, Wanted])[]) => new Map(some);
      const list = (some: ReadonlyMap<number, Wanted>) => [...some].map(([i, wanted]) => podOf(i, wanted));
      store.apply(writesOf(list(all(before)), []));
      store.apply(writesOf(list(all(after)), store.slices).slice(0, writes));
      store.apply(writesOf(list(all(after)), store.slices));
      expect(found(store.slices)).toEqual(expected(all(after), ["IPv4"]));
      expect(writesOf(list(all(after)), store.slices)).toEqual([]);
    }),
  );
});
