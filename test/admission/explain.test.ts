/** `keelson admission explain` against a server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LimitRange } from "../../src/client/kinds/index.ts";
import { PLACE, World } from "../history/world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start({ enableAdmissionPlugins: ["LimitRanger"] });
  const limits = [{ type: "Container" as const, default: { cpu: "2" }, max: { cpu: "3" } }];
  await world.resource(LimitRange).create({ metadata: { name: "limits", ...PLACE }, spec: { limits } });
});
afterAll(() => world.end());

const pod = (name: string, more = "") =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {containers: [{name: c, image: i${more}}]}\n`;

function file(text: string): string {
  const path = join(world.folder, "objects.yaml");
  writeFileSync(path, text);
  return path;
}

test("what a step changes is shown, and nothing is stored", async () => {
  const { code, stdout } = await world.keelson(["admission", "explain", "-f", file(pod("a"))]);
  expect(stdout).toMatch(/^Pod default\/a: CREATE is accepted with 201\n/);
  expect(stdout).toMatch(/LimitRanger \(mutate, \d+\.\d ms\)\n/);
  expect(stdout).toContain('+ /spec/containers/0/resources/limits: {"cpu":"2"}');
  expect(code).toBe(0);
  expect((await world.ask("/api/v1/namespaces/default/pods/a")).status).toBe(404);
});

test("a refusal is shown at its step, and the exit code is 1", async () => {
  const text = `${pod("a")}---\n${pod("b", ", resources: {limits: {cpu: 4}}")}`;
  const { code, stdout } = await world.keelson(["admission", "explain", "-f", file(text)]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/Pod default\/b: CREATE is refused with 403: .*maximum cpu usage per Container is 3/);
  expect(stdout).toMatch(/LimitRanger \(validate, .*\n {4}refused: /);
});

test("as JSON it is the reports of the server", async () => {
  const { stdout } = await world.keelson(["admission", "explain", "-f", file(pod("a")), "-o", "json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ kind: "AdmissionReport", operation: "CREATE", code: 201 }]);
});

test("a delete can be explained, and what cannot be read is named", async () => {
  const path = file(pod("none"));
  const { code, stdout } = await world.keelson(["admission", "explain", "-f", path, "--operation", "delete"]);
  expect([code, stdout]).toEqual([1, expect.stringContaining('refused with 404: pods "none" not found')]);
  const { stderr } = await world.keelson(["admission", "explain", "-f", file("kind: Pod\n")]);
  expect(stderr).toContain("to have a text as apiVersion, got nothing");
});
