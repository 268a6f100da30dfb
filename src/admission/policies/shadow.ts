/**
 * Shadows: bindings that are evaluated and counted, and neither refuse nor change anything.
 *
 * @module
 */

/** The annotation that makes a binding a shadow where its value is `true`. */
export const SHADOW_ANNOTATION = "keelson.dev/shadow";

/** The audit annotation with the decisions of the shadows of a request. */
export const SHADOW_NOTE = "keelson.dev/shadow";

/** The decision of a shadow on a request. */
export interface ShadowFinding {
  readonly policy: string;
  readonly binding: string;
  /** Whether it would have refused the request, warned or changed the object, or could not be evaluated. */
  readonly would: "refuse" | "warn" | "audit" | "change" | "fail";
  readonly message?: string;
}

/** The most findings that are recorded of one request. */
const MAX_NOTED = 20;

/** The text of the annotation; undefined where there are no findings. */
export const shadowNote = (findings: readonly ShadowFinding[]): string | undefined =>
  findings.length === 0 ? undefined : JSON.stringify(findings.slice(0, MAX_NOTED));
