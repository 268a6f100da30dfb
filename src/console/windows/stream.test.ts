import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { Listening } from "../../server/testing/listening.ts";
import { ADMIN, configMap } from "../../server/testing/test-server.ts";
import { windowRoutes } from "./index.ts";
import { StreamClient } from "./testing/client.ts";

const CM = { group: "", version: "v1", resource: "configmaps" };

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

async function started(options: Parameters<Listening["start"]>[1] = {}) {
  const made = await listening.start(false, { routes: windowRoutes(), ...options });
  const connect = async (headers: Record<string, string> = ADMIN): Promise<StreamClient> => {
    const client = new StreamClient(made.listener.port, headers);
    listening.onClean(() => client.close());
    await client.opened();
    return client;
  };
  return { ...made, connect };
}

describe("a window", () => {
  test("shows the rows of a list in the order of names, and what changes in them", async () => {
    const { put, connect, json } = await started();
    for (const name of ["b", "a", "c"]) await put(configMap(name));
    const client = await connect();
    client.open(1, CM, 0, 2);
    const first = await client.window(1);
    expect(first.rows.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(first).toMatchObject({ matching: 3, total: 3, offset: 0 });
    expect(first.columns.map(({ name }) => name)).toEqual(["Name", "Data"]);
    await put(configMap("aa"));
    const second = await client.window(1, ({ matching }) => matching === 4);
    expect(second.rows.map(({ name }) => name)).toEqual(["a", "aa"]);
    await json("DELETE", "/api/v1/namespaces/n/configmaps/a");
    const third = await client.window(1, ({ matching }) => matching === 3);
    expect(third.rows.map(({ name }) => name)).toEqual(["aa", "b"]);
    client.open(1, CM, 2, 2);
    const moved = await client.window(1, ({ offset }) => offset === 2);
    expect(moved.rows.map(({ name }) => name)).toEqual(["c"]);
  });

  test("sorts by a column, and filters by names and texts", async () => {
    const { put, connect } = await started();
    for (const [name, count] of [
      ["x", 1],
      ["y", 12],
      ["z", 3],
    ] as const) {
      const data = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
      await put({ ...configMap(name), data } as ReturnType<typeof configMap>);
    }
    const client = await connect();
    client.open(1, { ...CM, sort: { column: "Data", descending: true } });
    client.open(2, { ...CM, namespace: "n", name: "Y" });
    client.open(3, { ...CM, text: "3" });
    const names = async (id: number) => (await client.window(id)).rows.map(({ name }) => name);
    expect(await names(1)).toEqual(["y", "z", "x"]);
    expect(await names(2)).toEqual(["y"]);
    expect(await names(3)).toEqual(["z"]);
  });
});
