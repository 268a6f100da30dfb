/**
 * Lives of owners and what they own.
 *
 * @module
 */
import type { ApiObject } from "../../../src/client/index.ts";
import { ConfigMap, PodTemplate, Secret } from "../../../src/client/kinds/index.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import type { Rule } from "../../../src/testing/explore/scenario.ts";
import { configMap, core, remove, secret } from "./story-objects.ts";
import type { ControllerStory } from "./stories.ts";

const programs = { explored: ["garbage-collector"], beside: ["namespace-controller"] };
const BLOCKING = { labels: { blocks: "yes" } };

/** What foreground deletion promises. */
const outlived: Rule = {
  name: "an owner that is deleted in the foreground outlives what blocks it",
  holds: (state) =>
    state
      .objects()
      .filter(({ metadata }) => metadata.labels?.["blocks"] === "yes")
      .every(({ metadata }) =>
        (metadata.ownerReferences ?? []).every(
          ({ kind, name, uid }) => state.find({ group: "", kind }, name, "default")?.metadata.uid === uid,
        ),
      ),
};

const MAPS = { group: "", kind: "ConfigMap" };
const TEMPLATES = { group: "", kind: "PodTemplate" };

/** What a deletion in the background promises. */
const goesWithOwner: Rule = {
  name: "what a deleted dependent owned goes with it",
  holds: (state) =>
    state.find(MAPS, "below", "default") === undefined || state.find(MAPS, "back-1", "default") !== undefined,
};

/** What a deletion in the foreground waits for. */
const goesInTheEnd: Rule = {
  name: "an owner that is deleted goes when nothing depends on it any more",
  holds: (state) =>
    state.find(TEMPLATES, "waits", "default")?.metadata.deletionTimestamp === undefined ||
    (state.find(MAPS, "held", "default")?.metadata.ownerReferences ?? []).length > 0,
};

const key = (name: string) => ({ namespace: "default", name });
const ownerOf = ({ apiVersion, kind, metadata: { name, uid } }: ApiObject): object => ({
  apiVersion,
  kind,
  name,
  uid,
  blockOwnerDeletion: true,
});

/** Makes ConfigMaps that an object owns. */
async function own(cluster: Cluster, owner: ApiObject, names: readonly string[], more: object = {}): Promise<void> {
  for (const name of names) {
    const made = configMap(name, { ownerReferences: [ownerOf(owner)], ...more });
    // oxlint-disable-next-line no-await-in-loop -- in the same order in each run
    await cluster
      .client()
      .resource(ConfigMap)
      .create(made as never);
  }
}

/**
 * Changes something of objects that nobody asks for, so that the next change of each is not its deletion: a collector that has not seen what
 * blocks an owner lets it go, as that of Kubernetes does.
 */
async function touch(cluster: Cluster, names: readonly string[]): Promise<void> {
  for (const name of names)
    // oxlint-disable-next-line no-await-in-loop -- in the same order in each run
    await cluster
      .client()
      .resource(ConfigMap)
      .patch(key(name), { metadata: { annotations: { touched: "yes" } } });
}

export const COLLECTOR_STORIES = {
  owners: {
    ...programs,
    scenario: {
      name: "owners are deleted in each way, and made again by the same name",
      steps: [
        {
          name: "create owners with dependents",
          do: async (cluster) => {
            const maps = cluster.client().resource(ConfigMap);
            await own(cluster, await maps.create(configMap("fore") as never), ["fore-1", "fore-2"], BLOCKING);
            await touch(cluster, ["fore-1", "fore-2"]);
            await own(cluster, await maps.create(configMap("back") as never), ["back-1", "back-2"]);
            await own(cluster, await maps.create(configMap("orphan") as never), ["orphan-1", "orphan-2"]);
          },
        },
        remove("ConfigMap", "back", { propagationPolicy: "Background" }),
        { name: "make it again", create: configMap("back") },
        remove("ConfigMap", "fore", { propagationPolicy: "Foreground" }),
        remove("ConfigMap", "orphan", { propagationPolicy: "Orphan" }),
      ],
      always: [outlived],
      eventually: [
        {
          name: "orphans stay",
          holds: (state) =>
            state.find({ group: "", kind: "ConfigMap" }, "orphan", "default") !== undefined ||
            ["orphan-1", "orphan-2"].every((name) => state.find({ group: "", kind: "ConfigMap" }, name, "default")),
        },
      ],
    },
  },
  adoption: {
    ...programs,
    scenario: {
      name: "dependents are given to other owners, and owners are made again",
      steps: [
        {
          name: "create owners with dependents",
          do: async (cluster) => {
            const secrets = cluster.client().resource(Secret);
            const back = await secrets.create(secret("back") as never);
            const home = await secrets.create(secret("home") as never);
            const fore = await secrets.create(secret("fore") as never);
            await secrets.create(secret("second") as never);
            const maps = cluster.client().resource(ConfigMap);
            await own(cluster, fore, ["fore-1"], BLOCKING);
            await own(cluster, await maps.get(key("fore-1")), ["beneath"], BLOCKING);
            await touch(cluster, ["fore-1", "beneath"]);
            await own(cluster, back, ["back-1", "back-2"]);
            await own(cluster, back, ["shared"], { ownerReferences: [ownerOf(back), ownerOf(home)] });
            await own(cluster, home, ["twin"]);
            await own(cluster, await maps.get(key("back-1")), ["below"]);
          },
        },
        {
          name: "adopt dependents, and delete their owner",
          do: async (cluster) => {
            const client = cluster.client();
            const [home, second] = await Promise.all(
              ["home", "second"].map((name) => client.resource(Secret).get(key(name))),
            );
            const maps = client.resource(ConfigMap);
            await maps.patch(key("back-2"), { metadata: { ownerReferences: [ownerOf(home!)] } } as never);
            const { ownerReferences = [] } = (await maps.get(key("shared"))).metadata;
            await maps.patch(key("shared"), {
              metadata: { ownerReferences: [...ownerReferences, ownerOf(second!)] },
            } as never);
            await client.resource(Secret).delete(key("back"));
          },
        },
        remove("Secret", "fore", { propagationPolicy: "Foreground" }),
        {
          name: "make an owner again, with a dependent",
          do: async (cluster) => {
            const back = await cluster
              .client()
              .resource(Secret)
              .create(secret("back") as never);
            await own(cluster, back, ["again"]);
          },
        },
        {
          name: "make a dependent again without owners, and delete its owner",
          do: async (cluster) => {
            const maps = cluster.client().resource(ConfigMap);
            await maps.delete(key("twin"));
            await maps.create(configMap("twin") as never);
            await cluster.client().resource(Secret).delete(key("home"));
          },
        },
        { name: "time passes", wait: "1h" },
      ],
      always: [outlived],
      eventually: [goesWithOwner],
    },
  },
  leaving: {
    ...programs,
    scenario: {
      name: "a dependent leaves an owner that waits for it",
      // A collector that does not know of one of both yet does not let the owner wait, or keeps the dependent: only the end is judged.
      ignore: [{ kind: TEMPLATES }, { kind: MAPS }],
      steps: [
        {
          name: "create an owner with a dependent that is held",
          do: async (cluster) => {
            const templates = cluster.client().resource(PodTemplate);
            const template = { spec: { containers: [{ name: "c", image: "c" }] } };
            const waits = await templates.create({ metadata: { ...key("waits") }, template } as never);
            await own(cluster, waits, ["held"], { finalizers: ["example.com/held"] });
          },
        },
        { name: "delete it", delete: { ...core("PodTemplate", "waits"), propagationPolicy: "Foreground" } },
        {
          name: "the dependent leaves it",
          patch: { ...core("ConfigMap", "held"), with: { metadata: { ownerReferences: null } } },
        },
      ],
      eventually: [goesInTheEnd],
    },
  },
} satisfies Readonly<Record<string, ControllerStory>>;
