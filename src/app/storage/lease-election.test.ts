import { expect, test } from "vitest";
import { StatusError, type ResourceClient } from "../../client/index.ts";
import type { Lease } from "../../client/kinds/index.ts";
import { LeaseElection } from "./lease-election.ts";
import { ManualClock } from "../../util/clock.ts";

const refusal = (reason: "Conflict" | "AlreadyExists"): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    code: 409,
    reason,
    message: "",
  });

/** One Lease as a server stores it: versions increase, and a write of an old version is refused. */
function oneLease(): { leases: ResourceClient<Lease, "Namespaced">; lease: () => Lease | undefined } {
  let stored: Lease | undefined;
  let version = 0;
  const store = (lease: Lease): Lease => {
    stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++version) } };
    return stored;
  };
  const leases = {
    async find() {
      return stored;
    },
    async create(lease: Lease) {
      if (stored) throw refusal("AlreadyExists");
      return store(lease);
    },
    async update(lease: Lease) {
      if (lease.metadata.resourceVersion !== stored?.metadata.resourceVersion) throw refusal("Conflict");
      return store(lease);
    },
  };
  return { leases: leases as unknown as ResourceClient<Lease, "Namespaced">, lease: () => stored };
}

const same = (before: Readonly<Record<string, string>>): Record<string, string> => ({ ...before });

function candidates(leases: ResourceClient<Lease, "Namespaced">, clock: ManualClock): [LeaseElection, LeaseElection] {
  const options = { leases, clock, namespace: "default", name: "work" };
  const make = (identity: string): LeaseElection => new LeaseElection({ ...options, identity, durationMillis: 30_000 });
  return [make("one"), make("two")];
}

test("a Lease is valid for the duration of its holder; fields of others stay", async () => {
  const { leases, lease } = oneLease();
  const clock = new ManualClock();
  const [one] = candidates(leases, clock);
  const spec = { holderIdentity: "older", leaseDurationSeconds: 60, strategy: "OldestEmulationVersion" };
  await leases.create({ metadata: { namespace: "default", name: "work" }, spec });
  expect(await one.hold(same)).toBeUndefined();
  clock.advance(59_000);
  expect(await one.hold(same)).toBeUndefined();
  clock.advance(1000);
  expect(await one.hold(same)).toBeDefined();
  expect(lease()?.spec).toMatchObject({ holderIdentity: "one", leaseTransitions: 1, strategy: spec.strategy });
});

test("the first candidate holds and renews the Lease; the other one gets it after it expires", async () => {
  const { leases, lease } = oneLease();
  const clock = new ManualClock();
  const [one, two] = candidates(leases, clock);
  expect((await one.hold(same))?.spec.holderIdentity).toBe("one");
  for (let i = 0; i < 5; i++) {
    clock.advance(20_000);
    expect(await two.hold(same)).toBeUndefined();
    expect(await one.hold(same)).toBeDefined();
  }
  expect(await two.hold(same)).toBeUndefined();
  clock.advance(29_999);
  expect(await two.hold(same)).toBeUndefined();
  clock.advance(1);
  expect((await two.hold(same))?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
  expect(await one.hold(same)).toBeUndefined();
  expect(lease()!.spec).toMatchObject({ leaseDurationSeconds: 30, acquireTime: lease()!.spec!.renewTime });
});

test("of two candidates at the same time one gets the Lease", async () => {
  const { leases } = oneLease();
  const [one, two] = candidates(leases, new ManualClock());
  const held = await Promise.all([one.hold(same), two.hold(same)]);
  expect(held.filter((lease) => lease !== undefined)).toHaveLength(1);
});

test("annotations pass from one holder to the next", async () => {
  const { leases } = oneLease();
  const clock = new ManualClock();
  const [one, two] = candidates(leases, clock);
  await one.hold(() => ({ note: "mine" }));
  await two.hold(same);
  clock.advance(30_000);
  const held = await two.hold((before) => ({ ...before, more: "x" }));
  expect(held!.metadata.annotations).toEqual({ note: "mine", more: "x" });
});

test("other errors are thrown", async () => {
  const leases = { find: () => Promise.reject(new Error("no network")) } as unknown as ResourceClient<
    Lease,
    "Namespaced"
  >;
  const [one] = candidates(leases, new ManualClock());
  await expect(one.hold(same)).rejects.toThrow("no network");
});
