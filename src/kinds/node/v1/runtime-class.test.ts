import { describe, expect, test } from "vitest";
import { structOf } from "../../../apply/schema/schema.ts";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { nodeGroup } from "./runtime-class.ts";

describe.each([neutral, kubernetes])("a RuntimeClass in the $name dialect", (dialect) => {
  const kind = KindUnderTest.of(nodeGroup, "runtimeclasses", contextOf(dialect));
  const causesOf = (body: object): readonly string[] =>
    kind.create({ handler: "h", ...body }).causes.map((cause) => cause.replace("FieldValue", ""));
  const limits = dialect === kubernetes ? "overhead.limits" : "overhead";

  test("KIND-RuntimeClass-1: handler is a DNS label, required, and stays", () => {
    expect(causesOf({})).toEqual([]);
    for (const handler of ["", "A", "a.b", "-a", "a".repeat(64)]) {
      expect(causesOf({ handler })).toEqual(["Invalid handler"]);
    }
    const { object } = kind.create({ handler: "h" });
    expect(kind.change(object, { handler: "i" }).causes).toEqual(["FieldValueInvalid handler"]);
  });

  test("KIND-RuntimeClass-1: overhead", () => {
    const overhead = (podFixed: object): readonly string[] => causesOf({ overhead: { podFixed } });
    expect(overhead({ cpu: "100m", memory: "10Mi" })).toEqual([]);
    expect(overhead({ cpu: "-1" })).toEqual([`Invalid ${limits}[cpu]`]);
    expect(overhead({ "hugepages-2Mi": "2Mi" })).toEqual(["Forbidden overhead"]);
    expect(causesOf({ overhead: {} })).toEqual([]);
  });

  test("KIND-RuntimeClass-1: tolerations are checked as those of a Pod, each once", () => {
    const tolerations = (...those: object[]): readonly string[] => causesOf({ scheduling: { tolerations: those } });
    const one = { key: "k", operator: "Exists", effect: "NoSchedule" };
    expect(tolerations(one, { ...one, effect: "NoExecute" })).toEqual([]);
    expect(tolerations(one, { ...one, effect: "NoExecute", tolerationSeconds: 1 })).toEqual([]);
    expect(tolerations({ operator: "Equal" })).toEqual(["Invalid scheduling.tolerations[0].operator"]);
    expect(tolerations(one, one)).toEqual(["Duplicate scheduling.tolerations[1]"]);
    const timed = { ...one, effect: "NoExecute" };
    expect(tolerations({ ...timed, tolerationSeconds: 1 }, timed)).toEqual(["Duplicate scheduling.tolerations[1]"]);
  });

  test("KIND-RuntimeClass-1: the node selector has labels; overhead and scheduling may change", () => {
    expect(causesOf({ scheduling: { nodeSelector: { "a b": "c" } } })).toEqual(["Invalid scheduling.nodeSelector"]);
    const { object } = kind.create({ handler: "h" });
    const changes = { overhead: { podFixed: { cpu: "1" } }, scheduling: { nodeSelector: { a: "b" } } };
    expect(kind.change(object, changes).causes).toEqual([]);
    expect(kind.change(object, { overhead: { podFixed: { cpu: "-1" } } }).causes).toEqual([
      `FieldValueInvalid ${limits}[cpu]`,
    ]);
  });

  test("KIND-RuntimeClass-2, KIND-All-5, KIND-All-6: a PUT creates, or says which version it changes; no generation", () => {
    expect(kind.definition).toMatchObject({ createOnUpdate: true, versionedUpdate: true });
    expect(kind.create({ handler: "h" }).object.metadata.generation).toBeUndefined();
  });

  test("the node selector and the tolerations have one owner each", () => {
    const scheduling = structOf(kind.definition.schema).fields.get("scheduling")!.type;
    const fields = scheduling.kind === "struct" ? scheduling.fields : undefined;
    expect(fields?.get("nodeSelector")?.type).toMatchObject({ atomic: true });
    expect(fields?.get("tolerations")?.type).toMatchObject({ merge: "atomic" });
  });

  test("old names of labels are warned of", () => {
    const label = `failure-domain.beta.${dialect.labelDomain}/zone`;
    expect(kind.create({ handler: "h", scheduling: { nodeSelector: { [label]: "a" } } }).warnings).toHaveLength(1);
  });

  test("its column", () => {
    expect(kind.columns(kind.create({ handler: "h" }).object)[0]).toEqual(["Handler", "h"]);
  });
});
