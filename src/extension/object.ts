import type { ApiObject } from "../schema/definition.ts";
import type { ValueObject } from "../value/value.ts";

/** The names of a custom kind, wanted or accepted. */
export interface Names {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A version of a custom kind, as its definition says it. */
export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: ValueObject };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** A column of tables, as a definition says it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** Where a webhook is: a URL, or a service of the cluster. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM certificates, base64: what the webhook's certificate must be signed by; the machine's own where there are none. */
  readonly caBundle?: string;
}

/** A condition of a definition. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly observedGeneration?: number;
}

/** What the server says of a definition. */
export interface DefinitionStatus {
  readonly conditions?: readonly Condition[] | null;
  readonly acceptedNames?: Names;
  readonly storedVersions?: readonly string[];
}

/** A CustomResourceDefinition, as the extension reads it: it was checked when it was written. */
export interface CustomResourceDefinition extends ApiObject {
  spec: {
    readonly group: string;
    readonly names: Names;
    readonly scope: "Namespaced" | "Cluster";
    readonly versions: readonly Version[];
    readonly conversion?: {
      readonly strategy: "None" | "Webhook";
      readonly webhook?: {
        readonly clientConfig?: ClientConfig;
        readonly conversionReviewVersions: readonly string[];
      };
    };
    readonly preserveUnknownFields?: boolean;
  };
  status?: DefinitionStatus;
}

/** The resource in which definitions are stored. */
export const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
} as const;

/** The finalizer that holds a definition until its objects are gone (CRD-12). */
export const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";
