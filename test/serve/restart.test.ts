import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, WatchReader, configMap, has, read, run } from "./keelson.ts";

const scratch = new Scratch();
const template = scratch.fresh();
beforeAll(async () => {
  await (await Keelson.serve(["--data-dir", template, "--port", "0"])).stop();
});
afterAll(() => scratch.remove());

/** A data directory in which a server has run and ended. */
function used(): string {
  const directory = scratch.fresh();
  cpSync(template, directory, { recursive: true });
  return directory;
}

/** The files by which clients know the server and the admin. */
const IDENTITY = ["admin.token", "pki/ca.crt", "pki/server.crt", "pki/admin.crt", "pki/token.key"];
const identity = (directory: string): string[] => IDENTITY.map((name) => read(directory, name));

describe("a server that is started again", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)(
    "after %s it has its objects, its revision and its identity",
    async (signal) => {
      const directory = scratch.fresh();
      const before = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
      let client = await Http2Client.connect(before, directory);
      const { json: kept } = await client.send("POST", CONFIG_MAPS, configMap("kept", { colour: "red" }));
      await client.send("POST", CONFIG_MAPS, configMap("gone"));
      await client.send("DELETE", `${CONFIG_MAPS}/gone`);
      const revision = Number((await client.send("GET", CONFIG_MAPS)).json.metadata.resourceVersion);
      const known = identity(directory);
      client.close();
      await before.stop(signal);

      const after = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
      client = await Http2Client.connect(after, directory);
      const list = (await client.send("GET", CONFIG_MAPS)).json;
      expect(list.items).toEqual([kept]);
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(revision);
      const { json: next } = await client.send("POST", CONFIG_MAPS, configMap("next"));
      expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(revision);
      expect(identity(directory)).toEqual(known);
      client.close();
      await after.stop();
    },
  );

  test("a watch goes on from a version that was seen before the new start", async () => {
    const directory = scratch.fresh();
    const before = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    let client = await Http2Client.connect(before, directory);
    const { json: first } = await client.send("POST", CONFIG_MAPS, configMap("first"));
    await client.send("POST", CONFIG_MAPS, configMap("second"));
    await client.send("DELETE", `${CONFIG_MAPS}/first`);
    client.close();
    await before.stop("SIGKILL");

    const after = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    client = await Http2Client.connect(after, directory);
    const query = `watch=true&timeoutSeconds=1&resourceVersion=${first.metadata.resourceVersion}`;
    const watch = new WatchReader(client.open("GET", `${CONFIG_MAPS}?${query}`));
    await watch.ended;
    expect(watch.events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      "ADDED second",
      "DELETED first",
    ]);
    client.close();
    await after.stop();
  });

  test("the kubeconfig names the port of the server that runs now", async () => {
    const directory = used();
    const now = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    expect(read(directory, "admin.kubeconfig")).toContain(`server: ${now.url}\n`);
    await now.stop();
  });

  test("certificates that a crash left without their keys are created again, from the same CA", async () => {
    const directory = used();
    const [, ca] = identity(directory);
    writeFileSync(`${directory}/pki/server.key`, readFileSync(`${directory}/pki/admin.key`));
    const now = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    const client = await Http2Client.connect(now, directory);
    expect((await client.send("GET", "/readyz")).text).toBe("ok");
    expect(read(directory, "pki/ca.crt")).toBe(ca);
    client.close();
    await now.stop();
  });

  test("a further name makes a new serving certificate from the same CA", async () => {
    const directory = used();
    const [token, ca, server] = identity(directory);
    await (await Keelson.serve(["--data-dir", directory, "--port", "0", "--tls-san", "keelson.example"])).stop();
    const after = identity(directory);
    expect(after.slice(0, 2)).toEqual([token, ca]);
    expect(after[2]).not.toBe(server);
  });
});

describe("a data directory", () => {
  test("is refused to a second process, which names the owner", async () => {
    const directory = scratch.fresh();
    const owner = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    for (const store of ["sqlite", "memory"]) {
      const { code, stderr } = await run(["serve", "--data-dir", directory, "--port", "0", "--store", store]);
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`in use by process ${owner.pid} \\(keelson .* at ${owner.url}\\)`));
    }
    expect(JSON.parse(read(directory, "server.json")).pid).toBe(owner.pid);
    const client = await Http2Client.connect(owner, directory);
    expect((await client.send("GET", CONFIG_MAPS)).status).toBe(200);
    client.close();
    await owner.stop();
  });

  test("is taken by one of many that start at the same moment, and its files are that one's", async () => {
    const directory = scratch.fresh();
    const all = Array.from({ length: 4 }, () => new Keelson(["serve", "--data-dir", directory, "--port", "0"]));
    const started = await Promise.allSettled(all.map((keelson) => keelson.ready()));
    const running = all.filter((_, i) => started[i]!.status === "fulfilled");
    expect(running).toHaveLength(1);
    const [owner] = running as [Keelson];
    const client = await Http2Client.connect(owner, directory);
    expect((await client.send("GET", CONFIG_MAPS)).status).toBe(200);
    expect(JSON.parse(read(directory, "server.json")).pid).toBe(owner.pid);
    client.close();
    await owner.stop();
  });

  test("has no owner after kill -9, whatever server.json contains", async () => {
    const directory = scratch.fresh();
    const killed = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    await killed.stop("SIGKILL");
    expect(has(directory, "server.json")).toBe(true);
    expect((await run(["info", "--data-dir", directory])).stdout).toMatch(/server +not running/);
    const next = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    expect(JSON.parse(read(directory, "server.json")).pid).toBe(next.pid);
    await next.stop();
  });

  test("of one dialect is refused to the other, by its name, and needs no name", async () => {
    const directory = scratch.fresh();
    const args = ["--data-dir", directory, "--port", "0"];
    await (await Keelson.serve([...args, "--dialect", "kubernetes"])).stop();
    const { code, stderr } = await run(["serve", ...args, "--dialect", "neutral"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("expected --dialect kubernetes, with which") as string,
    });
    const again = await Keelson.serve(args);
    expect(again.stdout).toContain("(kubernetes dialect, sqlite store)\nlistening");
    await again.stop();
  });

  test("of a newer format is refused", async () => {
    const directory = used();
    writeFileSync(`${directory}/keelson.json`, '{"format": 99, "dialect": "neutral"}');
    const { code, stderr } = await run(["serve", "--data-dir", directory, "--port", "0"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("format 1 or older, got 99") as string,
    });
  });

  test("with a description that cannot be read is refused, not taken for a new one", async () => {
    const directory = used();
    writeFileSync(`${directory}/keelson.json`, "");
    const { code, stderr } = await run(["serve", "--data-dir", directory, "--port", "0"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("keelson.json to name format") as string,
    });
  });
});

test("--dev keeps nothing on disk and needs no directory", async () => {
  const keelson = await Keelson.serve(["--dev", "--port", "0"], { cwd: scratch.path });
  expect(keelson.stdout).toContain("data directory: none, nothing is kept");
  expect(keelson.stdout).toMatch(/^keelson .* memory store\)$/m);
  expect(has(scratch.path, "admin.token")).toBe(false);
  expect(await keelson.stop()).toEqual({ code: 0, signal: null });
});

test("--store memory keeps the identity, not the objects", async () => {
  const directory = scratch.fresh();
  const args = ["--data-dir", directory, "--port", "0", "--store", "memory"];
  const before = await Keelson.serve(args);
  let client = await Http2Client.connect(before, directory);
  await client.send("POST", CONFIG_MAPS, configMap("gone"));
  const known = identity(directory);
  client.close();
  await before.stop();
  const after = await Keelson.serve(args);
  client = await Http2Client.connect(after, directory);
  expect((await client.send("GET", CONFIG_MAPS)).json.items).toEqual([]);
  expect(identity(directory)).toEqual(known);
  client.close();
  await after.stop();
});
