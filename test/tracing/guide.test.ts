/**
 * The guide of traces: its file is valid, and the trace that it shows is the one of such a request.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAPS, map, newHome, ofRequest, receiving, serverWith, shape } from "./kit.ts";

const guide = readFileSync(new URL("../../docs/guides/tracing.md", import.meta.url), "utf8");
const [, file = ""] = /```yaml\n(# tracing\.yaml\n.*?)```/s.exec(guide) ?? [];
const [, tree = ""] = /prints[^:]*:\n\n((?: {4}[^\n]*\n)+)/.exec(guide) ?? [];

test("the tree in the guide is what a server sends", async () => {
  const { spans, port } = await receiving();
  const path = join(newHome(), "tracing.yaml");
  writeFileSync(path, file.replace("localhost:4317", `127.0.0.1:${port}`));
  const { server, send } = await serverWith(port, undefined, { "tracing-config-file": path });
  const created = await send("POST", `${MAPS}?fieldManager=kubectl-create&fieldValidation=Strict`, map("web"));
  expect(created.code).toBe(201);
  await server.close();
  const [head, ...shown] = tree.trimEnd().split("\n");
  expect(head).toMatch(/^ {4}trace [0-9a-f]{32}$/);
  expect(shown.map((line) => line.slice(4).replace(/ \([\d.]+ ms\)$/, ""))).toEqual(
    shape(ofRequest(spans, "POST /api/v1/namespaces/{:namespace}/configmaps")),
  );
});
