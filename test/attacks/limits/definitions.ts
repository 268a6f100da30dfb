/**
 * Definitions at their limits, and what is made of them: documents, objects, tables.
 *
 * @module
 */
import { BODY_BYTES, JSON_TYPE, STORED_BYTES, TABLE_TYPE, YAML_TYPE, typed } from "./bodies.ts";
import { type LimitRequest, type LimitRow, NAMESPACE, filled, list, packed } from "./request.ts";

/** The group of all definitions. */
export const GROUP = "limits.example";
/** The collection of definitions. */
export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAME = `ks.${GROUP}`;

interface Parts {
  /** The schema of the versions. */
  readonly schema?: string;
  /** Members of the first version beside name and schema. */
  readonly version?: string;
  readonly versions?: string;
  readonly names?: string;
  readonly spec?: string;
}

const versionOf = (name: string, storage: boolean, schema: string, more = ""): string =>
  `{"name":"${name}","served":true,"storage":${storage},"schema":{"openAPIV3Schema":${schema}}${more === "" ? "" : `,${more}`}}`;

function definition({ schema = OPEN, version = "", versions, names = "", spec = "" }: Parts): string {
  const all = versions ?? versionOf("v1", true, schema, version);
  return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"${NAME}"},"spec":{"group":"${GROUP}","scope":"Namespaced","names":{"plural":"ks","singular":"k","kind":"K","listKind":"KList"${names}}${spec},"versions":[${all}]}}`;
}

const OPEN = `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`;
const SPEC = (members: string): string => `{"type":"object","properties":{"spec":${members}}}`;
const object = (properties: string, more = ""): string => `{"type":"object","properties":{${properties}}${more}}`;
const deep = (depth: number, leaf: string): string =>
  `${'{"type":"object","properties":{"a":'.repeat(depth)}${leaf}${"}}".repeat(depth)}`;
const branching = (depth: number): string =>
  depth === 0 ? `{"required":["a"]}` : `{"anyOf":[${branching(depth - 1)},${branching(depth - 1)}]}`;

/** Definitions, `room` bytes long. */
export const DEFINED: Readonly<Record<string, (room: number) => Parts>> = {
  "many versions": (room) => ({ versions: packed(room, (i) => versionOf(`v${i + 1}`, i === 0, `{"type":"object"}`)) }),
  "many versions with columns": (room) => ({ versions: packed(room, (i) => versionOf(`v${i + 1}`, i === 0, `{"type":"object"}`, `"additionalPrinterColumns":[{"name":"a","type":"string","jsonPath":".a"}],"subresources":{"status":{},"scale":{"specReplicasPath":".spec.a","statusReplicasPath":".status.a"}}`)) }),
  "many versions of bad names": (room) => ({ versions: packed(room, () => versionOf(`?`, false, `{"type":"object"}`)) }),
  "many versions of one name": (room) => ({ versions: packed(room, () => versionOf(`v1`, true, `{"type":"object"}`)) }),
  "many versions of names that are sorted": (room) => ({ versions: packed(room, (i) => versionOf(`v${1 + (i * 7919) % 100_003}beta${i}`, i === 0, `{"type":"object"}`)) }),
  "many properties": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string"}`))) }),
  "many properties at the root": (room) => ({ schema: object(packed(room, (i) => `"p${i}":{"type":"string"}`)) }),
  "many properties of objects": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"object","properties":{"a":{"type":"integer"}}}`))) }),
  "many properties with descriptions": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string","description":"The ${i}th property of many, with some words."}`))) }),
  "many properties with defaults": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string","default":"d${i}"}`))) }),
  "many properties with a default of the object": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string","default":"d${i}"}`), `,"default":{}`)) }),
  "many properties that are required": (room) => ({ schema: SPEC(object(packed(room / 2, (i) => `"p${i}":{"type":"string"}`), `,"required":[${packed(room / 2, (i) => `"p${i}"`)}]`)) }),
  "many properties with a pattern": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string","pattern":"^a${i}$"}`))) }),
  "many properties with one pattern": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string","pattern":"^a*$"}`))) }),
  "many properties with a format": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string","format":"f${i}"}`))) }),
  "many properties of list maps": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}`))) }),
  "many bad properties": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{}`))) }),
  "properties, 200 deep, many times": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":${deep(150, `{"type":"string"}`)}`))) }),
  "properties, 1,000 deep": () => ({ schema: SPEC(deep(490, `{"type":"string"}`)) }),
  "items of items": () => ({ schema: SPEC(`${'{"type":"array","items":'.repeat(900)}{"type":"string"}${"}".repeat(900)}`) }),
  "a choice of 2 to the 13": () => ({ schema: SPEC(object(`"a":{"type":"string"}`, `,${branching(13).slice(1, -1)}`)) }),
  "a wide choice": (room) => ({ schema: SPEC(object(`"a":{"type":"string"}`, `,"anyOf":[${packed(room, () => `{"required":["a"]}`)}]`)) }),
  "a wide choice of one": (room) => ({ schema: SPEC(object(`"a":{"type":"string"}`, `,"oneOf":[${packed(room, (i) => `{"required":["a${i}"]}`)}]`)) }),
  "a deep not": () => ({ schema: SPEC(object(`"a":{"type":"string"}`, `,${'"not":{'.repeat(800)}"required":["a"]${"}".repeat(800)}`)) }),
  "many values of an enum": (room) => ({ schema: SPEC(object(`"a":{"type":"string","enum":[${packed(room, (i) => `"v${i}"`)}]}`)) }),
  "values of an enum that are one": (room) => ({ schema: SPEC(object(`"a":{"type":"string","enum":[${packed(room, () => `"v"`)}]}`)) }),
  "objects of an enum": (room) => ({ schema: SPEC(object(`"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"enum":[${packed(room, (i) => `{"a":${i}}`)}]}`)) }),
  "many names that are required": (room) => ({ schema: SPEC(object(`"a":{"type":"string"}`, `,"required":[${packed(room, (i) => `"v${i}"`)}]`)) }),
  "a large default": (room) => ({ schema: SPEC(object(`"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{${packed(room, (i) => `"k${i}":1`)}}}`)) }),
  "a large default that is pruned": (room) => ({ schema: SPEC(object(`"a":{"type":"object","default":{${packed(room, (i) => `"k${i}":1`)}}}`)) }),
  "a large default of a list map": (room) => ({ schema: SPEC(object(`"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}},"default":[${packed(room, (i) => `{"k":"${i}"}`)}]}`)) }),
  "a large default of a set": (room) => ({ schema: SPEC(object(`"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"},"default":[${packed(room, (i) => `"${i}"`)}]}`)) }),
  "a large example": (room) => ({ schema: SPEC(object(`"a":{"type":"string","example":{${packed(room, (i) => `"k${i}":1`)}}}`)) }),
  "a long description": (room) => ({ schema: SPEC(object(`"a":{"type":"string","description":"${"d".repeat(room)}"}`)) }),
  "a long pattern": (room) => ({ schema: SPEC(object(`"a":{"type":"string","pattern":"${"a".repeat(room)}"}`)) }),
  "many choices in a pattern": (room) => ({ schema: SPEC(object(`"a":{"type":"string","pattern":"${filled(room, (i) => `a${i}`, "|")}"}`)) }),
  "repetitions in a pattern": () => ({ schema: SPEC(object(`"a":{"type":"string","pattern":"((a{0,30}){0,30}){0,30}"}`)) }),
  "a long number": (room) => ({ schema: SPEC(object(`"a":{"type":"number","maximum":${"9".repeat(room)}}`)) }),
  "many rules": (room) => ({ schema: SPEC(object(`"a":{"type":"string","maxLength":5,"x-kubernetes-validations":[${packed(room, (i) => `{"rule":"self != '${i}'"}`)}]}`)) }),
  "many properties with a rule": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string","maxLength":5,"x-kubernetes-validations":[{"rule":"self != 'x'"}]}`))) }),
  "many properties with an expensive rule": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"array","items":{"type":"string"},"x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x != y))"}]}`))) }),
  "many broken rules": (room) => ({ schema: SPEC(object(`"a":{"type":"string","x-kubernetes-validations":[${packed(room, () => `{"rule":"self +"}`)}]}`)) }),
  "a long rule": (room) => ({ schema: SPEC(object(`"a":{"type":"string","maxLength":5,"x-kubernetes-validations":[{"rule":"${filled(room, () => "self != 'x'", " && ")}"}]}`)) }),
  "a deep rule": () => ({ schema: SPEC(object(`"a":{"type":"string","maxLength":5,"x-kubernetes-validations":[{"rule":"${"(".repeat(10_000)}self != 'x'${")".repeat(10_000)}"}]}`)) }),
  "a long message": (room) => ({ schema: SPEC(object(`"a":{"type":"string","maxLength":5,"x-kubernetes-validations":[{"rule":"self != 'x'","message":"${"m".repeat(room)}"}]}`)) }),
  "a rule over many properties": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string"}`), `,"x-kubernetes-validations":[{"rule":"self.p1 == self.p2"}]`)) }),
  "many columns": (room) => ({ version: `"additionalPrinterColumns":[${packed(room, (i) => `{"name":"c${i}","type":"string","jsonPath":".spec.a"}`)}]` }),
  "many columns of filters": (room) => ({ version: `"additionalPrinterColumns":[${packed(room, (i) => `{"name":"c${i}","type":"string","jsonPath":".spec.l[?(@.a=='b')].c"}`)}]` }),
  "a long column": (room) => ({ version: `"additionalPrinterColumns":[{"name":"c","type":"string","jsonPath":"${".a".repeat(room / 2)}"}]` }),
  "a column of wildcards": (room) => ({ version: `"additionalPrinterColumns":[{"name":"c","type":"string","jsonPath":".spec${"[*]".repeat(room / 3)}"}]` }),
  "a column of descents": (room) => ({ version: `"additionalPrinterColumns":[{"name":"c","type":"string","jsonPath":"${"..a".repeat(room / 3)}"}]` }),
  "many selectable fields": (room) => ({ version: `"selectableFields":[${packed(room, (i) => `{"jsonPath":".spec.a${i}"}`)}]` }),
  "a long path of scale": (room) => ({ version: `"subresources":{"scale":{"specReplicasPath":"${".spec".repeat(room / 5)}","statusReplicasPath":".status.a"}}` }),
  "many short names": (room) => ({ names: `,"shortNames":[${packed(room, (i) => `"s${i}"`)}]` }),
  "short names that are one": (room) => ({ names: `,"shortNames":[${packed(room, () => `"s"`)}]` }),
  "many categories": (room) => ({ names: `,"categories":[${packed(room, (i) => `"c${i}"`)}]` }),
  "many unknown members": (room) => ({ spec: `,${packed(room, (i) => `"u${i}":1`)}` }),
  "many unknown members of the schema": (room) => ({ schema: SPEC(object(packed(room, (i) => `"p${i}":{"type":"string","u":1}`))) }),
  "conversion by a webhook": (room) => ({ spec: `,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":[${packed(room / 2, (i) => `"v${i}"`)}],"clientConfig":{"url":"https://${"a".repeat(room / 4)}","caBundle":"${"QUFB".repeat(room / 16)}"}}}` }),
}; // prettier-ignore

const DOCUMENTS: readonly LimitRequest[] = [
  { who: "nobody", method: "GET", path: "/openapi/v2" },
  { who: "nobody", method: "GET", path: "/openapi/v2", headers: [["accept", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"]] },
  { who: "nobody", method: "GET", path: "/openapi/v2", headers: [["accept-encoding", "gzip"]] },
  { who: "nobody", method: "GET", path: "/openapi/v3" },
  { who: "nobody", method: "GET", path: `/openapi/v3/apis/${GROUP}/v1` },
  { who: "nobody", method: "GET", path: "/apis" },
  { who: "nobody", method: "GET", path: "/apis?pretty=1" },
  { who: "nobody", method: "GET", path: "/apis", headers: [["accept", YAML_TYPE]] },
  { who: "nobody", method: "GET", path: "/apis", headers: [["accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"]] },
  { who: "nobody", method: "GET", path: "/apis", headers: [["accept", "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"]] },
  { who: "nobody", method: "GET", path: "/apis?pretty=1", headers: [["accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"]] },
  { who: "nobody", method: "GET", path: `/apis/${GROUP}` },
  { who: "nobody", method: "GET", path: `/apis/${GROUP}`, headers: [["accept", YAML_TYPE]] },
  { who: "nobody", method: "GET", path: `/apis/${GROUP}/v1` },
  { who: "nobody", method: "GET", path: `/apis/${GROUP}/v1`, headers: [["accept", YAML_TYPE]] },
]; // prettier-ignore

/** The objects of the definition of all rows. */
export const CUSTOM_OBJECTS = `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/ks`;
/** The definition of all rows. */
export const DEFINITION = `${DEFINITIONS}/${NAME}`;

const custom = (spec: string): string =>
  `{"apiVersion":"${GROUP}/v1","kind":"K","metadata":{"name":"k"},"spec":${spec}}`;

const send = (method: string, path: string, type: string, body: string): LimitRequest => ({
  who: "author",
  method,
  path,
  headers: typed(type),
  body,
});

/** What is done with objects of a definition. */
function objectRequests(spec: string, other: string): LimitRequest[] {
  const item = `${CUSTOM_OBJECTS}/k`;
  return [
    send("POST", `${CUSTOM_OBJECTS}?fieldManager=a`, JSON_TYPE, custom(spec)),
    send("PUT", `${item}?fieldManager=b`, JSON_TYPE, custom(other)),
    send("PATCH", `${item}?fieldManager=c`, "application/merge-patch+json", `{"spec":${spec}}`),
    send("PATCH", `${item}?fieldManager=d&force=true`, "application/apply-patch+yaml", custom(other)),
    send("PATCH", `${item}?fieldManager=e`, "application/apply-patch+yaml", custom(spec)),
    send("PUT", `${item}?fieldManager=b&fieldValidation=Strict`, YAML_TYPE, custom(other)),
    { who: "author", method: "GET", path: item, headers: [["accept", YAML_TYPE]] },
    {
      who: "author",
      method: "GET",
      path: CUSTOM_OBJECTS,
      headers: [["accept", TABLE_TYPE]],
    },
    { who: "author", method: "GET", path: item, headers: [["accept", TABLE_TYPE]] },
    { who: "author", method: "DELETE", path: item },
  ];
}

/** Objects under definitions that ask much of them. */
const OBJECTS_OF: Readonly<Record<string, readonly [schema: string, version: string, spec: (room: number) => string]>> = {
  "many properties": [object(list(20_000, (i) => `"p${i}":{"type":"string"}`).join(",")), "", (room) => `{${packed(room, (i) => `"p${i}":"v"`)}}`],
  "many unknown properties": [object(`"a":{"type":"string"}`), "", (room) => `{${packed(room, (i) => `"p${i}":"v"`)}}`],
  "any properties": [`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, "", (room) => `{${packed(room, (i) => `"p${i}":"v"`)}}`],
  "any deep properties": [`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, "", (room) => `{${packed(room, (i) => `"p${i}":${'{"a":'.repeat(900)}1${"}".repeat(900)}`)}}`],
  "an additional property of many": [`{"type":"object","additionalProperties":{"type":"string"}}`, "", (room) => `{${packed(room, (i) => `"p${i}":"v"`)}}`],
  "many wrong properties": [`{"type":"object","additionalProperties":{"type":"integer"}}`, "", (room) => `{${packed(room, (i) => `"p${i}":"v"`)}}`],
  "a list": [object(`"l":{"type":"array","items":{"type":"string"}}`), "", (room) => `{"l":[${packed(room, (i) => `"v${i}"`)}]}`],
  "a set": [object(`"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`), "", (room) => `{"l":[${packed(room, (i) => `"v${i}"`)}]}`],
  "a set of one value": [object(`"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`), "", (room) => `{"l":[${packed(room, () => `"v"`)}]}`],
  "a set of numbers": [object(`"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"number"}}`), "", (room) => `{"l":[${packed(room, (i) => `${i}.5`)}]}`],
  "a set of lists": [object(`"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"integer"}}}`), "", (room) => `{"l":[${packed(room, (i) => `[${i}]`)}]}`],
  "a set of objects": [object(`"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"integer"}}}}`), "", (room) => `{"l":[${packed(room, (i) => `{"a":${i}}`)}]}`],
  "a map of one key": [object(`"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"string"}}}}`), "", (room) => `{"l":[${packed(room, (i) => `{"k":"v${i}","v":"a"}`)}]}`],
  "a map of three keys": [object(`"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","m","n"],"items":{"type":"object","required":["k","m"],"properties":{"k":{"type":"string"},"m":{"type":"integer"},"n":{"type":"string","default":"d"}}}}`), "", (room) => `{"l":[${packed(room, (i) => `{"k":"v${i}","m":${i}}`)}]}`],
  "a map of one item": [object(`"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}`), "", (room) => `{"l":[${packed(room, () => `{"k":"v"}`)}]}`],
  "a map of missing keys": [object(`"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}`), "", (room) => `{"l":[${packed(room, () => `{}`)}]}`],
  "unique items": [object(`"l":{"type":"array","items":{"type":"string"}}`), "", (room) => `{"l":[${packed(room, (i) => `"v${i}"`)}]}`],
  "patterns": [object(`"l":{"type":"array","items":{"type":"string","pattern":"^(a|b)*$"}}`), "", (room) => `{"l":[${packed(room, () => `"abab"`)}]}`],
  "a long text and a pattern": [object(`"a":{"type":"string","pattern":"^(a|b)*c$"}`), "", (room) => `{"a":"${"ab".repeat(room / 2)}"}`],
  "formats": [object(`"l":{"type":"array","items":{"type":"string","format":"date-time"}}`), "", (room) => `{"l":[${packed(room, () => `"2026-01-01T00:00:00Z"`)}]}`],
  "an enum of many": [object(`"l":{"type":"array","items":{"type":"string","enum":[${list(20_000, (i) => `"v${i}"`).join(",")}]}}`), "", (room) => `{"l":[${packed(room, (i) => `"v${i % 20_000}"`)}]}`],
  "an enum of many that has it not": [object(`"l":{"type":"array","items":{"type":"string","enum":[${list(20_000, (i) => `"v${i}"`).join(",")}]}}`), "", (room) => `{"l":[${packed(room, () => `"w"`)}]}`],
  "an enum of objects": [object(`"l":{"type":"array","items":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"enum":[${list(5_000, (i) => `{"a":${i}}`).join(",")}]}}`), "", (room) => `{"l":[${packed(room, () => `{"a":4999}`)}]}`],
  "a choice": [object(`"l":{"type":"array","items":{"type":"string","anyOf":[${list(1000, (i) => `{"pattern":"^${i}$"}`).join(",")}]}}`), "", (room) => `{"l":[${packed(room, () => `"x"`)}]}`],
  "a choice of 2 to the 13": [object(`"a":{"type":"string"}`, `,${branching(13).slice(1, -1)}`), "", () => `{"b":1}`],
  "many choices of 2 to the 10": [object(`"l":{"type":"array","items":{"type":"object","x-kubernetes-preserve-unknown-fields":true,${branching(10).slice(1, -1)}}}`), "", (room) => `{"l":[${packed(room, () => `{}`)}]}`],
  "defaults of many items": [object(`"l":{"type":"array","items":{"type":"object","properties":{${list(50, (i) => `"p${i}":{"type":"string","default":"d${i}"}`).join(",")}}}}`), "", (room) => `{"l":[${packed(room / 50, () => `{}`)}]}`],
  "large defaults of many items": [object(`"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string","default":"${"d".repeat(100_000)}"}}}}`), "", () => `{"l":[${list(10_000, () => "{}").join(",")}]}`],
  "large default objects of many items": [object(`"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{${list(5000, (i) => `"k${i}":1`).join(",")}}}}}}`), "", () => `{"l":[${list(100_000, () => "{}").join(",")}]}`],
  "required names of many items": [object(`"l":{"type":"array","items":{"type":"object","required":[${list(1000, (i) => `"p${i}"`).join(",")}]}}`), "", (room) => `{"l":[${packed(room, () => `{}`)}]}`],
  "rules of many items": [object(`"l":{"type":"array","maxItems":100000,"items":{"type":"string","maxLength":10,"x-kubernetes-validations":[{"rule":"self != 'x'"}]}}`), "", (room) => `{"l":[${packed(room, (i) => `"v${i}"`)}]}`],
  "a rule of a long text": [object(`"a":{"type":"string","maxLength":3000000,"x-kubernetes-validations":[{"rule":"!self.contains('zz')"}]}`), "", (room) => `{"a":"${"a".repeat(room)}"}`],
  "a rule of a list": [object(`"l":{"type":"array","maxItems":1000,"items":{"type":"string","maxLength":10},"x-kubernetes-validations":[{"rule":"self.all(x, self.exists(y, y == x))"}]}`), "", () => `{"l":[${list(1000, (i) => `"v${i}"`).join(",")}]}`],
  "transition rules": [object(`"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"maxItems":100000,"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string","maxLength":10},"v":{"type":"string","maxLength":10}},"x-kubernetes-validations":[{"rule":"self.v == oldSelf.v"}]}}`), "", (room) => `{"l":[${packed(room, (i) => `{"k":"v${i}","v":"a"}`)}]}`],
  "int or string": [object(`"l":{"type":"array","items":{"x-kubernetes-int-or-string":true}}`), "", (room) => `{"l":[${packed(room, (i) => `${i}`)}]}`],
  "embedded resources": [object(`"l":{"type":"array","items":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}`), "", (room) => `{"l":[${packed(room, (i) => `{"apiVersion":"v1","kind":"K","metadata":{"name":"n${i}"}}`)}]}`],
  "embedded resources of many labels": [object(`"l":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}`), "", (room) => `{"l":{"apiVersion":"v1","kind":"K","metadata":{"name":"n","labels":{${packed(room, (i) => `"k${i}":"v"`)}}}}}`],
  "long numbers": [object(`"l":{"type":"array","items":{"type":"number","multipleOf":0.1}}`), "", (room) => `{"l":[${packed(room, () => `0.${"1".repeat(1000)}`)}]}`],
  "columns of many items": [object(`"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}`), `"additionalPrinterColumns":[${list(100, (i) => `{"name":"c${i}","type":"string","jsonPath":".spec.l[*].a"}`).join(",")}]`, (room) => `{"l":[${packed(room, () => `{"a":"b"}`)}]}`],
  "columns of filters": [object(`"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}`), `"additionalPrinterColumns":[${list(100, (i) => `{"name":"c${i}","type":"string","jsonPath":".spec.l[?(@.a=='c')].a"}`).join(",")}]`, (room) => `{"l":[${packed(room, () => `{"a":"b"}`)}]}`],
  "10,000 columns": [object(`"a":{"type":"string"}`), `"additionalPrinterColumns":[${list(10_000, (i) => `{"name":"c${i}","type":"string","jsonPath":".spec.a"}`).join(",")}]`, () => `{"a":"b"}`],
  "columns of dates": [object(`"a":{"type":"string"}`), `"additionalPrinterColumns":[${list(5_000, (i) => `{"name":"c${i}","type":"date","jsonPath":".spec.a"}`).join(",")}]`, () => `{"a":"2026-01-01T00:00:00Z"}`],
}; // prettier-ignore

/** Definitions: made, made known, changed and taken away. */
export function definitionRows(): LimitRow[] {
  const rows: LimitRow[] = [];
  for (const [size, bytes] of [
    ["1 MB", 950_000],
    ["3 MB", BODY_BYTES - 2000],
  ] as const) {
    for (const [name, make] of Object.entries(DEFINED)) {
      rows.push({
        name: `author: a definition of ${size}, ${name}`,
        requests: () => {
          const body = definition(make(bytes));
          const small = definition({});
          return [
            send("POST", DEFINITIONS, JSON_TYPE, body),
            ...DOCUMENTS,
            send("POST", `${CUSTOM_OBJECTS}?fieldManager=a`, JSON_TYPE, custom("{}")),
            {
              who: "author",
              method: "GET",
              path: CUSTOM_OBJECTS,
              headers: [["accept", TABLE_TYPE]],
            },
            send("PATCH", `${DEFINITION}?fieldManager=a&force=true`, "application/apply-patch+yaml", body),
            send(
              "PATCH",
              `${DEFINITION}?fieldManager=a`,
              "application/merge-patch+json",
              `{"metadata":{"labels":{"a":"b"}},"spec":{"names":{"shortNames":["kk"]}}}`,
            ),
            ...DOCUMENTS,
            send(
              "PATCH",
              `${DEFINITION}?fieldManager=a`,
              "application/merge-patch+json",
              `{"spec":{"versions":[${versionOf("v1", true, OPEN)}]}}`,
            ),
            send("PUT", `${DEFINITION}?fieldManager=a`, YAML_TYPE, body),
            { who: "author", method: "GET", path: DEFINITION, headers: [["accept", YAML_TYPE]] },
            { who: "author", method: "GET", path: `${DEFINITIONS}?pretty=1` },
            {
              who: "author",
              method: "GET",
              path: DEFINITIONS,
              headers: [["accept", TABLE_TYPE]],
            },
            { who: "author", method: "DELETE", path: DEFINITION },
            { who: "nobody", method: "GET", path: "/openapi/v2" },
            { who: "nobody", method: "GET", path: `/openapi/v3/apis/${GROUP}/v1` },
            send("POST", DEFINITIONS, JSON_TYPE, small),
            send("PATCH", `${DEFINITION}?fieldManager=a&force=true`, "application/apply-patch+yaml", body),
            { who: "author", method: "DELETE", path: DEFINITION },
          ];
        },
      });
    }
  }
  return rows;
}

/** Objects of definitions. */
export function customRows(): LimitRow[] {
  const rows: LimitRow[] = [];
  for (const [size, bytes] of [
    ["1.2 MB", 1_200_000],
    ["3 MB", BODY_BYTES - 2000],
  ] as const) {
    for (const [name, [schema, version, spec]] of Object.entries(OBJECTS_OF)) {
      rows.push({
        name: `author: an object of ${size}, ${name}`,
        requests: () => {
          const text = spec(bytes);
          const other = text.replaceAll(/"v(\d*)"/g, `"w$1"`);
          return [
            {
              who: "author",
              method: "POST",
              path: DEFINITIONS,
              headers: typed(JSON_TYPE),
              body: definition({ schema: SPEC(schema), version }),
            },
            { who: "author", method: "GET", path: CUSTOM_OBJECTS },
            { who: "author", method: "GET", path: CUSTOM_OBJECTS },
            ...objectRequests(text, other),
            { who: "author", method: "DELETE", path: DEFINITION },
          ];
        },
      });
    }
  }
  return rows;
}

export { STORED_BYTES };
