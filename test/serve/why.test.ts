/**
 * `keelson why`: the executable against a server, with what a user types.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../src/client/kinds/index.ts";
import type { WhyReport } from "../../src/meta/why-report.ts";
import { World } from "../history/world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
  const spec = { storageClassName: "manual", accessModes: ["ReadWriteOnce"] };
  await world.resource(PersistentVolume).create({
    metadata: { name: "disk-1" },
    spec: { ...spec, capacity: { storage: "1Gi" }, hostPath: { path: "/data/disk-1" } },
  } as NewObject<PersistentVolume>);
  await world.resource(PersistentVolume).status.patch({ name: "disk-1" }, { status: { phase: "Available" } });
  await world.resource(PersistentVolumeClaim).create({
    metadata: { name: "disk", namespace: "default" },
    spec: { ...spec, resources: { requests: { storage: "5Gi" } } },
  } as NewObject<PersistentVolumeClaim>);
});
afterAll(() => world.end());

test("prints what a claim waits for, who would have to act, and what each volume lacks", async () => {
  expect(await world.keelson(["why", "pvc/disk"])).toEqual({
    code: 0,
    stderr: "",
    stdout: [
      "persistentvolumeclaim/disk in default: Pending",
      '  storageclass.storage.svc.io "manual" not found',
      "     -> a user who creates that StorageClass, or a volume of that class",
      "",
      "VOLUME  LACKS",
      "disk-1  expected at least 5Gi, it has 1Gi",
      "",
    ].join("\n"),
  });
});

test("-o json prints the report of the server", async () => {
  const report = JSON.parse((await world.keelson(["why", "pvc", "disk", "-o", "json"])).stdout) as WhyReport;
  expect(report).toEqual(await world.resource(PersistentVolumeClaim).why({ name: "disk", namespace: "default" }));
});

test("has colours where they are wanted", async () => {
  const { stdout } = await world.keelson(["why", "pvc/disk"], { FORCE_COLOR: "1" });
  expect(stdout).toContain("\u001b[1mpersistentvolumeclaim/disk in default: Pending\u001b[0m\n");
});

test.each<[string, string[], number, string]>([
  ["nobody", ["why", "cm", "nobody"], 1, "configmap/nobody in default does not exist"],
  ["no name", ["why", "pvc"], 2, "keelson why pvc/disk"],
  ["an odd limit", ["why", "pvc/disk", "--limit", "many"], 2, "a number from 1 to 500"],
  ["an unknown kind", ["why", "nothings", "a"], 1, "no kind called"],
])("of %s is refused in words", async (_what, args, code, message) => {
  const outcome = await world.keelson(args);
  expect(outcome).toMatchObject({ code, stdout: "" });
  expect(outcome.stderr).toContain(message);
});

test("a question that cannot be answered is refused", async () => {
  const odd = await world.ask("/keelson/v1/why?version=v1&resource=persistentvolumeclaims&name=disk");
  expect([odd.status, odd.body["message"]]).toEqual([400, expect.stringContaining("a namespace")]);
  const limit = "/keelson/v1/why?version=v1&resource=persistentvolumes&name=disk-1&limit=0";
  expect((await world.ask(limit)).status).toBe(400);
  const stranger = await world.ask("/keelson/v1/why?version=v1&resource=persistentvolumes&name=disk-1", {
    "impersonate-user": "nobody",
  });
  expect(stranger.status).toBe(403);
});
