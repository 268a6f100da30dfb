import { expect, test } from "vitest";
import { neutral } from "../../meta/dialect.ts";
import { type PluginContext, VolumeError, type VolumePlugin } from "../contract.ts";
import { plainPlugins } from "./index.ts";
import { going, needed, testContext } from "./testing/context.ts";

const context = testContext({ root: "/nowhere" });

async function pluginsOf(parts: PluginContext): Promise<VolumePlugin[]> {
  const plugins: VolumePlugin[] = [];
  for (const maker of plainPlugins()) plugins.push(await maker(parts));
  return plugins;
}

const refusal = async (member: string, source: object, given = context): Promise<string> => {
  const volume = needed("/nowhere", "any", { volume: { [member]: source } });
  const plugins = await pluginsOf(given);
  const makers = plugins.filter((plugin) => plugin.makes(volume));
  expect(makers).toHaveLength(1);
  const error: unknown = await makers[0]!.setUp(volume, going).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(VolumeError);
  return (error as Error).message;
};

test("NODE-64: gitRepo is refused, with what to do instead", async () => {
  expect(await refusal("gitRepo", { repository: "https://example/x" })).toBe(
    "this agent does not support gitRepo volumes: anybody who may create Pods could run git as the agent; " +
      "clone into an emptyDir with an init container instead",
  );
});

test("NODE-61: flexVolume is refused, and its script is named", async () => {
  expect(await refusal("flexVolume", { driver: "vendor/script" })).toContain("vendor/script is missing");
});

test.each([
  ["rbd", {}, "the program rbd"],
  ["quobyte", {}, "not part of any agent any more"],
  ["flocker", {}, "not part of any agent any more"],
  ["storageos", {}, "not part of any agent any more"],
  ["scaleIO", {}, "not part of any agent any more"],
  ["photonPersistentDisk", {}, "not part of any agent any more"],
  ["awsElasticBlockStore", { volumeID: "vol-1" }, "the CSI driver ebs.csi.aws.com, which has to be on this machine"],
  ["azureFile", {}, "the CSI driver file.csi.azure.com"],
])("NODE-61: %s is refused by name, with what is missing", async (member, source, message) => {
  const said = await refusal(member, source);
  expect(said).toContain(`this agent does not support ${member} volumes`);
  expect(said).toContain(message);
});

test("NODE-61: a migrated plugin without a known driver is refused with that reason", async () => {
  const elsewhere = testContext({ root: "/nowhere", dialect: neutral });
  expect(await refusal("awsElasticBlockStore", { volumeID: "vol-1" }, elsewhere)).toContain("no CSI driver is known");
});

test("each kind has one plugin, and the kinds of directories differ", async () => {
  const plugins = await pluginsOf(context);
  const kinds = plugins.map(({ kind }) => kind);
  expect(new Set(kinds).size).toBe(kinds.length);
  const members = ["emptyDir", "hostPath", "nfs", "cephfs", "glusterfs", "iscsi", "fc", "image", "gitRepo"];
  for (const member of members) {
    const volume = needed("/nowhere", "any", { volume: { [member]: {} } });
    expect(plugins.filter((plugin) => plugin.makes(volume))).toHaveLength(1);
  }
  const other = needed("/nowhere", "any", { volume: { configMap: { name: "x" } } as never });
  expect(plugins.filter((plugin) => plugin.makes(other))).toEqual([]);
});
