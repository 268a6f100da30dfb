/** The inputs of a driver for an inline volume of a Pod. */
import { expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Pod, Secret } from "../../src/client/kinds/index.ts";
import type { Asked } from "./model-driver.ts";
import { NodeWorld } from "./node-world.ts";

const INLINE = { attachRequired: false, volumeLifecycleModes: ["Ephemeral"] };
const DRIVER = "d.example.com";

/** The one request of NodePublishVolume for an inline volume. */
async function published(node: NodeWorld, csi: object): Promise<Asked> {
  const pod = await node.resource(Pod).create({
    metadata: { name: "p", namespace: "default" },
    spec: {
      nodeName: "n1",
      automountServiceAccountToken: false,
      containers: [{ name: "c", image: "i", volumeMounts: [{ name: "x", mountPath: "/x" }] }],
      volumes: [{ name: "x", csi: { driver: DRIVER, ...csi } }],
    },
  } as NewObject<Pod>);
  await node.settled();
  await node.setUp(node.inline(pod, csi));
  const calls = node.driver.of("NodePublishVolume");
  expect(calls).toHaveLength(1);
  return calls[0]!.request;
}

test("VOL-24: with fsType unset the empty value is passed, else what is set", async () => {
  for (const csi of [{}, { fsType: "xfs" }]) {
    await using node = await NodeWorld.withDriver(INLINE);
    const request = await published(node, csi);
    expect(request.volumeCapability).toMatchObject({ accessType: { value: { fsType: "", ...csi } } });
  }
});

test("VOL-25: the Secret is looked up in the Pod's namespace, and its values are passed", async () => {
  await using node = await NodeWorld.withDriver(INLINE);
  for (const namespace of ["default", "kube-system"]) {
    await node.resource(Secret).create({
      metadata: { name: "login", namespace },
      stringData: { password: `of ${namespace}` },
    } as NewObject<Secret>);
  }
  const request = await published(node, { nodePublishSecretRef: { name: "login" } });
  expect(request.secrets).toEqual({ password: "of default" });
});

test("VOL-26: it is published for writing when readOnly is unset, with its attributes", async () => {
  for (const csi of [{}, { readOnly: true }]) {
    await using node = await NodeWorld.withDriver(INLINE);
    const request = await published(node, { ...csi, volumeAttributes: { size: "1Gi", kind: "fast" } });
    expect(request.readonly).toBe(csi.readOnly === true);
    expect(request.volumeContext).toMatchObject({ size: "1Gi", kind: "fast" });
  }
});
