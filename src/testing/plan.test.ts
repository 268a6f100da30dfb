import { describe, expect, test } from "vitest";
import { ConfigMap } from "../client/kinds/index.ts";
import { StatusError } from "../client/index.ts";
import { createCluster } from "./index.ts";

const map = (name: string, value = "1") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { value },
});

describe("plans of the kit", () => {
  test.each(["kubernetes", "neutral"] as const)("say what would happen in %s, and change nothing", async (dialect) => {
    await using cluster = await createCluster({ dialect });
    const before = cluster.version;
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-text, namespace: default}\n`;
    const { outcome, documents } = await cluster.plan(text, map("a"));
    expect([outcome, cluster.version]).toEqual(["planned", before]);
    expect(documents.map(({ object, result }) => `${object?.name} ${result}`)).toEqual([
      "of-text created",
      "a created",
    ]);
  });

  test("are carried out as one: the objects come back as they are stored, in the given order", async () => {
    await using cluster = await createCluster();
    const late = { ...map("in-team"), metadata: { name: "in-team", namespace: "team" } };
    const made = await cluster.applyAll(late, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    expect(made.map(({ metadata }) => metadata.name)).toEqual(["in-team", "team"]);
    const stored = await cluster.client().resource(ConfigMap).get({ name: "in-team", namespace: "team" });
    expect(made[0]).toEqual(stored);
  });

  test("are not carried out where one object is refused; the error says what became of each", async () => {
    await using cluster = await createCluster();
    const refused = await cluster.applyAll(map("a"), map("NO")).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StatusError);
    expect((refused as StatusError).plan?.documents.map(({ result }) => result)).toEqual(["created", "refused"]);
    const found = await cluster.client().resource(ConfigMap).find({ name: "a", namespace: "default" });
    expect(found).toBeUndefined();
  });

  test("work in forks, and with a clock that stands still", async () => {
    await using cluster = await createCluster();
    await using fork = cluster.fork();
    await fork.applyAll(map("a"));
    await fork.settled();
    expect((await fork.plan(map("a"))).documents).toMatchObject([{ result: "unchanged" }]);
    expect((await cluster.plan(map("a"))).documents).toMatchObject([{ result: "created" }]);
  });
});
