/**
 * Evaluates Pods against a level of Pod Security in a version.
 *
 * @module
 */
import { cutText } from "../../util/cut-text.ts";
import type { Check, CheckPod, CheckedPod, Violation } from "./check.ts";
import { HOST_CHECKS } from "./checks/host.ts";
import { KERNEL_CHECKS } from "./checks/kernel.ts";
import { PRIVILEGE_CHECKS } from "./checks/privileges.ts";
import { PROFILE_CHECKS } from "./checks/profiles.ts";
import { VOLUME_CHECKS } from "./checks/volumes.ts";
import type { Level, LevelVersion } from "./levels.ts";

const byId = (a: Check, b: Check): number => (a.id < b.id ? -1 : 1);

/** All checks, in the order of their violations in a message. */
const CHECKS: readonly Check[] = (["baseline", "restricted"] as const).flatMap((level) =>
  [...HOST_CHECKS, ...KERNEL_CHECKS, ...PRIVILEGE_CHECKS, ...PROFILE_CHECKS, ...VOLUME_CHECKS]
    .filter((check) => check.level === level)
    .toSorted(byId),
);

/** The newest version in which a check has changed: later ones are the same. */
const LAST_MINOR = Math.max(...CHECKS.flatMap(({ revisions }) => revisions.map(({ since }) => since)));

/** The form of a check in a version; undefined where it does not exist yet. */
const formIn = ({ revisions }: Check, minor: number): CheckPod | undefined =>
  revisions.findLast(({ since }) => since <= minor)?.check;

/** The checks of a level in a version. */
function checksOf(level: Level, minor: number): readonly CheckPod[] {
  const running = CHECKS.filter((check) => formIn(check, minor) && (level === "restricted" || check.level === level));
  const overridden = running.flatMap(({ overrides = [] }) => overrides);
  return running.filter(({ id }) => !overridden.includes(id)).map((check) => formIn(check, minor)!);
}

const byVersion = (level: Level): readonly (readonly CheckPod[])[] =>
  Array.from({ length: LAST_MINOR + 1 }, (_, minor) => checksOf(level, minor));

const EVALUATED: Readonly<Record<Level, readonly (readonly CheckPod[])[]>> = {
  privileged: byVersion("privileged"),
  baseline: byVersion("baseline"),
  restricted: byVersion("restricted"),
};

/** The violations of a Pod, in the order of a message; none where the level allows it. */
export function violationsOf({ level, minor }: LevelVersion, pod: CheckedPod): readonly Violation[] {
  const checks = EVALUATED[level][Math.min(minor, LAST_MINOR)] ?? [];
  return checks.map((check) => check(pod)).filter((violation) => violation !== undefined);
}

/** The reasons of violations: `host namespaces, privileged`. */
export const reasonsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");

/** The details name every container; a Pod may have thousands. */
const MAX_DETAIL_BYTES = 4096;

/** The reasons of violations with their details, which are cut to 4 KiB: `host namespaces (hostNetwork=true)`. */
export const detailsText = (violations: readonly Violation[]): string =>
  violations
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${cutText(detail, MAX_DETAIL_BYTES)})`))
    .join(", ");
