import { expect, test } from "vitest";
import { typeOf } from "../../../apply/schema/schema.ts";
import { neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../testing/kind.ts";
import { serviceAccount } from "./service-account.ts";

const kind = new KindUnderTest(serviceAccount, contextOf(neutral));

test("SUP-7: a ServiceAccount lists secrets by name and image pull secrets as one", () => {
  const body = { imagePullSecrets: [{ name: "y" }], automountServiceAccountToken: false };
  const { object, causes } = kind.create({ ...body, secrets: [{ name: "x", kind: "Secret", namespace: "other" }, {}] });
  expect(causes).toEqual([]);
  expect(object).toMatchObject({ ...body, secrets: [{ name: "x" }, {}] });
  expect(kind.cells(object)).toEqual([2, "<unknown>"]);
});

test("MARK-2, MARK-14: secrets merge by name, imagePullSecrets have one owner and are patched by name", () => {
  const type = typeOf(serviceAccount.schema);
  if (type.kind !== "struct") throw new Error("Expected a struct");
  expect(type.fields.get("secrets")!.type).toMatchObject({ kind: "list", merge: "map", keys: ["name"] });
  expect(type.fields.get("imagePullSecrets")!.type).toMatchObject({
    kind: "list",
    merge: "atomic",
    patchMergeKey: "name",
    patchStrategy: ["merge"],
  });
});

test("DEC-2: it is called a DNS subdomain", () => {
  expect(kind.create({ metadata: { name: "system:a" } }).causes).toEqual(["FieldValueInvalid metadata.name"]);
});
