/**
 * Secret: confidential data (SEC-1..11, DEC-13).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { getMember, isObject, setMember } from "../../../value/value.ts";
import { ageColumn, countOf, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import {
  MAX_DATA_BYTES,
  base64Bytes,
  validateDataKeys,
  validateImmutable,
} from "../../../schema/validation/stored-data.ts";
import { pairFault } from "../../../schema/validation/pem.ts";

const schema = objectSchema("Contains data that only authorized users may read: passwords, tokens, keys.", {
  data: t.optional(t.map(t.bytes(), "Bytes by their keys, base64 in JSON; all values together stay below 1 MiB.")),
  stringData: t.optional(
    t.map(
      t.text(),
      "Texts by their keys, for writes only: they are merged into data, overwrite it, and are never read back.",
    ),
  ),
  immutable: t.pointer(t.bool("When true, only the metadata can change from then on, and this cannot be undone.")),
  type: t.optional(
    t.text("The type of the data, for programs; it is immutable. `Opaque` by default.", { default: "Opaque" }),
  ),
});

type Secret = ObjectOf<typeof schema>;

/** SEC-5, SEC-6: stringData is merged into data and removed. */
function foldStringData(object: Secret): void {
  const { data: before = {}, stringData } = object;
  if (!isObject(stringData) || !isObject(before)) return;
  const texts = Object.entries(stringData);
  if (!texts.every(([, plain]) => typeof plain === "string")) return;
  const data = { ...before };
  for (const [key, plain] of texts) setMember(data, key, Buffer.from(plain as string, "utf8").toString("base64"));
  delete object["stringData"];
  if (Object.keys(data).length > 0) object["data"] = data;
}

/** The data that a known type requires (DEC-13). */
function validateType(secret: Secret, errors: FieldErrors, labelDomain: string): void {
  const value = (key: string): string | undefined => getMember(secret.data ?? {}, key) as string | undefined;
  const need = (key: string): void => {
    if (value(key) === undefined) errors.required(`data[${key}]`, `expected the key, ${secret.type} asks for it`);
  };
  switch (secret.type ?? "") {
    case `${labelDomain}/tls`:
      need("tls.crt");
      need("tls.key");
      break;
    case `${labelDomain}/basic-auth`:
      if (value("username") === undefined && value("password") === undefined) {
        errors.required("data[username]", "expected username or password");
        errors.required("data[password]", "expected username or password");
      }
      break;
    case `${labelDomain}/ssh-auth`:
      if (!value("ssh-privatekey")) errors.required("data[ssh-privatekey]", "expected a key that is not empty");
      break;
    case `${labelDomain}/dockercfg`:
      validateJson(value(".dockercfg"), "data[.dockercfg]", errors);
      break;
    case `${labelDomain}/dockerconfigjson`:
      validateJson(value(".dockerconfigjson"), "data[.dockerconfigjson]", errors);
      break;
    case `${labelDomain}/service-account-token`: {
      const name = `${labelDomain}/service-account.name`;
      if (!secret.metadata.annotations?.[name]) errors.required(`metadata.annotations[${name}]`);
      break;
    }
    default:
  }
}

/** The value is an object in JSON; the data itself is never part of a message. */
function validateJson(base64: string | undefined, field: string, errors: FieldErrors): void {
  if (base64 === undefined) errors.required(field);
  else if (!isJsonObject(base64)) errors.invalid(field, undefined, "expected an object in JSON");
}

function isJsonObject(base64: string): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
    return typeof value === "object" && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** SEC-3, AMB-14: the documents require the sum *below* the limit; without the rules of the documents the limit itself is accepted. */
function validate(object: Secret, errors: FieldErrors, { dialect }: ApiContext): void {
  const secret = object;
  validateDataKeys(secret.data, "data", errors);
  const size = base64Bytes(secret.data);
  if (size > MAX_DATA_BYTES || (size === MAX_DATA_BYTES && dialect.rules.enforceDocumented)) {
    errors.tooLong("data", dialect.rules.enforceDocumented ? MAX_DATA_BYTES - 1 : MAX_DATA_BYTES);
  }
  validateType(secret, errors, dialect.labelDomain);
}

function validateUpdate(object: Secret, old: Secret, errors: FieldErrors, ctx: WriteContext): void {
  if (object["type"] !== old["type"]) {
    errors.invalid("type", object["type"] ?? "", `field is immutable: expected ${JSON.stringify(old["type"])}`);
  }
  validateImmutable(object, old, { members: ["data"], distinct: "data" }, errors, ctx);
  validate(object, errors, ctx);
}

/** An unusable pair of certificate and key is stored, with a Warning (DEC-13). */
function warnings(object: Secret, _old: ApiObject | undefined, { dialect }: WriteContext): readonly string[] {
  const { type, data = {} } = object;
  if (type !== `${dialect.labelDomain}/tls`) return [];
  const fault = pairFault(data["tls.crt"] ?? "", data["tls.key"] ?? "");
  return fault === undefined ? [] : [fault];
}

/** The definition of Secret. */
export const secret = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  scope: "Namespaced",
  secret: true,
  convert: foldStringData,
  validate,
  validateUpdate,
  warnings,
  selectableFields: { type: (object) => object.type ?? "" },
  columns: [
    textColumn("Type", "The type of the data.", (object) => object.type ?? ""),
    textColumn("Data", "Number of keys.", (object) => countOf(object["data"])),
    ageColumn,
  ],
});
