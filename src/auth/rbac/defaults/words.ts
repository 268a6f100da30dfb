/**
 * The words in which the roles of the start are written: each list is one text with spaces between.
 *
 *     read("core", "pods services")
 *     can("create delete", "core", "pods")
 *     can("approve", "certificates.k8s.io", "signers", "kubernetes.io/kubelet-serving")
 *
 * @module
 */
import type { RuleForm } from "../rule.ts";

const words = (text: string): string[] => text.split(" ");

/** What may be done to resources of groups, to all of them or to those of some names; `core` is the group without a name. */
export const can = (verbs: string, groups: string, resources: string, names?: string): RuleForm => ({
  verbs: words(verbs).toSorted(),
  apiGroups: words(groups).map((group) => (group === "core" ? "" : group)),
  resources: words(resources),
  ...(names === undefined ? {} : { resourceNames: words(names) }),
});

/** Get, list and watch. */
export const read = (groups: string, resources: string): RuleForm => can("get list watch", groups, resources);

/** Everything that changes objects. */
export const write = (groups: string, resources: string): RuleForm =>
  can("create delete deletecollection patch update", groups, resources);

/** Everything that reads or changes objects. */
export const manage = (groups: string, resources: string): RuleForm =>
  can("create delete deletecollection get list patch update watch", groups, resources);

/** What may be done to paths. */
export const paths = (verbs: string, urls: string): RuleForm => ({ verbs: words(verbs), nonResourceURLs: words(urls) });

/** Telling what happens to objects, which almost every program does. */
export const EVENTS: RuleForm = can("create patch update", "core events.k8s.io", "events");
