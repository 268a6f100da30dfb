/**
 * The members of a CustomResourceDefinition (CRD-1..15, 24, 34, 35).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { WebhookClientConfig } from "../../rules/webhook-client.ts";
import { JsonSchemaProps } from "./json-schema-props.ts";

const Names = t.struct("The names of the kind.", {
  plural: t.required(t.text("The name of the resource in paths, in lower case.")),
  singular: t.optional(t.text("One of them, for people; the kind in lower case by default.")),
  shortNames: t.optional(t.atomicList(t.text(), "Shorter names for commands.")),
  kind: t.required(t.text("The kind of an object.")),
  listKind: t.optional(t.text("The kind of a list; the kind and `List` by default.")),
  categories: t.optional(t.atomicList(t.text(), "Groups of resources that it belongs to, such as `all`.")),
});

const Column = t.struct("A column of `kubectl get`.", {
  name: t.required(t.text("The heading of the column.")),
  type: t.required(t.text("integer, number, string, boolean or date.")),
  format: t.optional(t.text("How the value is written.")),
  description: t.optional(t.text("The description of the column.")),
  priority: t.optional(t.int32("0 is always shown, more only in wide tables.")),
  jsonPath: t.required(t.text("The path of the value in the object.")),
});

const Subresources = t.struct("Other ways to an object.", {
  status: t.pointer(t.struct("The status is written by a path of its own.", {})),
  scale: t.pointer(
    t.struct("The object can be scaled.", {
      specReplicasPath: t.required(t.text("The path of the desired number, below `.spec`.")),
      statusReplicasPath: t.required(t.text("The path of the current number, below `.status`.")),
      labelSelectorPath: t.pointer(t.text("The path of the selector of the scaled objects, a text.")),
    }),
  ),
});

const Version = t.struct("A version of the kind.", {
  name: t.required(t.text("The name of the version: v1, v1beta1.")),
  served: t.required(t.bool("Whether it is served.")),
  storage: t.required(t.bool("Whether objects are stored in it; one version is.")),
  deprecated: t.optional(t.bool("Whether responses carry a warning.")),
  deprecationWarning: t.pointer(t.text("The words of that warning.")),
  schema: t.pointer(t.struct("How objects look in this version.", { openAPIV3Schema: t.pointer(JsonSchemaProps) })),
  subresources: t.pointer(Subresources),
  additionalPrinterColumns: t.optional(t.atomicList(Column, "The columns of `kubectl get`; the age by default.")),
  selectableFields: t.optional(
    t.atomicList(
      t.struct("A field that selectors may name.", {
        jsonPath: t.required(t.text("The path of the field, such as `.spec.color`.")),
      }),
      "Fields that selectors may name; at most eight.",
    ),
  ),
});

const Conversion = t.struct("How objects come from one version to another.", {
  strategy: t.required(t.text("None: only apiVersion changes. Webhook: a webhook converts.")),
  webhook: t.pointer(
    t.struct("How the webhook is called.", {
      clientConfig: t.pointer(WebhookClientConfig),
      conversionReviewVersions: t.required(
        t.atomicList(t.text(), "The versions of ConversionReview that it supports."),
      ),
    }),
  ),
});

const Spec = t.struct("The properties of the kind.", {
  group: t.required(t.text("The API group.")),
  names: t.required(Names),
  scope: t.required(t.text("Cluster or Namespaced.")),
  versions: t.required(t.atomicList(Version, "The versions of the kind.")),
  conversion: t.pointer(Conversion),
  preserveUnknownFields: t.optional(t.bool("Not supported; see x-kubernetes-preserve-unknown-fields.")),
});

const Condition = t.struct("The last observed state of one aspect of the definition.", {
  type: t.required(t.text("The aspect: Established, NamesAccepted, Terminating and others.")),
  status: t.required(t.text("`True`, `False` or `Unknown`.")),
  lastTransitionTime: t.optional(t.time("When the status last changed.")),
  reason: t.optional(t.text("Why, in one word.")),
  message: t.optional(t.text("Why, for people.")),
  observedGeneration: t.optional(t.int64("The generation of the definition that was seen.")),
});

const Status = t.struct("The status of the definition, which the server sets.", {
  conditions: t.required(t.keyedList(Condition, ["type"], "The last observed states.")),
  acceptedNames: t.required(Names),
  storedVersions: t.required(t.atomicList(t.text(), "The versions in which objects may be stored.")),
  observedGeneration: t.optional(t.int64("The generation of the definition that was seen.")),
});

/** The schema of a definition. */
export const definitionSchema = objectSchema(
  "A kind that is served like the built-in ones, as long as its definition exists.",
  {
    spec: t.required(Spec),
    status: t.always(Status),
  },
);

/** A CustomResourceDefinition. */
export type CustomResourceDefinition = ApiObject & { spec: t.Static<typeof Spec>; status: t.Static<typeof Status> };

/** The names of a custom kind, requested or accepted. */
export type Names = t.Static<typeof Names>;

/** A version of a custom kind in its definition. */
export type Version = t.Static<typeof Version>;

/** How objects are converted from one version to another. */
export type Conversion = t.Static<typeof Conversion>;

/** The last observed state of one aspect of a definition. */
export type Condition = t.Static<typeof Condition>;

/** The finalizer that blocks the deletion of a definition until its objects are removed (CRD-12). */
export const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";
