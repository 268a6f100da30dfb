/** The program of the guide for those who come from another client, as a reader types it and runs it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startServer } from "../../src/app/index.ts";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { ReaderFolder } from "../kit/reader-folder.ts";

const data = mkdtempSync(join(tmpdir(), "keelson-guide-"));
afterAll(() => {
  delete process.env["KUBECONFIG"];
  rmSync(data, { recursive: true });
});

test("the program of the guide runs against a server that KUBECONFIG names, and ends", async () => {
  const page = readFileSync(new URL("../../docs/guides/from-client-node.md", import.meta.url), "utf8");
  const [, program] = /^```ts\n([^]*?)^```$/m.exec(page)!;
  await using server = await startServer({ dev: true, port: 0, dialect: "kubernetes" });
  using reader = await ReaderFolder.make("guide");
  process.env["KUBECONFIG"] = join(data, "kubeconfig");
  writeFileSync(process.env["KUBECONFIG"], server.kubeconfig);
  writeFileSync(join(reader.path, "program.ts"), program!);
  expect(await reader.complaint("--import", "./alias.mjs", "program.ts")).toBe("");
  const map = await server.client("test").resource(ConfigMap).get({ namespace: "default", name: "web" });
  expect(map.data).toEqual({ colour: "blue" });
});
