/** The example of the tutorial does what it says. */
import { expect, test } from "vitest";
import { pullSecrets } from "../../examples/controller.ts";
import { Namespace, Secret } from "../../src/client/kinds/index.ts";
import { World } from "./world.ts";

const asked = (name: string, wants = "yes") => ({ metadata: { name, labels: { "example.com/pull-secret": wants } } });
const data = (text: string): { [key: string]: string } => ({ password: Buffer.from(text).toString("base64") });

test("examples/controller.ts: copies come, follow the source, are put right, and go", async () => {
  await using world = await World.create();
  const copy = async (namespace: string) => (await world.resource(Secret).find({ namespace, name: "registry" }))?.data;
  await world.run(pullSecrets);
  await world.resource(Namespace).create(asked("team"));
  await world.resource(Namespace).create(asked("other", "no"));
  await world.settled();
  expect(await copy("team")).toBeUndefined();
  await world.resource(Secret).create({ metadata: { namespace: "default", name: "registry" }, data: data("one") });
  await world.settled();
  expect([await copy("team"), await copy("other")]).toEqual([data("one"), undefined]);
  await world.resource(Secret).patch({ namespace: "team", name: "registry" }, { data: data("forged") });
  await world.settled();
  expect(await copy("team")).toEqual(data("one"));
  await world.resource(Secret).patch({ namespace: "default", name: "registry" }, { data: data("two") });
  await world.settled();
  expect(await copy("team")).toEqual(data("two"));
  await world.resource(Namespace).patch({ name: "team" }, { metadata: { labels: null } });
  await world.settled();
  expect([await copy("team"), world.failures]).toEqual([undefined, []]);
});
