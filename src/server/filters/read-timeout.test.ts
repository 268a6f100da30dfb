import { expect, test } from "vitest";
import { testServer } from "../testing/test-server.ts";

const PATH = "/api/v1/namespaces/n/configmaps";

test.each(["30s", "1m30s", "0", "0s", "-1s", "%2B2h", "1.5h", ".5s", "1.s", "5000000us", "5000000%C2%B5s", ""])(
  "a timeout of %j is taken",
  async (timeout) => {
    const { ask } = await testServer();
    expect((await ask("GET", `${PATH}?timeout=${timeout}`)).code).toBe(200);
  },
);

test.each(["30", "x", "1d", "s", "-", "1s2", "1 s", "1e3s", "."])("a timeout of %j is 400", async (timeout) => {
  const { json } = await testServer();
  expect(await json("GET", `${PATH}?timeout=${encodeURIComponent(timeout)}`)).toMatchObject({
    code: 400,
    body: { reason: "BadRequest", message: expect.stringContaining("timeout") },
  });
});

test("LIMIT-3: a request whose time is over when it is read is 504, and there is no such time for what goes on for long", async () => {
  const { json, ask } = await testServer();
  expect(await json("GET", `${PATH}?timeout=1ns`)).toMatchObject({ code: 504, body: { reason: "Timeout" } });
  for (const path of [`${PATH}?watch=1&timeout=1ns`, `${PATH}/a/log?timeout=x`, `${PATH}/a/proxy?timeout=1ns`]) {
    expect([400, 504]).not.toContain((await ask("GET", path)).code);
  }
});

test("it is checked before authentication, on every path, but not for a watch", async () => {
  const { ask } = await testServer();
  const code = async (url: string): Promise<number> => (await ask("GET", url, { headers: { authorization: "" } })).code;
  expect([await code("/version?timeout=x"), await code(`${PATH}?timeout=x`)]).toEqual([400, 400]);
  expect((await ask("GET", `${PATH}?watch=1&timeout=x`)).code).toBe(200);
});
