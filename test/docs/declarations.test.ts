/**
 * The declarations of the package as a compiler of a user reads them, who has no `skipLibCheck`: each is checked, with all that it
 * refers to.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installPackage, linkPackage } from "./installed-package.ts";

const root = new URL("../../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keelson-declarations-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What all entries together may cost. Without any of them 26,000 are those of Node's own types. */
const INSTANTIATIONS = 60_000;

const PROGRAM = `
import { startServer } from "keelson";
import { Client, defineKind, nodeTransport } from "keelson/client";
import { createManager, defineController } from "keelson/controller";
import { Pod } from "keelson/kinds";
import { createCluster } from "keelson/testing";
export type * as apply from "keelson/apply";
export type * as cel from "keelson/cel";

const Bucket = defineKind({
  group: "example.com", version: "v1", kind: "Bucket", plural: "buckets", scope: "Namespaced",
  spec: { type: "object", required: ["region"], properties: { region: { enum: ["eu", "us"] } } },
});

export async function main(): Promise<void> {
  const client = new Client(nodeTransport({ url: "https://127.0.0.1:6443" }), { userAgent: "me" });
  const pod = await client.resource(Pod).get({ namespace: "default", name: "a" });
  const node: string | undefined = pod.spec.nodeName;
  const bucket = await client.resource(Bucket).get({ namespace: "default", name: node ?? "b" });
  const region: "eu" | "us" = bucket.spec.region;
  const buckets = defineController({ name: region, for: Bucket, reconcile: async () => {} });
  await createManager({ client, name: "me" }).add(buckets).start();
  await using cluster = await createCluster();
  await cluster.apply(Bucket, { metadata: { name: "a", namespace: "default" }, spec: { region: "eu" } });
  await using server = await startServer({ dev: true, port: 0 });
  void server.client("me");
}
`;

const tsc = async (...args: readonly string[]): Promise<string> => {
  const work = promisify(execFile)(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...args], {
    cwd: folder,
  });
  // What it has against the program is on its standard output, with a code that is not 0.
  const { stdout } = await work.catch((error: { readonly stdout: string }) => error);
  return stdout;
};

beforeAll(async () => {
  await installPackage(folder);
  for (const name of ["@types/node", "undici-types"]) linkPackage(folder, name);
  const compilerOptions = { target: "es2024", lib: ["esnext"], module: "nodenext", types: ["node"], strict: true };
  const config = { compilerOptions: { ...compilerOptions, noEmit: true }, files: ["program.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(join(folder, "program.ts"), PROGRAM);
}, 600_000);

test(
  "a project without skipLibCheck compiles, and the types of all entries cost it next to nothing",
  { timeout: 300_000 },
  async () => {
    const said = await tsc("-p", ".", "--extendedDiagnostics");
    expect(said).not.toContain("error TS");
    const instantiations = Number(/^Instantiations: +(\d+)$/m.exec(said)?.[1]);
    expect(instantiations).toBeGreaterThan(1000);
    expect(instantiations).toBeLessThan(INSTANTIATIONS);
  },
);
