/**
 * The members of a CustomResourceDefinition (CRD-1..15, 24, 34, 35).
 *
 * @module
 */
import {
  type Static,
  always,
  atomicList,
  bool,
  bytes,
  int32,
  int64,
  keyedList,
  optional,
  pointer,
  required,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { JsonSchemaProps } from "./json-schema-props.ts";

const Names = struct("The names of the kind.", {
  plural: required(text("The name of the resource in paths, in lower case.")),
  singular: optional(text("One of them, for people; the kind in lower case by default.")),
  shortNames: optional(atomicList(text(), "What people type instead.")),
  kind: required(text("The kind of an object.")),
  listKind: optional(text("The kind of a list; the kind and `List` by default.")),
  categories: optional(atomicList(text(), "Groups of resources that it belongs to, such as `all`.")),
});

const Column = struct("A column of `kubectl get`.", {
  name: required(text("What stands above it.")),
  type: required(text("integer, number, string, boolean or date.")),
  format: optional(text("How the value is written.")),
  description: optional(text("What it shows.")),
  priority: optional(int32("0 is always shown, more only in wide tables.")),
  jsonPath: required(text("Where in the object the value is.")),
});

const Subresources = struct("Other ways to an object.", {
  status: pointer(struct("The status is written by a path of its own.", {})),
  scale: pointer(
    struct("The object can be scaled.", {
      specReplicasPath: required(text("Where the wanted number is, below `.spec`.")),
      statusReplicasPath: required(text("Where the number that there is is, below `.status`.")),
      labelSelectorPath: pointer(text("Where the selector of what is scaled is, as a text.")),
    }),
  ),
});

const Version = struct("A version of the kind.", {
  name: required(text("The name of the version: v1, v1beta1.")),
  served: required(bool("Whether it is served.")),
  storage: required(bool("Whether objects are stored in it; one version is.")),
  deprecated: optional(bool("Whether answers carry a warning.")),
  deprecationWarning: pointer(text("The words of that warning.")),
  schema: pointer(struct("How objects look in this version.", { openAPIV3Schema: pointer(JsonSchemaProps) })),
  subresources: pointer(Subresources),
  additionalPrinterColumns: optional(atomicList(Column, "The columns of `kubectl get`; the age by default.")),
  selectableFields: optional(
    atomicList(
      struct("A field that selectors may name.", { jsonPath: required(text("Where it is, such as `.spec.color`.")) }),
      "Fields that selectors may name; at most eight.",
    ),
  ),
});

const Conversion = struct("How objects come from one version to another.", {
  strategy: required(text("None: only apiVersion changes. Webhook: a webhook is asked.")),
  webhook: pointer(
    struct("How the webhook is asked.", {
      clientConfig: pointer(
        struct("Where the webhook is: a URL or a service.", {
          url: pointer(text("Its address, `https://...`.")),
          service: pointer(
            struct("The service that answers.", {
              namespace: required(text("The namespace of the service.")),
              name: required(text("The name of the service.")),
              path: pointer(text("The path of the URL.")),
              port: pointer(int32("The port of the service, 443 by default.")),
            }),
          ),
          caBundle: optional(bytes("PEM: the certificates that the one of the webhook must be signed by.")),
        }),
      ),
      conversionReviewVersions: required(atomicList(text(), "The versions of ConversionReview that it understands.")),
    }),
  ),
});

const Spec = struct("What the kind is.", {
  group: required(text("The API group.")),
  names: required(Names),
  scope: required(text("Cluster or Namespaced.")),
  versions: required(atomicList(Version, "The versions of the kind.")),
  conversion: pointer(Conversion),
  preserveUnknownFields: optional(bool("Not supported; see x-kubernetes-preserve-unknown-fields.")),
});

const Condition = struct("What was last seen of one aspect of the definition.", {
  type: required(text("The aspect: Established, NamesAccepted, Terminating and others.")),
  status: required(text("`True`, `False` or `Unknown`.")),
  lastTransitionTime: optional(time("When the status last changed.")),
  reason: optional(text("Why, in one word.")),
  message: optional(text("Why, for people.")),
  observedGeneration: optional(int64("The generation of the definition that was seen.")),
});

const Status = struct("What the server says of the definition.", {
  conditions: required(keyedList(Condition, ["type"], "What was last seen.")),
  acceptedNames: required(Names),
  storedVersions: required(atomicList(text(), "The versions in which objects may be stored.")),
  observedGeneration: optional(int64("The generation of the definition that was seen.")),
});

/** The schema of a definition. */
export const definitionSchema = objectSchema(
  "A kind that is served like the built-in ones, as long as its definition is there.",
  {
    spec: required(Spec),
    status: always(Status),
  },
);

/** A CustomResourceDefinition. */
export type CustomResourceDefinition = ApiObject & { spec: Static<typeof Spec>; status: Static<typeof Status> };

/** The names of a custom kind, wanted or accepted. */
export type Names = Static<typeof Names>;

/** A version of a custom kind, as its definition says it. */
export type Version = Static<typeof Version>;

/** How objects come from one version to another. */
export type Conversion = Static<typeof Conversion>;

/** What was last seen of one aspect of a definition. */
export type Condition = Static<typeof Condition>;

/** The finalizer that holds a definition until its objects are gone (CRD-12). */
export const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";
