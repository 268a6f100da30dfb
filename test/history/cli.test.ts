/**
 * `keelson history`, `diff` and `undelete`: the executable against a server, with everything that a user types.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HistoryReport } from "../../src/meta/history-report.ts";
import { fresh } from "../rules/api.ts";
import {
  Namespace,
  PersistentVolume,
  ServiceAccount,
  VolumeAttachment,
  neutral,
} from "../../src/client/kinds/index.ts";
import { type Outcome, PLACE, World, configMap } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.end());

const keelson = (...args: string[]): Promise<Outcome> => world.keelson(args);

/** A ConfigMap that alice made red and bob made blue and large; its versions. */
async function changed(): Promise<{ name: string; red: string; blue: string }> {
  const name = fresh("changed");
  const { configMaps } = world;
  const one = await configMaps.create(configMap(name, { colour: "red" }), { fieldManager: "alice" });
  const data = { colour: "blue", size: "large" };
  const two = await configMaps.update({ ...one, data }, { fieldManager: "bob" });
  return { name, red: one.metadata.resourceVersion!, blue: two.metadata.resourceVersion! };
}

describe("keelson history", () => {
  test("prints version, time, event, managers and changes, newest first", async () => {
    const { name, red, blue } = await changed();
    await world.configMaps.delete({ name, ...PLACE });
    const { code, stdout, stderr } = await keelson("history", "configmap", name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
    for (const [i, shape] of [
      /^VERSION +TIME +EVENT +BY +CHANGES$/,
      new RegExp(`^\\d+ +${time} +deleted$`),
      new RegExp(`^${blue} +${time} +updated +bob \\(Update\\) +~ \\.data\\.colour: "red" -> "blue"$`),
      /^ +\+ \.data\.size: "large"$/,
      new RegExp(`^${red} +${time} +created +alice \\(Update\\)$`),
    ].entries()) {
      expect(lines[i]).toMatch(shape);
    }
    expect(lines).toHaveLength(5);
  });

  test("-o json prints the report of the server, --limit cuts it and says so", async () => {
    const { name } = await changed();
    const report = JSON.parse((await keelson("history", `cm/${name}`, "-o", "json")).stdout) as HistoryReport;
    expect(report).toEqual(await world.configMaps.history({ name, ...PLACE }));
    expect((await keelson("history", "cm", name, "--limit", "1")).stdout).toContain("--limit shows more");
  });

  test.each<[string, string[], number, string]>([
    ["nobody", ["history", "cm", "nobody"], 1, "configmap/nobody in default: the history has no version of it"],
    ["no name", ["history", "cm"], 2, "keelson history configmap web"],
    ["an odd limit", ["history", "cm", "a", "--limit", "many"], 2, "a number from 1 to 500"],
    ["an unknown kind", ["history", "nothings", "a"], 1, "no kind called"],
  ])("of %s is refused in words", async (_what, args, code, message) => {
    const outcome = await keelson(...args);
    expect(outcome).toMatchObject({ code, stdout: "" });
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).not.toContain("    at ");
  });
});

describe("keelson diff", () => {
  test("compares a version with the present: unified YAML, exit code 1", async () => {
    const { name, red, blue } = await changed();
    const { code, stdout } = await keelson("diff", "cm", `${name}@${red}`);
    expect(code).toBe(1);
    expect(stdout.split("\n").slice(0, 8)).toEqual([
      `--- configmap/${name} in default, version ${red}`,
      `+++ configmap/${name} in default, version ${blue} (now)`,
      "@@ -1,6 +1,7 @@",
      " apiVersion: v1",
      " data:",
      "-  colour: red",
      "+  colour: blue",
      "+  size: large",
    ]);
    expect(stdout).not.toContain("managedFields");
  });

  test("compares two versions, in the order in which they are named", async () => {
    const { name, red, blue } = await changed();
    await world.configMaps.delete({ name, ...PLACE });
    const { code, stdout } = await keelson("diff", `cm/${name}@${blue}`, `@${red}`);
    expect(code).toBe(1);
    expect(stdout).toContain("-  colour: blue\n-  size: large\n+  colour: red\n");
  });

  test("says nothing and ends with 0 when both are the same", async () => {
    const { name, blue } = await changed();
    expect(await keelson("diff", "cm", `${name}@${blue}`)).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stdout } = await keelson("diff", "cm", `${name}@${blue}`, "-o", "json");
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ from: blue, to: blue, changes: [] })]);
  });

  test("-o json lists the changes", async () => {
    const { name, red, blue } = await changed();
    const { code, stdout } = await keelson("diff", "cm", `${name}@${red}`, "-o", "json");
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        object: { apiVersion: "v1", kind: "ConfigMap", name, namespace: "default" },
        from: red,
        to: blue,
        changes: [
          { op: "replace", pointer: "/data/colour", before: "red", after: "blue" },
          { op: "add", pointer: "/data/size", after: "large" },
        ],
      },
    ]);
  });

  test("has colours where they are wanted", async () => {
    const { name, red } = await changed();
    const { stdout } = await world.keelson(["diff", "cm", `${name}@${red}`], { FORCE_COLOR: "1" });
    expect(stdout).toContain("\u001b[31m-  colour: red\u001b[0m\n\u001b[32m+  colour: blue\u001b[0m\n");
  });

  test("ends with 2 when that cannot be told", async () => {
    const { name, red } = await changed();
    await world.configMaps.delete({ name, ...PLACE });
    const outcomes = await Promise.all([
      keelson("diff", "cm", name),
      keelson("diff", "cm", `${name}@${red}`),
      keelson("diff", "cm", "nobody@1"),
      keelson("diff", "cm", `${name}@999999999`),
      world.keelson(["diff", "cm", `${name}@${red}`], { KUBECONFIG: "/nonexistent/kubeconfig" }),
    ]);
    expect(outcomes.map(({ code, stdout }) => [code, stdout])).toEqual(Array.from({ length: 5 }, () => [2, ""]));
    expect(outcomes.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining("keelson diff configmap web@1234"),
      expect.stringContaining("does not exist now; name a second version"),
      expect.stringContaining("it did not exist at version 1"),
      expect.stringContaining("expected at to be a version that was reached"),
      expect.stringContaining("expected a kubeconfig"),
    ]);
  });
});

describe("keelson undelete", () => {
  test("makes a deleted object again, with a new uid, and says what cannot come back", async () => {
    const { name } = await changed();
    const before = await world.configMaps.get({ name, ...PLACE });
    await world.configMaps.delete({ name, ...PLACE });
    const { code, stdout } = await keelson("undelete", "cm", name);
    expect(code).toBe(0);
    const now = await world.configMaps.get({ name, ...PLACE });
    expect(now["data"]).toEqual(before["data"]);
    expect(now.metadata.uid).not.toBe(before.metadata.uid);
    expect(now.metadata.managedFields).toEqual(before.metadata.managedFields);
    expect(stdout).toContain(`now version ${now.metadata.resourceVersion} with uid ${now.metadata.uid}\n`);
    expect(stdout).toContain(`  metadata.uid: was ${before.metadata.uid};`);
    expect(stdout).not.toContain("managedFields");
  });

  test("--dry-run stores nothing", async () => {
    const { name } = await changed();
    await world.configMaps.delete({ name, ...PLACE });
    const { code, stdout } = await keelson("undelete", `cm/${name}`, "--dry-run");
    expect([code, stdout]).toEqual([0, expect.stringContaining("would be back")]);
    await expect(world.configMaps.get({ name, ...PLACE })).rejects.toThrow("not found");
  });

  test("refuses when the object exists, and when nothing of it is kept", async () => {
    const { name } = await changed();
    const outcomes = [await keelson("undelete", "cm", name), await keelson("undelete", "cm", "nobody")];
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1]);
    expect(outcomes[0]!.stderr).toContain("there is nothing to undelete");
    expect(outcomes[1]!.stderr).toContain("the history has no version of it");
  });

  test("takes an earlier version where one is named, with the owners that it had", async () => {
    const { name, red } = await changed();
    await world.configMaps.delete({ name, ...PLACE });
    const args = ["undelete", "cm", `${name}@${red}`, "--field-manager", "erin", "-o", "json"];
    const { code, stdout } = await keelson(...args);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ version: red, dryRun: false, losses: expect.any(Array) as unknown }),
    ]);
    const now = await world.configMaps.get({ name, ...PLACE });
    expect([now["data"], now.metadata.managedFields!.map(({ manager }) => manager)]).toEqual([
      { colour: "red" },
      ["alice"],
    ]);
  });

  test("an object that waited for its finalizers comes back as it was before: with them, and with its status", async () => {
    const name = fresh("attachment");
    const attachments = world.resource(neutral(VolumeAttachment));
    await attachments.create({
      metadata: { name, finalizers: ["example.com/guard"] },
      spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "pv" } },
    });
    const attached = { attached: true, attachmentMetadata: { device: "/dev/a" } };
    await attachments.status.patch({ name }, { status: attached });
    await attachments.delete({ name });
    expect((await keelson("undelete", "volumeattachment", name)).stderr).toContain(
      "is being deleted, but is still there",
    );
    const detached = { status: { attached: false, attachmentMetadata: null } };
    await attachments.status.patch({ name }, detached);
    await attachments.patch({ name }, { metadata: { finalizers: null } });
    const { code, stdout } = await keelson("undelete", "volumeattachment", name);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`volumeattachment.storage.svc.io/${name} is back`)]);
    const now = await attachments.get({ name });
    expect(now).toMatchObject({ metadata: { finalizers: ["example.com/guard"] }, status: attached });
    expect(now.metadata.deletionTimestamp).toBeUndefined();
  });

  test("owner references to what is gone stay behind, those to what is there or unknown do not", async () => {
    const [owner, name] = [fresh("owner"), fresh("owned")];
    const { metadata } = await world.configMaps.create(configMap(owner));
    const reference = (of: Partial<{ kind: string; apiVersion: string; uid: string; name: string }>) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: owner,
      uid: metadata.uid!,
      ...of,
    });
    const ownerReferences = [
      reference({}),
      reference({ uid: "another-one" }),
      reference({ name: "nobody", uid: "x" }),
      reference({ apiVersion: "example.com/v1", kind: "Widget", uid: "y" }),
    ];
    await world.configMaps.create({ ...configMap(name), metadata: { name, ...PLACE, ownerReferences } });
    await world.configMaps.delete({ name, ...PLACE });
    const { stdout } = await keelson("undelete", "cm", name);
    expect(stdout.match(/metadata\.ownerReferences: .*/g)).toEqual([
      `metadata.ownerReferences: ConfigMap ${owner} (uid another-one) is gone`,
      "metadata.ownerReferences: ConfigMap nobody (uid x) is gone",
    ]);
    const now = await world.configMaps.get({ name, ...PLACE });
    expect(now.metadata.ownerReferences).toEqual([ownerReferences[0], ownerReferences[3]]);
  });

  test("a namespace comes back alone and active, a service account without the tokens that it had", async () => {
    const name = fresh("space");
    const namespaces = world.resource(Namespace);
    const accounts = world.resource(ServiceAccount);
    await namespaces.create({ metadata: { name, labels: { a: "b" } } });
    await accounts.create({ metadata: { name: "robot", namespace: name } });
    await accounts.delete({ name: "robot", namespace: name });
    const robot = await keelson("undelete", "serviceaccount", "robot", "-n", name);
    expect(robot).toMatchObject({ code: 0, stdout: expect.stringContaining("tokens: those that were issued before") });
    await accounts.delete({ name: "robot", namespace: name });
    await namespaces.delete({ name });
    const going = await namespaces.get({ name });
    // Namespaces are never finished on this server: it has no controllers.
    await namespaces.subresource("finalize").update({ ...going, spec: { finalizers: [] } });
    const space = await keelson("undelete", "ns", name);
    expect(space).toMatchObject({ code: 0, stdout: expect.stringContaining("objects: what was in the namespace") });
    const now = await namespaces.get({ name });
    expect(now).toMatchObject({ metadata: { labels: { a: "b" } }, status: { phase: "Active" } });
  });
});

test("keelson rebind gives a volume to a claim of the namespace of the context, or of the one that is named", async () => {
  const name = fresh("volume");
  await world.resource(PersistentVolume).create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/data" },
      claimRef: { namespace: "team", name: "old", uid: "gone" },
    },
  } as never);
  const reserved = "no claim of that name exists: the volume is reserved for the first one that is created\n";
  expect(await keelson("rebind", name, "data", "--dry-run")).toEqual({
    code: 0,
    stdout: `persistentvolume/${name} would be given to the claim default/data, in place of team/old\n${reserved}`,
    stderr: "",
  });
  const { code, stdout } = await keelson("rebind", name, "other/data", "-o", "json");
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { dryRun: false, before: "team/old", volume: { spec: { claimRef: { namespace: "other", name: "data" } } } },
  ]);
  const { claimRef } = (await world.resource(PersistentVolume).get({ name })).spec;
  expect([claimRef?.namespace, claimRef?.name, claimRef?.uid]).toEqual(["other", "data", undefined]);
  expect(await keelson("rebind", name, "a/b/c")).toMatchObject({ code: 2, stdout: "" });
});
