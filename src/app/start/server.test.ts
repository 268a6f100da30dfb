import { existsSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { StatusError } from "../../client/index.ts";
import { Namespace } from "../../client/kinds/index.ts";
import type { Log } from "../../util/log.ts";
import { type RawOptions, resolveOptions } from "../options/options.ts";
import { runServer } from "./server.ts";

const home = mkdtempSync(join(tmpdir(), "keelson-app-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const DEV = { dev: true, port: 0, "insecure-http": true };
const start = (options: RawOptions) => runServer(resolveOptions(options));

describe("a server in the same process", () => {
  test("its client is the admin and needs no socket", async () => {
    const server = await start(DEV);
    const namespaces = server.client("test").resource(Namespace);
    expect((await namespaces.get({ name: "default" })).kind).toBe("Namespace");
    expect(server.kubeconfig).toContain(server.url);
    expect(server.kubeconfigFile).toBeUndefined();
    await server.close();
  });

  test("fails /readyz once it closes, while /livez still succeeds", async () => {
    const server = await start(DEV);
    const client = server.client("test");
    const ask = (path: string): Promise<number> =>
      client.json("GET", path).then(
        () => 200,
        (error: unknown) => (error instanceof StatusError ? error.status.code! : 200),
      );
    expect([await ask("/readyz"), await ask("/livez")]).toEqual([200, 200]);
    const closing = server.close();
    expect([await ask("/readyz"), await ask("/livez")]).toEqual([500, 200]);
    await closing;
  });

  test("ends with the block that uses it", async () => {
    let url: string;
    {
      await using server = await start(DEV);
      ({ url } = server);
      expect((await fetch(`${url}/livez`)).status).toBe(200);
    }
    await expect(fetch(`${url}/livez`)).rejects.toThrow("fetch failed");
  });

  test("may be closed twice", async () => {
    const server = await start(DEV);
    await Promise.all([server.close(), server.close()]);
    await expect(server.close()).resolves.toBeUndefined();
  });
});

test("unknown admission plugins are logged", async () => {
  const told: unknown[] = [];
  const tell = (message: string, facts?: object): void => void told.push({ message, ...facts });
  const log: Log = { debug: () => {}, info: tell, warn: tell, error: tell };
  const options = {
    ...DEV,
    "enable-admission-plugins": "Priority,PodSecurityPolicy",
    "disable-admission-plugins": "NamespaceLifecycle",
  };
  await using _server = await runServer(resolveOptions(options), { log });
  expect(told).toMatchObject(
    expect.arrayContaining([
      { message: "unknown admission plugins are ignored", names: ["PodSecurityPolicy"] },
      { message: "some admission plugins always run", names: ["NamespaceLifecycle"] },
    ]) as object,
  );
});

describe("the default admission plugins of the kubernetes dialect", () => {
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "i" }] } };
  const create = (server: Awaited<ReturnType<typeof start>>) =>
    server.client("test").json("POST", "/api/v1/namespaces/default/pods", { body: pod });

  test("a Pod runs as an account with a token, has a priority, and tolerates lost nodes", async () => {
    await using server = await start({ ...DEV, dialect: "kubernetes" });
    expect(await create(server)).toMatchObject({
      spec: {
        serviceAccountName: "default",
        volumes: [{ name: expect.stringMatching(/^kube-api-access-/) as string }],
        priority: 0,
        preemptionPolicy: "PreemptLowerPriority",
        tolerations: [{ key: "node.kubernetes.io/not-ready" }, { key: "node.kubernetes.io/unreachable" }],
      },
    });
  });

  test("without the controller that creates its account a Pod is refused, and accepted without the plugin", async () => {
    await using server = await start({ ...DEV, dialect: "kubernetes", controllers: "none" });
    await expect(create(server)).rejects.toThrow("error looking up service account default/default");
    const options = {
      ...DEV,
      dialect: "kubernetes",
      controllers: "none",
      "disable-admission-plugins": "ServiceAccount",
    };
    await using other = await start(options);
    expect(await create(other)).not.toHaveProperty("spec.volumes");
  });
});

describe("a start that fails", () => {
  test("releases the data directory", async () => {
    const taken = net.createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as net.AddressInfo;
    for (const store of ["sqlite", "memory"]) {
      const options = { "data-dir": join(home, store), store };
      await expect(start({ ...options, port: String(port) })).rejects.toThrow(
        `expected port ${port} of 127.0.0.1 to be free`,
      );
      // Nothing has been created, so the next start may choose another dialect.
      expect(existsSync(join(home, store))).toBe(false);
      const server = await start({ ...options, port: "0" });
      await server.close();
      await expect(start({ ...options, port: String(port) })).rejects.toThrow("to be free");
      expect(existsSync(join(home, store, "server.json"))).toBe(false);
    }
    taken.close();
  });

  test("refuses an unknown controller before anything is created", async () => {
    const directory = join(home, "never");
    await expect(start({ "data-dir": directory, port: "0", controllers: "root-ca" })).rejects.toThrow(
      "expected --controllers",
    );
    expect(existsSync(directory)).toBe(false);
  });

  test("accepts a controller of the dialect of an existing directory", async () => {
    const options = { "data-dir": join(home, "kubernetes"), port: 0, "insecure-http": true };
    await (await start({ ...options, dialect: "kubernetes" })).close();
    await using server = await start({ ...options, controllers: "root-ca" });
    expect(server.dialect.name).toBe("kubernetes");
  });
});
