import { describe, expect, test } from "vitest";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { Query } from "./query.ts";
import { testServer, CM } from "../testing/test-server.ts";

describe("a query", () => {
  test("has parameters by name, the first of several, and all of them in order", () => {
    const query = new Query("a=1&b=x+y%21&a=2&c&&d;e=1&f=%zz");
    expect([query.first("a"), query.all("a"), query.text("b")]).toEqual(["1", ["1", "2"], "x y!"]);
    expect([query.first("c"), query.first("d"), query.first("f"), query.excess]).toEqual([
      "",
      undefined,
      undefined,
      false,
    ]);
  });

  test("has the time that a request may take, where it says one", () => {
    const times = ["", "timeout=", "timeout=1m30s", "timeout=0", "timeout=soon"].map((text) => new Query(text));
    expect(times.map(({ timeoutMillis }) => timeoutMillis)).toEqual([0, 0, 90_000, 0, undefined]);
  });

  test("of more parameters than any client sends is cut where it has enough", async () => {
    const text = `${"a&".repeat(500_000)}b=1`;
    const query = new Query(text);
    expect([query.excess, query.has("b"), query.all("a").length]).toEqual([true, false, 1000]);
    expect(new Query("a&".repeat(999)).excess).toBe(false);
    // All of them: 50 ms.
    expect(await leastCpu(() => void new Query(text).has("b"))).toBeLessThan(5);
  });
});

test("too many parameters are refused for a resource, and not read on public paths", async () => {
  const { server, json } = await testServer();
  const query = "a&".repeat(1001);
  expect(await json("GET", `${CM}?${query}`)).toMatchObject({ code: 400, body: { reason: "BadRequest" } });
  expect((await server.inject({ url: `/livez?${query}` })).code).toBe(200);
});
