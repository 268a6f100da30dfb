import { expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { testServer } from "../testing/test-server.ts";
import { withFilter } from "./default.ts";

test("a request that takes long is logged with its route and where the time went; others are not", async () => {
  const clock = new ManualClock();
  const slowly = { name: "slowly", enter: () => clock.advance(700), handled: () => clock.advance(800) };
  const filters = withFilter(slowly, { after: "read path" });
  const { ask, logged } = await testServer({ clock, filters, limits: { slowMillis: 1000 } });
  await ask("GET", "/version");
  await ask("GET", "/api/v1/namespaces/n/configmaps?limit=7");
  await new Promise((resolve) => setImmediate(resolve));
  expect(logged).toMatchObject([
    {
      message: "a request was slow",
      fields: {
        route: "/api/v1/namespaces/{namespace}/configmaps",
        method: "GET",
        user: "right",
        code: 200,
        millis: 1500,
        reading: 700,
        handling: 800,
        responding: 0,
      },
    },
  ]);
});
