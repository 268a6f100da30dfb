import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EtcdCluster, hasEtcd, startEtcd } from "../etcd/start.ts";
import { PLACE, World, configMap, run } from "./world.ts";

const HISTORY = "/keelson/v1/history?version=v1&resource=configmaps&namespace=default&name=";

describe.skipIf(!(await hasEtcd()))("the past of objects on etcd", { timeout: 120_000 }, () => {
  let etcd: EtcdCluster;
  let world: World;
  beforeAll(async () => {
    etcd = await startEtcd({});
    world = await World.start({ store: "etcd", etcdServers: etcd.endpoints });
  });
  afterAll(async () => {
    await world?.end();
    await etcd?.close();
  });

  test("is there version by version, not as a list: diff works, undelete with a version", async () => {
    const { configMaps } = world;
    const red = (await configMaps.create(configMap("web", { colour: "red" }))).metadata.resourceVersion!;
    await configMaps.patch({ name: "web", ...PLACE }, { data: { colour: "blue" } });
    expect(await world.ask(`${HISTORY}web`)).toMatchObject({ status: 405, body: { reason: "MethodNotAllowed" } });
    expect(await world.ask(`${HISTORY}web&at=${red}`)).toMatchObject({
      status: 200,
      body: { versions: [{ resourceVersion: red, event: "kept" }] },
    });
    const different = await world.keelson(["diff", "cm", `web@${red}`]);
    expect([different.code, different.stdout]).toEqual([
      1,
      expect.stringContaining("-  colour: red\n+  colour: blue\n"),
    ]);
    const listed = await world.keelson(["history", "cm", "web"]);
    expect([listed.code, listed.stderr]).toEqual([1, expect.stringContaining("name one, as in web@1234")]);
    await configMaps.delete({ name: "web", ...PLACE });
    expect((await world.keelson(["undelete", "cm", "web"])).stderr).toContain("name one, as in web@1234");
    expect((await world.keelson(["undelete", "cm", `web@${red}`])).code).toBe(0);
    expect((await configMaps.get({ name: "web", ...PLACE }))["data"]).toEqual({ colour: "red" });
  });

  test("ends where etcd is compacted, with 410", async () => {
    const { metadata } = await world.configMaps.create(configMap("old"));
    await world.configMaps.patch({ name: "old", ...PLACE }, { data: { a: "b" } });
    await world.server.store.compact(world.server.store.revision);
    const gone = await world.ask(`${HISTORY}old&at=${metadata.resourceVersion}`);
    expect(gone).toMatchObject({ status: 410, body: { reason: "Expired", code: 410 } });
  });

  test("a backup of it becomes an embedded store", async () => {
    const [file, directory] = [join(world.folder, "backup"), join(world.folder, "restored")];
    expect(await world.keelson(["backup", file])).toMatchObject({ code: 0 });
    expect(await run(["restore", file, directory])).toMatchObject({ code: 0 });
    const other = await World.start({ dataDir: directory });
    const names = async (of: World): Promise<unknown> =>
      (await of.configMaps.list(PLACE)).items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
    expect(await names(other)).toEqual(await names(world));
    await other.end();
    expect(existsSync(file)).toBe(true);
    rmSync(file);
  });
});
