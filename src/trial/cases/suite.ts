/**
 * Tests of policies in one form, whatever the form of their file.
 *
 * @module
 */
import type { Identity } from "../../auth/contract.ts";
import type { Value } from "../../value/value.ts";
import type { SourceValue } from "../documents.ts";

/** The decision of policies about a write: `skipped` where none of them matches. */
export type CaseResult = "allowed" | "denied" | "skipped";

/** The expectation of a case; an absent member allows anything. */
export interface Expectation {
  readonly result?: CaseResult | undefined;
  /** Whether a policy is evaluated at all. */
  readonly isMatched?: boolean;
  /** The policy that refuses. */
  readonly by?: string | undefined;
  /** Texts that the message of the refusal must contain. */
  readonly messages?: readonly string[];
  /** Texts, each of which a warning must contain; an empty list means no warning. */
  readonly warnings?: readonly string[] | undefined;
  readonly auditAnnotations?: Readonly<Record<string, string>> | undefined;
  /** Members that the object must have after all mutations. */
  readonly object?: Value | undefined;
  /** How many validations fail: an exact number, or at least one. */
  readonly violations?: readonly { readonly count: number | "some"; readonly message: string | undefined }[];
}

/** One case. */
export interface PolicyCase {
  readonly name: string;
  readonly from: string;
  readonly object: SourceValue | undefined;
  readonly oldObject: SourceValue | undefined;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly subresource: string;
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
  readonly user: Identity;
  /** The only objects of their kinds, for this case. */
  readonly params: readonly SourceValue[];
  /** The one policy that is evaluated; all by default. */
  readonly policy?: string | undefined;
  readonly expect: Expectation;
}

/** The cases of one document, with all objects that they need. */
export interface PolicySuite {
  readonly name: string;
  readonly file: string;
  /** Policies, bindings, params, namespaces, and definitions of custom kinds. */
  readonly documents: readonly SourceValue[];
  readonly cases: readonly PolicyCase[];
}

/** The user of a case that names none. */
export const DEFAULT_USER: Identity = { user: "tester", groups: ["system:authenticated"] };

/** The defaults for cases in other forms: each creates an object, as the default user. */
export const PLAIN_CREATE = {
  oldObject: undefined,
  operation: "CREATE",
  subresource: "",
  namespaceLabels: undefined,
  user: DEFAULT_USER,
} as const satisfies Partial<PolicyCase>;
