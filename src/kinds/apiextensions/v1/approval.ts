/**
 * Groups that belong to the community, and its approval of what is defined in them (CRD-8).
 *
 * @module
 */

/** The annotation with the approval of a definition in a protected group. */
export const APPROVED = "api-approved.kubernetes.io";

/** Whether a group belongs to the community. */
export const isProtectedGroup = (group: string): boolean =>
  ["k8s.io", "kubernetes.io"].some((domain) => group === domain || group.endsWith(`.${domain}`));

/** The approval in the annotations of a definition. */
export interface Approval {
  readonly state: "missing" | "invalid" | "approved" | "bypassed";
  /** For people. */
  readonly why: string;
}

/** Reads the approval of a definition. */
export function approvalOf(annotations: Readonly<Record<string, string>> | undefined): Approval {
  const text = annotations?.[APPROVED] ?? "";
  if (text === "") return { state: "missing", why: `expected the annotation ${APPROVED}, the group is protected` };
  if (text.startsWith("unapproved")) return { state: "bypassed", why: `not approved: ${JSON.stringify(text)}` };
  if (isUrl(text)) return { state: "approved", why: `approved in ${text}` };
  return { state: "invalid", why: 'expected the URL of the approval, or a text that begins with "unapproved"' };
}

const isUrl = (text: string): boolean =>
  /^[A-Za-z][A-Za-z\d+.-]*:\/\//.test(text) && (URL.parse(text)?.host ?? "") !== "";
