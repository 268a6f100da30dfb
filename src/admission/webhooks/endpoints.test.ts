import { expect, test } from "vitest";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup, ObjectName } from "../../schema/lookup.ts";
import { systemClock } from "../../util/clock.ts";
import { lookupOf, objectOf } from "../testing/requests.ts";
import { ServiceEndpoints } from "./endpoints.ts";

const slice = (name: string, service: string, address: string): ApiObject =>
  objectOf(
    { name, namespace: "team", labels: { "kubernetes.io/service-name": service } },
    { kind: "EndpointSlice", endpoints: [{ addresses: [address], conditions: {} }], ports: [{ port: 9443 }] },
  );

/** Endpoints over slices that change. */
function following(...slices: readonly ApiObject[]) {
  const objects = new Map(slices.map((one) => [one.metadata.name!, one]));
  const changes: ObjectName[] = [];
  let reads = 0;
  const lookup: Lookup = {
    ...lookupOf({}),
    get: (_resource, _namespace, name) => objects.get(name),
    collect: (_resource, read) => {
      reads++;
      return Promise.resolve([...objects.values()].map(read).filter((one) => one !== undefined));
    },
    follow: () => ({
      get mark() {
        return changes.length;
      },
      changedSince: (mark) => changes.slice(mark),
    }),
  };
  const endpoints = new ServiceEndpoints(lookup, systemClock.loop);
  const addresses = async (name: string): Promise<readonly string[] | undefined> =>
    (await endpoints.of("team", name))?.flatMap((one) => one.addresses);
  const change = (name: string, next: ApiObject | undefined): void => {
    if (next) objects.set(name, next);
    else objects.delete(name);
    changes.push({ namespace: "team", name });
  };
  return { addresses, change, reads: () => reads };
}

test("endpoints follow their slices, and all slices are read once", async () => {
  const { addresses, change, reads } = following(slice("a", "one", "10.0.0.1"), slice("b", "two", "10.0.0.2"));
  expect(await addresses("one")).toEqual(["10.0.0.1"]);
  change("c", slice("c", "one", "10.0.0.3"));
  expect(await addresses("one")).toEqual(["10.0.0.1", "10.0.0.3"]);
  change("a", slice("a", "two", "10.0.0.1"));
  expect([await addresses("one"), await addresses("two")]).toEqual([["10.0.0.3"], ["10.0.0.2", "10.0.0.1"]]);
  change("c", undefined);
  expect(await addresses("one")).toBeUndefined();
  expect(reads()).toBe(1);
});

test("with many changes all slices are read again", async () => {
  const { addresses, change, reads } = following(slice("a", "one", "10.0.0.1"));
  await addresses("one");
  for (let i = 0; i < 1001; i++) change("a", slice("a", "one", "10.0.0.9"));
  expect(await addresses("one")).toEqual(["10.0.0.9"]);
  expect(reads()).toBe(2);
});
