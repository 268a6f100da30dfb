/** Each perturbation with a program that shows its effect. */
import { afterEach, describe, expect, test } from "vitest";
import { ConfigMap, Secret } from "../../client/kinds/index.ts";
import type { RunRecord } from "../../explore/contract/laboratory.ts";
import type { RequestPoint } from "../../explore/contract/plan.ts";
import type { DeliveryEntry } from "../../explore/contract/trace.ts";
import { sleep } from "../../util/clock.ts";
import type { Scenario } from "./scenario.ts";
import {
  WEB,
  asking,
  certificates,
  closeLaboratories,
  createSecret,
  eventOfWeb,
  forever,
  linesOf,
  mainOf,
  playPlan,
  requestsOf,
  writesOf,
} from "./testing/certificates.ts";

afterEach(closeLaboratories);

const secret = (name: string) => ({ metadata: { namespace: "default", name } });
const createOf = (name: string): RequestPoint => ({ ...createSecret, name });
const changesOf = ({ trace }: RunRecord, kind: string): readonly string[] =>
  linesOf(trace, "change").filter((line) => line.endsWith(` ${kind}`));
const deliveriesOf = ({ trace }: RunRecord): readonly DeliveryEntry[] =>
  trace.filter((entry) => entry.type === "delivery");
/** One step that changes nothing, for programs that do their work by themselves. */
const nothing: Scenario = { name: "nothing", steps: [{ wait: "1s" }] };

/** Creates a Secret until the response is that it exists, and never reads. */
const insistent = mainOf(async ({ client, clock }) => {
  const create = () =>
    client.resource(Secret).create({ metadata: { namespace: "default", generateName: "cert-" } }, {});
  while (
    !(await create().then(
      () => true,
      () => false,
    ))
  ) {
    await sleep(clock, 1000);
  }
  await forever();
});

describe("responses", () => {
  test("that are lost: the write is stored, and a program that never looks writes again", async () => {
    const run = await playPlan([{ type: "answer-lost", at: createSecret }], insistent, nothing);
    expect(writesOf(run).map(({ code, changed }) => [code, changed])).toEqual([
      [undefined, true],
      [201, true],
    ]);
    expect(run.states[0]!.state.objects.map(({ kind }) => kind)).toEqual(["Secret", "Secret"]);
    expect(run.complaints).toEqual([]);
  });

  test("that refuse, as often as the plan says", async () => {
    const run = await playPlan([{ type: "refused", at: createSecret, with: "conflict", times: 2 }], insistent, nothing);
    expect(writesOf(run).map(({ code, reason, changed }) => [code, reason, changed])).toEqual([
      [409, "Conflict", false],
      [409, "Conflict", false],
      [201, undefined, true],
    ]);
  });

  test.each([
    ["too-many-requests", 429],
    ["internal-error", 500],
    ["unavailable", 503],
  ] as const)("%s is %i", async (refusal, code) => {
    const run = await playPlan([{ type: "refused", at: createSecret, with: refusal, times: 1 }], insistent, nothing);
    expect(writesOf(run).map((entry) => [entry.code, entry.changed])).toEqual([
      [code, false],
      [201, true],
    ]);
  });

  test("that come too late: the write is stored, and refused with 504", async () => {
    const run = await playPlan([{ type: "refused", at: createSecret, with: "timeout", times: 1 }], insistent, nothing);
    expect(writesOf(run).map(({ code, changed }) => [code, changed])).toEqual([
      [504, true],
      [201, true],
    ]);
  });

  test("that take a time come after what they have stored", async () => {
    const run = await playPlan([{ type: "slow", at: createSecret, byMillis: 3000 }]);
    const stored = run.trace.find((entry) => entry.type === "change" && entry.object.kind === "Secret")!;
    expect(stored.at).toBe(0);
    expect(writesOf(run)[0]).toMatchObject({ verb: "create", at: 3000, code: 201, perturbation: 0 });
  });

  test("that wait for webhooks: nothing is stored before", async () => {
    const run = await playPlan([{ type: "slow-webhooks", actor: "operator", byMillis: 3000 }]);
    const stored = run.trace.filter((entry) => entry.type === "change" && entry.actor === "operator");
    expect(stored.map(({ at }) => at)).toEqual([3000, 6000]);
    expect(run.met).toEqual([true]);
  });

  test("that wait for webhooks: Leases of elections do not, or no replica would lead", async () => {
    const slow = { type: "slow-webhooks", actor: "operator", byMillis: 29_000 } as const;
    const elected = { controllers: certificates, leaderElection: true };
    const run = await playPlan([{ type: "lead-changes", at: createSecret }, slow], elected, asking);
    expect(changesOf(run, "Secret")).toContain("operator created Secret");
    expect(run.complaints).toEqual([]);
  });
});

describe("watches", () => {
  test("that lag stand still until all else is at rest, then go on in order", async () => {
    const run = await playPlan([{ type: "lag", at: eventOfWeb("MODIFIED") }]);
    const clean = await playPlan([]);
    const lineOf = ({ change, object }: DeliveryEntry): string => `${change} ${object.kind}`;
    const ofWeb = (all: readonly DeliveryEntry[]) =>
      all.filter(({ object }) => object.kind === "ConfigMap").map(lineOf);
    expect(ofWeb(deliveriesOf(run))).toEqual(ofWeb(deliveriesOf(clean)));
    const late = deliveriesOf(run).find(({ change, object }) => change === "MODIFIED" && object.kind === "ConfigMap");
    expect(late!.at).toBe(15_000);
    expect(linesOf(run.trace, "perturbation")).toEqual([
      "begun 0: watches of ConfigMap by operator stand still",
      "ended 0: watches of ConfigMap by operator continue",
    ]);
  });

  test("with a gap end with 410: a state that came and went is never seen", async () => {
    const flipped: Scenario = {
      ...asking,
      steps: [asking.steps[0]!, ...["2", "1"].map((size) => ({ patch: { ...WEB, with: { data: { size } } } }))],
    };
    const at = eventOfWeb("MODIFIED", 1);
    const run = await playPlan([{ type: "gap", at, untilStep: 2 }], undefined, flipped);
    const clean = await playPlan([], undefined, flipped);
    const seen = (one: RunRecord): number => deliveriesOf(one).filter(({ object }) => object.name === "web").length;
    const lists = (one: RunRecord): number =>
      requestsOf(one).filter(({ verb, object }) => verb === "list" && object.kind === "ConfigMap").length;
    expect([seen(clean), seen(run)]).toEqual([4, 2]);
    expect([lists(clean), lists(run)]).toEqual([1, 2]);
  });

  test("that lag go on at once where a program asks again and again until it sees what is stored", async () => {
    const program = mainOf(async ({ client, clock }) => {
      let seen = "";
      const maps = client.resource(ConfigMap);
      const follow = async (): Promise<void> => {
        for await (const { type, object } of maps.watch({ namespace: "default" })) {
          if (type !== "BOOKMARK" && object.metadata.name === "web") seen = object.metadata.resourceVersion;
        }
      };
      void follow();
      for (;;) {
        await sleep(clock, 10_000);
        for (let stored = "-"; stored !== seen && seen !== "";) {
          stored = (await maps.get({ namespace: "default", name: "web" })).metadata.resourceVersion;
        }
      }
    });
    const short: Scenario = { ...asking, pause: "1m", quiet: "1m", steps: asking.steps.slice(0, 2) };
    const run = await playPlan([{ type: "lag", at: eventOfWeb("MODIFIED") }], program, short);
    expect(run.complaints).toEqual([]);
    expect(linesOf(run.trace, "perturbation").at(-1)).toBe(
      "ended 0: all gates open, as operator does not come to rest",
    );
    expect(run.states.map(({ step }) => step)).toEqual([0, 1, 2]);
  });

  test("that stand still until a later step leave no time for tries that are in vain", async () => {
    const run = await playPlan([{ type: "gap", at: eventOfWeb("MODIFIED"), untilStep: 1 }]);
    const quiet = run.trace.filter((entry) => entry.type === "step" && entry.phase === "quiet");
    expect(quiet.map(({ at }) => at)).toEqual([15_000, 315_000, 615_000, 87_015_000]);
  });

  test("that end make a program list again", async () => {
    const run = await playPlan([{ type: "resync", at: eventOfWeb("ADDED") }]);
    const lists = requestsOf(run).filter(({ verb }) => verb === "list");
    expect(lists.map(({ object }) => object.kind).toSorted()).toEqual(["ConfigMap", "ConfigMap", "Secret", "Secret"]);
  });

  test("have a bookmark when the plan says so", async () => {
    const types: string[][] = [];
    const watcher = mainOf(async ({ client }) => {
      const seen: string[] = [];
      types.push(seen);
      for await (const { type } of client.resource(ConfigMap).watch({ namespace: "default" })) seen.push(type);
    });
    const short: Scenario = { ...asking, pause: "1s", quiet: "1s", steps: [asking.steps[0]!] };
    await playPlan([], watcher, short);
    await playPlan([{ type: "bookmark", at: eventOfWeb("ADDED") }], watcher, short);
    const [clean, run] = types.map((seen) => seen.filter((type) => type === "BOOKMARK").length);
    expect(run).toBe(clean! + 1);
  });
});

describe("a stale restart", () => {
  /** Notes in a Secret what it reads when it starts, then makes one Secret after each event. */
  const reader = (resourceVersion: string) => {
    const seen: string[][] = [];
    const program = mainOf(async ({ client }) => {
      const maps = client.resource(ConfigMap);
      const own: string[] = [];
      seen.push(own);
      const { items, metadata } = await maps.list({
        namespace: "default",
        labelSelector: "asks=certificate",
        ...(resourceVersion && { resourceVersion }),
      });
      own.push(`list ${items.length}`);
      const events = maps.watch({
        namespace: "default",
        labelSelector: "asks=certificate",
        resourceVersion: metadata.resourceVersion,
      });
      for await (const { type } of events) {
        if (type === "BOOKMARK") continue;
        own.push(type);
        await client.resource(Secret).create({ metadata: { namespace: "default", generateName: "cert-" } }, {});
      }
    });
    return { seen, program };
  };
  const plan = [{ type: "stale-restart", at: createSecret, behind: eventOfWeb("ADDED") }] as const;
  const created: Scenario = { ...asking, steps: [asking.steps[0]!] };

  test("reads the state from before an event where the latest one is not asked for, and the rest later", async () => {
    const { seen, program } = reader("0");
    const run = await playPlan(plan, program, created);
    expect(seen).toEqual([
      ["list 0", "ADDED"],
      ["list 0", "ADDED"],
    ]);
    const again = deliveriesOf(run).filter(({ life }) => life === 1);
    expect(again.map(({ at }) => at)).toEqual([25_000]);
  });

  test("watches from the state before an event", async () => {
    const seen: string[][] = [];
    const program = mainOf(async ({ client }) => {
      const own: string[] = [];
      seen.push(own);
      const query = { namespace: "default", labelSelector: "asks=certificate", resourceVersion: "0" };
      for await (const { type, object } of client.resource(ConfigMap).watch(query)) {
        if (type === "BOOKMARK") continue;
        own.push(`${type} ${object.data?.["size"] ?? 1}`);
        if (object.data?.["size"] === "2")
          await client
            .resource(Secret)
            .create(secret("big"))
            .catch(() => {});
      }
    });
    const behind = eventOfWeb("MODIFIED");
    const steps = asking.steps.slice(0, 2);
    await playPlan([{ type: "stale-restart", at: createOf("big"), behind }], program, { ...asking, steps });
    expect(seen).toEqual([
      ["ADDED 1", "MODIFIED 2"],
      ["ADDED 1", "MODIFIED 2"],
    ]);
  });

  test("does not happen to a program that asks for the latest state", async () => {
    const { seen, program } = reader("");
    const run = await playPlan(plan, program, created);
    expect(seen).toEqual([["list 0", "ADDED"]]);
    expect(run.met).toEqual([false]);
  });
});

test("a request that is overtaken is handled after the next one", async () => {
  const program = mainOf(async ({ client }) => {
    const secrets = client.resource(Secret);
    await Promise.all([secrets.create(secret("a")), secrets.create(secret("b"))]);
    await forever();
  });
  const namesOf = ({ trace }: RunRecord) =>
    trace.flatMap((entry) => (entry.type === "change" ? [entry.object.name] : []));
  expect(namesOf(await playPlan([], program, nothing))).toEqual(["a", "b"]);
  expect(namesOf(await playPlan([{ type: "overtaken", at: createOf("a") }], program, nothing))).toEqual(["b", "a"]);
});

test("a request that nothing overtakes is handled when all else is at rest", async () => {
  const program = mainOf(async ({ client }) => {
    await client.resource(Secret).create(secret("a"));
    await forever();
  });
  const run = await playPlan([{ type: "overtaken", at: createOf("a") }], program, nothing);
  expect(writesOf(run)).toMatchObject([{ code: 201, at: 15_000 }]);
});

test("a watch, which has no end, overtakes nothing", async () => {
  const program = mainOf(async ({ client, clock }) => {
    const secrets = client.resource(Secret);
    const { resourceVersion } = (await secrets.list()).metadata;
    const created = secrets.create(secret("a"));
    await sleep(clock, 1);
    await Promise.all([created, Array.fromAsync(secrets.watch({ resourceVersion }))]);
  });
  const run = await playPlan([{ type: "overtaken", at: createOf("a") }], program, nothing);
  expect(writesOf(run)).toMatchObject([{ code: 201, at: 15_000 }]);
});

test("leadership changes hands: the write of the first replica comes when the second one has done the work", async () => {
  const program = { controllers: certificates, leaderElection: true };
  const run = await playPlan([{ type: "lead-changes", at: createSecret }], program);
  expect(linesOf(run.trace, "life")).toEqual([
    "operator 0 started",
    "operator 1 started",
    "operator 1 leading",
    "operator 0 not leading",
  ]);
  expect(
    writesOf(run)
      .filter(({ object }) => object.kind === "Secret")
      .map(({ life, code }) => [life, code]),
  ).toEqual([
    [1, 201],
    [0, 201],
  ]);
  expect(changesOf(run, "Secret").filter((line) => line.includes("created"))).toHaveLength(2);
  expect(run.complaints).toEqual([]);
});

test("a node is lost when a step begins, and comes back", async () => {
  const scenario: Scenario = { name: "nodes", nodes: 1, pause: "10m", quiet: "1m", steps: [{ wait: "1s" }] };
  const program = mainOf(forever);
  const run = await playPlan([{ type: "node-lost", step: 0, node: "node-1", forMillis: 300_000 }], program, scenario);
  const readiness = run.trace.flatMap((entry) => {
    if (entry.type !== "change" || entry.object.kind !== "Node") return [];
    const { conditions } = entry.after["status"] as { conditions: { type: string; status: string }[] };
    return conditions.filter(({ type }) => type === "Ready").map(({ status }) => status);
  });
  expect(readiness).toContain("Unknown");
  expect(readiness.at(-1)).toBe("True");
});

test("the clock jumps: timers come late", async () => {
  const at: number[][] = [];
  const program = mainOf(async ({ clock }) => {
    const own: number[] = [];
    at.push(own);
    const begin = clock.steady();
    for (;;) {
      await sleep(clock, 60_000);
      own.push(clock.steady() - begin);
    }
  });
  const short: Scenario = { ...nothing, pause: "2m", quiet: "1m" };
  await playPlan([{ type: "clock-jump", step: 0, byMillis: 3_600_000 }], program, short);
  expect(at[0]!.slice(0, 3)).toEqual([60_000, 120_000, 121_000 + 3_600_000]);
});
