/** Pods that try to exceed their rights: nothing outside of the agent's directory is touched, and the agent continues. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap, Pod } from "../../src/client/kinds/index.ts";
import { linkingMounter } from "../../src/node/mounts/linking-mounter.ts";
import { openPlugins } from "../../src/node/plugins.ts";
import { mountSubPath, subPathTarget } from "../../src/node/subpath/index.ts";
import { NodeWorld, at } from "./node-world.ts";

const mounter = linkingMounter({ mounts: () => Promise.resolve([]) });

let world: NodeWorld;
/** Files that are not the agent's; they must not change. */
let outside: string;
beforeEach(async () => {
  world = await NodeWorld.create();
  outside = await mkdtemp(join(tmpdir(), "keelson-outside-"));
  await mkdir(join(outside, "secret"), { mode: 0o700 });
  await writeFile(join(outside, "secret/shadow"), "root", { mode: 0o600 });
  await world.start({ mounter, plugins: (context) => openPlugins(context) });
});
afterEach(async () => {
  const after = await stateOf(outside);
  await world[Symbol.asyncDispose]();
  await promisify(execFile)("rm", ["-r", outside]);
  if (after.join() !== "secret 700 0,secret/shadow 600 4")
    throw new Error(`what is outside was touched: ${after.join()}`);
});

/** Names, modes and sizes of files, of a directory with all below it. */
async function stateOf(directory: string): Promise<string[]> {
  const names = (await readdir(directory, { recursive: true })).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const stats = await lstat(join(directory, name));
      return `${name} ${(stats.mode & 0o7777).toString(8)} ${stats.isFile() ? stats.size : 0}`;
    }),
  );
}

const emptyDir = (pod: Pod): string => world.at(pod, "volumes/kubernetes.io~empty-dir/data");
const end = async (name: string): Promise<void> => {
  await world.resource(Pod).delete(at(name));
  await world.advance("2m");
};

describe("names", () => {
  test.each(["..", ".", "../../x", "a/b", "a b", "ä", "-a", `${"a".repeat(64)}`, "%2e%2e", "a\u0000b", ""])(
    "a volume named %j is no volume, and nothing of it is made",
    async (name) => {
      await expect(world.pod("a", [{ name, emptyDir: {} }])).rejects.toThrow("volumes[0].name");
      expect(existsSync(join(world.root, "pods")) ? await readdir(join(world.root, "pods")) : []).toEqual([]);
    },
  );

  test.each(["../../../../x", "/x", "..data/x", "..", "a/../../x"])(
    "a file of a ConfigMap at %j is refused, or never leaves its volume",
    async (path) => {
      await world.resource(ConfigMap).create({ metadata: at("config"), data: { key: "evil" } } as never);
      const made = await world
        .pod("a", [{ name: "data", configMap: { name: "config", items: [{ key: "key", path }] } }])
        .catch((error: unknown) => error as Error);
      expect(made).toBeInstanceOf(Error);
      expect(existsSync(join(world.root, "x"))).toBe(false);
    },
  );
});

describe("what containers leave in their volumes", () => {
  test("links to elsewhere are removed, what they lead to is not", async () => {
    const pod = await world.pod("a", [{ name: "data", emptyDir: {} }]);
    const volume = emptyDir(pod);
    await symlink(outside, join(volume, "all"));
    await symlink(join(outside, "secret/shadow"), join(volume, "shadow"));
    await mkdir(join(volume, "deep/er"), { recursive: true });
    await symlink("../../../../../../../..", join(volume, "deep/er/up"));
    await end("a");
    expect(world.has(pod)).toBe(false);
  });

  test("a volume that was swapped for a link is not followed", async () => {
    const pod = await world.pod("a", [{ name: "data", emptyDir: {} }]);
    await rename(emptyDir(pod), join(world.root, "aside"));
    await symlink(join(outside, "secret"), emptyDir(pod));
    await world.advance("5m");
    await end("a");
    expect(world.has(pod)).toBe(false);
    await rm(join(world.root, "aside"), { recursive: true });
  });

  test("names that are no text, locked directories and thousands of files go with the Pod", async () => {
    const pod = await world.pod("a", [{ name: "data", emptyDir: {} }]);
    const volume = emptyDir(pod);
    await writeFile(Buffer.concat([Buffer.from(`${volume}/`), Buffer.from([0xff, 0x80, 0x0a, 0x27])]), "");
    await mkdir(join(volume, "locked/inside"), { recursive: true });
    await chmod(join(volume, "locked"), 0);
    await Promise.all(Array.from({ length: 3000 }, (_, number) => writeFile(join(volume, `file-${number}`), "")));
    await end("a");
    expect(world.has(pod)).toBe(false);
  });
});

describe("subPath", () => {
  test.each([
    ["a link to elsewhere", "link"],
    ["a link that goes up", "up"],
    ["a path below a link", "link/secret/shadow"],
    ["a path that goes up", "../../../../etc"],
    ["an absolute path", "/etc"],
  ])("%s is refused", async (_, subPath) => {
    const pod = await world.pod("a", [{ name: "data", emptyDir: {} }]);
    const volume = emptyDir(pod);
    await symlink(outside, join(volume, "link"));
    await symlink("../../..", join(volume, "up"));
    const target = subPathTarget(world.root, pod.metadata.uid!, ["data", "c", 0]);
    await expect(mountSubPath({ volume, subPath, target }, mounter)).rejects.toThrow("subPath");
    expect(existsSync(target)).toBe(false);
  });
});

describe("hostPath", () => {
  test("a socket of the machine is given to who asks for it, and left alone", async () => {
    const path = join(world.root, "runtime.sock");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    try {
      const pod = await world.pod("a", [{ name: "data", hostPath: { path, type: "Socket" } }], {
        securityContext: { fsGroup: 4321 },
      });
      const { gid, mode } = await lstat(path);
      await end("a");
      expect(world.has(pod)).toBe(false);
      expect((await lstat(path)).isSocket()).toBe(true);
      expect([(await lstat(path)).gid, (await lstat(path)).mode]).toEqual([gid, mode]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("a directory of the machine keeps its owner, its modes and its files", async () => {
    await world.pod("a", [{ name: "data", hostPath: { path: join(outside, "secret"), type: "DirectoryOrCreate" } }], {
      securityContext: { fsGroup: 4321 },
    });
    await end("a");
    expect(await readFile(join(outside, "secret/shadow"), "utf8")).toBe("root");
  });
});

describe("how much", () => {
  test("an emptyDir with a limit of 0 has none, and its Pod is not evicted", async () => {
    const pod = await world.pod("a", [{ name: "data", emptyDir: { sizeLimit: "0" } }]);
    await writeFile(join(emptyDir(pod), "file"), Buffer.alloc(100_000, 1));
    await world.advance("5m");
    expect((await world.findPod("a"))!.status.phase).not.toBe("Failed");
  });

  test("volumes of Pods of other nodes are not made, whatever they ask for", async () => {
    await world.pod("a", [{ name: "data", emptyDir: {} }], { nodeName: "another" });
    await world.advance("1m");
    expect(existsSync(join(world.root, "pods")) ? await readdir(join(world.root, "pods")) : []).toEqual([]);
  });

  test("a Pod with hundreds of volumes gets them all, and leaves none of them", async () => {
    const volumes = Array.from({ length: 300 }, (_, number) => ({ name: `v${number}`, emptyDir: {} }));
    const pod = await world.pod("a", volumes);
    const places = world.at(pod, "volumes/kubernetes.io~empty-dir");
    expect(await readdir(places)).toHaveLength(300);
    await end("a");
    expect(world.has(pod)).toBe(false);
  });

  test("10,000 volumes without a mount count for nothing", async () => {
    const volumes = Array.from({ length: 10_000 }, (_, number) => ({ name: `v${number}`, emptyDir: {} }));
    const containers = [{ name: "c", image: "i", volumeMounts: [{ name: "v7", mountPath: "/v" }] }];
    const pod = await world.pod("a", volumes, { containers });
    expect(await readdir(world.at(pod, "volumes/kubernetes.io~empty-dir"))).toEqual(["v7"]);
  });
});
