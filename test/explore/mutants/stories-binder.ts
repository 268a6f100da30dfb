/**
 * Lives of claims and volumes.
 *
 * @module
 */
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../src/client/kinds/index.ts";
import type { StoredObject } from "../../../src/explore/contract/state.ts";
import type { Rule, Scenario } from "../../../src/testing/explore/scenario.ts";
import { claim, core, directory, pod, remove, storageClass, volume } from "./story-objects.ts";
import type { ControllerStory } from "./stories.ts";

const programs = {
  explored: ["persistentvolume-binder"],
  beside: ["pvc-protection", "pv-protection", "garbage-collector", "namespace-controller"],
};
const CLAIMS = { group: "", kind: "PersistentVolumeClaim" };
const VOLUMES = { group: "", kind: "PersistentVolume" };

/** No data can be kept on a volume that is deleted. */
const boundToLasting: Rule = {
  name: "no claim gets a volume that is being deleted",
  holds: (state) =>
    state.all(CLAIMS).every(({ spec, status }) => {
      const { volumeName } = spec as { readonly volumeName?: string };
      if ((status as { readonly phase?: string }).phase !== "Bound" || volumeName === undefined) return true;
      return state.find(VOLUMES, volumeName)?.metadata.deletionTimestamp === undefined;
    }),
};

type Volume = { readonly claimRef?: { readonly uid?: string }; readonly storageClassName: string } & {
  readonly capacity: { readonly storage: string };
};
type Claim = { readonly volumeName?: string; readonly storageClassName: string } & {
  readonly resources: { readonly requests: { readonly storage: string } };
};
const phaseOf = ({ status }: StoredObject): string | undefined => (status as { readonly phase?: string }).phase;
const isStaying = ({ metadata }: StoredObject): boolean => metadata.deletionTimestamp === undefined;

/** Both sides agree on the binding, and no claim has lost its volume. */
const agreed: Rule = {
  name: "claims and volumes agree on who has which",
  holds: (state) => {
    const lost = state.all(CLAIMS).find((one) => phaseOf(one) === "Lost");
    if (lost) return `claim ${lost.metadata.name} is lost`;
    const isMutual = (one: StoredObject): boolean => {
      const found = state.find(VOLUMES, (one.spec as Claim).volumeName ?? "");
      return found !== undefined && (found.spec as Volume).claimRef?.uid === one.metadata.uid;
    };
    const bound = state.all(CLAIMS).filter((one) => phaseOf(one) === "Bound");
    const wrong = bound.find((one) => !isMutual(one));
    if (wrong)
      return `claim ${wrong.metadata.name} is bound to ${(wrong.spec as Claim).volumeName}, which is not its own`;
    const half = state
      .all(VOLUMES)
      .filter((one) => phaseOf(one) === "Bound")
      .find(({ spec }) => !bound.some(({ metadata }) => metadata.uid === (spec as Volume).claimRef?.uid));
    return half === undefined || `volume ${half.metadata.name} is bound, and no claim has it`;
  },
};

/** Pods use a claim as soon as it is bound. */
const usable: Rule = {
  name: "a claim that is bound has its volume",
  holds: (state) =>
    state
      .all(CLAIMS)
      .filter((one) => phaseOf(one) === "Bound")
      .every(({ metadata: { uid }, spec }) => {
        const found = state.find(VOLUMES, (spec as Claim).volumeName ?? "");
        return (found?.spec as Volume | undefined)?.claimRef?.uid === uid;
      }),
};

/** No claim waits beside a volume that fits it. */
const served: Rule = {
  name: "no claim waits while a volume is there for it",
  holds: (state) => {
    const free = state
      .all(VOLUMES)
      .filter((one) => phaseOf(one) === "Available" && isStaying(one) && !(one.spec as Volume).claimRef)
      .map(({ spec }) => spec as Volume);
    const waiting = state
      .all(CLAIMS)
      .filter((one) => phaseOf(one) === "Pending" && isStaying(one) && !(one.spec as Claim).volumeName)
      .find(({ spec }) => free.some((one) => isEnough(one, spec as Claim)));
    return waiting === undefined || `claim ${waiting.metadata.name} waits`;
  },
};

const isEnough = ({ capacity, storageClassName }: Volume, claimed: Claim): boolean =>
  storageClassName === claimed.storageClassName &&
  Number.parseInt(capacity.storage) >= Number.parseInt(claimed.resources.requests.storage);

/** Which of several volumes a claim gets depends on the order, and is no fault: these stories are judged by rules. */
const byRules = { ignore: [{ kind: CLAIMS }, { kind: VOLUMES }], always: [usable], eventually: [agreed, served] };

/** A claim that came back with its old name cannot have what another one left. */
const lostAgain: Rule = {
  name: "a claim that is restored does not get the volume of the one before it",
  holds: (state) =>
    state
      .all(CLAIMS)
      .filter(({ metadata }) => metadata.labels?.["restored"] === "yes")
      .every((one) => phaseOf(one) === "Lost"),
};

/** The claim that has the volume keeps the data. */
const notEmptied: Rule = {
  name: "no Pod empties a volume that has another claim",
  holds: (state) =>
    state
      .all({ group: "", kind: "Pod" }, "default")
      .filter((one) => one.metadata.name.startsWith(RECYCLER) && isStaying(one) && phaseOf(one) === "Pending")
      .every(({ metadata: { name } }) => {
        const emptied = state.find(VOLUMES, name.slice(RECYCLER.length));
        const { claimRef } = (emptied?.spec ?? {}) as Volume;
        return claimRef === undefined || claimRef.uid !== undefined;
      }),
};
const RECYCLER = "recycler-for-";

/** References tell at which version their claim was when they were made. */
const ignore: Scenario["ignore"] = [{ kind: VOLUMES, path: ".spec.claimRef.resourceVersion" }];

const FREE = { spec: { claimRef: null } };
const LARGE = { resources: { requests: { storage: "3Gi" } } };

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
      // A claim has one volume that it can get: which of two it gets is a matter of order.
      start: [volume("small", "few"), volume("large", "many", { capacity: { storage: "5Gi" } })],
      steps: [
        {
          name: "claim",
          create: [claim("a", "few"), claim("b", "many", { resources: { requests: { storage: "3Gi" } } })],
        },
        remove("PersistentVolumeClaim", "a"),
        { name: "make it again", create: claim("a", "few") },
        { name: "another volume", create: volume("more", "few") },
        {
          name: "free the old one",
          patch: { ...core("PersistentVolume", "small"), with: { spec: { claimRef: null } } },
        },
        { name: "a claim that names its volume", create: claim("c", "few", { volumeName: "small" }) },
        { name: "a claim that names a volume in use", create: claim("d", "many", { volumeName: "large" }) },
        remove("PersistentVolume", "large"),
        remove("PersistentVolumeClaim", "b"),
      ],
    },
  },
  contest: {
    ...programs,
    scenario: {
      name: "more claims than volumes",
      ...byRules,
      start: [volume("one", "few"), volume("two", "few")],
      steps: [
        { name: "three claims", create: [claim("a", "few"), claim("b", "few"), claim("c", "few")] },
        { name: "another volume", create: volume("three", "few") },
        remove("PersistentVolumeClaim", "a"),
        { name: "another claim", create: claim("d", "few") },
        {
          name: "free what is released",
          do: async (cluster) => {
            const volumes = cluster.client().resource(PersistentVolume);
            const { items } = await volumes.list();
            const released = items.filter(({ status }) => status.phase === "Released");
            await Promise.all(released.map(({ metadata: { name } }) => volumes.patch({ name }, FREE as never)));
          },
        },
      ],
    },
  },
  offers: {
    ...programs,
    scenario: {
      name: "claims wait, and volumes of two sizes come at once",
      ...byRules,
      steps: [
        { name: "two claims", create: [claim("x", "sizes"), claim("y", "sizes", LARGE)] },
        {
          name: "two volumes",
          create: [volume("a-large", "sizes", { capacity: { storage: "5Gi" } }), volume("b-small", "sizes")],
        },
        { name: "one more claim", create: claim("z", "sizes") },
      ],
    },
  },
  reserved: {
    ...programs,
    scenario: {
      name: "a user reserves a volume while another claim looks for one",
      ignore,
      start: [volume("mine", "kept")],
      steps: [
        {
          name: "reserve the volume, and make another claim",
          do: async (cluster) => {
            const claimRef = { ...core("PersistentVolumeClaim", "own"), namespace: "default" };
            await cluster
              .client()
              .resource(PersistentVolume)
              .patch({ name: "mine" }, { spec: { claimRef } } as never);
            await cluster.apply(claim("other", "kept"));
          },
        },
        { name: "make the claim that it is for", create: claim("own", "kept") },
      ],
    },
  },
  restored: {
    ...programs,
    scenario: {
      name: "a claim is restored from a backup, and its volume names an earlier one",
      ignore,
      start: [
        volume("kept", "kept", {
          claimRef: { ...core("PersistentVolumeClaim", "a"), namespace: "default", uid: "the-earlier-one" },
        }),
      ],
      steps: [
        {
          name: "restore the claim",
          create: {
            ...claim("a", "kept", { volumeName: "kept" }),
            metadata: {
              name: "a",
              namespace: "default",
              labels: { restored: "yes" },
              annotations: { "pv.kubernetes.io/bind-completed": "yes" },
            },
          },
        },
      ],
      eventually: [lostAgain],
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
        {
          name: "a Pod that waits",
          do: async (cluster) => {
            await cluster.apply(pod("user", "second"));
            // So that its next change is not its deletion: a binder that has not seen it empties the volume, as that of Kubernetes does.
            const annotations = { touched: "yes" };
            const key = { namespace: "default", name: "user" };
            await cluster.client().resource(Pod).patch(key, { metadata: { annotations } });
          },
        },
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
      always: [notEmptied],
    },
  },
} satisfies Readonly<Record<string, ControllerStory>>;
