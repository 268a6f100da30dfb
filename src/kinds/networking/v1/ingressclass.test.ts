import { expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { networkingGroup } from "./index.ts";

const classes = KindUnderTest.of(networkingGroup, "ingressclasses", contextOf(kubernetes));
const of = (spec: object) => classes.create({ spec });

test("KIND-IngressClass-1: who sees to it is a domain with a path, and stays", () => {
  const { object } = of({ controller: "example.com/c" });
  expect(of({}).causes).toEqual(["FieldValueRequired spec.controller"]);
  expect(of({ controller: "c" }).causes).toEqual(["FieldValueInvalid spec.controller"]);
  expect(of({ controller: `example.com/${"c".repeat(250)}` }).causes).toEqual(["FieldValueTooLong spec.controller"]);
  expect(classes.change(object, { spec: { controller: "example.com/d" } }).causes).toEqual([
    "FieldValueInvalid spec.controller",
  ]);
});

test("KIND-IngressClass-2: more settings are an object of the cluster, or of a namespace that is named", () => {
  const controller = "example.com/c";
  const causesOf = (parameters: object) => of({ controller, parameters }).causes;
  const { object, causes: none } = of({ controller, parameters: { kind: "K", name: "n" } });
  expect([none, object["spec"]]).toEqual([[], { controller, parameters: { kind: "K", name: "n", scope: "Cluster" } }]);
  expect(causesOf({ kind: "K", name: "n", scope: "Namespace" })).toEqual([
    "FieldValueRequired spec.parameters.namespace",
  ]);
  expect(causesOf({ kind: "K", name: "n", namespace: "n" })).toEqual(["FieldValueForbidden spec.parameters.namespace"]);
  expect(causesOf({ kind: "K", name: "n", scope: "Odd" })).toEqual(["FieldValueNotSupported spec.parameters.scope"]);
  expect(causesOf({ scope: "Namespace", namespace: "N" })).toEqual([
    "FieldValueInvalid spec.parameters.namespace",
    "FieldValueRequired spec.parameters.kind",
    "FieldValueRequired spec.parameters.name",
  ]);
  expect(classes.cells(object).slice(0, 2)).toEqual([controller, "K/n"]);
  const other = { spec: { controller, parameters: { apiGroup: "a.b", kind: "K", name: "m", scope: "Cluster" } } };
  expect(classes.cells(classes.change(object, other).object)[1]).toBe("K.a.b/m");
});
