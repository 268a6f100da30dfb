/**
 * Stories of the controllers of the cluster itself: owners, namespaces, quotas, Events.
 *
 * @module
 */
import { type ApiObject, type Kind, attempt } from "../../../src/client/index.ts";
import { ConfigMap, Pod, ResourceQuota, ServiceAccount } from "../../../src/client/kinds/index.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import { configMap, core, need, pod } from "./objects.ts";
import { CERTIFICATE } from "./certificate.ts";
import type { OwnStory } from "./story.ts";

const COLLECTED = ["garbage-collector"];

const event = (name: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name },
  involvedObject: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "default" },
  reason: "Told",
  message: "something happened",
});

/** Creates a ConfigMap with owners. */
async function own(cluster: Cluster, name: string, ...owners: readonly string[]): Promise<void> {
  const configMaps = cluster.client().resource(ConfigMap);
  const all = await Promise.all(owners.map((owner) => configMaps.get({ name: owner, namespace: "default" })));
  const ownerReferences = all.map(({ metadata }) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: metadata.name,
    uid: metadata.uid,
    blockOwnerDeletion: true,
  }));
  await cluster.apply(configMap(name, { ownerReferences }));
}

const quota = (name: string, spec: object) => ({ apiVersion: "v1", kind: "ResourceQuota", metadata: { name }, spec });

/** A Pod that asks for a part of a processor. */
const asking = (name: string, cpu: string) =>
  pod(name, {}, { containers: [{ name: "c", image: "web:1", resources: { requests: { cpu } } }] });

/** Creates the last Pod that a quota allows, once it has counted the others, and tries one more. */
async function fill(cluster: Cluster, last: ReturnType<typeof asking>): Promise<void> {
  const client = cluster.client();
  const { status } = await client.resource(ResourceQuota).get({ name: "some", namespace: "default" });
  need("the quota to have counted one Pod", status?.used?.["pods"] === "1");
  await cluster.apply(last);
  const { metadata, ...more } = asking("more", "100m");
  const tooMuch = await attempt(
    client.resource(Pod).create({ ...more, metadata: { ...metadata, namespace: "default" } }),
    "Forbidden",
  );
  need("a Pod that is too much to be refused", !tooMuch.ok);
}

/** Deletes what the namespace has been given. */
async function removeGiven(cluster: Cluster, kind: Kind<ApiObject, "Namespaced">, name: string): Promise<void> {
  const objects = cluster.client().resource(kind);
  need(`the namespace to have its ${kind.kind}`, (await objects.find({ name, namespace: "default" })) !== undefined);
  await objects.delete({ name, namespace: "default" });
}

/** Changes the certificate that the namespace has been given. */
async function changeCertificate(cluster: Cluster): Promise<void> {
  const configMaps = cluster.client().resource(ConfigMap);
  const key = { name: "kube-root-ca.crt", namespace: "default" };
  need("the namespace to have its certificate", (await configMaps.find(key)) !== undefined);
  await configMaps.patch(key, { data: { "ca.crt": "x" } });
}

/** The stories by their names. */
export const CLUSTER_STORIES: Readonly<Record<string, OwnStory>> = {
  owners: {
    explored: ["garbage-collector"],
    beside: ["namespace-controller"],
    scenario: {
      name: "owners are deleted in each way, and made again by the same name",
      steps: [
        {
          name: "create owners with dependents",
          do: async (cluster) => {
            for (const owner of ["back", "fore", "orphan"]) {
              // oxlint-disable-next-line no-await-in-loop -- each dependent names the uid of its owner
              const [made] = await cluster.apply(configMap(owner));
              const ownerReferences = [
                { apiVersion: "v1", kind: "ConfigMap", name: owner, uid: made!.metadata.uid, blockOwnerDeletion: true },
              ];
              // oxlint-disable-next-line no-await-in-loop
              await cluster.apply(...[1, 2].map((n) => configMap(`${owner}-${n}`, { ownerReferences })));
            }
          },
        },
        { name: "delete in the background", delete: { ...core("ConfigMap", "back"), propagationPolicy: "Background" } },
        { name: "make it again", create: configMap("back") },
        { name: "delete in the foreground", delete: { ...core("ConfigMap", "fore"), propagationPolicy: "Foreground" } },
        { name: "delete and leave orphans", delete: { ...core("ConfigMap", "orphan"), propagationPolicy: "Orphan" } },
        { name: "create one of two owners", do: (cluster) => own(cluster, "child", "back", "orphan-1") },
        { name: "and one of that", do: (cluster) => own(cluster, "grandchild", "child") },
        { name: "one owner goes", delete: core("ConfigMap", "back") },
        { name: "the other, too", delete: { ...core("ConfigMap", "orphan-1"), propagationPolicy: "Foreground" } },
      ],
    },
  },
  "owners of another kind": {
    explored: ["garbage-collector"],
    beside: ["namespace-controller"],
    scenario: {
      name: "an owner whose dependents are of another kind is deleted",
      steps: [
        {
          name: "create an owner with a dependent",
          do: async (cluster) => {
            const [made] = await cluster.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "back" } });
            const { uid } = made!.metadata;
            const ownerReferences = [{ apiVersion: "v1", kind: "Secret", name: "back", uid }];
            await cluster.apply(configMap("back-1", { ownerReferences }));
          },
        },
        { name: "delete the owner", delete: core("Secret", "back") },
      ],
    },
  },
  namespaces: {
    explored: ["namespace", "serviceaccount", "root-ca"],
    beside: ["garbage-collector"],
    settings: { caCertificate: CERTIFICATE },
    scenario: {
      name: "a namespace with content is deleted and made again",
      // A namespace that does not go is tried again every 10 s: each time asks for all kinds.
      pause: "1m",
      quiet: "30m",
      steps: [
        {
          name: "create",
          apply: [
            { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } },
            { ...configMap("a"), metadata: { name: "a", namespace: "team" } },
            { ...configMap("b"), metadata: { name: "b", namespace: "team", finalizers: ["example.com/held"] } },
          ],
        },
        { name: "delete", delete: core("Namespace", "team") },
        {
          name: "let go",
          patch: { ...core("ConfigMap", "b"), namespace: "team", with: { metadata: { finalizers: null } } },
        },
        { name: "make it again", create: { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } } },
        {
          name: "with other content",
          create: [
            { ...configMap("a"), metadata: { name: "a", namespace: "team" } },
            { ...pod("p"), metadata: { name: "p", namespace: "team", finalizers: ["example.com/held"] } },
            { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "team" } },
          ],
        },
        { name: "delete it again", delete: core("Namespace", "team") },
        {
          name: "let go again",
          patch: { ...core("Pod", "p"), namespace: "team", with: { metadata: { finalizers: null } } },
        },
      ],
    },
  },
  "system namespaces": {
    explored: ["system-namespaces", "serviceaccount", "root-ca"],
    beside: ["garbage-collector", "namespace"],
    settings: { caCertificate: CERTIFICATE },
    scenario: {
      name: "what every namespace has is deleted, changed, and comes again",
      steps: [
        { name: "delete a namespace of the system", delete: core("Namespace", "kube-node-lease") },
        { name: "delete the account", do: (cluster) => removeGiven(cluster, ServiceAccount, "default") },
        { name: "change the certificate", do: changeCertificate },
        { name: "delete it", do: (cluster) => removeGiven(cluster, ConfigMap, "kube-root-ca.crt") },
      ],
    },
  },
  quota: {
    explored: ["resourcequota"],
    beside: ["garbage-collector", "namespace-controller"],
    cluster: { admission: { enable: ["ResourceQuota"] } },
    scenario: {
      name: "quotas count what comes and goes, refuse what is too much, are changed, and made again",
      // They count again every five minutes.
      quiet: "30m",
      steps: [
        {
          name: "create",
          create: [
            quota("some", { hard: { "count/configmaps": "5", pods: "2", "requests.cpu": "1" } }),
            configMap("a"),
          ],
        },
        {
          name: "one of some Pods only",
          create: quota("modest", { hard: { pods: "9" }, scopes: ["BestEffort"] }),
        },
        { name: "a Pod", create: asking("p", "400m") },
        { name: "another is the last", do: (cluster) => fill(cluster, asking("q", "400m")) },
        { name: "delete what it counts", delete: core("ConfigMap", "a") },
        { name: "allow more", patch: { ...core("ResourceQuota", "some"), with: { spec: { hard: { pods: "4" } } } } },
        { name: "delete a Pod", delete: core("Pod", "p") },
        { name: "another one comes", create: asking("r", "500m") },
        {
          name: "a Pod ends",
          patch: { ...core("Pod", "q"), subresource: "status", with: { status: { phase: "Succeeded" } } },
        },
        {
          name: "allow less than there is",
          patch: { ...core("ResourceQuota", "some"), with: { spec: { hard: { "requests.cpu": "100m", pods: null } } } },
        },
        { name: "delete the quota", delete: core("ResourceQuota", "some") },
        { name: "make it again", create: quota("some", { hard: { "count/configmaps": "9" } }) },
      ],
    },
  },
  events: {
    explored: ["event-expiry"],
    beside: COLLECTED,
    settings: { eventTtlMillis: 600_000 },
    scenario: {
      name: "Events are deleted some time after their last write",
      pause: "1m",
      steps: [
        { name: "create", create: ["a", "b"].map(event) },
        { name: "write one again", patch: { ...core("Event", "a"), with: { count: 2 } } },
        { name: "delete one", delete: core("Event", "b") },
      ],
      eventually: [
        {
          name: "no Event is kept for longer than ten minutes, and none goes earlier",
          holds: (state) => state.all({ group: "", kind: "Event" }).length <= 2,
        },
      ],
    },
  },
};
