/**
 * Clusters that make clusters, and what is put together of other objects.
 *
 * @module
 */
import { type Sample, STATUS, sample } from "../sample.ts";
import {
  type Json,
  anything,
  conditions,
  embedded,
  int32,
  int64,
  intOrString,
  keyed,
  list,
  object,
  oneOf,
  openObject,
  ruled,
  text,
  texts,
  time,
  yesNo,
} from "../words.ts";

const GROUP = "clusters.example.com";

const ref = object(
  {
    apiVersion: text(),
    fieldPath: text(),
    kind: text(),
    name: text(),
    namespace: text(),
    resourceVersion: text(),
    uid: text(),
  },
  { "x-kubernetes-map-type": "atomic" },
);
const ranges = object({ cidrBlocks: list(text()) }, { required: ["cidrBlocks"] });
const endpoint = object({ host: text({ maxLength: 512 }), port: int32() }, { required: ["host", "port"] });
const topology = object(
  {
    class: text({ minLength: 1, maxLength: 253 }),
    controlPlane: object({ metadata: object({ annotations: texts, labels: texts }), replicas: int32() }),
    variables: keyed(
      ["name"],
      object({ name: text({ maxLength: 256 }), value: anything }, { required: ["name", "value"] }),
      { maxItems: 1000 },
    ),
    version: text({ minLength: 1, maxLength: 256 }),
    workers: object({
      machineDeployments: keyed(
        ["name"],
        object({ class: text(), name: text({ maxLength: 63 }), replicas: int32() }, { required: ["class", "name"] }),
        { maxItems: 2000 },
      ),
    }),
  },
  { required: ["class", "version"] },
);
const clusterSpec = (more: Json = {}): Json =>
  object({
    clusterNetwork: object({ apiServerPort: int32(), pods: ranges, serviceDomain: text(), services: ranges }),
    controlPlaneEndpoint: endpoint,
    controlPlaneRef: ref,
    infrastructureRef: ref,
    paused: yesNo(),
    topology,
    ...more,
  });

export const cluster: Sample = sample({
  of: "a cluster, in three versions",
  group: GROUP,
  kind: "Cluster",
  plural: "clusters",
  names: { shortNames: ["cl"], categories: ["clusters"] },
  versions: [
    {
      name: "v1alpha4",
      members: { spec: clusterSpec(), status: openObject },
      more: { served: false, deprecated: true, ...STATUS },
    },
    {
      name: "v1beta1",
      members: { spec: clusterSpec(), status: object({ conditions: list(openObject), phase: text() }) },
      more: { deprecated: true, ...STATUS },
    },
    {
      name: "v1beta2",
      members: {
        spec: ruled(
          clusterSpec({
            availabilityGates: keyed(
              ["conditionType"],
              object(
                { conditionType: text({ maxLength: 316 }), polarity: oneOf("Positive", "Negative") },
                { required: ["conditionType"] },
              ),
              { minItems: 1, maxItems: 32 },
            ),
          }),
          ["!has(oldSelf.controlPlaneEndpoint) || has(self.controlPlaneEndpoint)", "an endpoint stays"],
          ["has(self.topology) || has(self.infrastructureRef) || has(self.paused)", "a cluster is made of something"],
        ),
        status: object({ conditions, phase: text() }),
      },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      controlPlaneEndpoint: { host: "", port: 6443 },
      topology: {
        class: "small",
        version: "v1.35.0",
        variables: [
          { name: "any", value: { x: [null, 1] } },
          { name: "other", value: "text" },
        ],
      },
      availabilityGates: [{ conditionType: "Ready" }],
    },
  },
  misfits: [
    { why: "of nothing", body: { spec: {} }, causes: ["FieldValueInvalid spec"] },
    {
      why: "with one variable twice and one without a value",
      body: { spec: { topology: { class: "c", version: "v", variables: [{ name: "a", value: 1 }, { name: "a" }] } } },
      causes: [
        "FieldValueDuplicate spec.topology.variables[1]",
        "FieldValueInvalid <nil>",
        "FieldValueRequired spec.topology.variables[1].value",
      ],
    },
  ],
});

const machineSpec = object(
  {
    bootstrap: ruled(object({ configRef: ref, dataSecretName: text({ maxLength: 253 }) }), [
      "has(self.configRef) || has(self.dataSecretName)",
      "something to begin with",
    ]),
    clusterName: ruled(text({ minLength: 1, maxLength: 63 }), [
      "self == oldSelf",
      "the cluster stays",
      { reason: "FieldValueForbidden" },
    ]),
    infrastructureRef: ref,
    nodeDrainTimeout: text(),
    providerID: { ...text({ maxLength: 512 }), nullable: true },
    readinessGates: keyed(["conditionType"], object({ conditionType: text() }, { required: ["conditionType"] }), {
      maxItems: 32,
    }),
    taints: keyed(
      ["key", "effect"],
      object(
        { effect: oneOf("NoSchedule", "NoExecute", "PreferNoSchedule"), key: text({ maxLength: 317 }), value: text() },
        { required: ["effect", "key"] },
      ),
      { maxItems: 64 },
    ),
    version: text(),
  },
  { required: ["bootstrap", "clusterName", "infrastructureRef"] },
);

export const machine: Sample = sample({
  of: "a machine of a cluster",
  group: GROUP,
  kind: "Machine",
  plural: "machines",
  names: { shortNames: ["ma"] },
  versions: [
    { name: "v1beta1", members: { spec: openObject, status: openObject }, more: STATUS },
    {
      name: "v1beta2",
      members: {
        spec: machineSpec,
        status: object({ conditions, lastUpdated: time, nodeRef: ref, observedGeneration: int64() }),
      },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      clusterName: "c",
      bootstrap: { dataSecretName: "s" },
      infrastructureRef: { kind: "Box", name: "b" },
      providerID: null,
      taints: [
        { key: "k", effect: "NoSchedule" },
        { key: "k", effect: "NoExecute" },
      ],
    },
  },
  misfits: [
    {
      why: "with nothing to begin with",
      body: { spec: { clusterName: "c", bootstrap: {}, infrastructureRef: {} } },
      causes: ["FieldValueInvalid spec.bootstrap"],
    },
    {
      why: "with one taint twice",
      body: {
        spec: {
          clusterName: "c",
          bootstrap: { dataSecretName: "s" },
          infrastructureRef: {},
          taints: [
            { key: "k", effect: "NoExecute" },
            { key: "k", effect: "NoExecute", value: "v" },
          ],
        },
      },
      causes: ["FieldValueDuplicate spec.taints[1]"],
    },
  ],
});

const transform = object(
  {
    convert: object(
      { format: oneOf("none", "quantity", "json"), toType: oneOf("string", "int", "int64", "bool", "float64") },
      { required: ["toType"] },
    ),
    map: { type: "object", additionalProperties: anything },
    match: object({
      fallbackTo: { ...oneOf("Value", "Input"), default: "Value" },
      fallbackValue: anything,
      patterns: list(
        object(
          { literal: text(), result: anything, type: { ...oneOf("literal", "regexp"), default: "literal" } },
          { required: ["result", "type"] },
        ),
      ),
    }),
    math: object({
      clampMax: int64(),
      clampMin: int64(),
      multiply: int64(),
      type: { ...oneOf("Multiply", "ClampMin", "ClampMax"), default: "Multiply" },
    }),
    string: object({ fmt: text(), type: { ...oneOf("Format", "Convert", "Trim"), default: "Format" } }),
    type: oneOf("map", "match", "math", "string", "convert"),
  },
  { required: ["type"] },
);
const patch = object({
  combine: object(
    {
      strategy: oneOf("string"),
      variables: list(
        object({ fromFieldPath: text(), type: oneOf("FromCompositeFieldPath") }, { required: ["type"] }),
        { minItems: 1 },
      ),
    },
    { required: ["strategy", "variables"] },
  ),
  fromFieldPath: text(),
  policy: object({ fromFieldPath: oneOf("Optional", "Required") }),
  toFieldPath: text(),
  transforms: list(transform),
  type: { ...oneOf("FromCompositeFieldPath", "PatchSet", "ToCompositeFieldPath"), default: "FromCompositeFieldPath" },
});

export const composition: Sample = sample({
  of: "what an object is made of, with objects inside",
  group: "compositions.example.com",
  kind: "Composition",
  plural: "compositions",
  scope: "Cluster",
  names: { shortNames: ["comp"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: object(
          {
            compositeTypeRef: ruled(
              object({ apiVersion: text(), kind: text() }, { required: ["apiVersion", "kind"] }),
              ["self == oldSelf", "the type stays"],
            ),
            mode: { ...oneOf("Resources", "Pipeline"), default: "Resources" },
            pipeline: keyed(
              ["step"],
              object(
                { functionRef: object({ name: text() }, { required: ["name"] }), input: embedded, step: text() },
                { required: ["functionRef", "step"] },
              ),
              { maxItems: 99, minItems: 1 },
            ),
            resources: list(
              object(
                {
                  base: embedded,
                  name: text(),
                  patches: list(patch),
                  readinessChecks: list(
                    object(
                      { matchInteger: int64(), type: oneOf("MatchString", "MatchInteger", "NonEmpty", "None") },
                      { required: ["type"] },
                    ),
                  ),
                },
                { required: ["base"] },
              ),
            ),
            retries: intOrString,
            writeConnectionSecretsToNamespace: text(),
          },
          { required: ["compositeTypeRef"] },
        ),
      },
    },
  ],
  valid: {
    spec: {
      compositeTypeRef: { apiVersion: "shop.example.com/v1", kind: "Shop" },
      mode: "Pipeline",
      pipeline: [
        {
          step: "one",
          functionRef: { name: "f" },
          input: { apiVersion: "v1", kind: "Input", metadata: { name: "i" }, anything: { at: ["all"] } },
        },
      ],
      resources: [
        {
          base: { apiVersion: "v1", kind: "Any", spec: { x: 1 } },
          patches: [{ transforms: [{ type: "map", map: { a: { b: 1 } } }] }],
        },
      ],
    },
  },
  becomes: {
    spec: {
      compositeTypeRef: { apiVersion: "shop.example.com/v1", kind: "Shop" },
      mode: "Pipeline",
      pipeline: [
        {
          step: "one",
          functionRef: { name: "f" },
          input: { apiVersion: "v1", kind: "Input", metadata: { name: "i" }, anything: { at: ["all"] } },
        },
      ],
      resources: [
        {
          base: { apiVersion: "v1", kind: "Any", spec: { x: 1 } },
          patches: [{ type: "FromCompositeFieldPath", transforms: [{ type: "map", map: { a: { b: 1 } } }] }],
        },
      ],
    },
  },
  misfits: [
    {
      why: "with an object inside that does not say what it is; rules wait",
      body: { spec: { compositeTypeRef: { apiVersion: "a/v1", kind: "K" }, resources: [{ base: { kind: "Any" } }] } },
      causes: ["FieldValueInvalid <nil>", "FieldValueRequired spec.resources[0].base.apiVersion"],
    },
  ],
});
