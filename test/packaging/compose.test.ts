/**
 * The compose file: its services are played by processes, with an etcd of the tests. What the commands of the file do to
 * volumes they do to folders.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { hasEtcd, startEtcd } from "../etcd/start.ts";
import { resolveOptions } from "../../src/app/options/options.ts";
import { fromEnvironment } from "../../src/app/options/sources.ts";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, configMap, read } from "../serve/keelson.ts";

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly depends_on: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly ports?: readonly string[];
}

const file = new URL("../../packaging/compose/compose.yaml", import.meta.url).pathname;
const { services, volumes } = parse(readFileSync(file, "utf8"), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const servers = Object.entries(services).filter(([name]) => name.startsWith("keelson-"));
const members = Object.entries(services).filter(([name]) => name.startsWith("etcd-"));
const scratch = new Scratch();
afterAll(() => scratch.remove());

test("has three members and three servers, each with a volume and a name of its own", () => {
  expect([servers.length, members.length]).toEqual([3, 3]);
  for (const [name, { volumes: own }] of [...servers, ...members]) expect(own.join()).toMatch(new RegExp(`^${name}:/`));
  expect(Object.keys(volumes).toSorted()).toEqual([...servers, ...members].map(([name]) => name).toSorted());
  for (const [name, { environment }] of members) {
    expect(environment["ETCD_NAME"]).toBe(name);
    expect(environment["ETCD_INITIAL_CLUSTER"]).toContain(`${name}=${environment["ETCD_INITIAL_ADVERTISE_PEER_URLS"]}`);
    expect(Number(environment["ETCD_MAX_REQUEST_BYTES"])).toBe(2 << 20);
  }
});

test("each server gets the members and the names of all servers, and listens on loopback of the machine", () => {
  for (const [, { environment, ports, read_only: readOnly }] of servers) {
    const options = resolveOptions(fromEnvironment(environment));
    expect(options).toMatchObject({ store: "etcd" });
    const names = members.map(([name]) => `http://${name}:2379`);
    expect(environment["KEELSON_ETCD_SERVERS"]!.split(",")).toEqual(names);
    expect(options.tlsSans).toEqual(expect.arrayContaining(servers.map(([name]) => name)));
    expect(ports!.join()).toMatch(/^127\.0\.0\.1:\d+:6443$/);
    expect(readOnly).toBe(true);
  }
});

test("further servers wait for the identity of the first one", () => {
  const [[, first], ...others] = servers as [[string, Service], ...[string, Service][]];
  expect(first.depends_on).toEqual(members.map(([name]) => name));
  expect(services["identity"]!.depends_on).toEqual({ "keelson-1": { condition: "service_healthy" } });
  for (const [, { depends_on: on }] of others) {
    expect(on).toEqual({ identity: { condition: "service_completed_successfully" } });
  }
});

describe.skipIf(!(await hasEtcd()))("played over a real etcd", { timeout: 120_000 }, () => {
  test("the servers are one: one admin, one CA, the same objects", async () => {
    const etcd = await startEtcd();
    onTestFinished(() => etcd.close());
    const folders = new Map(servers.map(([name]) => [name, join(scratch.path, name)]));
    for (const folder of folders.values()) mkdirSync(folder, { mode: 0o700 });
    const start = async (name: string): Promise<Keelson> => {
      const env = {
        ...services[name]!.environment,
        KEELSON_ETCD_SERVERS: etcd.endpoints.join(","),
        KEELSON_DIALECT: "kubernetes",
      };
      const server = await Keelson.serve(["--data-dir", folders.get(name)!, "--port", "0"], { env });
      onTestFinished(async () => void (await server.stop()));
      return server;
    };
    const first = await start("keelson-1");
    // What compose does with the file: $$ is a dollar.
    const { entrypoint, command, volumes: mounts } = services["identity"]!;
    let script = command![0]!.replaceAll("$$", "$");
    for (const mount of mounts) {
      const [volume, path] = mount.split(":");
      script = script.replaceAll(path!, folders.get(volume!)!);
    }
    const [shell, ...flags] = entrypoint!;
    for (const _ of ["once", "again"]) execFileSync(shell!, [...flags, script]);
    const all = [first, await start("keelson-2"), await start("keelson-3")];
    const authorities = new Set([...folders.values()].map((folder) => read(folder, "pki/ca.crt")));
    expect(authorities.size).toBe(1);
    const clients = await Promise.all(all.map((server) => Http2Client.connect(server, folders.get("keelson-1")!)));
    onTestFinished(() => clients.forEach((client) => client.close()));
    await clients[0]!.done("POST", CONFIG_MAPS, configMap("shared", { a: "b" }));
    for (const client of clients)
      expect((await client.send("GET", `${CONFIG_MAPS}/shared`)).json.data).toEqual({ a: "b" });
  });
});
