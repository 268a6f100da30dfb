/**
 * Stories of the controllers of definitions, policies and elections.
 *
 * @module
 */
import { attempt } from "../../../src/client/index.ts";
import { Lease, LeaseCandidate } from "../../../src/client/kinds/index.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import type { Plan } from "../../../src/explore/contract/plan.ts";
import { need } from "./objects.ts";
import type { OwnStory } from "./story.ts";

const COLLECTED = ["garbage-collector"];
const POLICIES = "admissionregistration.k8s.io/v1";
const LEASE = { namespace: "default", name: "l" };
const COORDINATION = "coordination.k8s.io";
const MIGRATIONS = "storagemigration.k8s.io/v1alpha1";

/** A definition that serves two versions of widgets, one of which is stored. */
const widgets = (stored: "v1" | "v2") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === stored,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
        },
      },
    })),
  },
});

const widget = (name: string) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec: { size: 1 },
});

const migration = (name: string, resource: string) => ({
  apiVersion: MIGRATIONS,
  kind: "StorageVersionMigration",
  metadata: { name },
  spec: { resource: { group: "example.com", version: "v2", resource } },
});

const policy = (expression: string) => ({
  matchConstraints: {
    resourceRules: [
      { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["widgets"] },
    ],
  },
  validations: [{ expression }],
});

/** The time of the cluster, to the microsecond. */
const now = (cluster: Cluster): string => new Date(cluster.clock.now()).toISOString().replace("Z", "000Z");

/** Candidates stand for a Lease, and have just said that they live. */
const stand =
  (versions: Readonly<Record<string, string>>) =>
  (cluster: Cluster): Promise<unknown> => {
    const renewTime = now(cluster);
    return cluster.apply(
      ...Object.entries(versions).map(([name, emulationVersion]) => ({
        apiVersion: `${COORDINATION}/v1beta1`,
        kind: "LeaseCandidate",
        metadata: { name },
        spec: {
          leaseName: "l",
          binaryVersion: "1.35.0",
          emulationVersion,
          strategy: "OldestEmulationVersion",
          renewTime,
        },
      })),
    );
  };

/** Candidates that were asked whether they live say so. */
async function answer(cluster: Cluster): Promise<void> {
  const candidates = cluster.client().resource(LeaseCandidate);
  for (const { metadata, spec } of (await candidates.list()).items)
    if (spec.pingTime !== undefined)
      // oxlint-disable-next-line no-await-in-loop -- there is one
      await candidates.patch({ namespace: "default", name: metadata.name }, { spec: { renewTime: now(cluster) } });
}

/** Who has got the Lease keeps it for some seconds. */
async function lead(cluster: Cluster, leaseDurationSeconds: number): Promise<void> {
  const leases = cluster.client().resource(Lease);
  need("somebody to lead", (await leases.find(LEASE))?.spec.holderIdentity !== undefined);
  await leases.patch(LEASE, { spec: { leaseDurationSeconds } });
}

/** The stories by their names. */
export const EXTENSION_STORIES: Readonly<Record<string, OwnStory>> = {
  migrations: {
    explored: ["storage-version-migrator"],
    beside: COLLECTED,
    cluster: { featureGates: { StorageVersionMigrator: true } },
    accepted: ["a", "b", "c"].map((name) => ({
      key: `differs Widget.example.com default/${name} .apiVersion`,
      when: (plan: Plan) => plan.some((one) => one.type === "refused" && one.with === "conflict"),
      why: "A conflict says that somebody has written the object, in the new version: kube-controller-manager goes on, too.",
    })),
    scenario: {
      name: "objects are written anew in another version",
      // A revision of the store when it began, which is another one when it begins later.
      ignore: [
        {
          kind: { group: "storagemigration.k8s.io", kind: "StorageVersionMigration" },
          path: ".status.resourceVersion",
        },
      ],
      start: [widgets("v1")],
      steps: [
        { name: "create", create: ["a", "b", "c"].map(widget) },
        { name: "store another version", apply: widgets("v2") },
        { name: "write them anew", create: migration("m", "widgets") },
        { name: "of a kind that there is not", create: migration("none", "gadgets") },
        { name: "delete", delete: { apiVersion: MIGRATIONS, kind: "StorageVersionMigration", name: "m" } },
        { name: "once more", create: migration("m", "widgets") },
      ],
    },
  },
  policies: {
    explored: ["validatingadmissionpolicy-status-controller"],
    beside: COLLECTED,
    scenario: {
      name: "expressions of a policy are checked, also when their types come later",
      steps: [
        {
          name: "create",
          create: {
            apiVersion: POLICIES,
            kind: "ValidatingAdmissionPolicy",
            metadata: { name: "p" },
            spec: policy("object.spec.size == 'x'"),
          },
        },
        { name: "their types come", create: widgets("v1") },
        {
          name: "mend",
          patch: {
            apiVersion: POLICIES,
            kind: "ValidatingAdmissionPolicy",
            name: "p",
            with: { spec: policy("object.spec.size > 1") },
          },
        },
        {
          name: "break",
          patch: {
            apiVersion: POLICIES,
            kind: "ValidatingAdmissionPolicy",
            name: "p",
            with: { spec: policy("object.spec.size == true") },
          },
        },
        { name: "delete", delete: { apiVersion: POLICIES, kind: "ValidatingAdmissionPolicy", name: "p" } },
      ],
    },
  },
  elections: {
    explored: ["leader-election"],
    beside: COLLECTED,
    cluster: { featureGates: { CoordinatedLeaderElection: true } },
    scenario: {
      name: "one of several candidates leads, and another one is preferred later",
      // A list that is refused twelve times is there after 141 s.
      pause: "3m",
      // Who does not answer is asked again: that depends on when it was asked first.
      ignore: [".spec.pingTime", ".spec.renewTime"].map((path) => ({
        kind: { group: COORDINATION, kind: "LeaseCandidate" },
        path,
      })),
      steps: [
        { name: "one stands", do: stand({ a: "1.34.0" }) },
        { name: "it answers where it is asked", do: answer },
        {
          name: "it leads, for a while",
          do: (cluster) => lead(cluster, 600),
        },
        { name: "others stand", do: stand({ b: "1.33.0", c: "1.35.0" }) },
        // There is no leader where a candidate that does not respond was requested.
        { name: "it goes", do: (cluster) => attempt(cluster.client().resource(Lease).delete(LEASE), "NotFound") },
        {
          name: "a candidate goes",
          delete: { apiVersion: `${COORDINATION}/v1beta1`, kind: "LeaseCandidate", name: "b" },
        },
      ],
    },
  },
};
