/**
 * Lives of claims and volumes.
 *
 * @module
 */
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../src/client/kinds/index.ts";
import type { Rule, Scenario } from "../../../src/testing/explore/scenario.ts";
import { claim, core, directory, pod, remove, storageClass, volume } from "./story-objects.ts";
import type { ControllerStory } from "./stories.ts";

const programs = {
  explored: ["persistentvolume-binder"],
  beside: ["pvc-protection", "pv-protection", "garbage-collector", "namespace-controller"],
};
const CLAIMS = { group: "", kind: "PersistentVolumeClaim" };
const VOLUMES = { group: "", kind: "PersistentVolume" };

/** Nobody can keep data on a volume that goes. */
const boundToLasting: Rule = {
  name: "no claim gets a volume that is being deleted",
  holds: (state) =>
    state.all(CLAIMS).every(({ spec, status }) => {
      const { volumeName } = spec as { readonly volumeName?: string };
      if ((status as { readonly phase?: string }).phase !== "Bound" || volumeName === undefined) return true;
      return state.find(VOLUMES, volumeName)?.metadata.deletionTimestamp === undefined;
    }),
};

/** References tell at which version their claim was when they were made. */
const ignore: Scenario["ignore"] = [{ kind: VOLUMES, path: ".spec.claimRef.resourceVersion" }];

const emptied = (name: string, volumeName: string) => ({
  name,
  patch: {
    ...core("Pod", `recycler-for-${volumeName}`),
    subresource: "status",
    with: { status: { phase: "Succeeded" } },
  },
});

export const BINDER_STORIES = {
  binding: {
    ...programs,
    scenario: {
      name: "claims are bound to volumes, deleted, and made again",
      ignore,
      start: [volume("small", "manual"), volume("large", "manual", { capacity: { storage: "5Gi" } })],
      steps: [
        {
          name: "claim",
          create: [claim("a", "manual"), claim("b", "manual", { resources: { requests: { storage: "3Gi" } } })],
        },
        remove("PersistentVolumeClaim", "a"),
        { name: "make it again", create: claim("a", "manual") },
        { name: "another volume", create: volume("more", "manual") },
        {
          name: "free the old one",
          patch: { ...core("PersistentVolume", "small"), with: { spec: { claimRef: null } } },
        },
        { name: "a claim that names its volume", create: claim("c", "manual", { volumeName: "small" }) },
        { name: "a claim that names a volume in use", create: claim("d", "manual", { volumeName: "large" }) },
        remove("PersistentVolume", "large"),
        remove("PersistentVolumeClaim", "b"),
      ],
    },
  },
  contest: {
    ...programs,
    scenario: {
      name: "more claims than volumes",
      ignore,
      start: [volume("one", "few"), volume("two", "few")],
      steps: [
        { name: "three claims", create: [claim("a", "few"), claim("b", "few"), claim("c", "few")] },
        { name: "two more", create: [claim("d", "few"), claim("e", "few")] },
        { name: "another volume", create: volume("three", "few") },
        remove("PersistentVolumeClaim", "a"),
        { name: "free its volume", patch: { ...core("PersistentVolume", "one"), with: { spec: { claimRef: null } } } },
        remove("PersistentVolumeClaim", "e"),
        { name: "two more volumes", create: [volume("four", "few"), volume("five", "few")] },
      ],
    },
  },
  classes: {
    ...programs,
    scenario: {
      name: "claims wait for a class, for a node, and for a provisioner",
      ignore,
      start: [storageClass("wait", { volumeBindingMode: "WaitForFirstConsumer" })],
      steps: [
        { name: "a claim without a class", create: claim("open") },
        {
          name: "a default class",
          create: storageClass("standard", {}, { "storageclass.kubernetes.io/is-default-class": "true" }),
        },
        {
          name: "its volume is made",
          create: volume("made", "standard", { claimRef: { namespace: "default", name: "open" } }),
        },
        { name: "a claim that waits for a Pod", create: claim("late", "wait") },
        {
          name: "its node is selected",
          patch: {
            ...core("PersistentVolumeClaim", "late"),
            with: { metadata: { annotations: { "volume.kubernetes.io/selected-node": "node-1" } } },
          },
        },
        remove("PersistentVolumeClaim", "open"),
      ],
    },
  },
  departing: {
    ...programs,
    scenario: {
      name: "claims and volumes are deleted, and held",
      ignore,
      steps: [
        { name: "a claim that a Pod uses", create: [claim("x", "late"), pod("user", "x", { nodeName: "node-1" })] },
        remove("PersistentVolumeClaim", "x"),
        { name: "a volume", create: volume("one", "late") },
        { name: "a claim that stays", create: claim("y", "late") },
        remove("Pod", "user"),
        {
          name: "a volume that is held",
          create: { ...volume("two", "gone"), metadata: { name: "two", finalizers: ["example.com/held"] } },
        },
        remove("PersistentVolume", "two"),
        { name: "a claim", create: claim("z", "gone") },
        { name: "let go", patch: { ...core("PersistentVolume", "two"), with: { metadata: { finalizers: null } } } },
      ],
      eventually: [boundToLasting],
    },
  },
  reclaim: {
    ...programs,
    scenario: {
      name: "volumes that are deleted with their claims, and made again",
      ignore,
      start: [directory("scratch", "Delete")],
      steps: [
        { name: "claim", create: claim("s", "scratch") },
        remove("PersistentVolumeClaim", "s"),
        { name: "make both again", create: [directory("scratch", "Delete"), claim("s", "scratch")] },
        {
          name: "a volume for a claim",
          do: async (cluster) => {
            const claims = cluster.client().resource(PersistentVolumeClaim);
            const { uid } = (await claims.create(claim("own", "elsewhere") as never)).metadata;
            const claimRef = { ...core("PersistentVolumeClaim", "own"), namespace: "default", uid };
            await cluster
              .client()
              .resource(PersistentVolume)
              .create(directory("own", "Delete", { claimRef }) as never);
          },
        },
        remove("PersistentVolumeClaim", "s"),
        { name: "make the claim again", create: claim("s", "scratch") },
        { name: "and its volume", create: directory("scratch", "Delete") },
        {
          name: "delete the claim and make it again at once",
          do: async (cluster) => {
            const claims = cluster.client().resource(PersistentVolumeClaim);
            await claims.delete({ namespace: "default", name: "s" });
            await claims.waitForDelete({ namespace: "default", name: "s" });
            await claims.create(claim("s", "scratch") as never);
          },
        },
      ],
    },
  },
  recycling: {
    ...programs,
    scenario: {
      name: "a volume is emptied for the next claim",
      ignore,
      start: [directory("reused", "Recycle")],
      steps: [
        { name: "claim", create: claim("first", "reused") },
        remove("PersistentVolumeClaim", "first"),
        emptied("it is empty", "reused"),
        { name: "claim it again", create: claim("second", "reused") },
        { name: "a Pod that waits", create: pod("user", "second") },
        remove("PersistentVolumeClaim", "second"),
        {
          name: "give the volume to another claim",
          do: async (cluster) => {
            const claimRef = { ...core("PersistentVolumeClaim", "third"), namespace: "default" };
            const patch = { spec: { claimRef: { ...claimRef, uid: null, resourceVersion: null } } };
            await cluster
              .client()
              .resource(PersistentVolume)
              .patch({ name: "reused" }, patch as never);
            await cluster.client().resource(Pod).delete({ namespace: "default", name: "user" });
          },
        },
        { name: "which is made", create: claim("third", "reused") },
        remove("PersistentVolumeClaim", "third"),
        { name: "a claim that waits", create: claim("fourth", "reused") },
        emptied("it is empty again", "reused"),
      ],
    },
  },
} satisfies Readonly<Record<string, ControllerStory>>;
