import { describe, expect, test } from "vitest";
import { conflict, expired } from "../../meta/status.ts";
import { Activity } from "../../util/activity.ts";
import { ManualClock } from "../../util/clock.ts";
import { nextPass } from "../../util/testing/pass.ts";
import { testServer } from "../testing/test-server.ts";
import { firstOf } from "../request/watch-output.ts";
import type { Filter } from "./contract.ts";
import { DEFAULT_FILTERS, withFilter } from "./default.ts";

const CM = "/api/v1/namespaces/n/configmaps";
const TYPE = { "content-type": "application/json" };
const body = JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } });

/** A server with one filter more, right before the response. */
const serverWith = (filter: Omit<Filter, "name">, more: Parameters<typeof testServer>[0] = {}) =>
  testServer({ ...more, filters: withFilter({ name: "mine", ...filter }, { before: "handle" }) });

/** What happened to a create, moment by moment. */
async function moments() {
  const seen: [moment: string, ...facts: unknown[]][] = [];
  const server = await serverWith({
    enter: (_server, { info, body: read }) => void seen.push(["enter", info.verb, read]),
    decoded: (_server, { body: read, options, response: { changed } }) =>
      void seen.push(["decoded", read, options, changed]),
    handled: (_server, { response: { changed, code } }) => void seen.push(["handled", changed, code]),
    leave: (_server, { response: { code, reason, bytesOut } }) => void seen.push(["leave", code, reason, bytesOut > 0]),
    ended: () => void seen.push(["ended"]),
  });
  return { ...server, seen };
}

describe("the moments of a request", () => {
  test("observers of a create are called before it is stored, after it, when it gets its response and when the response was read", async () => {
    const { ask, seen } = await moments();
    const response = await ask("POST", `${CM}?fieldManager=m`, { body, headers: TYPE });
    await nextPass();
    expect(seen.map(([moment]) => moment)).toEqual(["enter", "decoded", "handled", "leave"]);
    await response.text();
    expect(seen).toMatchObject([
      ["enter", "create", undefined],
      ["decoded", { metadata: { name: "a" } }, { fieldManager: "m", dryRun: false }, false],
      ["handled", true, 0],
      ["leave", 201, undefined, true],
      ["ended"],
    ]);
  });

  test("a refusal has a reason, and no handled", async () => {
    const { ask, seen } = await moments();
    await (await ask("GET", `${CM}/none`)).text();
    expect(seen.map(([moment]) => moment)).toEqual(["enter", "decoded", "leave", "ended"]);
    expect(seen[2]).toMatchObject(["leave", 404, "NotFound", true]);
  });

  test("a watch has ended when it is over, not when it has begun", async () => {
    const { ask, seen, server } = await moments();
    const response = await ask("GET", `${CM}?watch=1`);
    await nextPass();
    expect(seen.at(-1)![0]).toBe("leave");
    response.cancel();
    await nextPass();
    expect([seen.at(-1), server.watches]).toEqual([["ended"], 0]);
  });

  test("filters leave in the opposite order", async () => {
    const left: string[] = [];
    const one = (name: string): Filter => ({ name, leave: () => void left.push(name) });
    const filters = withFilter(one("b"), { after: "a" }, withFilter(one("a"), { before: "find" }));
    await (await testServer({ filters })).ask("GET", CM);
    await nextPass();
    expect(left).toEqual(["b", "a"]);
  });
});

describe("what a filter can do", () => {
  test("refuse, before anything has happened", async () => {
    const ref = { group: "", plural: "configmaps", kind: "ConfigMap" };
    const { json, ask } = await serverWith({
      decoded: (_server, { info }) => {
        if (info.verb === "create") throw conflict(ref, "a", "injected");
      },
    });
    expect(await json("POST", CM, { body, headers: TYPE })).toMatchObject({ code: 409, body: { reason: "Conflict" } });
    expect((await ask("GET", `${CM}/a`)).code).toBe(404);
  });

  test("wait", async () => {
    const clock = new ManualClock();
    const { ask } = await serverWith(
      { decoded: () => new Promise((resolve) => void clock.after(1000, resolve)) },
      { clock },
    );
    let code = 0;
    const asked = ask("GET", CM).then((response) => (code = response.code));
    await nextPass();
    expect(code).toBe(0);
    clock.advance(1000);
    expect(await asked).toBe(200);
  });

  test("respond by itself", async () => {
    const { ask } = await serverWith({ enter: (_server, request) => request.response.respond(418, {}) });
    expect((await ask("GET", CM)).code).toBe(418);
  });

  test("lose the response of a write that is stored", async () => {
    const { ask } = await serverWith({
      handled: (_server, { incoming, response }) => {
        if (incoming.sent.method === "POST") response.responder.destroy();
      },
    });
    await expect(ask("POST", CM, { body, headers: TYPE })).rejects.toThrow("broke off");
    expect((await ask("GET", `${CM}/a`)).code).toBe(200);
  });

  test("end a watch after a number of events, with an error", async () => {
    const { ask } = await serverWith({
      enter: (_server, request) => {
        let left = 1;
        request.response.wrapWatch = (output) => ({
          events(batch) {
            output.events(firstOf(batch, left));
            left -= batch.events.length;
            if (left <= 0) output.error(expired("injected"));
          },
          bookmark: (revision, end) => output.bookmark(revision, end),
          error: (error) => output.error(error),
          end: () => output.end(),
          destroy: () => output.destroy(),
        });
      },
    });
    const watch = await ask("GET", `${CM}?watch=1`);
    await ask("POST", CM, { body, headers: TYPE });
    const lines = (await watch.text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: "ADDED" },
      { type: "ERROR", object: { code: 410, reason: "Expired" } },
    ]);
  });

  test.each([
    ["error", '"code":410'],
    ["end", "nothing"],
    ["destroy", "broke off"],
  ] as const)("end a watch that has not begun: %s", async (how, told) => {
    const { ask, server } = await serverWith({
      enter: (_server, request) => {
        request.response.wrapWatch = (output) => {
          if (how === "error") output.error(expired("injected"));
          else output[how]();
          return output;
        };
      },
    });
    const text = ask("GET", `${CM}?watch=1`).then((response) => response.text());
    expect(
      await text.then(
        (whole) => whole || "nothing",
        (error: unknown) => String(error),
      ),
    ).toContain(told);
    expect(server.watches).toBe(0);
  });

  test("keep a watch silent; the end of the server ends it all the same", async () => {
    const silent = () => undefined;
    const { ask, server } = await serverWith({
      enter: (_server, request) => {
        request.response.wrapWatch = (output) => ({
          events: silent,
          bookmark: silent,
          error: silent,
          end: silent,
          destroy: () => output.destroy(),
        });
      },
    });
    const watch = await ask("GET", `${CM}?watch=1&allowWatchBookmarks=true`);
    await ask("POST", CM, { body, headers: TYPE });
    await server.close(0);
    await expect(watch.text()).rejects.toThrow("broke off");
    expect(server.watches).toBe(0);
  });

  test("a chain without the filter to stand beside is a mistake", () => {
    expect(() => withFilter({ name: "mine" }, { after: "authorize" })).toThrow("authorise");
    expect(DEFAULT_FILTERS.at(-1)?.name).toBe("handle");
  });
});

describe("what is under way", () => {
  const counted = async () => {
    const activity = new Activity(new ManualClock());
    return { ...(await testServer({ activity })), activity };
  };

  test("a request is, until its response has been read", async () => {
    const { ask, activity } = await counted();
    const asked = ask("GET", CM);
    expect(activity.list().map(({ what }) => what)).toEqual([`GET ${CM}`]);
    const response = await asked;
    expect(activity.count).toBeGreaterThan(0);
    await response.text();
    await activity.idle();
    expect(activity.count).toBe(0);
  });

  test("a watch is not, but an event that waits for its reader is", async () => {
    const { ask, activity } = await counted();
    const watch = await ask("GET", `${CM}?watch=1`);
    const pieces = watch.pieces();
    let next = pieces.next();
    await nextPass();
    expect(activity.count).toBe(0);
    await (await ask("POST", CM, { body, headers: TYPE })).text();
    expect(activity.list().map(({ what }) => what)).toEqual([`the reader of GET ${CM}?watch=1`]);
    await next;
    expect(activity.count).toBe(1);
    next = pieces.next();
    expect(activity.count).toBe(0);
    watch.cancel();
    expect((await next).done).toBe(true);
  });

  test.each(["before it is sent", "before it begins"])("a watch whose caller goes %s has no reader", async (when) => {
    const activity = new Activity(new ManualClock());
    const caller = new AbortController();
    const go = (): void => caller.abort(new Error("gone"));
    const { ask } = await serverWith(
      { decoded: (_server, { info }) => void (info.verb === "watch" && queueMicrotask(go)) },
      { activity },
    );
    if (when === "before it is sent") go();
    const watch = ask(
      "GET",
      `${CM}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      { signal: caller.signal },
    );
    await expect(watch).rejects.toThrow("gone");
    await (await ask("POST", CM, { body, headers: TYPE })).text();
    await nextPass();
    expect(activity.list().map(({ what }) => what)).toEqual([]);
  });

  test("a request whose client has gone is, until its work is done", async () => {
    let go!: () => void;
    const activity = new Activity(new ManualClock());
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { ask } = await serverWith({ handled: () => gate }, { activity });
    const asked = ask("GET", CM);
    await nextPass();
    expect(activity.count).toBe(1);
    go();
    (await asked).cancel();
    await nextPass();
    expect(activity.count).toBe(0);
  });
});
