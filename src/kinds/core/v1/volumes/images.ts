/**
 * Volumes that are fetched: an OCI image or artifact, and a git repository (VOL-38..48).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import { type SourceFamily, form } from "./form.ts";
import { checkDescending } from "./paths.ts";

/** When an image is pulled. */
export const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];

const COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const DOMAIN = `(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::\\d+)?`;
const DIGEST = "sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}";
const REFERENCE = new RegExp(
  `^(?:${DOMAIN}/)?${COMPONENT}(?:/${COMPONENT})*(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>${DIGEST}))?$`,
);
const MAX_PATH_LENGTH = 255;
/** A text that looks like the id of an image is not read as its name. */
const IDENTITY = /^[a-f0-9]{64}$/;

/**
 * The default pull policy of an image: `Always` when its tag is `latest`, else `IfNotPresent` (VOL-40). An image
 * with neither tag nor digest has the tag `latest`; a reference that cannot be read has no tag (KIND-Pod-1).
 */
export function defaultPullPolicy(reference: string): string {
  const { groups } = REFERENCE.exec(reference) ?? {};
  if (!groups || IDENTITY.test(reference)) return "IfNotPresent";
  const { tag, digest } = groups;
  const end = reference.length - (tag ? tag.length + 1 : 0) - (digest ? digest.length + 1 : 0);
  const isReadable = pathLength(reference.slice(0, end)) <= MAX_PATH_LENGTH;
  return isReadable && (tag ?? (digest ? "" : "latest")) === "latest" ? "Always" : "IfNotPresent";
}

/** The length of the path of an image below its registry, which is omitted where it is the default one. */
function pathLength(name: string): number {
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  const isRegistry = first === "localhost" || /[.:]/.test(first) || first.toLowerCase() !== first;
  const path = isRegistry ? name.slice(slash + 1) : name;
  const isUsual = !isRegistry || first === "docker.io" || first === "index.docker.io";
  return path.length + (isUsual && !path.includes("/") ? "library/".length : 0);
}

/** An OCI image or artifact, mounted read-only (VOL-38..45). */
export const image: SourceFamily = {
  member: "image",
  inline: form(
    t.struct("An OCI image or artifact, mounted read-only.", {
      reference: t.optional(t.text("The image or artifact.")),
      pullPolicy: t.optional(
        t.text(
          "`Always`, `Never` or `IfNotPresent`; `Always` for the tag `latest` and `IfNotPresent` for others when unset.",
        ),
      ),
    }),
    (source, at, check) => {
      // In a template the creator of Pods may set it.
      if (check.pod !== "") check.needUndocumented(`${at}.reference`, source.reference);
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
    t.struct("A git repository that is checked out when the Pod starts; deprecated.", {
      repository: t.required(t.text("URL of the repository.")),
      revision: t.optional(t.text("Hash of the commit.")),
      directory: t.optional(
        t.text("The directory of the checkout; `.` for the volume itself, else a directory below it."),
      ),
    }),
    (source, at, check) => {
      check.need(`${at}.repository`, source.repository);
      checkDescending(`${at}.directory`, source.directory ?? "", check);
    },
  ),
  deprecated: { text: "deprecated in v1.11", pv: false, inline: true },
};
