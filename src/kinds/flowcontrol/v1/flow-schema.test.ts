import { describe, expect, test } from "vitest";
import { structOf } from "../../../apply/schema/schema.ts";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { flowcontrolGroup } from "./index.ts";
import { providedSchemas } from "./provided.ts";

const SUBJECT = { kind: "User", user: { name: "u" } };
const RESOURCES = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] };
const PATHS = { verbs: ["get"], nonResourceURLs: ["/healthz"] };

describe.each([neutral, kubernetes])("FlowSchema in the $name dialect", (dialect) => {
  const kind = KindUnderTest.of(flowcontrolGroup, "flowschemas", contextOf(dialect));
  const LEVEL = { priorityLevelConfiguration: { name: "l" } };
  const causes = (spec: object, name = "x"): readonly string[] =>
    kind.create({ metadata: { name }, spec: { ...LEVEL, ...spec } }).causes.map((c) => c.replace("FieldValue", ""));
  const rule = (members: object): readonly string[] =>
    causes({ rules: [{ subjects: [SUBJECT], resourceRules: [RESOURCES], ...members }] }).map((cause) =>
      cause.replace("spec.rules[0]", "R"),
    );
  const subject = (members: object): readonly string[] =>
    rule({ subjects: [members] }).map((cause) => cause.replace("R.subjects[0].", ""));
  const resources = (members: object): readonly string[] =>
    rule({ resourceRules: [{ ...RESOURCES, ...members }] }).map((cause) => cause.replace("R.resourceRules[0].", ""));
  const paths = (members: object): readonly string[] =>
    rule({ nonResourceRules: [{ ...PATHS, ...members }] }).map((c) => c.replace("R.nonResourceRules[0].", ""));

  test("APF-4: the precedence, the level and what tells flows apart", () => {
    expect(kind.create({ spec: LEVEL }).object["spec"]).toEqual({ ...LEVEL, matchingPrecedence: 1000 });
    expect(causes({ matchingPrecedence: 0 })).toEqual([]);
    for (const matchingPrecedence of [-1, 1, 10_001]) {
      expect(causes({ matchingPrecedence })).toEqual(["Invalid spec.matchingPrecedence"]);
    }
    expect(causes({ matchingPrecedence: 10_000 })).toEqual([]);
    expect(causes({ priorityLevelConfiguration: {} })).toEqual(["Required spec.priorityLevelConfiguration.name"]);
    expect(causes({ priorityLevelConfiguration: { name: "A" } })).toEqual([
      "Invalid spec.priorityLevelConfiguration.name",
    ]);
    expect(causes({ distinguisherMethod: {} })).toEqual(["NotSupported spec.distinguisherMethod.type"]);
    expect(causes({ distinguisherMethod: { type: "ByNamespace" } })).toEqual([]);
  });

  test("APF-4: a rule says who and what", () => {
    expect(rule({})).toEqual([]);
    expect(rule({ subjects: [] })).toEqual(["Required R.subjects"]);
    expect(rule({ resourceRules: [] })).toEqual(["Required R"]);
    expect(rule({ resourceRules: [], nonResourceRules: [PATHS] })).toEqual([]);
  });

  test.each([
    [{ kind: "Robot" }, ["NotSupported kind"]],
    [{ kind: "toString" }, ["NotSupported kind"]],
    [{ kind: "User" }, ["Required user"]],
    [{ kind: "User", user: {} }, ["Required user.name"]],
    [{ kind: "Group", group: { name: "*" } }, []],
    [{ kind: "Group", group: { name: "g" }, user: { name: "u" } }, ["Forbidden user"]],
    [{ kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "n" } }, []],
    [{ kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "*" } }, ["Invalid serviceAccount.namespace"]],
    [
      { kind: "ServiceAccount", serviceAccount: { name: "A" } },
      ["Invalid serviceAccount.name", "Required serviceAccount.namespace"],
    ],
  ])("APF-5: the subject %o", (members, expected) => {
    expect(subject(members)).toEqual(expected);
  });

  test.each([
    [{ verbs: [] }, ["Required verbs"]],
    [{ verbs: ["*", "get"] }, ["Invalid verbs"]],
    [{ verbs: ["get", "proxy", "deletecollection"] }, []],
    [{ verbs: ["look"] }, ["NotSupported verbs"]],
    [{ apiGroups: ["*", ""] }, ["Invalid apiGroups"]],
    [{ resources: ["*", "pods"] }, ["Invalid resources"]],
    [{ resources: ["any thing", "pods/log"], apiGroups: ["A B"] }, []],
    [{ namespaces: [] }, ["Required namespaces"]],
    [{ namespaces: [], clusterScope: true }, []],
    [{ namespaces: ["*", "n"] }, ["Invalid namespaces"]],
    [{ namespaces: ["n", "N"] }, ["Invalid namespaces[1]"]],
  ])("APF-6: resources %o", (members, expected) => {
    expect(resources(members)).toEqual(expected);
  });

  test.each([
    [["*"], []],
    [["*", "/"], ["Invalid nonResourceURLs"]],
    [["/", "/a/*", "/*"], []],
    [["a"], ["Invalid nonResourceURLs[0]"]],
    [["/a b"], ["Invalid nonResourceURLs[0]"]],
    [["/a//b"], ["Invalid nonResourceURLs[0]"]],
    [["/a*"], ["Invalid nonResourceURLs[0]"]],
    [["/*/a"], ["Invalid nonResourceURLs[0]"]],
    [[], ["Required nonResourceURLs"]],
  ])("APF-6: paths %o", (nonResourceURLs, expected) => {
    expect(paths({ nonResourceURLs })).toEqual(expected);
  });

  test("APF-2: the schemas that are there at first are valid, and the mandatory ones stay as they are", () => {
    const all = providedSchemas({ dialect });
    expect(all).toHaveLength(11);
    for (const { name, spec } of all) expect(causes(spec, name)).toEqual([]);
    for (const { name, spec } of all) {
      const changed = { ...spec, distinguisherMethod: { type: "ByNamespace" } };
      expect(causes(changed, name)).toEqual(["exempt", "catch-all"].includes(name) ? ["Invalid spec"] : []);
    }
  });

  test("APF-7: rules have one owner, conditions one each", () => {
    const members = structOf(kind.definition.schema).fields;
    const [spec, status] = ["spec", "status"].map((name) => members.get(name)!.type);
    expect(spec).toMatchObject({ kind: "struct" });
    const fieldOf = (of: typeof spec, name: string) => (of?.kind === "struct" ? of.fields.get(name)?.type : undefined);
    expect(fieldOf(spec, "rules")).toMatchObject({ merge: "atomic" });
    expect(fieldOf(status, "conditions")).toMatchObject({ keys: ["type"] });
  });

  test("APF-8: its columns", () => {
    const { object } = kind.create({ spec: { ...LEVEL, distinguisherMethod: { type: "ByUser" } } });
    const seen = (of: typeof object) => kind.columns(of).filter(([name]) => name !== "Age");
    expect(seen(object)).toEqual([
      ["PriorityLevel", "l"],
      ["MatchingPrecedence", 1000],
      ["DistinguisherMethod", "ByUser"],
      ["MissingPL", "?"],
    ]);
    const status = { conditions: [{ type: "Dangling", status: "True" }] };
    expect(seen({ ...object, status }).at(-1)).toEqual(["MissingPL", "True"]);
  });
});
