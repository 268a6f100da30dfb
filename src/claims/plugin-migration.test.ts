import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { migrationOf } from "./plugin-migration.ts";

const migration = migrationOf(kubernetes);
const ZONE = "topology.kubernetes.io/zone";
const sourceOf = (spec: object, labels?: Record<string, string>) =>
  migration.ofSource({ metadata: labels ? { labels } : {}, spec });

describe("the driver and the handle of a volume of a plugin that drivers have replaced", () => {
  test.each([
    ["an ID", { awsElasticBlockStore: { volumeID: "vol-1" } }, "ebs.csi.aws.com", "vol-1"],
    ["a location", { awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } }, "ebs.csi.aws.com", "vol-1"],
    [
      "a location of another form",
      { cinder: { volumeID: "x://zone/vol-1" } },
      "cinder.csi.openstack.org",
      "x://zone/vol-1",
    ],
    ["a URI", { azureDisk: { diskURI: "/disks/d" } }, "disk.csi.azure.com", "/disks/d"],
    ["a path", { vsphereVolume: { volumePath: "[store] d" } }, "csi.vsphere.vmware.com", "[store] d"],
    ["a share", { azureFile: { shareName: "s" } }, "file.csi.azure.com", "s"],
    ["none", { cinder: { volumeID: 1 } }, "cinder.csi.openstack.org", ""],
  ])("from %s", (_, spec, driver, handle) => {
    expect(sourceOf(spec)).toMatchObject({ driver, handle });
  });

  test.each([
    [undefined, "zones/UNSPECIFIED"],
    [{}, "zones/UNSPECIFIED"],
    [{ [ZONE]: "europe-west1-b" }, "zones/europe-west1-b"],
    [{ [ZONE]: "europe-west1-b__europe-west1-c" }, "regions/europe-west1"],
  ])("from the name of a disk, with labels %j", (labels, place) => {
    expect(sourceOf({ gcePersistentDisk: { pdName: "d" } }, labels)).toEqual({
      plugin: "kubernetes.io/gce-pd",
      driver: "pd.csi.storage.gke.io",
      handle: `projects/UNSPECIFIED/${place}/disks/d`,
    });
  });

  test("is none for other volumes, and none at all where no plugin is replaced", () => {
    expect(sourceOf({ hostPath: { path: "/" } })).toBeUndefined();
    expect(migrationOf(neutral).ofSource({ metadata: {}, spec: { cinder: { volumeID: "1" } } })).toBeUndefined();
  });
});

test("a provisioner in the tree has the driver that replaced it, and no other has one", () => {
  expect(migration.driverOf("kubernetes.io/aws-ebs")).toBe("ebs.csi.aws.com");
  expect([
    migration.driverOf("aws-ebs"),
    migration.driverOf("kubernetes.io/nfs"),
    migration.driverOf(undefined),
  ]).toEqual([undefined, undefined, undefined]);
});
