import { expect, test } from "vitest";
import { isStatus } from "../../src/client/index.ts";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { World } from "../runtime/world.ts";

async function withMaps(): Promise<World> {
  const world = await World.create();
  for (const name of ["a", "b"]) await world.resource(ConfigMap).create({ metadata: { name, namespace: "default" } });
  return world;
}
const namesOf = async (world: World): Promise<string[]> =>
  (await world.resource(ConfigMap).list({ namespace: "default" })).items.map(({ metadata }) => metadata.name);

test("DEC-26: a dry run of a delete, of one object or of a collection, deletes nothing", async () => {
  await using world = await withMaps();
  const maps = world.resource(ConfigMap);
  await maps.delete({ name: "a", namespace: "default" }, { dryRun: true });
  await maps.deleteCollection({ namespace: "default" }, { dryRun: true });
  expect(await namesOf(world)).toEqual(["a", "b"]);
});

test("CTL-GC-25: a collection is deleted with the policy that is asked for", async () => {
  await using world = await withMaps();
  const maps = world.resource(ConfigMap);
  await maps.deleteCollection({ namespace: "default" }, { propagationPolicy: "Foreground" });
  const { items } = await maps.list({ namespace: "default" });
  expect(items.map(({ metadata }) => metadata.finalizers)).toEqual([["foregroundDeletion"], ["foregroundDeletion"]]);
});

test("a collection of which an object does not meet a precondition is not deleted", async () => {
  await using world = await withMaps();
  const refused = world.resource(ConfigMap).deleteCollection({ namespace: "default" }, { uid: "0a" });
  await expect(refused).rejects.toSatisfy((error) => isStatus(error, "Conflict"));
  expect(await namesOf(world)).toEqual(["a", "b"]);
});
