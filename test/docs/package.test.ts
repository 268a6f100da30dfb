/**
 * The package as it is installed: built, with the files that it says it has and its dependencies beside it, in a folder
 * that knows nothing of this checkout.
 *
 * @module
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installPackage } from "./installed-package.ts";

const root = new URL("../../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keelson-package-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { bin, exports, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  bin: { keelson: string };
  exports: Record<string, unknown>;
  version: string;
};
const installed = join(folder, "node_modules/keelson");

const node = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return stdout.trimEnd();
};

beforeAll(() => installPackage(folder), 180_000);

test("every module that runs in a thread is a chunk of the program under a name of its own", () => {
  const jobs = globSync("src/**/*-job.ts", { cwd: root }).toSorted();
  const bundle = readFileSync(join(root, "tools/bundle.js"), "utf8");
  const listed = [...bundle.matchAll(/"([\w-]+-job)": "(.+)"/g)].map(([, name, path]) => ({ name, path: path! }));
  expect(listed.map(({ path }) => path).toSorted()).toEqual(jobs);
  expect(listed.map(({ name }) => name)).toEqual(listed.map(({ path }) => basename(path, ".ts")));
});

test("its command runs", async () => {
  expect(await node(join(installed, bin.keelson), "--version")).toBe(`keelson ${version}`);
});

test.each(["node", "csi", "driver"])("its program of keelson %s is there, and tells how it is used", async (name) => {
  expect(await node(join(installed, bin.keelson), name, "--help")).toContain(`Usage: keelson ${name} [options]`);
});

test("a small program says what is wrong with its options, and ends with 2", async () => {
  const failure = await node(join(installed, bin.keelson), "driver", "--dir", folder).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 2, stderr: expect.stringContaining("--socket <ENDPOINT>") as string });
});

test("no module asks for a source: where `using` is beside an import(), the compiler leaves its name as it is", () => {
  const modules = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  expect(modules.length).toBeGreaterThan(300);
  const asks = (name: string): boolean =>
    /^(?!\s*(?:\/\/|\*)).*\b(?:import\(|from |import )\s*"\.[^"]*\.ts"/m.test(
      readFileSync(join(installed, "dist", name), "utf8"),
    );
  expect(modules.filter(asks)).toEqual([]);
});

test("its server starts, tells its version, and stops", async () => {
  const command = join(installed, bin.keelson);
  const data = join(folder, "data");
  const server = spawn(
    process.execPath,
    [command, "serve", "--data-dir", data, "--port", "0", "--log-format", "json"],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const ended = once(server, "exit");
  let log = "";
  server.stderr.on("data", (text: Buffer) => (log += String(text)));
  await expect.poll(() => log, { timeout: 30_000 }).toContain('"msg":"ready"');
  const kubeconfig = join(data, "admin.kubeconfig");
  expect(await node(command, "version", "--server", "--kubeconfig", kubeconfig)).toContain(
    `keelson ${version}\nserver `,
  );
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("every entry can be imported, but the one that vitest has to be there for", async () => {
  const entries = Object.keys(exports).filter((path) => !/vitest|json/.test(path));
  const names = entries.map((path) => `keelson${path.slice(1)}`);
  expect(names).toContain("keelson/testing");
  const program = names.map((name) => `await import(${JSON.stringify(name)});`).join("\n");
  expect(await node("--input-type=module", "-e", program)).toBe("");
});

test("a server starts in a program, and answers", async () => {
  writeFileSync(
    join(folder, "server.js"),
    `import { startServer } from "keelson";
     import { Namespace } from "keelson/kinds";
     await using server = await startServer({ dev: true, port: 0, dialect: "kubernetes" });
     const { items } = await server.client("me").resource(Namespace).list();
     console.log(items.map(({ metadata }) => metadata.name).join(" "));`,
  );
  expect(await node("server.js")).toBe("default kube-node-lease kube-public kube-system");
});

test("a cluster for tests is there, and keelson run", async () => {
  const command = join(installed, bin.keelson);
  expect(await node(command, "run", "--", process.execPath, "-p", "process.env.USE_EXISTING_CLUSTER")).toBe("true");
});

test("its pages are in it", () => {
  expect(["README.md", "docs/README.md", "CHANGELOG.md"].filter((page) => !existsSync(join(installed, page)))).toEqual(
    [],
  );
});
