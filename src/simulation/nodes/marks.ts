/** Reads the annotations of a node: whether it is simulated, lost, slow, or full. */
import type { Node } from "../../client/kinds/index.ts";
import { parseDuration } from "../../util/duration.ts";
import { DISK_PRESSURE_ANNOTATION, NODE_ANNOTATION, PULLS_ANNOTATION, STOPPED_ANNOTATION } from "../contract.ts";
import { memoizeLast } from "../../util/once.ts";
import { matchOf } from "../images.ts";
import type { Pull } from "../life/contract.ts";
import { timeIn } from "../life/times.ts";

const KWOK_ANNOTATION = "kwok.x-k8s.io/node";

type Marked = Pick<Node, "metadata">;

const annotationOf = ({ metadata }: Marked, key: string): string | undefined =>
  metadata.annotations && Object.hasOwn(metadata.annotations, key) ? metadata.annotations[key] : undefined;

/** Whether a node is simulated. */
export function isSimulated(node: Marked): boolean {
  const own = annotationOf(node, NODE_ANNOTATION);
  return own === undefined ? annotationOf(node, KWOK_ANNOTATION) === "fake" : own !== "false";
}

/** When a node was lost, in milliseconds since the epoch; undefined for one that reports. */
export const lostSince = (node: Marked): number | undefined => timeIn(annotationOf(node, STOPPED_ANNOTATION));

/** Since when the disk of a node is full, in milliseconds since the epoch. */
export const fullSince = (node: Marked): number | undefined => timeIn(annotationOf(node, DISK_PRESSURE_ANNOTATION));

/** The settings for pulls of images that match a pattern. */
export interface PullRule {
  readonly delay?: string;
  readonly missing?: boolean;
}

/** The rules of pulls of a node by patterns; none where the annotation is malformed. */
export function pullRulesOf(node: Marked): Readonly<Record<string, PullRule>> {
  return rulesIn(annotationOf(node, PULLS_ANNOTATION));
}

function rulesIn(text: string | undefined): Readonly<Record<string, PullRule>> {
  if (text === undefined) return {};
  try {
    const rules: unknown = JSON.parse(text);
    return typeof rules === "object" && rules !== null ? (rules as Readonly<Record<string, PullRule>>) : {};
  } catch {
    return {};
  }
}

/** How a node pulls an image: the most exact rule wins, of the delay and of whether it is missing. */
export function pullOf(node: Marked, image: string, usualDelay: number): Pull {
  const { delays, missing } = readPulls(annotationOf(node, PULLS_ANNOTATION) ?? "");
  const delay = matchOf(delays, image);
  const isMissing = matchOf(missing, image) === true;
  const millis = typeof delay === "string" ? parseDuration(delay) : undefined;
  return { delay: millis ?? usualDelay, isMissing };
}

/** The most patterns of a kind that a node may have; those after them do not count. */
const MAX_PATTERNS = 100;

/** The last annotation that was read: a Pod may have ten thousand containers on its node. */
const readPulls = memoizeLast((text: string) => {
  const rules = rulesIn(text === "" ? undefined : text);
  return {
    delays: entriesWith(rules, ({ delay: said }) => said),
    missing: entriesWith(rules, ({ missing: said }) => said),
  };
});

const entriesWith = <V>(
  rules: Readonly<Record<string, PullRule>>,
  value: (rule: PullRule) => V | undefined,
): Map<string, V> =>
  new Map(
    Object.entries(rules)
      .flatMap(([pattern, rule]): [string, V][] => {
        const found = typeof rule === "object" && rule !== null ? value(rule) : undefined;
        return found === undefined ? [] : [[pattern, found]];
      })
      .slice(0, MAX_PATTERNS),
  );
