import { describe, expect, test } from "vitest";
import { kubernetes } from "../meta/dialect.ts";
import { type Store, StoreError } from "../storage/contract.ts";
import { type MemoryStore, openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { widget } from "../registry/testing/registry.ts";
import { createCluster } from "./cluster.ts";

/** A store that counts its watches, and fails where the test says so. */
async function storeWith(failing: Partial<Pick<Store, "write" | "range">> = {}, of?: MemoryStore) {
  const store = of ?? (await openMemoryStore());
  let watches = 0;
  const watched: Store = new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === "watch") {
        return ((...given) => {
          const watch = target.watch(...given);
          watches++;
          let isOpen = true;
          const close = (): void => {
            if (isOpen) watches--;
            isOpen = false;
            watch.close();
          };
          return { close };
        }) satisfies Store["watch"];
      }
      const value: unknown = failing[name as "write"] ?? target[name];
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { store: watched, plain: store, watches: () => watches };
}

const parts = () => ({ dialect: kubernetes, clock: new ManualClock(), random: seededRandom(1) });

const fail = (why: string): never => {
  throw new Error(why);
};

/** What waits for the clock although nothing is there any more. */
const left = (clock: ManualClock): readonly unknown[] => clock.timers().map(({ owner }) => owner ?? "no owner");

describe("a cluster that cannot be put together", () => {
  test("closes the registry and what follows objects when the objects of the start cannot be made", async () => {
    const { store, watches } = await storeWith({
      write: () => Promise.reject(new StoreError("failed", "Expected the disk to take a write, got an error")),
    });
    const { clock, ...rest } = parts();
    await expect(createCluster({ ...rest, clock, store })).rejects.toThrow("the store is closing");
    expect(watches()).toBe(0);
    expect(left(clock)).toEqual([]);
  });

  test.each([
    ["the authorizer", "no authorizer", { authorizer: () => fail("no authorizer") }],
    ["the steps of admission", "not iterable", { steps: null as never }],
    ["the definitions", "expected one definition of", { definitions: [widget("v1"), widget("v1")] }],
  ])("closes the cache when a later part of the registry fails: %s", async (_part, why, broken) => {
    const { store, watches } = await storeWith();
    const { clock, ...rest } = parts();
    await expect(createCluster({ ...rest, clock, store, ...broken })).rejects.toThrow(why);
    expect(watches()).toBe(0);
    expect(left(clock)).toEqual([]);
  });

  test("closes the cache of a fork when its authorizer fails", async () => {
    const first = await openMemoryStore();
    await using cluster = await createCluster({ ...parts(), store: first });
    const { store, plain, watches } = await storeWith({}, first.fork());
    const kept = cluster.keep(plain, new ManualClock());
    expect(() => kept.fork({ store, authorizer: () => fail("no authorizer") })).toThrow("no authorizer");
    expect(watches()).toBe(0);
  });

  test("closes everything when the server is not what it has to be", async () => {
    const { store, watches } = await storeWith();
    const { clock, ...rest } = parts();
    const defaultRoles = {
      get filters(): never {
        throw new Error("no filters");
      },
    };
    const creating = createCluster({ ...rest, clock, store, defaultRoles: true, server: defaultRoles });
    await expect(creating).rejects.toThrow("no filters");
    expect(watches()).toBe(0);
    expect(left(clock)).toEqual([]);
  });
});

test("a cluster that is closed leaves no watch and no timer", async () => {
  const { store, watches } = await storeWith();
  const { clock, ...rest } = parts();
  const cluster = await createCluster({ ...rest, clock, store });
  expect(watches()).toBeGreaterThan(0);
  expect(left(clock).length).toBeGreaterThan(0);
  await cluster.close();
  expect(watches()).toBe(0);
  expect(left(clock)).toEqual([]);
});

test("closing twice is closing once, and both wait for it", async () => {
  const { store } = await storeWith();
  const { clock, ...rest } = parts();
  const cluster = await createCluster({ ...rest, clock, store });
  const order: string[] = [];
  await Promise.all([
    cluster.close().then(() => order.push("first")),
    cluster.close().then(() => order.push("second")),
  ]);
  expect(order).toEqual(["first", "second"]);
  expect(left(clock)).toEqual([]);
});

test("a fork that cannot be made leaves the moment and others alone", async () => {
  const { store, plain } = await storeWith();
  const { clock, ...rest } = parts();
  await using cluster = await createCluster({ ...rest, clock, store });
  const still = plain.fork();
  const moment = cluster.keep(still, clock);
  const before = left(clock).length;
  const failing = {
    store: still.fork(),
    authorizer: (): never => {
      throw new Error("no authorizer");
    },
  };
  expect(() => moment.fork(failing)).toThrow("no authorizer");
  await using fork = moment.fork({ store: still.fork() });
  expect(fork.kinds.stored("configmaps")).toBeDefined();
  await fork.close();
  expect(left(clock).length).toBe(before);
});
