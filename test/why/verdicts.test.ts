/** The explanation of a claim before the binder handles it is what the binder then does. */
import { expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CoreEvent, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../src/client/kinds/index.ts";
import { volumeBinder } from "../../src/controllers/storage/binder/binder.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

const at = (name: string) => ({ name, namespace: "default" });
const volume = (name: string, storage: string, more: object = {}): NewObject<PersistentVolume> =>
  ({
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "c",
      hostPath: { path: "/data" },
      ...more,
    },
  }) as NewObject<PersistentVolume>;
const many = { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] };
const ours = { claimRef: { namespace: "default", name: "data" } };
const theirs = { claimRef: { namespace: "default", name: "other" } };

interface Case {
  readonly volumes?: readonly NewObject<PersistentVolume>[];
  /** Younger than the claim, which so has no default class yet. */
  readonly classes?: readonly object[];
  readonly claim?: object;
  readonly annotations?: Record<string, string>;
  readonly says: string;
  /** The event about the claim: its reason and its message. */
  readonly event?: readonly [reason: string, message: string];
  /** The result of the claim. */
  readonly volumeName?: string;
  readonly phase: string;
}

const first = { metadata: { name: "c" }, provisioner: "p.example.com", volumeBindingMode: "WaitForFirstConsumer" };
const standard = {
  metadata: { name: "std", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "p.example.com",
};

const cases: Record<string, Case> = {
  "CTL-BIND-12: of those that fit the one of the fewest modes, then the smallest": {
    volumes: [volume("a", "9Gi"), volume("b", "5Gi"), volume("c", "2Gi", many), volume("d", "1Gi")],
    says: "the volume b fits it",
    phase: "Bound",
    volumeName: "b",
  },
  "CTL-BIND-29: one that is put by comes before one that fits better": {
    volumes: [volume("a", "2Gi"), volume("z", "5Gi", ours)],
    says: "the volume z is reserved for it",
    phase: "Bound",
    volumeName: "z",
  },
  "CTL-BIND-29: one that is put by and too small leaves the others": {
    volumes: [volume("a", "2Gi"), volume("z", "1Gi", ours)],
    says: "the volume a fits it",
    phase: "Bound",
    volumeName: "a",
  },
  "CTL-MODE-2: a class that waits comes before a volume that fits": {
    volumes: [volume("a", "2Gi")],
    classes: [first],
    says: "no pod uses it yet",
    phase: "Pending",
    event: ["WaitForFirstConsumer", "waiting for first consumer to be created before binding"],
  },
  "CTL-MODE-2: once a node is chosen a volume is made there": {
    volumes: [volume("a", "2Gi")],
    classes: [first],
    annotations: { "volume.kubernetes.io/selected-node": "n1" },
    says: "it waits for the provisioner p.example.com",
    phase: "Pending",
    event: [
      "ExternalProvisioning",
      "Waiting for a volume to be created either by the external provisioner 'p.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
    ],
  },
  "CTL-DEF-2: a volume without a class comes before the default class": {
    volumes: [volume("a", "2Gi", { storageClassName: "" })],
    classes: [],
    claim: { storageClassName: undefined },
    says: "the volume a fits it",
    phase: "Bound",
    volumeName: "a",
  },
  "CTL-BIND-26: a named volume that does not fit is not taken": {
    volumes: [volume("a", "1Gi"), volume("b", "2Gi")],
    claim: { volumeName: "a" },
    volumeName: "a",
    says: "it names the volume a, which does not fit: expected at least 2Gi, it has 1Gi",
    phase: "Pending",
    event: ["VolumeMismatch", 'Cannot bind to requested volume "a": expected at least 2Gi, it has 1Gi'],
  },
  "CTL-BIND-25: a named volume of another claim is not taken": {
    volumes: [volume("a", "2Gi", theirs)],
    claim: { volumeName: "a" },
    volumeName: "a",
    says: "it names the volume a, which belongs to the claim default/other",
    phase: "Pending",
    event: ["FailedBinding", 'volume "a" already bound to a different claim.'],
  },
  "a class that is not there": {
    says: 'storageclass.storage.k8s.io "c" not found',
    phase: "Pending",
    event: ["ProvisioningFailed", 'storageclass.storage.k8s.io "c" not found'],
  },
  "CTL-PROV-1: nobody makes a volume without a class": {
    claim: { storageClassName: "" },
    says: "no persistent volumes available for this claim and no storage class is set",
    phase: "Pending",
    event: ["FailedBinding", "no persistent volumes available for this claim and no storage class is set"],
  },
};

test.each(Object.entries(cases))("%s", async (_, { says, event, phase, volumeName, ...rest }) => {
  await using world = await World.create();
  const { told, claim, events } = await play(world, rest);
  expect(told).toContain(says);
  expect([claim.spec.volumeName, claim.status.phase]).toEqual([volumeName, phase]);
  expect(events.map(({ reason, message }) => [reason, message])).toEqual(event === undefined ? [] : [event]);
});

test("CTL-DEF-2: where no volume without a class fits, the default class is given", async () => {
  await using world = await World.create();
  const volumes = [volume("a", "2Gi")];
  const { told, claim } = await play(world, { volumes, classes: [standard], claim: { storageClassName: undefined } });
  expect(told).toBe("it has no class and is given the default one, std");
  expect(claim.spec.storageClassName).toBe("std");
});

/** Explains a claim that was not handled yet, and then lets the binder handle it. */
async function play(
  world: World,
  { volumes = [], classes = [], claim, annotations }: Pick<Case, "volumes" | "classes" | "claim" | "annotations">,
) {
  for (const one of volumes) await world.resource(PersistentVolume).create(one);
  const before = await world.run(volumeBinder(kubernetes));
  await world.settled();
  await before.stop({ grace: 0 });
  const claims = world.resource(PersistentVolumeClaim);
  const resources = { requests: { storage: "2Gi" } };
  const spec = { accessModes: ["ReadWriteOnce"], resources, storageClassName: "c", ...claim };
  await claims.create({ metadata: { ...at("data"), annotations }, spec } as NewObject<PersistentVolumeClaim>);
  for (const one of classes) await world.resource(StorageClass).create(one as NewObject<StorageClass>);
  const { reasons } = await claims.why(at("data"));
  await world.manager({ countedEvents: true }).add(volumeBinder(kubernetes)).start();
  await world.settled();
  const { items } = await world.resource(CoreEvent).list();
  const events = items.filter(({ involvedObject: { name } }) => name === "data");
  return { told: reasons.at(-1)!.says, claim: await claims.get(at("data")), events };
}
