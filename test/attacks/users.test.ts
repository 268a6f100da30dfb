/** One user who uses all that he can: connections, concurrent requests. Another user, who has limits, too, continues. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect } from "vitest";
import { CONFIG_MAPS, Scratch, until } from "../serve/keelson.ts";
import { EACH, begin, fill, slowPost, unreadList, unreadYaml } from "./begun.ts";
import { type Attack, type Row, SHORT, attacks } from "./rows.ts";

const GREEDY = "the-token-of-one-who-takes-all-he-can";
const MODEST = "the-token-of-one-who-is-modest";
const NEIGHBOUR = "the-token-of-one-who-shares-a-level-with-him";
const MOST_CONNECTIONS = 100;
const MOST_REQUESTS = 1000;
/** What the greedy one tries to have. */
const WANTED_CONNECTIONS = SHORT ? 250 : 600;
const WANTED_REQUESTS = SHORT ? 2500 : 8000;

/** Holds requests of the greedy one, so many on each connection, while the modest one reads. */
const greedy =
  (limit: "connections" | "requests", count: number, each: number, bytes: (stream: number, token: string) => Buffer) =>
  async ({ target, client }: Attack): Promise<void> => {
    await fill(client);
    const modest = await target.connect({ authorization: `Bearer ${MODEST}` });
    const read = async (): Promise<number> => (await modest.send("GET", "/api/v1/namespaces/default")).status;
    expect(await read()).toBe(200);
    const highest = (of: string): Promise<number> => target.metric(`keelson_user_limit_highest{limit="${of}"}`);
    const refusals = (): Promise<number> => target.metric(`keelson_user_limit_refusals_total{limit="${limit}"}`);
    const before = await refusals();
    const wires = await begin(target, count, (stream) => bytes(stream, GREEDY), each);
    for (let i = 0; i < 10; i++) {
      await sleep(50);
      expect(await read()).toBe(200);
      expect(await highest("connections")).toBeLessThanOrEqual(MOST_CONNECTIONS);
      expect(await highest("requests")).toBeLessThanOrEqual(MOST_REQUESTS);
    }
    expect(await refusals()).toBeGreaterThan(before);
    for (const wire of wires) wire.destroy();
    modest.session.destroy();
    await until(async () => (await highest("connections")) === 0);
  };

const OF_LEVEL = '{flow_schema="global-default",priority_level="global-default"}';
const SEATS = `apiserver_flowcontrol_current_executing_seats${OF_LEVEL}`;
const WAITING = `apiserver_flowcontrol_current_inqueue_requests${OF_LEVEL}`;

/** Takes all seats of a level, and more wait for some, while another one reads whose requests go to the same level. */
const sameLevel =
  (mostMillis: number, bytes: (stream: number, token: string) => Buffer) =>
  async ({ target, client }: Attack): Promise<void> => {
    await fill(client);
    const neighbour = await target.connect({ authorization: `Bearer ${NEIGHBOUR}` });
    const wires = await begin(target, 600, (stream) => bytes(stream, GREEDY));
    await until(async () => (await target.metric(WAITING)) > 0);
    const times: number[] = [];
    for (const path of ["/api/v1/namespaces/default", CONFIG_MAPS, "/api/v1/namespaces/default", CONFIG_MAPS]) {
      const from = performance.now();
      expect((await neighbour.send("GET", path)).status).toBe(200);
      times.push(performance.now() - from);
    }
    expect(Math.max(...times)).toBeLessThan(mostMillis);
    for (const wire of wires) wire.destroy();
    neighbour.session.destroy();
    await until(async () => (await target.metric(SEATS)) === 0);
  };

const ROWS: readonly Row[] = [
  {
    name: `${WANTED_CONNECTIONS} connections of one user, who may have 100, with a list each that is never read`,
    play: greedy("connections", WANTED_CONNECTIONS, 1, unreadList),
  },
  {
    name: `${WANTED_REQUESTS.toLocaleString("en")} lists of one user, who may have 1,000, that are never read`,
    play: greedy("requests", WANTED_REQUESTS, EACH, unreadList),
  },
  {
    name: `${WANTED_REQUESTS.toLocaleString("en")} objects of 900 kB as YAML of one user, who may have 1,000 requests, that are never read`,
    play: greedy("requests", WANTED_REQUESTS, EACH, unreadYaml),
    // Copies of 900 kB, of which there are as many as seats: up to 370, where a level that was busy before has borrowed some.
    bounds: { peakMiB: 400 },
  },
  {
    name: `${WANTED_REQUESTS.toLocaleString("en")} bodies of one user, who may have 1,000, of which a byte comes`,
    play: greedy("requests", WANTED_REQUESTS, EACH, slowPost),
  },
];

/** Much is made for each, and the neighbour waits for seats: it takes a quarter of a minute. */
const AS_YAML: Row = {
  name: "600 objects as YAML that are never read, of one user, while another one of his level reads",
  play: sameLevel(10_000, unreadYaml),
  // Each is a copy of its own, of 900 kB, and keeps its seat: those of the level are the bound, 300 and, where it was busy
  // before, 360. The rest is what making them leaves behind until V8 looks for it.
  bounds: { peakMiB: 500 },
};

/** A level lends seats when its demand grows: the requests that hold seats come first. */
const SHARED: readonly Row[] = [
  ...(SHORT ? [] : [AS_YAML]),
  {
    name: "600 lists that are never read, of one user, while another one of his level reads",
    play: sameLevel(5000, unreadList),
  },
  {
    name: "600 bodies of which a byte comes, of one user, while another one of his level reads",
    play: sameLevel(5000, slowPost),
  },
];

const scratch = new Scratch();
afterAll(() => scratch.remove());
const users = join(scratch.path, "users.csv");
// The modest one is of another level.
writeFileSync(users, `${GREEDY},greedy,1\n${MODEST},modest,2,system:serviceaccounts\n${NEIGHBOUR},neighbour,3\n`);

const ARGS = ["--history=1s", "--authorization-mode=AlwaysAllow", `--token-auth-file=${users}`];

attacks("One user who takes all that he can", "test/attacks/users.test.ts", ROWS, {
  args: [...ARGS, `--max-connections-per-user=${MOST_CONNECTIONS}`, `--max-requests-per-user=${MOST_REQUESTS}`],
});
attacks("One user who takes all seats of his level", "test/attacks/users.test.ts", SHARED, { args: ARGS });
