/** The ways to patch an object (DEC-17). */
export type PatchType = "json" | "merge" | "strategic" | "apply";

/** The media type of each way, in the order of error messages. */
export const PATCH_MEDIA: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Every way to patch, the default of a definition. */
export const ALL_PATCHES = Object.keys(PATCH_MEDIA) as readonly PatchType[];
