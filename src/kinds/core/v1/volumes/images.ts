/**
 * Volumes that are fetched: an OCI image or artifact, and a git repository (VOL-38..48).
 *
 * @module
 */
import { optional, required, struct, text } from "../../../../meta/types.ts";
import { type SourceFamily, form } from "./form.ts";
import { checkDescending } from "./paths.ts";

/** When an image is fetched. */
export const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];

/**
 * The pull policy of an image that says none: `Always` when its tag is `latest`, else `IfNotPresent` (VOL-40). An image
 * with neither tag nor digest has the tag `latest`.
 */
export function defaultPullPolicy(reference: string): string {
  const at = reference.indexOf("@");
  const name = at < 0 ? reference : reference.slice(0, at);
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const tag = colon >= 0 ? name.slice(colon + 1) : at < 0 ? "latest" : "";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

/** An OCI image or artifact, mounted read-only (VOL-38..45). */
export const image: SourceFamily = {
  member: "image",
  inline: form(
    struct("An OCI image or artifact, mounted read-only.", {
      reference: optional(text("The image or artifact.")),
      pullPolicy: optional(
        text(
          "`Always`, `Never` or `IfNotPresent`; `Always` for the tag `latest` and `IfNotPresent` for others when unset.",
        ),
      ),
    }),
    (source, at, check) => {
      check.needUndocumented(`${at}.reference`, source.reference);
      check.oneOf(`${at}.pullPolicy`, source.pullPolicy, PULL_POLICIES);
    },
    (source) => {
      source["pullPolicy"] ||= defaultPullPolicy((source["reference"] as string | undefined) ?? "");
    },
  ),
};

/** A git repository that is checked out when the Pod starts (VOL-46..48). */
export const gitRepo: SourceFamily = {
  member: "gitRepo",
  inline: form(
    struct("A git repository that is checked out when the Pod starts; deprecated.", {
      repository: required(text("URL of the repository.")),
      revision: optional(text("Hash of the commit.")),
      directory: optional(text("Where to check out; `.` for the volume itself, else a directory below it.")),
    }),
    (source, at, check) => {
      check.need(`${at}.repository`, source.repository);
      checkDescending(`${at}.directory`, source.directory ?? "", check);
    },
  ),
  deprecated: { text: "deprecated in v1.11", pv: false, inline: true },
};
