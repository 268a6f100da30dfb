import { describe, expect, test } from "vitest";
import type { Identity } from "../auth/contract.ts";
import type { FlowSchema } from "../kinds/flowcontrol/v1/flow-schema.ts";
import type { PriorityLevelConfiguration } from "../kinds/flowcontrol/v1/priority-level-configuration.ts";
import { providedLevels, providedSchemas } from "../kinds/flowcontrol/v1/provided.ts";
import { kubernetes } from "../meta/dialect.ts";
import { NO_REQUEST, type RequestInfo } from "../meta/request-info.ts";
import { ManualClock } from "../util/clock.ts";
import { expose } from "../util/exposition.ts";
import { Fairness, type Flow, type Refused, type Ticket, dump, fairnessMetrics } from "./index.ts";

const PATIENCE = 15_000;
const GET: RequestInfo = {
  ...NO_REQUEST,
  isResource: true,
  verb: "get",
  version: "v1",
  resource: "pods",
  namespace: "n",
  namespaced: true,
  name: "p",
};
const who = (user: string, ...groups: string[]): Identity => ({ user, groups: [...groups, "system:authenticated"] });

const level = (name: string, limited: object): PriorityLevelConfiguration =>
  ({ metadata: { name, uid: `${name}-uid` }, spec: { type: "Limited", limited } }) as PriorityLevelConfiguration;
const schema = (name: string, of: string, precedence: number, more: object = {}): FlowSchema =>
  ({
    metadata: { name, uid: `${name}-uid` },
    spec: {
      priorityLevelConfiguration: { name: of },
      matchingPrecedence: precedence,
      rules: [
        {
          subjects: [{ kind: "Group", group: { name: "system:authenticated" } }],
          resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
          nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        },
      ],
      ...more,
    },
  }) as unknown as FlowSchema;

const QUEUES = { type: "Queue", queuing: { queues: 8, handSize: 2, queueLengthLimit: 3 } };

/** Fairness with one level `l` of that many seats, which gets all requests except those of `system:masters`. */
function one(
  seats: number,
  limitResponse: object = QUEUES,
  more: object = { distinguisherMethod: { type: "ByUser" } },
) {
  const clock = new ManualClock();
  const fairness = new Fairness({ clock, seats: seats + 1 });
  const limited = { nominalConcurrencyShares: seats * 5, limitResponse, lendablePercent: 0, borrowingLimitPercent: 0 };
  fairness.configure({ schemas: [schema("s", "l", 10, more)], levels: [level("l", limited)] });
  const of = fairness.levels.find(({ settings }) => settings.name === "l")!;
  const ask = (user: string, width = 1): Ticket => {
    const identity = who(user);
    return fairness.enter(fairness.classify(identity, GET), identity, GET, width, PATIENCE);
  };
  const fate = (user: string, width = 1): string => {
    try {
      return ask(user, width).waiting ? "waits" : "runs";
    } catch (error) {
      return (error as Refused).reason;
    }
  };
  return { clock, fairness, level: of, ask, fate };
}

const nameOf = ({ flow }: Ticket): string => (flow as Flow).level.settings.name;

/** The result of a waiting request. */
const outcome = (ticket: Ticket): Promise<string> =>
  ticket.waiting!.promise.then(
    () => "runs",
    (error: unknown) => (error as Refused).reason,
  );

/** Fairness with these objects from the start. */
function usual(seats = 600) {
  const fairness = new Fairness({ clock: new ManualClock(), seats });
  const objects = (those: readonly { name: string; spec: object }[]) =>
    those.map(({ name, spec }) => ({ metadata: { name, uid: `${name}-uid` }, spec }));
  fairness.configure({
    schemas: objects(providedSchemas({ dialect: kubernetes })) as never,
    levels: objects(providedLevels()) as never,
  });
  const schemaOf = (identity: Identity, info: Partial<RequestInfo> = {}): string =>
    fairness.classify(identity, { ...GET, ...info }).name;
  return { fairness, schemaOf };
}

describe("the schema of a request", () => {
  const path = (of: string, verb = "get"): Partial<RequestInfo> => ({ isResource: false, path: of, verb });

  test("APF-9, APF-10: users, groups and accounts, verbs and resources of the release's schemas", () => {
    const { schemaOf } = usual();
    const node = who("system:node:a", "system:nodes");
    const lease = { group: "coordination.k8s.io", resource: "leases" };
    const manager = who("system:kube-controller-manager");
    const account = who("system:serviceaccount:kube-system:x", "system:serviceaccounts");
    expect([
      schemaOf(who("jane")),
      schemaOf(node),
      schemaOf(node, { resource: "nodes", namespace: "" }),
      schemaOf(node, { resource: "nodes", namespace: "", subresource: "status" }),
      schemaOf(node, { resource: "nodes", namespace: "", subresource: "proxy" }),
      schemaOf(node, lease),
      schemaOf(manager, lease),
      schemaOf(manager, { ...lease, verb: "delete" }),
      schemaOf(account),
      schemaOf(account, lease),
      schemaOf(who("system:serviceaccount:kube-systems:x", "system:serviceaccounts")),
      schemaOf({ user: "x", groups: [] }),
    ]).toEqual([
      "global-default",
      "system-nodes",
      "system-node-high",
      "system-node-high",
      "system-nodes",
      "system-node-high",
      "system-leader-election",
      "kube-controller-manager",
      "kube-system-service-accounts",
      "system-leader-election",
      "service-accounts",
      "catch-all",
    ]);
  });

  test("APF-12: masters and probes are exempt", () => {
    const { schemaOf, fairness } = usual();
    expect(schemaOf(who("admin", "system:masters"))).toBe("exempt");
    const nobody: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"] };
    expect(["/livez", "/livez/ping", "/version"].map((of) => schemaOf(nobody, path(of)))).toEqual([
      "probes",
      "global-default",
      "global-default",
    ]);
    expect(schemaOf(nobody, path("/livez", "post"))).toBe("global-default");
    const identity = who("admin", "system:masters");
    const flow = fairness.classify(identity, GET);
    for (let i = 0; i < 2000; i++) expect(fairness.enter(flow, identity, GET, 1, PATIENCE).waiting).toBeUndefined();
  });

  test("APF-9: of two with the same precedence the name decides", () => {
    const fairness = new Fairness({ clock: new ManualClock(), seats: 10 });
    fairness.configure({ schemas: [schema("b", "l", 7), schema("a", "l", 7), schema("0", "l", 8)], levels: [] });
    expect(fairness.classify(who("x"), GET).name).toBe("a");
  });

  test("APF-10: namespaces, cluster scope, and paths with a star", () => {
    const fairness = new Fairness({ clock: new ManualClock(), seats: 10 });
    const everybody = [{ kind: "User", user: { name: "*" } }];
    const rule = (more: object) => ({ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: [], ...more });
    const rules = [
      { subjects: everybody, resourceRules: [rule({ namespaces: ["a"] }), rule({ clusterScope: true })] },
      { subjects: everybody, nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/a/*", "/b"] }] },
    ];
    fairness.configure({ schemas: [schema("s", "l", 10, { rules })], levels: [] });
    const takes = (info: Partial<RequestInfo>): boolean =>
      fairness.classify(who("x"), { ...GET, ...info }).name === "s";
    expect(
      [{ namespace: "a" }, { namespace: "" }, { namespace: "b" }, { namespace: "a", verb: "list" }].map(takes),
    ).toEqual([true, true, false, false]);
    expect(["/a/x", "/a", "/b", "/b/c"].map((of) => takes(path(of)))).toEqual([true, false, true, false]);
  });
});

describe("seats", () => {
  test("APF-13: a level's seats follow from its shares, the bounds from what it lends and borrows", () => {
    const { fairness } = usual();
    const seats = Object.fromEntries(
      fairness.levels.map(({ settings: { name, nominal, lower, upper } }) => [name, [nominal, lower, upper]]),
    );
    // The values of a server with the limits 400 and 200.
    expect(seats).toEqual({
      exempt: [0, 0, 600],
      "catch-all": [13, 13, 613],
      system: [74, 50, 674],
      "node-high": [98, 73, 698],
      "leader-election": [25, 25, 625],
      "workload-high": [98, 49, 698],
      "workload-low": [245, 24, 845],
      "global-default": [49, 24, 649],
    });
  });

  test("APF-14: unused seats are lent, and returned when they are needed", () => {
    const { clock, fairness, fate } = one(40, { type: "Reject" });
    const lender = level("idle", {
      nominalConcurrencyShares: 20,
      lendablePercent: 50,
      limitResponse: { type: "Reject" },
    });
    const borrower = level("l", {
      nominalConcurrencyShares: 20,
      lendablePercent: 0,
      limitResponse: { type: "Reject" },
    });
    fairness.configure({ schemas: [schema("s", "l", 10)], levels: [lender, borrower] });
    const limits = () => fairness.levels.map(({ settings: { name }, limit }) => [name, limit]);
    const of = (name: string) => new Map(limits() as [string, number][]).get(name)!;
    const nominal = 19;
    for (let i = 0; i < 30; i++) fate("u");
    clock.advance(10_000);
    expect(of("l")).toBeGreaterThan(nominal);
    expect(of("idle")).toBeLessThan(nominal);
    const { demand } = fairness.levels.find(({ settings }) => settings.name === "idle")!;
    demand.add(nominal, clock.steady());
    clock.advance(10_000);
    expect(of("idle")).toBeGreaterThanOrEqual(nominal);
  });

  test("APF-15: a wide request takes at most 15 % of the level's seats, and at most the share of one queue", () => {
    expect(one(100, { type: "Reject" }).ask("u", 100).width).toBe(15);
    expect(
      one(100, { type: "Queue", queuing: { queues: 64, handSize: 10, queueLengthLimit: 1 } }).ask("u", 100).width,
    ).toBe(10);
    expect(one(3).ask("u", 100).width).toBe(1);
  });

  test("APF-15: a write takes seats while its watchers are notified", () => {
    const { clock, level: of, ask, fate } = one(2, { type: "Reject" });
    ask("u").end({ seats: 2, millis: 5 });
    expect([of.seats, fate("u")]).toEqual([2, "concurrency-limit"]);
    clock.advance(5);
    expect([of.seats, fate("u")]).toEqual([0, "runs"]);
  });

  test("APF-16: a level without seats runs one request at a time", () => {
    const { fate, ask, level: of } = one(0);
    expect(of.limit).toBe(0);
    const first = ask("u");
    expect([fate("u"), fate("v")]).toEqual(["waits", "waits"]);
    first.end();
    expect([of.running.size, of.waiting]).toEqual([1, 1]);
  });
});

describe("no seat", () => {
  test("APF-17: Reject refuses at once", () => {
    const { fate } = one(2, { type: "Reject" });
    expect([1, 2, 3].map(() => fate("u"))).toEqual(["runs", "runs", "concurrency-limit"]);
  });

  test("APF-18: a flow fills its hand, and others still wait in theirs", () => {
    const { fate } = one(1);
    const fates = Array.from({ length: 9 }, () => fate("loud"));
    expect(fates).toEqual(["runs", ...Array.from({ length: 6 }, () => "waits"), "queue-full", "queue-full"]);
    const others = Array.from({ length: 10 }, (_, i) => fate(`quiet-${i}`));
    expect(others.filter((one_) => one_ === "waits").length).toBeGreaterThanOrEqual(8);
  });

  test("APF-18: a flow with few requests is served soon, whatever another has waiting", async () => {
    const queuing = { queues: 64, handSize: 4, queueLengthLimit: 100 };
    const { clock, ask } = one(1, { type: "Queue", queuing });
    const first = ask("loud");
    const loud = Array.from({ length: 100 }, () => ask("loud"));
    const quiet = ask("quiet");
    let running = first;
    let served = 0;
    while (quiet.waiting) {
      clock.advance(10);
      running.end();
      running = [...loud, quiet].find((ticket) => !ticket.waiting && ticket.startedAt === clock.steady())!;
      served++;
    }
    expect(served).toBeLessThan(8);
  });

  test("APF-15, APF-18: any number of lists leaves seats to others, which do not wait behind them", () => {
    const { level: of, ask, fate } = one(64);
    const lists = Array.from({ length: 11 }, () => ask("lists", 8));
    expect(lists.map(({ waiting }) => Boolean(waiting))).toEqual([...Array(7).fill(false), ...Array(4).fill(true)]);
    expect(of.seats).toBe(56);
    expect(Array.from({ length: 8 }, (_, i) => fate(`reader-${i}`))).toEqual(Array(8).fill("runs"));
    expect(fate("another")).toBe("waits");
  });

  test("APF-18: a list that waits for seats of narrow requests is not passed by more of them", async () => {
    const { clock, ask, fate } = one(64);
    const narrow = Array.from({ length: 60 }, (_, i) => ask(`writer-${i}`));
    const list = ask("lists", 8);
    expect(list.waiting).toBeDefined();
    clock.advance(50);
    narrow[0]!.end();
    expect(["x", "y", "z"].map((user) => fate(user))).toEqual(["waits", "waits", "waits"]);
    const end = outcome(list);
    for (const ticket of narrow.slice(1, 4)) ticket.end();
    await expect(end).resolves.toBe("runs");
    expect(fate("w")).toBe("waits");
  });

  test("APF-18: flows are distinguished by user, by namespace, or not at all", () => {
    const filled = (more: object, second: string): string => {
      const { fate } = one(1, QUEUES, more);
      for (let i = 0; i < 20; i++) fate("loud");
      return fate(second);
    };
    expect(filled({}, "quiet")).toBe("queue-full");
    expect(filled({ distinguisherMethod: { type: "ByNamespace" } }, "quiet")).toBe("queue-full");
    expect(filled({ distinguisherMethod: { type: "ByUser" } }, "quiet")).toBe("waits");
  });

  test("APF-19: a request that waits too long is refused, a disconnected one leaves its queue, and the next one runs", async () => {
    const { clock, ask, level: of, fairness } = one(1);
    const running = ask("u");
    const [late, gone] = [ask("u"), ask("u")];
    const ends = [late, gone].map(outcome);
    clock.advance(1000);
    gone.cancel();
    expect(of.waiting).toBe(1);
    clock.advance(PATIENCE - 1000);
    expect(await Promise.all(ends)).toEqual(["time-out", "cancelled"]);
    const last = ask("v");
    running.end();
    running.end();
    expect([last.waiting, of.seats, of.waiting]).toEqual([undefined, 1, 0]);
    last.end();
    expect([of.seats, of.demand.value, [...of.queues]]).toEqual([0, 0, []]);
    const text = expose(await fairnessMetrics(fairness)());
    expect(text).toContain(
      'apiserver_flowcontrol_rejected_requests_total{flow_schema="s",priority_level="l",reason="time-out"} 1',
    );
    expect(text).toContain(
      'apiserver_flowcontrol_rejected_requests_total{flow_schema="s",priority_level="l",reason="cancelled"} 1',
    );
    const waits = "apiserver_flowcontrol_request_wait_duration_seconds";
    const inVain = '{flow_schema="s",priority_level="l",execute="false"}';
    expect(text).toContain(`${waits}_count${inVain} 2\n`);
    expect(text).toContain(`${waits}_sum${inVain} ${(1000 + PATIENCE) / 1000}\n`);
    expect(of.refused).toMatchObject({ "time-out": 1, cancelled: 1 });
  });

  test("APF-20: Retry-After grows while a level keeps refusing, up to 32 s, and falls again", () => {
    const { clock, ask } = one(1, { type: "Reject" });
    ask("u");
    const seconds = (): number => {
      try {
        ask("u");
      } catch (error) {
        return (error as Refused).seconds;
      }
      return 0;
    };
    expect(seconds()).toBe(1);
    let last = 0;
    for (let second = 0; second < 120; second++) {
      for (let i = 0; i < 100; i++) last = seconds();
      clock.advance(1000);
    }
    expect(last).toBe(32);
    for (let i = 0; i < 60; i++) {
      clock.advance(40_000);
      last = seconds();
    }
    expect(last).toBe(1);
  });
});

describe("changes of levels", () => {
  test("APF-21: a schema whose level is missing uses that of catch-all", () => {
    const fairness = new Fairness({ clock: new ManualClock(), seats: 10 });
    fairness.configure({ schemas: [schema("s", "missing", 10)], levels: [] });
    const flow = fairness.classify(who("x"), GET);
    expect([flow.name, flow.level.settings.name]).toEqual(["s", "catch-all"]);
  });

  test("APF-21: a deleted level is drained first", async () => {
    const { fairness, ask, level: of } = one(1);
    const [running, waiting] = [ask("u"), ask("u")];
    fairness.configure({ schemas: [schema("s", "l", 10)], levels: [] });
    expect([of.isDraining, nameOf(ask("u"))]).toEqual([true, "catch-all"]);
    const end = outcome(waiting);
    running.end();
    expect(await end).toBe("runs");
    waiting.end();
    fairness.configure({ schemas: [], levels: [] });
    expect(fairness.levels.map(({ settings }) => settings.name)).not.toContain("l");
  });

  test("counters survive a change of schemas, and earlier requests end in their level", () => {
    const { fairness, ask } = one(2);
    const before = ask("u");
    const settings = { nominalConcurrencyShares: 50, limitResponse: QUEUES };
    fairness.configure({ schemas: [schema("s", "l", 20)], levels: [level("l", settings)] });
    before.end();
    const flow = fairness.classify(who("u"), GET);
    expect([flow.counts.dispatched, flow.counts.executing, flow.level.seats]).toEqual([1, 0, 0]);
  });
});

test("APF-23: tables show levels, queues and requests", () => {
  const { fairness, ask, clock } = one(1);
  ask("u");
  ask("v");
  clock.advance(20);
  const [levels, queues, requests] = (["dump_priority_levels", "dump_queues", "dump_requests"] as const).map((name) =>
    dump(fairness, name, clock.steady(), true).split("\n"),
  );
  expect(levels!.find((line) => line.startsWith("l,"))!.split(/, */)).toEqual([
    "l",
    "1",
    "false",
    "false",
    "1",
    "1",
    "1",
    "0",
    "0",
    "0",
  ]);
  expect(queues!.filter((line) => line.startsWith("l,"))).toHaveLength(1);
  expect(requests!.filter((line) => /^l,.*v, +get/.test(line))).toHaveLength(1);
});
