import { expect, test } from "vitest";
import { paths, pathToString } from "../fieldpath/index.ts";
import { toFieldSet } from "./index.ts";
import { type JsonSchema, typeOf } from "../schema/schema.ts";

test("an entry without its key has the default of the key, which is not filled in where a member with it is left out", () => {
  const name: JsonSchema = { type: "string", default: "", "x-keelson-presence": "omitEmpty" };
  const list = typeOf({
    type: "array",
    items: { type: "object", properties: { name } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  });
  expect([...paths(toFieldSet(list, [{}]))].map(pathToString)).toEqual(['[name=""]']);
  expect(typeOf({ type: "object", properties: { name } })).toMatchObject({
    fields: new Map([["name", expect.objectContaining({ default: undefined, keyDefault: "" })]]),
  });
});
