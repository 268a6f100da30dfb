import { expect, test } from "vitest";
import { Namespace } from "../../src/client/kinds/index.ts";
import { namespaceLifecycle } from "../../src/controllers/namespaces/lifecycle.ts";
import { systemNamespaces } from "../../src/controllers/namespaces/system-namespaces.ts";
import { type Dialect, dialectOf } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

test.each([
  ["neutral", "default"],
  ["kubernetes", "kube-node-lease"],
] as const)(
  "in the %s dialect the namespace %s comes back when it was deleted, as another one",
  async (name, deleted) => {
    const dialect: Dialect = dialectOf(name)!;
    await using world = await World.create(name);
    const namespaces = world.resource(Namespace);
    const { metadata } = await namespaces.get({ name: deleted });
    await world.run(namespaceLifecycle, systemNamespaces(dialect));
    await namespaces.delete({ name: deleted });
    await world.advance("5s");
    const found = await namespaces.get({ name: deleted });
    expect([found.status.phase, found.metadata.deletionTimestamp]).toEqual(["Active", undefined]);
    expect(found.metadata.uid).not.toBe(metadata.uid);
    expect(world.warnings).toEqual([]);
  },
);

test("one that was deleted while nothing ran comes back after the start; those of users do not", async () => {
  await using world = await World.create("neutral");
  const namespaces = world.resource(Namespace);
  await namespaces.create({ metadata: { name: "team" } });
  const first = await world.run(namespaceLifecycle);
  for (const name of ["default", "team"]) await namespaces.delete({ name });
  await world.advance("5s");
  await first.stop();
  expect((await namespaces.list()).items).toEqual([]);
  await world.run(systemNamespaces(dialectOf("neutral")!));
  await world.settled();
  expect((await namespaces.list()).items.map(({ metadata }) => metadata.name)).toEqual(["default"]);
});
