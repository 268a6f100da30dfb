/** What a manager promises, against a whole cluster in this process. */
import { describe, expect, test } from "vitest";
import type { Key, Transport, TransportRequest } from "../../src/client/index.ts";
import { metadataOf } from "../../src/client/index.ts";
import { ConfigMap, Event, Lease, Namespace, Pod, Secret } from "../../src/client/kinds/index.ts";
import {
  type ControllerDefinition,
  type Result,
  changed,
  conditionOf,
  defineController,
  defineKeyController,
  keysFrom,
  sharedInformer,
  watches,
} from "../../src/runtime/index.ts";
import { sleep } from "../../src/util/clock.ts";
import { nextPass } from "../../src/util/testing/pass.ts";
import { World } from "./world.ts";

const at = (name: string): Key<"Namespaced"> => ({ namespace: "default", name });
const map = (name: string, data: Readonly<Record<string, string>> = {}) => ({ metadata: at(name), data });

type MapDefinition = ControllerDefinition<ConfigMap, "Namespaced">;

/** A controller of the ConfigMaps that are labelled `mine`, or of all. */
const mapController = (definition: Partial<MapDefinition> & Pick<MapDefinition, "reconcile">) =>
  defineController({ name: "maps", for: ConfigMap, ...definition });

/** Records the requests. */
const spy =
  (requests: TransportRequest[]) =>
  (transport: Transport): Transport =>
  (request) => {
    requests.push(request);
    return transport(request);
  };

describe("a reconcile", () => {
  test("comes for each object that is there, and once more for each change, with what memory has", async () => {
    await using world = await World.create();
    const seen: string[] = [];
    await world.resource(ConfigMap).create(map("a", { n: "1" }));
    await world.run(
      mapController({ reconcile: ({ key, object }) => void seen.push(`${key.name} ${object.data?.["n"]}`) }),
    );
    await world.settled();
    await world.resource(ConfigMap).patch(at("a"), { data: { n: "2" } });
    await world.resource(ConfigMap).create(map("b"));
    await world.settled();
    expect(seen).toEqual(["a 1", "a 2", "b undefined"]);
  });

  test.each<[string, Result, number]>([
    ["ends without a result: not again before a change", undefined, 1],
    ["asks for itself after a time", { requeueAfter: "10m" }, 7],
    ["gives up: not again before a change", { terminal: "never" }, 1],
  ])("that %s", async (_, result, times) => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    let count = 0;
    await world.run(mapController({ reconcile: () => (count++, result) }));
    await world.advance("1h");
    expect(count).toBe(times);
    await world.resource(ConfigMap).patch(at("a"), { data: { n: "2" } });
    await world.settled();
    expect(count).toBe(times + 1);
  });

  test("that throws is repeated with growing waits, reported, and gets the number of its attempts", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    const attempts: number[] = [];
    const reconcile = ({ attempt }: { attempt: number }): void => {
      attempts.push(attempt);
      if (attempts.length < 4) throw new Error("not yet");
    };
    const manager = await world.run(mapController({ reconcile }));
    await world.advance("1m");
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(world.failures.map(({ controller, key }) => `${controller} ${key}`)).toEqual(
      Array(3).fill("maps default/a"),
    );
    expect(manager.metrics()).toContain('controller_runtime_reconcile_errors_total{controller="maps"} 3\n');
    expect(manager.metrics()).toContain('workqueue_depth{name="maps"} 0\n');
  });

  test("that writes itself does not loop, whether or not it fails afterwards", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    let runs = 0;
    const reconcile: MapDefinition["reconcile"] = async ({ apply, object }) => {
      runs++;
      await apply(ConfigMap, map(object.metadata.name, { runs: String(runs) }));
      throw new Error("afterwards");
    };
    await world.run(mapController({ reconcile, backoff: { first: "1s", most: "1m" } }));
    await world.settled();
    expect(runs).toBe(1);
    // Its own event brings it forward, never to before the first wait.
    await world.advance("1m");
    expect(runs).toBeLessThanOrEqual(121);
  });

  test("does not start before memory shows what was written for that key", async () => {
    await using world = await World.create();
    const lags: string[] = [];
    await world.resource(ConfigMap).create(map("a"));
    const reconcile: MapDefinition["reconcile"] = async ({ object, client, informer }) => {
      const secret = await client.resource(Secret).find(at("s"));
      const known = informer(secrets).get(at("s"));
      if (secret?.metadata.resourceVersion !== known?.metadata.resourceVersion) lags.push(object.data?.["n"] ?? "");
      const data = { n: Buffer.from(object.data?.["n"] ?? "0").toString("base64") };
      await client.resource(Secret).apply({ metadata: at("s"), data }, { fieldManager: "me", force: true });
    };
    const secrets = sharedInformer(Secret);
    await world.run(mapController({ uses: [secrets], reconcile }));
    for (let n = 0; n < 50; n++) await world.resource(ConfigMap).patch(at("a"), { data: { n: String(n) } });
    await world.settled();
    expect([lags, world.warnings]).toEqual([[], []]);
  });

  test("runs one at a time for a key, also past its timeout, and side by side for others", async () => {
    await using world = await World.create();
    const running = new Map<string, number>();
    const release: (() => void)[] = [];
    let most = 0;
    const reconcile: MapDefinition["reconcile"] = async ({ key: { name }, signal }) => {
      running.set(name, (running.get(name) ?? 0) + 1);
      most = Math.max(most, ...running.values());
      const { promise, resolve } = Promise.withResolvers<void>();
      release.push(resolve);
      signal.addEventListener("abort", () => aborted.push(name));
      await promise;
      running.set(name, running.get(name)! - 1);
    };
    const aborted: string[] = [];
    for (const name of ["a", "b", "c"]) await world.resource(ConfigMap).create(map(name));
    await world.run(mapController({ reconcile, concurrency: 2, timeout: "1m" }));
    const { promise: turned, resolve } = Promise.withResolvers<void>();
    setImmediate(resolve);
    await turned;
    world.clock.advance(60_000);
    expect([[...running.keys()].toSorted(), aborted.toSorted(), most]).toEqual([["a", "b"], ["a", "b"], 1]);
    const all = setInterval(() => release.splice(0).forEach((go) => go()), 1);
    await world.settled();
    clearInterval(all);
    expect([...running]).toEqual([
      ["a", 0],
      ["b", 0],
      ["c", 0],
    ]);
  });

  test("hears that an object is gone when it has seen it, and of no other", async () => {
    await using world = await World.create();
    const gone: string[] = [];
    await world.resource(ConfigMap).create(map("a"));
    await world.run(
      mapController({ predicate: changed.labels, reconcile: () => {}, gone: ({ name }) => void gone.push(name) }),
    );
    await world.settled();
    await world.resource(ConfigMap).delete(at("a"));
    await world.settled();
    expect(gone).toEqual(["a"]);
  });

  test("handles the deletion of an object until it succeeds, also where its predicate excludes deletions", async () => {
    await using world = await World.create();
    const told: string[] = [];
    const gone = ({ name }: { readonly name: string }): void => {
      told.push(name);
      if (told.length < 3) throw new Error("not yet");
    };
    await world.resource(ConfigMap).create(map("a"));
    await world.run(mapController({ predicate: ({ type }) => type === "added", reconcile: () => {}, gone }));
    await world.settled();
    await world.resource(ConfigMap).delete(at("a"));
    await world.advance("1h");
    expect(told).toEqual(["a", "a", "a"]);
  });

  test("begins when all that a list has told is in memory", async () => {
    await using world = await World.create();
    let lost: "nothing" | "events" | "the watch" = "nothing";
    const gone = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } };
    const expiring =
      (transport: Transport): Transport =>
      async (request) => {
        const answer = await transport(request);
        if (!request.path.includes("watch=true")) return answer;
        const body = (async function* () {
          for await (const piece of answer.body) {
            if (lost === "nothing") yield piece;
            if (lost !== "the watch") continue;
            yield Buffer.from(`${JSON.stringify(gone)}\n`);
            return;
          }
        })();
        return { ...answer, body };
      };
    const seen: number[] = [];
    const manager = world.manager({ client: world.client.with({ through: expiring }) }).add(
      mapController({
        predicate: ({ object }) => object.metadata.name.startsWith("m"),
        reconcile: ({ informer }) =>
          void seen.push(informer(sharedInformer(ConfigMap)).list({ namespace: "default" }).length),
      }),
    );
    await manager.start();
    await world.settled();
    const before = (await world.resource(ConfigMap).list({ namespace: "default" })).items.length;
    lost = "events";
    for (let n = 0; n < 10; n++) {
      if (n === 9) lost = "the watch";
      await world.resource(ConfigMap).create(map(`m${n}`));
    }
    await world.advance("1m");
    expect([seen.length, new Set(seen)]).toEqual([10, new Set([before + 10])]);
  });

  test("whose requests take longer than its timeout gets an error, and its key is handled again", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    let hangs = true;
    const hanging =
      (transport: Transport): Transport =>
      (request) => {
        if (!hangs || !request.path.includes("/secrets")) return transport(request);
        return new Promise((_, reject) => {
          request.signal!.addEventListener("abort", () => reject(new Error("given up")));
        });
      };
    let runs = 0;
    const manager = world.manager({ client: world.client.with({ through: hanging }) }).add(
      mapController({
        timeout: "1m",
        reconcile: async ({ client }) => {
          await client.resource(Secret).list({ namespace: "default" });
          runs++;
        },
      }),
    );
    await manager.start();
    for (let i = 0; i < 5; i++) await nextPass();
    world.clock.advance(60_000);
    hangs = false;
    await world.advance("1m");
    expect([runs, world.failures.map(({ error }) => String(error))]).toEqual([
      1,
      ["Error: a reconcile of maps took longer than 1m without a response to a write"],
    ]);
  });

  test("is not aborted while its writes are answered, however many there are", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    const slow =
      (transport: Transport): Transport =>
      async (request) => {
        if (request.method === "POST") await sleep(world.clock, 40_000, request.signal);
        return transport(request);
      };
    let runs = 0;
    const manager = world.manager({ client: world.client.with({ through: slow }) }).add(
      mapController({
        timeout: "1m",
        reconcile: async ({ create }) => {
          for (const name of ["b", "c", "d"]) await create(Secret, { metadata: { name } });
          runs++;
        },
      }),
    );
    await manager.start();
    const passes = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) await nextPass();
    };
    await passes();
    for (let i = 0; i < 3; i++) {
      world.clock.advance(40_000);
      await passes();
    }
    expect([runs, world.failures]).toEqual([1, []]);
  });

  test("is not lost when others throw: a predicate, a mapping, or the observer of failures", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    const attempts: number[] = [];
    const failures: string[] = [];
    const manager = world
      .manager({
        failure: ({ key, error }) => {
          failures.push(`${key} ${String(error)}`);
          throw new Error("whoever hears");
        },
        started: () => {
          throw new Error("whoever counts");
        },
      })
      .add(
        mapController({
          predicate: () => {
            throw new Error("the predicate");
          },
          sources: [
            watches(Secret, ({ metadata }) => {
              if (metadata.labels?.["to"] === undefined) throw new Error("the mapping");
              return [at(metadata.labels["to"])];
            }),
          ],
          reconcile: ({ attempt }) => {
            attempts.push(attempt);
            if (attempts.length === 1) throw new Error("the reconcile");
          },
        }),
      );
    await manager.start();
    await world.advance("1m");
    expect(attempts).toEqual([1, 2]);
    await world.resource(Secret).create({ metadata: { ...at("s"), labels: { to: "a" } } });
    await world.advance("1m");
    // What it was before concerns a, whatever is thrown for what it is.
    await world.resource(Secret).patch(at("s"), { metadata: { labels: null } });
    await world.advance("1m");
    expect(attempts).toHaveLength(4);
    expect(new Set(failures)).toEqual(
      new Set(["default/a Error: the predicate", "default/a Error: the reconcile", "default/s Error: the mapping"]),
    );
    expect(manager.metrics()).toContain('controller_runtime_active_workers{controller="maps"} 0\n');
    const told = (message: string, name: string, error: string) =>
      `${message} {"controller":"maps","object":"configmaps default/${name}","error":"Error: ${error}"}`;
    expect(world.warnings).toContain(told("reconcile failed, will retry", "a", "the reconcile"));
    expect(world.warnings).toContain(told("a predicate or a mapping failed for an object", "a", "the predicate"));
  });

  test("comes again after a resync, from memory alone", async () => {
    await using world = await World.create();
    const requests: TransportRequest[] = [];
    for (const name of ["a", "b"]) await world.resource(ConfigMap).create(map(name));
    let count = 0;
    const client = world.client.with({ through: spy(requests) });
    const manager = world.manager({ client }).add(mapController({ resync: "1h", reconcile: () => void count++ }));
    await manager.start();
    await world.advance("10h");
    expect(count).toBeGreaterThanOrEqual(18);
    expect(count).toBeLessThanOrEqual(24);
    expect(requests.filter(({ path }) => !path.includes("watch=true"))).toHaveLength(1);
  });

  test("comes for keys from another world, whose source is asked again when it fails", async () => {
    await using world = await World.create();
    const seen: string[] = [];
    await world.resource(ConfigMap).create(map("a"));
    let asked = 0;
    const source = keysFrom(async function* () {
      if (++asked === 1) throw new Error("not now");
      yield at("a");
    });
    await world.run(
      mapController({ predicate: () => false, sources: [source], reconcile: ({ key }) => void seen.push(key.name) }),
    );
    await world.settled();
    expect([asked, seen]).toEqual([1, []]);
    await world.advance("1m");
    expect([asked, seen]).toEqual([2, ["a"]]);
  });
});

describe("what a controller says", () => {
  test("of a status is applied as a whole: what is left out goes; a condition's time moves only with its status", async () => {
    await using world = await World.create();
    await world.resource(Pod).create({ metadata: at("p"), spec: { containers: [{ name: "c", image: "i:1" }] } });
    let ready = false;
    let message: string | undefined = "starting";
    const pods = defineController({
      name: "pods",
      for: Pod,
      predicate: changed.labels,
      reconcile: async (ctx) => {
        const conditions = [ctx.condition("example.com/Ready", ready, ready ? "Up" : "Down", message)];
        await ctx.status({ conditions, ...(message === undefined ? {} : { message }) });
      },
    });
    await world.run(pods);
    const look = async (labels: object) => {
      await world.resource(Pod).patch(at("p"), { metadata: { labels } });
      await world.advance("1m");
      return world.resource(Pod).get(at("p"));
    };
    const first = conditionOf(await look({ n: "1" }), "example.com/Ready");
    expect(first).toMatchObject({ status: "False", reason: "Down", message: "starting" });
    message = undefined;
    const second = await look({ n: "2" });
    expect(second.status.message).toBeUndefined();
    expect(conditionOf(second, "example.com/Ready")?.lastTransitionTime).toBe(first?.lastTransitionTime);
    ready = true;
    const third = conditionOf(await look({ n: "3" }), "example.com/Ready");
    expect(third).toMatchObject({ status: "True", reason: "Up" });
    expect(third!.lastTransitionTime > first!.lastTransitionTime).toBe(true);
  });

  test("EV-2, EV-9, EV-24: in events is a series where it happens again, and never a flood", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    const reconcile: MapDefinition["reconcile"] = ({ events, object }) => {
      for (let n = 0; n < 4; n++) events.warning("Odd", "it is odd");
      for (let n = 0; n < 100; n++) events.normal("Counted", `counted ${n}`);
      events.normal("Seen", "seen", object);
    };
    await world.run(mapController({ reconcile }));
    await world.settled();
    const { items } = await world.resource(Event).list({ namespace: "default" });
    expect(items.filter(({ reason }) => reason === "Odd").map(({ series, type }) => [type, series?.count])).toEqual([
      ["Warning", 4],
    ]);
    const once = items.find(({ reason }) => reason === "Counted");
    expect([once?.action, once?.series]).toEqual(["Counted", undefined]);
    expect(items).toHaveLength(22);
    expect(items[0]).toMatchObject({ reportingController: "maps", regarding: { kind: "ConfigMap", name: "a" } });
  });

  test("of an owned object in another namespace is refused at once", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    await world.run(
      mapController({
        predicate: changed.labels,
        owns: [Secret],
        reconcile: async ({ apply }) =>
          void (await apply(Secret, { metadata: { name: "s", namespace: "kube-system" } })),
      }),
    );
    await world.settled();
    expect(String(world.failures[0]?.error)).toContain(
      "expected an object of secrets to be in namespace default with its owner",
    );
  });
});

describe("a finalizer", () => {
  /** Things outside, each with the uid of its ConfigMap as its name. */
  const outside = () => {
    const ids = new Set<string>();
    const controller = mapController({
      finalizer: "example.com/thing",
      predicate: changed.labels,
      reconcile: async ({ object, apply, key }) => {
        ids.add(object.metadata.uid);
        await apply(ConfigMap, { metadata: { ...key }, data: { made: "yes" } });
      },
      cleanup: ({ object }) => void ids.delete(object.metadata.uid),
    });
    return { ids, controller };
  };

  test.each(["before", "after"] as const)(
    "leaves nothing behind when its controller dies %s any of its writes",
    async (when) => {
      let met = true;
      for (let skip = 0; met; skip++) {
        await using world = await World.create();
        const { ids, controller } = outside();
        met = false;
        let writes = 0;
        /** Dies at the write number `skip`. */
        const dying =
          (transport: Transport): Transport =>
          async (request) => {
            if (request.method === "GET" || writes++ !== skip) return transport(request);
            met = true;
            if (when === "after") await transport(request);
            first.crash();
            return new Promise(() => {});
          };
        const first = world.manager({ client: world.client.with({ through: dying }) }).add(controller);
        await first.start();
        const made = await world.resource(ConfigMap).create(map("a"));
        await world.settled();
        if (met) await world.run(controller);
        await world.settled();
        expect((await world.resource(ConfigMap).get(at("a"))).metadata.finalizers).toEqual(["example.com/thing"]);
        await world.resource(ConfigMap).delete(made);
        await world.advance("1m");
        const second = world.manager().add(controller);
        await second.start();
        await world.advance("1m");
        expect([ids.size, await world.resource(ConfigMap).find(at("a"))]).toEqual([0, undefined]);
      }
    },
  );

  test("hears of the beginning of a deletion whatever its predicate says", async () => {
    await using world = await World.create();
    const cleaned: string[] = [];
    const controller = mapController({
      finalizer: "example.com/thing",
      predicate: ({ type }) => type === "added",
      reconcile: () => {},
      cleanup: ({ key }) => void cleaned.push(key.name),
    });
    await world.run(controller);
    await world.resource(ConfigMap).create(map("a"));
    await world.settled();
    await world.resource(ConfigMap).delete(at("a"));
    await world.settled();
    expect([cleaned, await world.resource(ConfigMap).find(at("a"))]).toEqual([["a"], undefined]);
  });

  test("that fails to clean up, or wants to come back, keeps the object; one that is not there runs nothing", async () => {
    await using world = await World.create();
    const results: (Result | Error)[] = [new Error("not yet"), { requeueAfter: "1m" }, undefined];
    const cleaned: string[] = [];
    const cleanup: MapDefinition["cleanup"] = ({ key }) => {
      cleaned.push(key.name);
      const result = results.shift();
      if (result instanceof Error) throw result;
      return result;
    };
    await world.resource(ConfigMap).create({ metadata: { ...at("other"), finalizers: ["example.com/else"] } });
    await world.resource(ConfigMap).delete(at("other"));
    await world.run(
      mapController({ finalizer: "example.com/thing", reconcile: () => {}, cleanup, predicate: changed.generation }),
    );
    await world.resource(ConfigMap).create(map("a"));
    await world.settled();
    await world.resource(ConfigMap).delete(at("a"));
    await world.settled();
    expect(await world.resource(ConfigMap).find(at("a"))).toBeDefined();
    await world.advance("30s");
    expect([cleaned, await world.resource(ConfigMap).find(at("a"))]).toEqual([["a", "a"], expect.anything()]);
    await world.advance("1m");
    expect([cleaned, await world.resource(ConfigMap).find(at("a"))]).toEqual([["a", "a", "a"], undefined]);
  });
});

describe("several managers", () => {
  const lease = { namespace: "kube-system", name: "maps" };

  test("elect one: the second takes over when the first has died, not before", async () => {
    await using world = await World.create();
    const ran: string[] = [];
    const managers = ["1", "2"].map((identity) =>
      world.manager({ leaderElection: { lease, identity } }).add(
        mapController({
          predicate: ({ object }) => object.metadata.name === "a",
          reconcile: () => void ran.push(identity),
        }),
      ),
    );
    const [first, second] = managers as [(typeof managers)[0], (typeof managers)[0]];
    await world.resource(ConfigMap).create(map("a"));
    await first.start();
    // It leads before the second one starts: which of two simultaneous candidates is the first is undefined.
    await world.settled();
    await second.start();
    await world.advance("1m");
    expect([first.leading, second.leading, ran]).toEqual([true, false, ["1"]]);
    expect(second.status()).toEqual([{ controller: "maps", state: "standby" }]);
    first.crash();
    await world.advance("12s");
    expect(second.leading).toBe(false);
    await world.advance("7s");
    expect([second.leading, ran]).toEqual([true, ["1", "2"]]);
    expect((await world.resource(Lease).get(lease)).spec.leaseTransitions).toBe(1);
  });

  test("hand over at once when the leader stops in order", async () => {
    await using world = await World.create();
    const managers = ["1", "2"].map((identity) =>
      world.manager({ leaderElection: { lease, identity } }).add(mapController({ reconcile: () => {} })),
    );
    for (const manager of managers) {
      await manager.start();
      // The first one leads before the second one asks.
      await world.settled();
    }
    await managers[0]!.stop();
    expect((await world.resource(Lease).get(lease)).spec.holderIdentity).toBe("");
    await world.advance("3s");
    expect(managers.map(({ leading }) => leading)).toEqual([false, true]);
  });

  test("whose Lease another one has taken stops writing before anything else, and stands again", async () => {
    await using world = await World.create();
    const { promise: inHand, resolve: begun } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: go } = Promise.withResolvers<void>();
    const refused: unknown[] = [];
    const reconcile: MapDefinition["reconcile"] = async ({ apply, signal }) => {
      signal.addEventListener("abort", () => go());
      begun();
      await goOn;
      await apply(ConfigMap, map("b")).catch((error: unknown) => refused.push(error));
    };
    const manager = world
      .manager({ leaderElection: { lease, identity: "1" } })
      .add(mapController({ predicate: ({ object }) => object.metadata.name === "a", reconcile, timeout: "1h" }));
    await world.resource(ConfigMap).create(map("a"));
    await manager.start();
    await inHand;
    await world.resource(Lease).modify(lease, (held) => ({ ...held, spec: { ...held.spec, holderIdentity: "2" } }));
    world.clock.advance(3000);
    await world.settled();
    expect([manager.leading, refused.map(String)]).toEqual([false, ["Error: the lead was lost"]]);
    expect(await world.resource(ConfigMap).find(at("b"))).toBeUndefined();
    await world.advance("20s");
    expect(manager.leading).toBe(true);
  });
});

test("a controller with more writes than it can remember while its watch lags starts again when the informer is up to date", async () => {
  await using world = await World.create();
  let told: "events" | "nothing" | "the end" = "events";
  const gone = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } };
  /** Watches of Secrets that tell nothing for a time, and then end with 410. */
  const lagging =
    (transport: Transport): Transport =>
    async (request) => {
      const answer = await transport(request);
      if (!request.path.includes("watch=true") || !request.path.includes("/secrets")) return answer;
      const body = (async function* () {
        for await (const piece of answer.body) {
          if (told === "events") yield piece;
          if (told !== "the end") continue;
          told = "events";
          yield Buffer.from(`${JSON.stringify(gone)}\n`);
          return;
        }
      })();
      return { ...answer, body };
    };
  const secrets = sharedInformer(Secret);
  const names = ["a", "b", "c"];
  let begun = 0;
  const manager = world.manager({ client: world.client.with({ through: lagging }) }).add(
    defineKeyController({
      name: "writer",
      uses: [secrets],
      begin(_, add) {
        begun++;
        // Keys so long that those of three writes are more than is remembered.
        for (const name of names) add(name.padEnd(1 << 20));
        return new DisposableStack();
      },
      async reconcile({ key, client, informer }) {
        const name = key.trim();
        if (!informer(secrets).get(at(name))) await client.resource(Secret).create({ metadata: at(name) });
      },
    }),
  );
  told = "nothing";
  await manager.start();
  await world.settled();
  const made = await world.resource(Secret).list({ namespace: "default" });
  expect(made.items.map(({ metadata }) => metadata.name)).toEqual(names);
  // No observer is called: neither for their creation nor for their deletion.
  for (const name of names) await world.resource(Secret).delete(at(name));
  expect(begun).toBe(1);
  told = "the end";
  await world.resource(Secret).create({ metadata: at("other") });
  await world.advance("1m");
  expect(begun).toBe(2);
  const again = await world.resource(Secret).list({ namespace: "default" });
  expect(again.items.map(({ metadata }) => metadata.name)).toEqual([...names, "other"]);
  expect(world.warnings.join()).toContain("a controller begins anew");
});

test("a write that the informer never shows is waited for 30 seconds, and then reported", async () => {
  await using world = await World.create();
  let lags = false;
  /** Watches of Secrets that fall silent when `lags` is set. */
  const lagging =
    (transport: Transport): Transport =>
    async (request) => {
      const answer = await transport(request);
      if (!request.path.includes("watch=true") || !request.path.includes("/secrets")) return answer;
      const body = (async function* () {
        for await (const piece of answer.body) if (!lags) yield piece;
      })();
      return { ...answer, body };
    };
  let runs = 0;
  const manager = world.manager({ client: world.client.with({ through: lagging }) }).add(
    mapController({
      predicate: ({ object }) => object.metadata.name === "a",
      owns: [Secret],
      reconcile: async ({ apply, key }) => void (runs++, await apply(Secret, { metadata: { ...key } })),
    }),
  );
  await manager.start();
  await world.settled();
  lags = true;
  await world.resource(ConfigMap).create(map("a"));
  await world.settled();
  await world.resource(ConfigMap).patch(at("a"), { data: { n: "1" } });
  await world.settled();
  expect(runs).toBe(1);
  await world.advance("29s");
  expect([runs, world.warnings]).toEqual([1, []]);
  await world.advance("1s");
  expect(runs).toBe(2);
  expect(world.warnings.join()).toContain("memory does not show a write");
});

describe("informers", () => {
  test("of equal specs are one list and one watch, with the indexes of each; what they give out is frozen", async () => {
    await using world = await World.create();
    const requests: TransportRequest[] = [];
    const manager = world.manager({ client: world.client.with({ through: spy(requests) }) });
    await manager.start();
    const byData = sharedInformer(ConfigMap, { indexes: { colour: ({ data }) => data?.["colour"] } });
    const [one, two] = [manager.informer(byData), manager.informer(sharedInformer(ConfigMap))];
    const metadata = manager.informer(sharedInformer(metadataOf(ConfigMap)));
    await world.resource(ConfigMap).create(map("a", { colour: "red" }));
    await world.resource(ConfigMap).create(map("b", { colour: "blue" }));
    await world.settled();
    expect(one.by("colour", "red").map((found) => found.metadata.name)).toEqual(["a"]);
    await world.resource(ConfigMap).patch(at("a"), { data: { colour: "blue" } });
    await world.settled();
    expect(one.by("colour", "red")).toEqual([]);
    expect(
      one
        .by("colour", "blue")
        .map((found) => found.metadata.name)
        .toSorted(),
    ).toEqual(["a", "b"]);
    expect(two.get(at("a"))).toBe(one.get(at("a")));
    expect(metadata.get(at("a"))?.metadata.uid).toBe(one.get(at("a"))?.metadata.uid);
    expect(Object.isFrozen(two.get(at("a"))!.data)).toBe(true);
    expect(two.list({ namespace: "kube-system" })).toEqual([]);
    expect(requests.map(({ path }) => path.split("?")[0])).toEqual(["/api/v1/configmaps", "/api/v1/configmaps"]);
    // The last one who lets go ends the watch.
    for (const informer of [one, two, metadata]) informer[Symbol.dispose]();
    const again = manager.informer(sharedInformer(metadataOf(ConfigMap)));
    await world.settled();
    expect(again.list({ namespace: "default" }).map(Object.keys)).toEqual(
      Array(2).fill(["kind", "apiVersion", "metadata"]),
    );
  });

  test("in owns are found beside one of the same kind that selects less, in for", async () => {
    await using world = await World.create();
    let runs = 0;
    await world.run(
      defineController({
        name: "maps",
        for: sharedInformer(ConfigMap, { labelSelector: "parent" }),
        owns: [ConfigMap],
        reconcile: async ({ owned, create, key }) => {
          runs++;
          if (owned(ConfigMap).length === 0) await create(ConfigMap, { metadata: { generateName: `${key.name}-` } });
        },
      }),
    );
    await world.resource(ConfigMap).create({ metadata: { ...at("a"), labels: { parent: "yes" } } });
    await world.settled();
    const { items } = await world.resource(ConfigMap).list({ namespace: "default" });
    expect(items.filter(({ metadata }) => metadata.ownerReferences)).toHaveLength(1);
    expect([runs, world.warnings]).toEqual([2, []]);
  });

  test("are read as they are named: one of metadata only is no one of whole objects", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    await world.run(
      mapController({
        uses: [sharedInformer(metadataOf(Secret))],
        predicate: ({ object }) => object.metadata.name === "a",
        reconcile: ({ informer }) => void informer(sharedInformer(Secret)).list(),
      }),
    );
    await world.settled();
    expect(String(world.failures[0]?.error)).toContain("expected controller maps to name the informer of secrets");
  });

  test("that have ended, or have never begun, hold no key back", async () => {
    await using world = await World.create();
    await world.resource(ConfigMap).create(map("a"));
    const refusing =
      (transport: Transport): Transport =>
      (request) =>
        request.path.includes("/secrets") && request.path.includes("labelSelector")
          ? Promise.reject(new Error("not for you"))
          : transport(request);
    const manager = world.manager({ client: world.client.with({ through: refusing }) });
    let runs = 0;
    manager.add(
      mapController({
        reconcile: async ({ client }) => {
          if (runs++ > 0) return;
          const brief = manager.informer(sharedInformer(Secret));
          await world.client.resource(Secret).list();
          await client.resource(Secret).create({ metadata: { ...at("s"), labels: { x: "y" } } });
          brief[Symbol.dispose]();
          await world.resource(ConfigMap).patch(at("a"), { data: { n: "2" } });
        },
      }),
    );
    manager.informer(sharedInformer(Secret, { labelSelector: "x=y" }));
    await manager.start();
    await world.advance("5s");
    expect(runs).toBe(2);
    expect(world.warnings.filter((line) => line.includes("memory does not show"))).toEqual([]);
  });

  test("that were released call neither their listeners nor their indexes, whatever else follows", async () => {
    await using world = await World.create();
    const manager = await world.run();
    const kept = manager.informer(sharedInformer(ConfigMap));
    let calls = 0;
    const index = (): string => (calls++, "all");
    for (let n = 0; n < 3; n++) {
      const brief = manager.informer(sharedInformer(ConfigMap, { indexes: { brief: index } }));
      await world.settled();
      brief.on(() => void calls++);
      expect(brief.by("brief", "all")).toHaveLength(kept.list().length);
      brief[Symbol.dispose]();
    }
    const before = calls;
    await world.resource(ConfigMap).create(map("a"));
    await world.settled();
    expect([calls, kept.get(at("a"))]).toEqual([before, expect.anything()]);
  });

  test("of a kind that is not served wait for it, and no others do", async () => {
    await using world = await World.create();
    const unknown = { ...Secret, group: "example.com" };
    let count = 0;
    const manager = world
      .manager()
      .add(
        defineController({ name: "waits", for: unknown, reconcile: () => {} }),
        defineController({ name: "runs", for: Namespace, reconcile: () => void count++ }),
      );
    await manager.start();
    await world.settled();
    expect(manager.status()).toEqual([
      { controller: "waits", state: "waiting", why: "secrets.example.com is not served" },
      { controller: "runs", state: "running" },
    ]);
    expect(count).toBeGreaterThan(0);
  });

  test("a listener that throws loses nothing and stops no other", async () => {
    await using world = await World.create();
    const manager = world.manager();
    await manager.start();
    const informer = manager.informer(sharedInformer(ConfigMap));
    const heard: string[] = [];
    informer.on(() => {
      throw new Error("I cannot bear this");
    });
    informer.on(({ type, object }) => void heard.push(`${type} ${object.metadata.name}`));
    await world.resource(ConfigMap).create(map("a"));
    await world.resource(ConfigMap).delete(at("a"));
    await world.settled();
    expect(heard.filter((line) => line.endsWith(" a"))).toEqual(["added a", "deleted a"]);
    expect(world.warnings.join()).toContain("I cannot bear this");
  });
});

describe("a manager", () => {
  test("that was stopped or has crashed leaves no timer, and follows nothing that is asked for afterwards", async () => {
    await using world = await World.create();
    const requests: TransportRequest[] = [];
    await world.resource(ConfigMap).create(map("a"));
    await world.settled();
    const before = world.clock.timers().length;
    for (const end of ["stop", "crash"] as const) {
      const manager = world
        .manager({ client: world.client.with({ through: spy(requests) }), leaderElection: { lease: at("maps") } })
        .add(mapController({ reconcile: () => ({ requeueAfter: "1h" }) }));
      await manager.start();
      await world.settled();
      expect(world.clock.timers().length).toBeGreaterThan(before);
      await manager[end]();
      requests.length = 0;
      const late = manager.informer(sharedInformer(Secret));
      await world.settled();
      expect([world.clock.timers().length, late.list(), requests.length]).toEqual([before, [], 0]);
      await world.advance("1m");
    }
  });

  test("that stops ends, whatever never ends: a reconcile of a term that was lost, an event that is not answered", async () => {
    await using world = await World.create();
    const lease = { namespace: "kube-system", name: "maps" };
    await world.resource(ConfigMap).create(map("a"));
    const hanging =
      (transport: Transport): Transport =>
      (request) =>
        request.path.includes("/events") ? new Promise(() => {}) : transport(request);
    const begun = Promise.withResolvers<void>();
    const manager = world.manager({ client: world.client.with({ through: hanging }), leaderElection: { lease } }).add(
      mapController({
        reconcile: ({ events }) => {
          events.normal("Stuck", "stuck");
          begun.resolve();
          return new Promise<void>(() => {});
        },
      }),
    );
    await manager.start();
    await begun.promise;
    await world.resource(Lease).modify(lease, (held) => ({ ...held, spec: { ...held.spec, holderIdentity: "2" } }));
    // It hears of the other one when it renews, however many passes its requests take; time alone would end its lead after 10 s.
    for (let n = 0; n < 1000 && manager.leading; n++) {
      if (n < 5) world.clock.advance(1000);
      await nextPass();
    }
    expect(manager.leading).toBe(false);
    let stopped = false;
    const stopping = manager.stop({ grace: "10s" }).then(() => (stopped = true));
    for (let n = 0; n < 40 && !stopped; n++) {
      for (let i = 0; i < 20; i++) await nextPass();
      world.clock.advance(1000);
    }
    await stopping;
    expect([stopped, world.activity.count]).toEqual([true, 0]);
  });

  test("that was stopped calls no code of a controller any more, and can be told so twice", async () => {
    await using world = await World.create();
    let count = 0;
    const manager = await world.run(mapController({ reconcile: () => void count++ }));
    await world.settled();
    await Promise.all([manager.stop(), manager.stop()]);
    const before = count;
    await world.resource(ConfigMap).create(map("late"));
    await world.advance("1h");
    expect([count, world.activity.count]).toEqual([before, 0]);
  });

  test("that stops lets what is in hand end within its grace, then aborts it", async () => {
    await using world = await World.create();
    let how = "";
    await world.resource(ConfigMap).create(map("a"));
    const manager = await world.run(
      mapController({
        reconcile: async ({ clock, signal }) => {
          await clock.sleep("1h", signal);
          how = String(signal.reason);
        },
      }),
    );
    const stopping = manager.stop({ grace: "10s" });
    world.clock.advance(9999);
    expect(how).toBe("");
    world.clock.advance(1);
    await stopping;
    expect(how).toBe("Error: the controller was stopped");
  });

  test("takes controllers while it runs, each name once, and refuses definitions that cannot be meant", async () => {
    await using world = await World.create();
    let count = 0;
    const manager = await world.run();
    manager.add(defineController({ name: "spaces", for: Namespace, reconcile: () => void count++ }));
    await world.settled();
    expect(count).toBeGreaterThan(0);
    const spaces = defineController({ name: "spaces", for: Namespace, reconcile: () => {} });
    expect(() => manager.add(spaces)).toThrow("expected the name of a controller to be there once, got spaces again");
    const reconcile = (): void => {};
    expect(() => defineController({ name: "x", for: Namespace, finalizer: "a/b", reconcile })).toThrow("together");
    expect(() => defineController({ name: "a b", for: Namespace, reconcile })).toThrow("expected the name");
    expect(() => defineController({ name: "x", for: Namespace, concurrency: 0, reconcile })).toThrow("at least 1");
  });
});
