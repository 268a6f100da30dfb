import { describe, expect, test } from "vitest";
import { nextPass } from "../../util/testing/pass.ts";
import { fair } from "../testing/fair-server.ts";
import { CM, configMap } from "../testing/test-server.ts";

const SCHEMA = "x-kubernetes-pf-flowschema-uid";
const LEVEL = "x-kubernetes-pf-prioritylevel-uid";

describe("who has taken a request", () => {
  test("APF-11, AUTHN-2: every response but a 401 names the schema and the level", async () => {
    const { as } = await fair();
    const uids = async (user: string, url?: string): Promise<unknown[]> => {
      const { code, headers } = await as(user, url);
      return [code, headers[SCHEMA], headers[LEVEL]];
    };
    expect(await uids("jane", CM)).toEqual([200, "schema-global-default", "level-global-default"]);
    expect(await uids("jane")).toEqual([404, "schema-global-default", "level-global-default"]);
    expect(await uids("stranger")).toEqual([403, "schema-global-default", "level-global-default"]);
    expect(await uids("admin")).toEqual([404, "schema-exempt", "level-exempt"]);
    expect(await uids("wrong")).toEqual([401, undefined, undefined]);
  });

  test("APF-9: an impersonated request takes the place of the other user", async () => {
    const { ask } = await fair();
    const headers = { authorization: "Bearer admin", "impersonate-user": "jane" };
    expect((await ask("GET", CM, { headers })).headers[SCHEMA]).toBe("schema-global-default");
  });
});

describe("when there is no seat", () => {
  test("APF-17, APF-20: 429 with a text and a time to come back, also named", async () => {
    const { as, hold } = await fair();
    hold();
    void as("a");
    void as("b");
    const refused = await as("c");
    expect([refused.code, refused.headers["retry-after"], refused.headers["content-type"]]).toEqual([
      429,
      "1",
      "text/plain; charset=utf-8",
    ]);
    expect(refused.headers[LEVEL]).toBe("level-global-default");
    expect(await refused.text()).toBe("Too many requests, please try again later.\n");
  });

  test("APF-12: masters and probes get their responses all the same", async () => {
    const { as, hold } = await fair();
    hold();
    void as("a");
    void as("b");
    expect((await as("jane", CM)).code).toBe(429);
    expect((await as("admin", CM)).code).toBe(200);
    expect((await as("jane", "/livez")).code).toBe(200);
  });

  test("a client of the same process never waits", async () => {
    const { as, hold, server } = await fair();
    hold();
    void as("a");
    void as("b");
    const identity = { user: "controller", groups: ["system:authenticated"] };
    const response = await server.inject({ method: "GET", url: CM, headers: {}, identity });
    expect([response.code, response.headers[SCHEMA]]).toEqual([200, undefined]);
  });

  test("APF-18, APF-19: others wait for a quarter of the time of a request, or until there is a seat", async () => {
    const { as, hold, release, clock, fairness } = await fair({
      type: "Queue",
      queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 },
    });
    const waiting = (): number => fairness.levels.reduce((sum, one) => sum + one.waiting, 0);
    hold();
    const running = [as("a"), as("b")];
    const late = as("c");
    await nextPass();
    expect(waiting()).toBe(1);
    clock.advance(15_000);
    expect((await late).code).toBe(429);
    const patient = as("d", CM);
    const impatient = as("d", `${CM}?timeout=4s`);
    await nextPass();
    clock.advance(1000);
    expect((await impatient).code).toBe(429);
    release();
    expect((await patient).code).toBe(200);
    await Promise.all(running);
    expect(fairness.levels.reduce((sum, one) => sum + one.seats, 0)).toBe(0);
  });
});

test("APF-15: a watch holds its seat until it has sent what there is, and none after", async () => {
  const { as, fairness } = await fair();
  const seats = (): number => fairness.levels.reduce((sum, one) => sum + one.seats, 0);
  const watches = await Promise.all([as("a", `${CM}?watch=1`), as("a", `${CM}?watch=1&resourceVersion=1`)]);
  await nextPass();
  expect([seats(), watches.map(({ code }) => code)]).toEqual([0, [200, 200]]);
  expect((await as("b", CM)).code).toBe(200);
  for (const watch of watches) watch.cancel();
});

describe("APF-22: without fairness", () => {
  test("so many reads run, and masters and watches beside them", async () => {
    const { as, hold, release } = await fair(undefined, 1);
    hold();
    const first = as("a");
    expect([(await as("b", CM)).code, (await as("b", CM)).headers["retry-after"]]).toEqual([429, "1"]);
    expect((await as("admin", CM)).code).toBe(200);
    const watch = await as("b", `${CM}?watch=1`);
    expect(watch.code).toBe(200);
    watch.cancel();
    release();
    await first;
    const { code, headers } = await as("b", CM);
    expect([code, headers[SCHEMA]]).toEqual([200, undefined]);
  });

  test("0 is no limit, and there are no tables of what waits", async () => {
    const { as, hold } = await fair(undefined, 0);
    hold();
    for (let i = 0; i < 1000; i++) void as("a");
    expect((await as("b", CM)).code).toBe(200);
    expect((await as("b", "/debug/api_priority_and_fairness/dump_queues")).code).toBe(404);
  });
});

test("APF-23: metrics and tables tell of it", async () => {
  const { as } = await fair();
  await as("jane", CM);
  expect(await (await as("admin", "/metrics")).text()).toContain(
    'apiserver_flowcontrol_dispatched_requests_total{flow_schema="global-default",priority_level="global-default"} 1',
  );
  const table = await (await as("admin", "/debug/api_priority_and_fairness/dump_priority_levels")).text();
  expect(table).toMatch(/^global-default, +0, +true, +false, +0, +0, +1, +0, +0, +0$/m);
});

test("a write holds seats until its watchers have been notified, whichever filters observe it", async () => {
  const { server, resource, clock, fairness } = await fair();
  resource("configmaps").load = () => ({ objects: 1, meanBytes: 1, watchers: 100 });
  const headers = { authorization: "Bearer greedy", "content-type": "application/json" };
  const seats = () => fairness.levels.find(({ settings }) => settings.name === "global-default")!.seats;
  const response = await server.inject({ method: "POST", url: CM, headers, body: JSON.stringify(configMap("a")) });
  expect(response.code).toBe(201);
  await response.text();
  await nextPass();
  expect(seats()).toBeGreaterThan(0);
  clock.advance(60_000);
  expect(seats()).toBe(0);
});
