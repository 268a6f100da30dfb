/**
 * ConfigMap: configuration data (CM-1..13).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, countOf, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { wholeObject } from "../../rules/whole-object.ts";
import {
  MAX_DATA_BYTES,
  base64Bytes,
  textBytes,
  validateDataKeys,
  validateImmutable,
} from "../../../schema/validation/stored-data.ts";

const schema = objectSchema(
  "Holds configuration data, as texts or as bytes, under keys that can become the names of files.",
  {
    data: t.optional(
      t.map(
        t.text(),
        "Texts by their keys. Data that is not UTF-8 belongs in binaryData; a key is in one of both only.",
      ),
    ),
    binaryData: t.optional(t.map(t.bytes(), "Bytes by their keys, base64 in JSON.")),
    immutable: t.pointer(t.bool("When true, only the metadata can change from then on, and this cannot be undone.")),
  },
);

type ConfigMap = ObjectOf<typeof schema>;

/** CM-11, CM-12, and at most 1 MiB of data (DEC-13); the cause of the size is about the whole object. */
function validate(object: ConfigMap, errors: FieldErrors, { dialect }: ApiContext): void {
  const { data, binaryData } = object;
  validateDataKeys(data, "data", errors);
  validateDataKeys(binaryData, "binaryData", errors);
  for (const key in data) {
    if (binaryData && Object.hasOwn(binaryData, key)) {
      errors.invalid(`data[${key}]`, key, "expected a key that is not in binaryData too");
    }
  }
  if (textBytes(data) + base64Bytes(binaryData) > MAX_DATA_BYTES) errors.tooLong(wholeObject(dialect), MAX_DATA_BYTES);
}

/** The definition of ConfigMap. */
export const configMap = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  scope: "Namespaced",
  validate,
  validateUpdate(object, old, errors, ctx) {
    validateImmutable(object, old, { members: ["data", "binaryData"], distinct: "binaryData" }, errors, ctx);
    validate(object, errors, ctx);
  },
  columns: [
    textColumn(
      "Data",
      "Number of keys, in data and binaryData together.",
      (object) => countOf(object["data"]) + countOf(object["binaryData"]),
    ),
    ageColumn,
  ],
});
