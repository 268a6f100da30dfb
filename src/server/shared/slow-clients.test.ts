import { describe, expect, test } from "vitest";
import { nextPass } from "../../util/testing/pass.ts";
import { InjectExchange, type InjectResponse } from "../http/inject.ts";
import { type FairServer, fair } from "../testing/fair-server.ts";
import { CM, configMap } from "../testing/test-server.ts";

/** A body whose parts arrive when the test sends them. */
class SlowBody extends InjectExchange {
  readonly #come = Promise.withResolvers<void>();

  constructor(user: string, name: string) {
    const body = JSON.stringify(configMap(name));
    super({ method: "POST", url: CM, headers: { authorization: `Bearer ${user}` }, body });
  }

  override async readBody(limit: number): Promise<Uint8Array> {
    await this.#come.promise;
    return super.readBody(limit);
  }

  async comes(): Promise<InjectResponse> {
    this.#come.resolve();
    return this.response;
  }
}

const QUEUE = { type: "Queue", queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } };

/** Objects that are too many for a list in one piece; each is a response that keeps its seat until it is taken. */
async function fill({ put }: FairServer): Promise<void> {
  for (let i = 0; i < 8; i++) await put(configMap(`o${i}`, "x".repeat(200_000)));
}

function slowPosts({ server }: FairServer, ...names: string[]): SlowBody[] {
  const posts = names.map((name) => new SlowBody("greedy", name));
  for (const post of posts) server.handle(post);
  return posts;
}

const asYaml = ({ ask }: FairServer, user: string): Promise<InjectResponse> =>
  ask("GET", `${CM}/o0`, { headers: { authorization: `Bearer ${user}`, accept: "application/yaml" } });

const seatsOf = ({ fairness }: FairServer, name = "global-default"): number =>
  fairness.levels.find(({ settings }) => settings.name === name)!.seats;

/** Lets all that can be done be done. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await nextPass();
};

const brokenOff = ({ logged }: FairServer): number =>
  logged.filter(({ fields }) => fields["limit"] === "unread response").length;

describe.each([
  ["two seats", undefined],
  ["limits of two reads and two writes", 2],
])("with %s", (_name, limit) => {
  test("APF-16: a list whose reader keeps us waiting for a second goes on without a seat", async () => {
    const made = await fair({ type: "Reject" }, limit);
    await fill(made);
    const unread = await Promise.all([made.as("greedy", CM), made.as("greedy", CM)]);
    await settled();
    expect((await made.as("modest")).code).toBe(429);
    made.clock.advance(900);
    expect((await made.as("modest")).code).toBe(429);
    made.clock.advance(200);
    expect((await made.as("modest")).code).toBe(404);
    for (const response of unread) {
      expect((JSON.parse(await response.text()) as { items: unknown[] }).items).toHaveLength(8);
    }
    await settled();
    // What was given back is not given back twice.
    const again = await Promise.all([made.as("greedy", CM), made.as("greedy", CM)]);
    await settled();
    expect((await made.as("modest")).code).toBe(429);
    for (const response of again) response.cancel();
  });

  test("a list whose reader keeps us waiting again and again does so for a second altogether", async () => {
    const made = await fair({ type: "Reject" }, limit);
    await fill(made);
    const slow = await Promise.all([made.as("greedy", CM), made.as("greedy", CM)]);
    const readers = slow.map((response) => response.pieces());
    /** 300 ms, and they have room for the next object: a separator and itself. */
    const waitAndRead = async (): Promise<void> => {
      await settled();
      made.clock.advance(300);
      for (const reader of readers) {
        await reader.next();
        await reader.next();
      }
      await settled();
    };
    for (let i = 0; i < 3; i++) await waitAndRead();
    expect((await made.as("modest")).code).toBe(429);
    await waitAndRead();
    expect((await made.as("modest")).code).toBe(404);
    for (const response of slow) response.cancel();
  });

  test("a body that is not there after a second has no seat, and asks for one again when it is", async () => {
    const made = await fair({ type: "Reject" }, limit);
    const [first, second] = slowPosts(made, "first", "second");
    await settled();
    const post = (name: string): Promise<InjectResponse> => {
      const [one] = slowPosts(made, name);
      return one!.comes();
    };
    expect((await post("third")).code).toBe(429);
    made.clock.advance(1100);
    expect((await post("third")).code).toBe(201);
    expect((await first!.comes()).code).toBe(201);
    const others = slowPosts(made, "fourth", "fifth");
    await settled();
    const refused = await second!.comes();
    expect([refused.code, refused.headers["retry-after"], await refused.text()]).toEqual([
      429,
      "1",
      "Too many requests, please try again later.\n",
    ]);
    made.clock.advance(1100);
    expect((await made.as("modest", `${CM}/first`)).code).toBe(200);
    expect((await made.as("modest", `${CM}/second`)).code).toBe(404);
    for (const other of others) expect((await other.comes()).code).toBe(201);
  });
});

test("APF-18: a body that comes late waits in the queue like others, and gets one response", async () => {
  const made = await fair(QUEUE);
  const [late] = slowPosts(made, "late");
  await settled();
  made.clock.advance(1100);
  made.hold();
  const holding = [made.as("a"), made.as("b")];
  const response = late!.comes();
  await settled();
  expect(made.fairness.levels.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(1);
  made.release();
  expect((await response).code).toBe(201);
  await Promise.all(holding);
  await settled();
  expect(seatsOf(made)).toBe(0);
});

test("a body that has to wait until the time of its request is over is not worked on", async () => {
  const made = await fair(QUEUE);
  const [late] = slowPosts(made, "late");
  await settled();
  made.clock.advance(50_000);
  made.hold();
  const holding = [made.as("a"), made.as("b")];
  const response = late!.comes();
  await settled();
  made.clock.advance(11_000);
  expect((await response).code).toBe(504);
  made.release();
  await Promise.all(holding);
  await settled();
  expect((await made.as("modest", `${CM}/late`, "DELETE")).code).toBe(404);
  expect(seatsOf(made)).toBe(0);
});

describe("a large response that no client reads", () => {
  test("keeps its seat while no other request wants it", async () => {
    const made = await fair(QUEUE);
    await fill(made);
    const unread = await Promise.all([asYaml(made, "greedy"), asYaml(made, "greedy")]);
    await settled();
    made.clock.advance(30_000);
    expect([seatsOf(made), brokenOff(made)]).toEqual([2, 0]);
    for (const response of unread) expect((await response.text()).length).toBeGreaterThan(200_000);
    await settled();
    expect(seatsOf(made)).toBe(0);
  });

  test("is broken off after five seconds when another request waits, and no more than necessary", async () => {
    const made = await fair(QUEUE);
    await fill(made);
    const unread = await Promise.all([asYaml(made, "greedy"), asYaml(made, "greedy")]);
    await settled();
    const modest = made.as("modest", `${CM}/o0`);
    await settled();
    for (let i = 0; i < 4; i++) made.clock.advance(1000);
    expect(brokenOff(made)).toBe(0);
    for (let i = 0; i < 2; i++) made.clock.advance(1000);
    expect([brokenOff(made), (await modest).code]).toEqual([1, 200]);
    for (const response of unread) response.cancel();
  });

  test("is broken off where others are refused instead", async () => {
    for (const limit of [undefined, 2]) {
      const made = await fair({ type: "Reject" }, limit);
      await fill(made);
      await Promise.all([asYaml(made, "greedy"), asYaml(made, "greedy")]);
      await settled();
      expect((await made.as("modest")).code).toBe(429);
      for (let i = 0; i < 6; i++) made.clock.advance(1000);
      expect([brokenOff(made), (await made.as("modest")).code]).toEqual([1, 404]);
    }
  });
});

test("a list of which much was made for its reader alone keeps its seat as one large response does", async () => {
  const made = await fair(QUEUE);
  for (const name of ["a", "b", "c"]) await made.put(configMap(name, "x".repeat(700_000)));
  const headers = { authorization: "Bearer greedy", accept: "application/yaml" };
  const connection = { certificate: undefined, address: "192.0.2.1", encrypted: true };
  const unread = await made.server.inject({ url: CM, headers, connection });
  await settled();
  for (let i = 0; i < 6; i++) made.clock.advance(1000);
  expect(seatsOf(made)).toBe(1);
  expect((await unread.text()).length).toBeGreaterThan(2_000_000);
  await settled();
  expect(seatsOf(made)).toBe(0);
});

test("APF-15: a watch whose reader does not take what there is has no seat after a second", async () => {
  const made = await fair();
  // More than one step of what a watch begins with.
  for (let i = 0; i < 600; i++) await made.put(configMap(`o${i}`, "x".repeat(300)));
  const watches = await Promise.all([made.as("greedy", `${CM}?watch=1`), made.as("greedy", `${CM}?watch=1`)]);
  await settled();
  expect(seatsOf(made)).toBe(2);
  made.clock.advance(1100);
  expect([seatsOf(made), (await made.as("modest")).code]).toEqual([0, 404]);
  for (const watch of watches) watch.cancel();
});

test("APF-12: who is exempt takes his time", async () => {
  const made = await fair();
  await fill(made);
  const unread = await made.as("admin", CM);
  await settled();
  made.clock.advance(10_000);
  expect(seatsOf(made, "exempt")).toBe(1);
  unread.cancel();
});
