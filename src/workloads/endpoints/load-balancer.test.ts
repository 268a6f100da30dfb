import fc from "fast-check";
import { expect, test } from "vitest";
import type { Service } from "../../client/kinds/index.ts";
import { AddressPool, planAddresses } from "./load-balancer.ts";

test.each([
  ["192.0.2.0/29", "IPv4", ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6"]],
  ["192.0.2.4/31", "IPv4", ["192.0.2.4", "192.0.2.5"]],
  ["192.0.2.9/32", "IPv4", ["192.0.2.9"]],
  ["fd00::/126", "IPv6", ["fd00::1", "fd00::2", "fd00::3"]],
])("the addresses of %s", (network, family, addresses) => {
  const pool = new AddressPool([network]);
  expect(addresses.map((_, i) => pool.takeNext(family, `s${i}`))).toEqual(addresses);
  expect(pool.takeNext(family, "more")).toBeUndefined();
  expect(pool.takeNext(family === "IPv4" ? "IPv6" : "IPv4", "more")).toBeUndefined();
  expect(addresses.every((address) => pool.has(address))).toBe(true);
  expect(pool.has("203.0.113.1")).toBe(false);
});

test("an address has one owner, whatever is taken and freed, and the lowest free one is next", () => {
  const step = fc.record({ do: fc.constantFrom("next", "take", "free"), who: fc.nat(5), which: fc.nat(8) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const pool = new AddressPool(["192.0.2.0/29"]);
      const owners = new Map<string, string>();
      const play = (what: string, owner: string, address: string): readonly [got: unknown, wanted: unknown] => {
        if (what === "next") {
          const free = [1, 2, 3, 4, 5, 6].map((i) => `192.0.2.${i}`).find((one) => !owners.has(one));
          if (free) owners.set(free, owner);
          return [pool.takeNext("IPv4", owner), free];
        }
        if (what === "free") {
          if (owners.get(address) === owner) owners.delete(address);
          return [pool.free(address, owner), undefined];
        }
        const wanted = (owners.get(address) ?? owner) === owner;
        if (!owners.has(address)) owners.set(address, owner);
        return [pool.take(address, owner), wanted];
      };
      for (const { do: what, who, which } of steps) {
        const address = `192.0.2.${which}`;
        const [got, wanted] = play(what, `s${who}`, address);
        expect(got).toBe(wanted);
        expect(pool.ownerOf(address)).toBe(owners.get(address));
      }
    }),
  );
});

const service = (spec: object, ...addresses: readonly string[]): Service =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "a", namespace: "default" },
    spec: { ipFamilies: ["IPv4"], ...spec },
    status: { loadBalancer: addresses.length > 0 ? { ingress: addresses.map((ip) => ({ ip })) } : {} },
  }) as unknown as Service;

test("a Service whose write was refused is given the same address again", () => {
  const pool = new AddressPool(["192.0.2.1/32"]);
  const wants = service({ type: "LoadBalancer" });
  const first = planAddresses(wants, "default/a", pool);
  expect(first.againMillis).toBeUndefined();
  expect(planAddresses(wants, "default/a", pool)).toEqual(first);
});

test("a Service that wants no address any more frees also one that was never seen in its status", () => {
  const pool = new AddressPool(["192.0.2.1/32"]);
  planAddresses(service({ type: "LoadBalancer" }), "default/a", pool);
  planAddresses(service({ type: "ClusterIP" }), "default/a", pool);
  expect(pool.ownerOf("192.0.2.1")).toBeUndefined();
});
