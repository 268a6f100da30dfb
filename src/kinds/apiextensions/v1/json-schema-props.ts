/**
 * A schema inside of a definition: JSON Schema as OpenAPI v3 has it, with the marks of this field (MARK-1..17).
 *
 * All words are known, also those that no definition may use, so that they are refused by name and not dropped.
 *
 * @module
 */
import {
  type TSchema,
  anything,
  atomicList,
  bool,
  double,
  either,
  int64,
  keyedList,
  map,
  optional,
  pointer,
  required,
  struct,
  text,
} from "../../../meta/types.ts";

const Rule = struct("A rule that values must obey, written in CEL.", {
  rule: required(text("The expression; `self` is the value, `oldSelf` what it was. It must be true.")),
  message: optional(text("What is told when the rule is broken.")),
  messageExpression: optional(text("An expression that makes the message; `message` is told where it fails.")),
  reason: pointer(text("The reason of the cause: FieldValueInvalid unless another one is given.")),
  fieldPath: optional(text("Which member below the value the cause names.")),
  optionalOldSelf: pointer(
    bool("Whether `oldSelf` is an optional value, so that the rule is asked of new values too."),
  ),
});

// Members are put in below: a schema holds schemas.
const members: Record<string, TSchema> = {};

/** The name under which the documents of OpenAPI tell it once, for schemas hold schemas. */
const COMPONENT = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** A schema, at any depth. */
export const JsonSchemaProps: TSchema = Object.assign(struct("A schema of values.", members), {
  "x-keelson-component": COMPONENT,
});

const schemas = (description: string): TSchema => optional(atomicList(JsonSchemaProps, description));
const named = (description: string): TSchema => optional(map(JsonSchemaProps, description));
const schemaOrList = (description: string): TSchema =>
  pointer(either(description, JsonSchemaProps, atomicList(JsonSchemaProps)));
const schemaOrBool = (description: string): TSchema => pointer(either(description, JsonSchemaProps, bool()));

Object.assign(members, {
  id: optional(text("Not supported.")),
  $schema: optional(text("The dialect of the schema; nobody reads it.")),
  $ref: pointer(text("Not supported.")),
  description: optional(text("What the value is, for `kubectl explain`.")),
  type: optional(text("object, array, string, integer, number or boolean.")),
  format: optional(text("The form of a text or the size of a number: date-time, int64, byte and others.")),
  title: optional(text("A name of the value, for people.")),
  default: pointer(anything("The value of a member that is missing.")),
  maximum: pointer(double("The greatest value that is allowed.")),
  exclusiveMaximum: optional(bool("Whether the maximum itself is not allowed.")),
  minimum: pointer(double("The least value that is allowed.")),
  exclusiveMinimum: optional(bool("Whether the minimum itself is not allowed.")),
  maxLength: pointer(int64("How many characters a text may have.")),
  minLength: pointer(int64("How many characters a text must have.")),
  pattern: optional(text("A regular expression that is found in the text.")),
  maxItems: pointer(int64("How many elements a list may have.")),
  minItems: pointer(int64("How many elements a list must have.")),
  uniqueItems: optional(bool("Not supported; see x-kubernetes-list-type.")),
  multipleOf: pointer(double("What the number must be a multiple of.")),
  enum: optional(atomicList(anything(), "The values that are allowed.")),
  maxProperties: pointer(int64("How many members an object may have.")),
  minProperties: pointer(int64("How many members an object must have.")),
  required: optional(atomicList(text(), "The members that must be there.")),
  items: schemaOrList("The schema of the elements of a list."),
  allOf: schemas("The value must fit all of these."),
  oneOf: schemas("The value must fit exactly one of these."),
  anyOf: schemas("The value must fit at least one of these."),
  not: pointer(JsonSchemaProps),
  properties: named("The members of an object."),
  additionalProperties: schemaOrBool("The schema of the values of a map."),
  patternProperties: named("Not supported."),
  dependencies: pointer(map(either("Not supported.", JsonSchemaProps, atomicList(text())), "Not supported.")),
  additionalItems: schemaOrBool("Not supported."),
  definitions: named("Not supported."),
  externalDocs: pointer(
    struct("Where more is told.", {
      description: optional(text("What is told there.")),
      url: optional(text("The address.")),
    }),
  ),
  example: pointer(anything("A value that fits; nobody reads it.")),
  nullable: optional(bool("Whether null is allowed.")),
  "x-kubernetes-preserve-unknown-fields": pointer(bool("Keeps members that the schema does not name.")),
  "x-kubernetes-embedded-resource": optional(
    bool("The value is an object of a kind: with apiVersion, kind and metadata."),
  ),
  "x-kubernetes-int-or-string": optional(bool("The value is an integer or a text.")),
  "x-kubernetes-list-map-keys": optional(atomicList(text(), "The members that tell the elements of a list apart.")),
  "x-kubernetes-list-type": pointer(text("How writers share a list: atomic, set or map.")),
  "x-kubernetes-map-type": pointer(text("How writers share an object: granular or atomic.")),
  "x-kubernetes-validations": optional(keyedList(Rule, ["rule"], "Rules in CEL that the value must obey.")),
});
