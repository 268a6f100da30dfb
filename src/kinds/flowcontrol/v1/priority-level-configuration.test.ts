import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { flowcontrolGroup } from "./index.ts";
import { providedLevels } from "./provided.ts";

describe.each([neutral, kubernetes])("PriorityLevelConfiguration in the $name dialect", (dialect) => {
  const kind = KindUnderTest.of(flowcontrolGroup, "prioritylevelconfigurations", contextOf(dialect));
  const causes = (spec: object, name = "x"): readonly string[] =>
    kind.create({ metadata: { name }, spec }).causes.map((cause) => cause.replace("FieldValue", ""));
  const limited = (members: object): readonly string[] =>
    causes({ type: "Limited", limited: { limitResponse: { type: "Reject" }, ...members } });
  const queuing = (members: object): readonly string[] =>
    limited({ limitResponse: { type: "Queue", queuing: members } });
  const QUEUING = "spec.limited.limitResponse.queuing";

  test("APF-1: generation counts changes of the spec, and a write of the spec keeps the status", () => {
    const spec = { type: "Limited", limited: { limitResponse: { type: "Reject" } } };
    const { object } = kind.create({ spec, status: { conditions: [{ type: "x" }] } });
    expect(object).toMatchObject({ metadata: { generation: 1 }, status: {} });
    const changed = kind.change(object, {
      spec: { ...spec, limited: { ...spec.limited, nominalConcurrencyShares: 7 } },
      status: { conditions: [{ type: "x" }] },
    });
    expect(changed.object).toMatchObject({ metadata: { generation: 2 }, status: {} });
    expect(kind.change(object, { metadata: { ...object.metadata, labels: { a: "b" } } }).object.metadata).toMatchObject(
      {
        generation: 1,
      },
    );
  });

  test("APF-3: what is filled in", () => {
    const spec = { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: { queues: 0 } } } };
    expect(kind.create({ spec }).object["spec"]).toEqual({
      type: "Limited",
      limited: {
        nominalConcurrencyShares: 30,
        lendablePercent: 0,
        limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
      },
    });
    expect(limited({ nominalConcurrencyShares: 0 })).toEqual([]);
  });

  test("APF-3: types", () => {
    expect(causes({ type: "Limited" })).toEqual(["Required spec.limited"]);
    expect(causes({})).toEqual(["NotSupported spec.type"]);
    expect(causes({ type: "Exempt" })).toEqual(["Invalid spec.type"]);
    expect(causes({ type: "Limited", limited: {}, exempt: {} })).toEqual([
      "Forbidden spec.exempt",
      "NotSupported spec.limited.limitResponse.type",
    ]);
    expect(causes({ type: "Exempt", limited: { limitResponse: { type: "Reject" } } }, "exempt")).toEqual([
      "Forbidden spec.limited",
      "Invalid spec",
    ]);
  });

  test.each([
    [{ nominalConcurrencyShares: -1 }, ["Invalid spec.limited.nominalConcurrencyShares"]],
    [{ lendablePercent: 101 }, ["Invalid spec.limited.lendablePercent"]],
    [{ lendablePercent: 100, borrowingLimitPercent: 1000 }, []],
    [{ borrowingLimitPercent: -1 }, ["Invalid spec.limited.borrowingLimitPercent"]],
    [{ limitResponse: { type: "Reject", queuing: {} } }, [`Forbidden ${QUEUING}`]],
    [{ limitResponse: { type: "Queue" } }, [`Required ${QUEUING}`]],
    [{ limitResponse: { type: "Wait" } }, ["NotSupported spec.limited.limitResponse.type"]],
  ])("APF-3: %o", (members, expected) => {
    expect(limited(members)).toEqual(expected);
  });

  test.each([
    [{ queues: 64, handSize: 10 }, []],
    [{ queues: 64, handSize: 11 }, [`Invalid ${QUEUING}.handSize`]],
    [{ queues: 4, handSize: 4 }, []],
    [{ queues: 4, handSize: 5 }, [`Invalid ${QUEUING}.handSize`]],
    [{ queues: 1, handSize: 1 }, []],
    [{ queues: 10_000_000, handSize: 2 }, []],
    [{ queues: 10_000_001, handSize: 2 }, [`Invalid ${QUEUING}.queues`]],
    [{ queues: -1 }, [`Invalid ${QUEUING}.handSize`, `Invalid ${QUEUING}.queues`]],
    [{ queueLengthLimit: -1 }, [`Invalid ${QUEUING}.queueLengthLimit`]],
  ])("APF-3: queues %o", (members, expected) => {
    expect(queuing(members)).toEqual(expected);
  });

  test("APF-2: the mandatory levels stay as they are, but for what the exempt one lends", () => {
    for (const { name, spec } of providedLevels()) expect(causes(spec, name)).toEqual([]);
    const lends = { type: "Exempt", exempt: { nominalConcurrencyShares: 5, lendablePercent: 20 } };
    expect(causes(lends, "exempt")).toEqual([]);
    expect(causes({ type: "Exempt" }, "exempt")).toEqual([]);
    expect(causes({ type: "Limited", limited: { limitResponse: { type: "Reject" } } }, "catch-all")).toEqual([
      "Invalid spec",
    ]);
  });

  test("an annotation of older versions is refused", () => {
    const metadata = { name: "x", annotations: { "flowcontrol.k8s.io/preserve-zero-concurrency-shares": "" } };
    const spec = { type: "Limited", limited: { limitResponse: { type: "Reject" } } };
    expect(kind.create({ metadata, spec }).causes).toEqual(["FieldValueForbidden metadata.annotations"]);
  });

  test("APF-8: its columns", () => {
    const { object } = kind.create({ spec: providedLevels().find(({ name }) => name === "system")!.spec });
    expect(kind.columns(object).slice(0, 5)).toEqual([
      ["Type", "Limited"],
      ["NominalConcurrencyShares", 30],
      ["Queues", 64],
      ["HandSize", 6],
      ["QueueLengthLimit", 50],
    ]);
    const exempt = kind.create({ metadata: { name: "exempt" }, spec: { type: "Exempt" } });
    expect(kind.cells(exempt.object).slice(0, 5)).toEqual(["Exempt", "<none>", "<none>", "<none>", "<none>"]);
  });

  test("APF-7: conditions are written as the status only, each type once", () => {
    const { object } = kind.create({ spec: providedLevels()[1]!.spec });
    const say = (...types: string[]): readonly string[] =>
      kind.update(object, { status: { conditions: types.map((type) => ({ type })) } }, "status").causes;
    expect(say("a", "b")).toEqual([]);
    expect(say("a", "a", "")).toEqual([
      "FieldValueDuplicate status.conditions[1].type",
      "FieldValueRequired status.conditions[2].type",
    ]);
  });
});
