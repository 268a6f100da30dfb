/**
 * The decisions of our code about Pods, in the form in which the original implementation prints them: see `oracle/main.go`.
 *
 * @module
 */
import { checkedPod } from "../../src/admission/pod-security/check.ts";
import { detailsText, violationsOf } from "../../src/admission/pod-security/evaluator.ts";
import type { Level, LevelVersion } from "../../src/admission/pod-security/levels.ts";
import type { PodSpec } from "../../src/kinds/core/v1/pod/spec-schema.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import type { DrawnPod } from "./pods.ts";

/** The violations of a Pod by level and by the version in which they change. */
export type Decisions = Readonly<Record<Level, Readonly<Record<string, string>>>>;

const LAST_MINOR = 37;
const LATEST = { version: "latest", minor: Infinity };

/** Our decisions about a Pod. */
export function decisionsOf(pod: DrawnPod): Decisions {
  const seen = checkedPod(pod.metadata, pod.spec as PodSpec, kubernetes);
  const text = (by: LevelVersion): string => detailsText(violationsOf(by, seen));
  const changes = (level: Level): Record<string, string> => {
    const versions = Array.from({ length: LAST_MINOR + 1 }, (_, minor) => ({ level, version: `v1.${minor}`, minor }));
    const texts = versions.map((by) => [by.version, text(by)] as const);
    const changed = texts.filter(([, one], i) => i === 0 || one !== texts[i - 1]![1]);
    return { ...Object.fromEntries(changed), latest: text({ level, ...LATEST }) };
  };
  return { privileged: changes("privileged"), baseline: changes("baseline"), restricted: changes("restricted") };
}
