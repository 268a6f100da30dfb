import { expect, test } from "vitest";
import { typeOf } from "../../../apply/schema/schema.ts";
import { neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { serviceAccount } from "./service-account.ts";

const kind = new KindUnderTest(serviceAccount, contextOf(neutral));

test("SUP-7: a ServiceAccount lists secrets by name and image pull secrets as one", () => {
  const body = { imagePullSecrets: [{ name: "y" }], automountServiceAccountToken: false };
  const { object, causes } = kind.create({ ...body, secrets: [{ name: "x", kind: "Secret", namespace: "other" }, {}] });
  expect(causes).toEqual([]);
  expect(object).toMatchObject({ ...body, secrets: [{ name: "x" }, {}] });
  expect(kind.cells(object)).toEqual(["0s"]);
});

test("MARK-2, MARK-14: secrets merge by name, imagePullSecrets have one owner and are replaced as one", () => {
  const type = typeOf(serviceAccount.schema);
  if (type.kind !== "struct") throw new Error("Expected a struct");
  expect(type.fields.get("secrets")!.type).toMatchObject({ kind: "list", merge: "map", keys: ["name"] });
  const { type: pulled } = type.fields.get("imagePullSecrets")!;
  expect(pulled).toMatchObject({ kind: "list", merge: "atomic" });
  expect(pulled).toHaveProperty("patchMergeKey", undefined);
});

test("DEC-2: it is called a DNS subdomain", () => {
  expect(kind.create({ metadata: { name: "system:a" } }).causes).toEqual(["FieldValueInvalid metadata.name"]);
});

test("an old annotation is reported where it is new", () => {
  const annotated = { metadata: { name: "x", annotations: { "svc.io/enforce-mountable-secrets": "true" } } };
  const { object, warnings } = kind.create(annotated);
  expect([warnings.length, kind.change(object, {}).warnings.length]).toEqual([1, 0]);
});
