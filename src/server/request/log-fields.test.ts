import { expect, test } from "vitest";
import { ADMIN, testServer } from "../testing/test-server.ts";

test("what a limit refuses is logged with the limit, the user and the route, and nothing that was sent", async () => {
  const { ask, logged } = await testServer({ limits: { bodyBytes: 100 } });
  const headers = { ...ADMIN, "content-type": "application/json" };
  const body = JSON.stringify({ data: { secret: "x".repeat(200) } });
  await ask("PUT", "/api/v1/namespaces/n/configmaps/hidden?dryRun=All&token=hidden", { headers, body });
  expect(logged).toEqual([
    {
      message: "a request was refused by a limit",
      fields: {
        limit: "body size",
        code: 413,
        client: "",
        user: "right",
        method: "PUT",
        route: "/api/v1/namespaces/{namespace}/configmaps/{name}",
      },
    },
  ]);
});
