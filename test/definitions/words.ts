/**
 * Short ways to write the schemas of definitions.
 *
 * @module
 */

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

export const text = (more: Json = {}): Json => ({ type: "string", ...more });
export const integer = (more: Json = {}): Json => ({ type: "integer", ...more });
export const number = (more: Json = {}): Json => ({ type: "number", ...more });
export const yesNo = (more: Json = {}): Json => ({ type: "boolean", ...more });
export const oneOf = (...values: readonly string[]): Json => ({ type: "string", enum: values });
export const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });
export const list = (items: Json, more: Json = {}): Json => ({ type: "array", items, ...more });
export const mapOf = (additionalProperties: Json, more: Json = {}): Json => ({
  type: "object",
  additionalProperties,
  ...more,
});

/** A list whose elements are identified by these members. */
export const keyed = (keys: readonly string[], items: Json, more: Json = {}): Json => ({
  ...list(items, more),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
});
/** A list in which each value is once. */
export const setOf = (items: Json, more: Json = {}): Json => ({
  ...list(items, more),
  "x-kubernetes-list-type": "set",
});

/** Unknown members are kept. */
export const OPEN = { "x-kubernetes-preserve-unknown-fields": true };
export const anything: Json = { ...OPEN };
export const openObject: Json = { type: "object", ...OPEN };
export const embedded: Json = { type: "object", "x-kubernetes-embedded-resource": true, ...OPEN };

export const texts = mapOf(text());
export const int32 = (more: Json = {}): Json => integer({ format: "int32", ...more });
export const int64 = (more: Json = {}): Json => integer({ format: "int64", ...more });
export const time = text({ format: "date-time" });
export const intOrString: Json = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  "x-kubernetes-int-or-string": true,
};
export const quantity: Json = {
  ...intOrString,
  pattern: String.raw`^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$`,
};
export const duration = text({ pattern: String.raw`^(?:0|(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$` });
export const label = text({ minLength: 1, maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" });
export const longName = text({
  minLength: 1,
  maxLength: 253,
  pattern: String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
});

/** A schema with rules: an expression and its message each. */
export const ruled = (
  schema: Json,
  ...rules: readonly (readonly [rule: string, message: string, more?: Json])[]
): Json => ({
  ...schema,
  "x-kubernetes-validations": rules.map(([rule, message, more = {}]) => ({ rule, message, ...more })),
});

/** What names an object in the same namespace. */
export const localRef = object({ name: text({ default: "" }) }, { "x-kubernetes-map-type": "atomic" });
/** What names a key of an object in the same namespace. */
export const keyRef = object(
  { name: text({ default: "" }), key: text(), optional: yesNo() },
  { required: ["key"], "x-kubernetes-map-type": "atomic" },
);

export const labelSelector = object(
  {
    matchLabels: texts,
    matchExpressions: list(
      object(
        { key: text(), operator: text(), values: list(text(), { "x-kubernetes-list-type": "atomic" }) },
        {
          required: ["key", "operator"],
        },
      ),
      { "x-kubernetes-list-type": "atomic" },
    ),
  },
  { "x-kubernetes-map-type": "atomic" },
);

/** What most operators say of how they get on. */
export const conditions = keyed(
  ["type"],
  object(
    {
      type: text({ maxLength: 316, pattern: "^[A-Za-z0-9./_-]+$" }),
      status: oneOf("True", "False", "Unknown"),
      reason: text({ minLength: 1, maxLength: 1024 }),
      message: text({ maxLength: 32_768 }),
      lastTransitionTime: time,
      observedGeneration: int64({ minimum: 0 }),
    },
    { required: ["type", "status", "reason", "message", "lastTransitionTime"] },
  ),
  { maxItems: 16 },
);
export const status = (members: Json = {}): Json => object({ conditions, observedGeneration: int64(), ...members });
