/**
 * Functions that build the rules of the default roles; a list is one text with spaces.
 *
 *     read("core", "pods services")
 *     can("create delete", "core", "pods")
 *     can("approve", "certificates.k8s.io", "signers", "kubernetes.io/kubelet-serving")
 *
 * @module
 */
import type { RuleForm } from "../rule.ts";

const words = (text: string): string[] => text.split(" ");

/** A rule for resources, or for objects of some names; `core` is the API group "". */
export const can = (verbs: string, groups: string, resources: string, names?: string): RuleForm => ({
  verbs: words(verbs).toSorted(),
  apiGroups: words(groups).map((group) => (group === "core" ? "" : group)),
  resources: words(resources),
  ...(names === undefined ? {} : { resourceNames: words(names) }),
});

/** A rule for get, list and watch. */
export const read = (groups: string, resources: string): RuleForm => can("get list watch", groups, resources);

/** A rule for all verbs that change objects. */
export const write = (groups: string, resources: string): RuleForm =>
  can("create delete deletecollection patch update", groups, resources);

/** A rule for all verbs that read or change objects. */
export const manage = (groups: string, resources: string): RuleForm =>
  can("create delete deletecollection get list patch update watch", groups, resources);

/** A rule for paths. */
export const paths = (verbs: string, urls: string): RuleForm => ({ verbs: words(verbs), nonResourceURLs: words(urls) });

/** The rule for recording events, which almost every program needs. */
export const EVENTS: RuleForm = can("create patch update", "core events.k8s.io", "events");
