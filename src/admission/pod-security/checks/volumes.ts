/**
 * The check of volumes: only sources that belong to the cluster, or to the Pod alone.
 *
 * @module
 */
import type { PodVolume } from "../../../kinds/core/v1/pod/spec-schema.ts";
import { type Check, type CheckPod, plural, quoted, sorted } from "../check.ts";

const ALLOWED: readonly string[] = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** The source of a volume by its name; undefined for one that is allowed. */
function forbiddenSource(volume: PodVolume): string | undefined {
  if (ALLOWED.some((source) => volume[source])) return undefined;
  return Object.keys(volume).find((member) => member !== "name" && volume[member]) ?? "unknown";
}

const checkVolumes: CheckPod = ({ spec: { volumes = [] } }) => {
  const forbidden = volumes.flatMap((volume) => {
    const source = forbiddenSource(volume);
    return source === undefined ? [] : [{ name: volume.name, source }];
  });
  if (forbidden.length === 0) return undefined;
  const types = sorted(forbidden.map(({ source }) => source));
  const names = forbidden.map(({ name }) => name);
  const what = plural("restricted volume type", "restricted volume types", types);
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", "volumes", names)} ${quoted(names)} ${plural("uses", "use", names)} ${what} ${quoted(types)}`,
  };
};

/** The checks of this file. */
export const VOLUME_CHECKS: readonly Check[] = [
  {
    id: "restrictedVolumes",
    level: "restricted",
    overrides: ["hostPathVolumes"],
    revisions: [{ since: 0, check: checkVolumes }],
  },
];
