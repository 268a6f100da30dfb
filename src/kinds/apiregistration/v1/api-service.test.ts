import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { apiService } from "./api-service.ts";

const local = { group: "example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 15 };
const service = { namespace: "n", name: "s" };

describe.each([neutral, kubernetes])("an APIService in the $name dialect", (dialect) => {
  const kind = new KindUnderTest(apiService, contextOf(dialect));
  const create = (spec: object, name = "v1.example.com") =>
    kind.create({ metadata: { name }, spec: { ...local, ...spec } });
  const causesOf = (spec: object, name?: string): readonly string[] =>
    create(spec, name).causes.map((cause) => cause.replace("FieldValue", ""));

  test("KIND-APIService-1, KIND-All-1: the name is the version and the group, which stay through that", () => {
    expect(causesOf({})).toEqual([]);
    expect(causesOf({}, "v2.example.com")).toEqual(["Invalid metadata.name"]);
    expect(causesOf({ group: "" }, "v1.")).toEqual([]);
    expect(causesOf({ group: "", version: "v2" }, "v2.")).toEqual(["Required spec.group"]);
    expect(causesOf({ group: "A" }, "v1.A")).toEqual(["Invalid spec.group"]);
    expect(causesOf({ version: "1" }, "1.example.com")).toEqual(["Invalid spec.version"]);
    const { object } = create({});
    expect(kind.change(object, { spec: { ...local, version: "v2" } }).causes).toEqual([
      "FieldValueInvalid metadata.name",
    ]);
  });

  test.each([
    ["groupPriorityMinimum", 20_000],
    ["versionPriority", 1000],
  ])("KIND-APIService-1: %s is 1 to %s", (member, most) => {
    for (const number of [1, most]) expect(causesOf({ [member]: number })).toEqual([]);
    for (const number of [0, -1, most + 1]) expect(causesOf({ [member]: number })).toEqual([`Invalid spec.${member}`]);
  });

  test("KIND-APIService-2: with a service", () => {
    expect(create({ service })).toMatchObject({ causes: [], object: { spec: { service: { ...service, port: 443 } } } });
    expect(causesOf({ service: {} })).toEqual(["Required spec.service.name", "Required spec.service.namespace"]);
    for (const port of [0, 65_536]) {
      expect(causesOf({ service: { ...service, port } })).toEqual(["Invalid spec.service.port"]);
    }
    expect(causesOf({ service, caBundle: "YQ==" })).toEqual([]);
    expect(causesOf({ service, insecureSkipTLSVerify: true })).toEqual([]);
    expect(causesOf({ service, insecureSkipTLSVerify: true, caBundle: "YQ==" })).toEqual([
      "Invalid spec.insecureSkipTLSVerify",
    ]);
  });

  test("KIND-APIService-2: without a service", () => {
    expect(causesOf({ caBundle: "YQ==", insecureSkipTLSVerify: true })).toEqual([
      "Invalid spec.caBundle",
      "Invalid spec.insecureSkipTLSVerify",
    ]);
  });

  test("KIND-APIService-3: what this server answers itself is available; the rest of a status is written apart", () => {
    const conditions = [{ type: "Available", status: "True", reason: "Local" }];
    expect(create({}).object["status"]).toMatchObject({ conditions });
    const { object } = create({ service });
    expect(object["status"]).toEqual({});
    const status = { conditions: [{ type: "Available", status: "False", reason: "ServiceNotFound" }] };
    expect(kind.change(object, { status }).object["status"]).toEqual({});
    const metadata = { ...object.metadata, labels: { l: "1" } };
    const written = kind.update(object, { ...object, metadata, spec: local, status }, "status");
    expect(written.causes).toEqual([]);
    expect(written.object).toMatchObject({ spec: { service }, status });
    expect(written.object.metadata.labels).toBeUndefined();
    const odd = { conditions: [{ type: "Available", status: "Maybe" }] };
    expect(kind.update(object, { ...object, status: odd }, "status").causes).toEqual([
      "FieldValueNotSupported status.conditions[0].status",
    ]);
  });

  test("KIND-APIService-4: columns", () => {
    const { object } = create({ service });
    const shown = (condition?: object): unknown => {
      object["status"] = condition ? { conditions: [{ type: "Available", ...condition }] } : {};
      return kind.cells(object)[1];
    };
    expect(kind.cells(object)[0]).toBe("n/s");
    expect(shown()).toBe("Unknown");
    expect(shown({ status: "True", reason: "Passed" })).toBe("True");
    expect(shown({ status: "False", reason: "ServiceNotFound" })).toBe("False (ServiceNotFound)");
    expect(shown({ status: "Unknown" })).toBe("Unknown");
    expect(kind.cells(create({}).object).slice(0, 2)).toEqual(["Local", "True"]);
  });

  test("it has no generation, and a PUT says which version it changes", () => {
    expect(create({}).object.metadata.generation).toBeUndefined();
    expect(apiService.versionedUpdate).toBe(true);
  });
});
