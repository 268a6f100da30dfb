import { expect, test } from "vitest";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../client/kinds/index.ts";
import { createCluster } from "./index.ts";

const KEY = { namespace: "default", name: "data" };
const claim = (storage: string, storageClassName?: string) => ({
  metadata: KEY,
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  },
});

test("a claim without a class gets a simulated volume, which grows and goes with it", async () => {
  await using cluster = await createCluster({ nodes: 1 });
  const claims = cluster.client().resource(PersistentVolumeClaim);
  const volumes = cluster.client().resource(PersistentVolume);
  await cluster.apply(PersistentVolumeClaim, claim("1Gi"));
  await cluster.settled();
  const bound = await claims.get(KEY);
  expect(bound).toMatchObject({
    spec: { storageClassName: "simulated", volumeName: `pvc-${bound.metadata.uid}` },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
  });
  await cluster.apply(PersistentVolumeClaim, claim("2Gi"));
  await cluster.settled();
  expect((await claims.get(KEY)).status).toMatchObject({ phase: "Bound", capacity: { storage: "2Gi" } });
  expect((await volumes.get({ name: bound.spec.volumeName! })).spec.capacity).toEqual({ storage: "2Gi" });
  await claims.delete(KEY);
  await cluster.settled();
  expect((await volumes.list()).items).toEqual([]);
});

test("the simulated class is not the default where there is one, and other classes are left alone", async () => {
  await using cluster = await createCluster();
  await cluster.apply(StorageClass, {
    metadata: { name: "own", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "example.com/own",
  });
  await cluster.nodes(1);
  await cluster.apply(PersistentVolumeClaim, claim("1Gi"));
  await cluster.settled();
  const { spec, status } = await cluster.client().resource(PersistentVolumeClaim).get(KEY);
  expect([spec.storageClassName, status.phase]).toEqual(["own", "Pending"]);
});
