import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Lease, LeaseCandidate, Namespace, neutral } from "../../src/client/kinds/index.ts";
import type { Kind, NewObject } from "../../src/client/index.ts";
import { coordinatedElection } from "../../src/controllers/election/election.ts";
import { type Dialect, dialectOf } from "../../src/meta/dialect.ts";
import { formatMicroTime } from "../../src/meta/time.ts";
import { World } from "../runtime/world.ts";

const OLDEST = "OldestEmulationVersion";
const MINUTE = 60_000;

describe.each<Dialect["name"]>(["neutral", "kubernetes"])("the election in the %s dialect", (dialect) => {
  const kindOf = <K extends Kind<never, "Namespaced">>(kind: K): K =>
    (dialect === "neutral" ? neutral(kind as never) : kind) as K;
  const at = (name: string) => ({ name, namespace: "default" });
  let world: World;
  beforeEach(async () => {
    world = await World.create(dialect, { CoordinatedLeaderElection: true });
    await world.run(coordinatedElection(dialectOf(dialect)!));
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
  });

  const leases = () => world.resource<Lease, "Namespaced">(kindOf(Lease as never));
  const candidates = () => world.resource<LeaseCandidate, "Namespaced">(kindOf(LeaseCandidate as never));
  /** The time on the clock, so many seconds ago. */
  const ago = (seconds: number): string => formatMicroTime(world.clock.now() - seconds * 1000);
  const now = () => ago(0);
  const leaseOf = async (name = "l") => (await leases().find(at(name)))?.spec;
  const pingOf = async (name: string) => (await candidates().find(at(name)))?.spec.pingTime;
  const renew = (...names: string[]) =>
    Promise.all(names.map((name) => candidates().patch(at(name), { spec: { renewTime: now() } })));
  const stand = (name: string, emulation: string, spec: object = {}) =>
    candidates().create({
      metadata: at(name),
      spec: {
        leaseName: "l",
        binaryVersion: "1.35.0",
        emulationVersion: emulation,
        strategy: OLDEST,
        renewTime: now(),
        ...spec,
      },
    } as NewObject<LeaseCandidate>);
  /** The holder takes the Lease for so long. */
  const hold = (holderIdentity: string, leaseDurationSeconds = 60, name = "l") =>
    leases().patch(at(name), { spec: { holderIdentity, leaseDurationSeconds, renewTime: now() } });

  test("LC-2, LC-8, CTL-LE-1, CTL-LE-2, CTL-LE-11, DEC-60: of several the one with the oldest emulation version is chosen", async () => {
    // Whether it is elected before the others are created or among them, none of them is preferred to it.
    await stand("a", "1.9.0");
    await Promise.all([stand("b", "1.33.0"), stand("c", "1.10.0")]);
    await world.settled();
    expect(await leaseOf()).toEqual({
      holderIdentity: "a",
      strategy: OLDEST,
      leaseDurationSeconds: 5,
      renewTime: now(),
    });
    expect([await pingOf("a"), await pingOf("b"), await pingOf("c")]).toEqual([undefined, undefined, undefined]);
  });

  test("CTL-LE-11, DEC-60: of equal emulation versions the older binary is chosen, of equal ones the older candidate", async () => {
    await stand("z", "1.34.0", { leaseName: "m" });
    await world.advance(1000);
    await stand("a", "1.34.0", { leaseName: "m" });
    await stand("b", "1.34.0", { leaseName: "n", binaryVersion: "1.34.5" });
    await stand("c", "1.34.0", { leaseName: "n", binaryVersion: "1.34.4" });
    await leases().delete(at("m"));
    await leases().delete(at("n"));
    await world.settled();
    expect((await leaseOf("m"))?.holderIdentity).toBe("z");
    expect((await leaseOf("n"))?.holderIdentity).toBe("c");
  });

  test("CTL-LE-3: who never renewed, or not for half an hour, does not stand and is not asked", async () => {
    await stand("a", "1.33.0", { renewTime: undefined });
    await stand("b", "1.33.0", { renewTime: ago(30 * 60) });
    await world.advance(10_000);
    expect([await leaseOf(), await pingOf("a"), await pingOf("b")]).toEqual([undefined, undefined, undefined]);
    await renew("a");
    await world.settled();
    expect((await leaseOf())?.holderIdentity).toBe("a");
  });

  test("AMB-1, LC-12, LC-21, CTL-LE-5, CTL-LE-6: who has not renewed of late is asked, and chosen as soon as it answers", async () => {
    await stand("a", "1.35.0", { renewTime: ago(60) });
    await world.settled();
    expect([await pingOf("a"), await leaseOf()]).toEqual([now(), undefined]);
    await world.advance(1000);
    await renew("a");
    await world.settled();
    expect((await leaseOf())?.holderIdentity).toBe("a");
  });

  test("LC-16, CTL-LE-7, CTL-LE-8, DEC-60: who does not answer within five seconds is left out, and is not asked again", async () => {
    await stand("a", "1.33.0", { renewTime: ago(60) });
    await stand("b", "1.34.0", { renewTime: ago(60) });
    await world.settled();
    const asked = await pingOf("a");
    expect([asked, await pingOf("b")]).toEqual([now(), now()]);
    await world.advance(100);
    await renew("b");
    await world.advance(4899);
    expect(await leaseOf()).toBeUndefined();
    await world.advance(1);
    expect((await leaseOf())?.holderIdentity).toBe("b");
    await hold("b");
    for (let second = 0; second < 30; second++) await world.advance(1000);
    expect((await leaseOf())?.preferredHolder).toBeUndefined();
    expect(await pingOf("a")).toBe(asked);
    await renew("a");
    await world.settled();
    expect(await pingOf("b")).toBe(now());
    await world.advance(10);
    await renew("b");
    await world.settled();
    expect(await leaseOf()).toMatchObject({ holderIdentity: "b", preferredHolder: "a" });
  });

  test("AMB-1, LC-16: no candidate is requested for a Lease whose best candidate holds and renews it", async () => {
    await stand("a", "1.33.0");
    await world.settled();
    for (let second = 0; second < 60; second++) {
      await hold("a", 5);
      await world.advance(1000);
    }
    expect(await pingOf("a")).toBeUndefined();
  });

  test("CTL-LE-4, CTL-LE-13: while the holder renews, a better candidate is only preferred", async () => {
    await stand("a", "1.35.0");
    await world.settled();
    await hold("a");
    await stand("b", "1.34.0");
    await world.settled();
    expect(await leaseOf()).toMatchObject({ holderIdentity: "a", preferredHolder: "b", leaseDurationSeconds: 60 });
    await hold("a");
    await world.advance(1500);
    expect(await leaseOf()).toMatchObject({ holderIdentity: "a", preferredHolder: "b", leaseDurationSeconds: 60 });
  });

  test("CTL-LE-14: a Lease that is given up goes to the best, for five seconds, without what was before", async () => {
    await stand("a", "1.35.0");
    await stand("b", "1.34.0");
    await world.settled();
    await leases().patch(at("l"), {
      spec: { holderIdentity: "a", acquireTime: ago(0), leaseTransitions: 3, preferredHolder: "b", renewTime: now() },
    });
    await leases().patch(at("l"), { spec: { holderIdentity: "" } });
    await world.settled();
    expect(await leaseOf()).toEqual({
      holderIdentity: "b",
      strategy: OLDEST,
      leaseDurationSeconds: 5,
      renewTime: now(),
      leaseTransitions: 3,
    });
  });

  test("CTL-LE-4, CTL-LE-15, CTL-LE-23: a Lease that runs out goes to the best that answers", async () => {
    await stand("a", "1.35.0");
    await world.settled();
    await leases().patch(at("l"), { spec: { leaseTransitions: 2 } });
    await stand("b", "1.34.0", { renewTime: ago(10) });
    await world.settled();
    await world.advance(6000);
    // It answers too late to be preferred, but then the Lease has run out, too.
    await renew("b");
    await world.advance(4000);
    expect(await leaseOf()).toMatchObject({ holderIdentity: "b", leaseTransitions: 2 });
  });

  test("CTL-LE-15: an expired Lease stays with its holder where no candidate is better", async () => {
    await stand("a", "1.35.0");
    await world.settled();
    const before = await leaseOf();
    for (let second = 0; second < 20; second++) {
      await world.advance(1000);
      await renew("a");
    }
    expect(await leaseOf()).toEqual(before);
  });

  test("CTL-LE-16: a holder from outside is treated alike, and the strategy is set", async () => {
    await leases().create({
      metadata: at("l"),
      spec: { holderIdentity: "x", renewTime: now(), leaseDurationSeconds: 3 },
    } as NewObject<Lease>);
    await stand("a", "1.35.0");
    await world.settled();
    expect(await leaseOf()).toMatchObject({ holderIdentity: "x", preferredHolder: "a", strategy: OLDEST });
    await world.advance(3000);
    expect((await leaseOf())?.holderIdentity).toBe("a");
    expect(await leaseOf()).not.toHaveProperty("preferredHolder");
  });

  test("CTL-LE-17, CTL-LE-20: a Lease without candidates is left alone, whatever other Leases have", async () => {
    const spec = { holderIdentity: "x", renewTime: ago(3600), leaseDurationSeconds: 1 };
    const { metadata } = await leases().create({ metadata: at("old"), spec } as NewObject<Lease>);
    await stand("a", "1.35.0");
    await stand("z", "1.30.0", { leaseName: "m", binaryVersion: "1.30.0" });
    await world.advance(MINUTE);
    expect((await leases().get(at("old"))).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect((await leaseOf("l"))?.holderIdentity).toBe("a");
    expect((await leaseOf("m"))?.holderIdentity).toBe("z");
  });

  test("CTL-LE-18: a Lease that was deleted is made again", async () => {
    await stand("a", "1.35.0");
    await world.settled();
    await leases().delete(at("l"));
    await world.settled();
    expect((await leaseOf())?.holderIdentity).toBe("a");
  });

  test("CTL-LE-19: a holder whose candidate is gone keeps the Lease while it renews", async () => {
    await stand("a", "1.34.0");
    await stand("b", "1.35.0");
    await world.settled();
    await hold("a");
    await candidates().delete(at("a"));
    await renew("b");
    await world.settled();
    expect(await leaseOf()).toMatchObject({ holderIdentity: "a", preferredHolder: "b", strategy: OLDEST });
  });

  test("a candidate that was preferred and is gone is not preferred any more", async () => {
    await stand("a", "1.35.0");
    await world.settled();
    await hold("a");
    await stand("b", "1.34.0");
    await world.settled();
    expect((await leaseOf())?.preferredHolder).toBe("b");
    await candidates().delete(at("b"));
    await world.settled();
    expect(await leaseOf()).toEqual({
      holderIdentity: "a",
      strategy: OLDEST,
      leaseDurationSeconds: 60,
      renewTime: now(),
    });
  });

  test("LC-14, CTL-LE-9: where candidates differ, the newest binary version says the strategy", async () => {
    await stand("a", "1.33.0", { binaryVersion: "1.34.0" });
    await world.settled();
    await stand("b", "1.33.0", { strategy: "example.com/one" });
    await world.settled();
    expect(await leaseOf()).toMatchObject({ strategy: OLDEST, holderIdentity: "a" });
    await leases().delete(at("l"));
    await world.settled();
    expect(await leaseOf()).toEqual({ strategy: "example.com/one", leaseDurationSeconds: 5, renewTime: now() });
  });

  test("LC-15, CTL-LE-10: candidates of one version that disagree get no Lease, and change none, until they agree", async () => {
    const renewTime = ago(60);
    await stand("a", "1.35.0", { strategy: "example.com/one", renewTime });
    await stand("b", "1.34.0", { renewTime });
    await world.settled();
    expect([await pingOf("a"), await pingOf("b")]).toEqual([now(), now()]);
    await renew("a", "b");
    await world.advance(2500);
    expect(await leaseOf()).toBeUndefined();
    await leases().create({
      metadata: at("l"),
      spec: { holderIdentity: "x", renewTime: now(), leaseDurationSeconds: 600 },
    } as NewObject<Lease>);
    await renew("a", "b");
    await world.settled();
    expect(await leaseOf()).not.toHaveProperty("strategy");
    await candidates().patch(at("a"), { spec: { strategy: OLDEST } });
    await world.settled();
    expect(await leaseOf()).toMatchObject({ holderIdentity: "x", preferredHolder: "b", strategy: OLDEST });
  });

  test("DEC-11, CTL-LE-12: with a strategy of another controller the Lease has no holder, and no candidate is requested again", async () => {
    await stand("a", "1.35.0", { strategy: "example.com/one" });
    await world.settled();
    expect(await leaseOf()).toEqual({ strategy: "example.com/one", leaseDurationSeconds: 5, renewTime: now() });
    await world.advance(MINUTE);
    expect(await pingOf("a")).toBeUndefined();
    await hold("x", 5);
    await world.advance(MINUTE);
    expect(await leaseOf()).toMatchObject({ holderIdentity: "x", strategy: "example.com/one" });
  });

  test("CTL-LE-12, CTL-LE-16: a Lease that is held and renewed keeps its strategy while no election is needed", async () => {
    const spec = { holderIdentity: "a", renewTime: now(), leaseDurationSeconds: 600 };
    const { metadata } = await leases().create({ metadata: at("l"), spec } as NewObject<Lease>);
    await stand("a", "1.35.0");
    await world.settled();
    await candidates().patch(at("a"), { spec: { strategy: "example.com/one" } });
    await world.settled();
    expect((await leases().get(at("l"))).metadata.resourceVersion).toBe(metadata.resourceVersion);
    await leases().patch(at("l"), { spec: { holderIdentity: "" } });
    await world.settled();
    expect(await leaseOf()).toMatchObject({ strategy: "example.com/one" });
  });

  test("AMB-1, SUP-3, LC-18, CTL-LE-21: who is silent for fifteen minutes is asked although the holder is well", async () => {
    await stand("a", "1.35.0");
    await world.settled();
    await hold("a", 2 * 3600);
    await world.advance(15 * MINUTE - 1);
    expect(await pingOf("a")).toBeUndefined();
    await world.advance(1);
    const first = await pingOf("a");
    expect(first).toBe(now());
    await world.advance(1000);
    await renew("a");
    await world.advance(15 * MINUTE);
    expect(await pingOf("a")).toBe(now());
  });

  test("AMB-53, SUP-3, LC-19, LC-22, DEC-60, CTL-LE-22: who has not renewed for three hours is removed, also one that never did", async () => {
    await stand("a", "1.35.0");
    await stand("b", "1.35.0", { renewTime: undefined });
    await stand("c", "1.35.0", { leaseName: "m" });
    for (let hour = 0; hour < 2; hour++) await world.advance("1h");
    await renew("c");
    await world.advance(3_600_000 - 1);
    expect((await candidates().list()).items).toHaveLength(3);
    await world.advance(1);
    expect((await candidates().list()).items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
  });

  test("in a namespace that is being deleted no Lease is created, and nothing is reported", async () => {
    const namespace = "team";
    await world.resource(Namespace).create({ metadata: { name: namespace } });
    const metadata = { name: "a", namespace, finalizers: ["example.com/mine"] };
    const spec = { leaseName: "l", binaryVersion: "1.35.0", emulationVersion: "1.35.0", strategy: OLDEST };
    await candidates().create({ metadata, spec } as NewObject<LeaseCandidate>);
    await world.resource(Namespace).delete({ name: namespace });
    await candidates().patch({ name: "a", namespace }, { spec: { renewTime: now() } });
    await world.advance("1m");
    expect((await leases().list({ namespace })).items).toEqual([]);
    expect(world.warnings).toEqual([]);
  });

  test("what one election began another one goes on with, and two at once do the same", async () => {
    await stand("a", "1.33.0", { renewTime: ago(60) });
    await stand("b", "1.34.0", { renewTime: ago(60) });
    await world.settled();
    await world.run(coordinatedElection(dialectOf(dialect)!));
    await world.advance(100);
    await renew("b");
    await world.advance(4900);
    expect(await leaseOf()).toMatchObject({ holderIdentity: "b" });
    expect((await leases().get(at("l"))).metadata.generation ?? 1).toBe(1);
  });
});
