/** What `keelson mount` reads from a server, where the files do not have it. */
import { expect, test } from "vitest";
import { readDocuments } from "../../src/cli/mount-documents.ts";
import { allocatableOf, mountSource } from "../../src/cli/mount-source.ts";
import { ClusterTrustBundle, ConfigMap, Node, Secret, ServiceAccount } from "../../src/client/kinds/index.ts";
import { authority } from "../../src/pki/certificate.ts";
import { contentOf } from "../../src/volumes/content.ts";
import { World } from "../runtime/world.ts";

const POD = `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeName: node-1
  serviceAccountName: robot
  containers: [{name: c, image: i}]
  volumes:
    - name: v
      projected:
        sources:
          - configMap: {name: m}
          - secret: {name: s}
          - serviceAccountToken: {path: token, audience: vault, expirationSeconds: 700}
          - clusterTrustBundle: {path: ca.pem, signerName: example.com/ca, labelSelector: {}}
          - downwardAPI: {items: [{path: memory, resourceFieldRef: {containerName: c, resource: limits.memory}}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {a: of the file}}
`;

test.each(["kubernetes", "neutral"] as const)(
  "what the files do not have is read from a server (%s)",
  async (dialect) => {
    await using world = await World.create(dialect, { ClusterTrustBundle: true });
    const key = (name: string) => ({ namespace: "default", name });
    await world.resource(Node).create({ metadata: { name: "node-1" } });
    const set = await world
      .resource(Node)
      .status.patch({ name: "node-1" }, { status: { allocatable: { memory: "5" } } });
    expect(set.status.allocatable).toEqual({ memory: "5" });
    await world.resource(ServiceAccount).create({ metadata: key("robot") });
    await world.resource(ConfigMap).create({ metadata: key("m"), data: { a: "of the server" } });
    await world.resource(Secret).create({ metadata: key("s"), data: { b: "QQ==" } });
    const trustBundle = authority({ now: world.clock.now(), days: 100 }).cert;
    await world
      .resource(ClusterTrustBundle)
      .create({ metadata: { name: "example.com:ca:a" }, spec: { signerName: "example.com/ca", trustBundle } });

    const documents = readDocuments(new Map([["f", POD]]), { namespace: "default" });
    const allocatable = await allocatableOf(world.client, documents.pod);
    const source = mountSource(documents, { client: world.client, placeholders: false, allocatable });
    const content = await contentOf(documents.pod, documents.pod.spec.volumes![0]!, source, {});
    const text = (path: string): string => Buffer.from(content.get(path)!.bytes).toString();
    expect([text("a"), text("b"), text("memory"), text("ca.pem")]).toEqual(["of the file", "A", "5", trustBundle]);
    expect(JSON.parse(text("token"))).toMatchObject({ audiences: ["vault"] });
  },
);
