import { describe, expect, test } from "vitest";
import type { ControllerRevision, StatefulSet } from "../../client/kinds/index.ts";
import type { PodTemplate } from "../common/template.ts";
import { planHistory, planRevision } from "./plan.ts";
import { byNumber, dataOf, isRevisionOf, newRevision, templateOf } from "./revision.ts";

const LABEL = "controller.kubernetes.io/hash";
const owner = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "t", namespace: "default", uid: "u", annotations: { a: "b" } },
} as unknown as StatefulSet;
const templateFor = (image: string): PodTemplate =>
  ({ metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image }] } }) as unknown as PodTemplate;
const revisionFor = (image: string, revision: number, name = `t-${image}`): ControllerRevision =>
  ({
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name, uid: name, labels: { [LABEL]: image }, creationTimestamp: "2026-01-01T00:00:00Z" },
    data: dataOf(templateFor(image)),
    revision,
  }) as unknown as ControllerRevision;

const plan = (image: string, history: readonly ControllerRevision[], others: readonly ControllerRevision[] = []) =>
  planRevision({
    owner,
    template: templateFor(image),
    history,
    label: LABEL,
    collisionCount: undefined,
    revisionNamed: (name) => [...history, ...others].find(({ metadata }) => metadata.name === name),
  });

describe("planRevision", () => {
  test("the first revision has the number 1, the hash and the annotations", () => {
    const { writes, name, hash } = plan("i", []);
    expect(writes).toEqual([
      {
        verb: "create",
        isSame: expect.any(Function),
        kind: expect.objectContaining({ kind: "ControllerRevision" }),
        object: newRevision(owner, templateFor("i"), { hash, label: LABEL, revision: 1 }),
      },
    ]);
    expect(writes[0]).toMatchObject({
      object: { metadata: { name, labels: { app: "a", [LABEL]: hash }, annotations: { a: "b" } }, revision: 1 },
    });
  });

  test("the latest one that is equal stays as it is", () => {
    const history = [revisionFor("j", 1), revisionFor("i", 2)];
    expect(plan("i", history)).toMatchObject({ writes: [], name: "t-i", hash: "i", duplicates: [] });
  });

  test("an earlier one that is equal gets the next number", () => {
    const history = [revisionFor("j", 2), revisionFor("i", 1)];
    const { writes, old } = plan("i", history);
    expect(writes).toMatchObject([{ verb: "update", object: { metadata: { name: "t-i" }, revision: 3 } }]);
    expect(old.map(({ metadata }) => metadata.name)).toEqual(["t-j"]);
  });

  test("a name that another template has is passed over", () => {
    const { name } = plan("i", []);
    const again = plan("i", [], [revisionFor("j", 1, name)]);
    expect(again.name).not.toBe(name);
    expect(again.collisionCount).toBe(1);
  });

  test("a revision of that name and template that is there already is taken", () => {
    const { name } = plan("i", []);
    expect(plan("i", [], [revisionFor("i", 1, name)])).toMatchObject({ writes: [], name });
  });

  test("one of another controller gets the label with its hash", () => {
    const { metadata, ...rest } = revisionFor("i", 1);
    const bare = { ...rest, metadata: { ...metadata, labels: {} } } as ControllerRevision;
    expect(plan("i", [bare]).writes).toMatchObject([
      { verb: "update", object: { metadata: { labels: { [LABEL]: "t-i" } } } },
    ]);
  });

  test("of equal ones the latest counts, the others are duplicates", () => {
    const { name, duplicates } = plan("i", [revisionFor("i", 1, "t-x"), revisionFor("i", 2, "t-y")]);
    expect(name).toBe("t-y");
    expect(duplicates.map(({ metadata }) => metadata.name)).toEqual(["t-x"]);
  });
});

describe("planHistory", () => {
  const old = [1, 2, 3, 4].map((number) => revisionFor(`i${number}`, number));
  const names = (isLive: (number: number) => boolean, kept: number, countsLive: boolean): string[] =>
    planHistory(old, ({ revision }) => isLive(revision), kept, countsLive).flatMap((write) =>
      write.verb === "delete" ? write.object.metadata.name : [],
    );

  test.each([
    [10, false, []],
    [2, false, ["t-i2"]],
    [0, false, ["t-i2", "t-i3", "t-i4"]],
    [2, true, ["t-i2", "t-i3"]],
  ])("of 4 with a live first one, %d stay (live ones counted: %s)", (kept, countsLive, expected) => {
    expect(names((number) => number === 1, kept, countsLive)).toEqual(expected);
  });

  test("one that is going already is not deleted again", () => {
    const going = old.map((one) => ({
      ...one,
      metadata: { ...one.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
    }));
    expect(planHistory(going, () => false, 0, false)).toEqual([]);
  });
});

describe("data", () => {
  test("the template of a revision is the one that it was made of", () => {
    const template = templateFor("i");
    expect(templateOf({ data: dataOf(template) })).toEqual(template);
    expect(isRevisionOf({ data: dataOf(template) }, templateFor("i"))).toBe(true);
    expect(isRevisionOf({ data: dataOf(template) }, templateFor("j"))).toBe(false);
  });

  test.each([undefined, null, 1, {}, { spec: null }, { spec: { template: [] } }])("%j has no template", (data) => {
    expect(templateOf({ data })).toBeUndefined();
    expect(isRevisionOf({ data }, templateFor("i"))).toBe(false);
  });

  test("of equal numbers the older one comes first, then the name decides", () => {
    const later = {
      ...revisionFor("a", 1),
      metadata: { ...revisionFor("a", 1).metadata, creationTimestamp: "2026-01-02T00:00:00Z" },
    };
    const all = [later, revisionFor("c", 1), revisionFor("b", 1), revisionFor("d", 0)];
    expect(all.toSorted(byNumber).map(({ metadata }) => metadata.name)).toEqual(["t-d", "t-b", "t-c", "t-a"]);
  });
});
