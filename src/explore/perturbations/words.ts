/**
 * Points in plain words.
 *
 * @module
 */
import type { DeliveryPoint, RequestPoint } from "../contract/plan.ts";
import { objectText } from "../names.ts";

/** The verb of a request, in the past tense and as a noun. */
const VERBS: Readonly<Record<string, readonly [past: string, noun: string]>> = {
  get: ["read", "read"],
  list: ["listed", "list"],
  watch: ["watched", "watch"],
  create: ["created", "create"],
  update: ["updated", "update"],
  patch: ["patched", "patch"],
  apply: ["applied", "apply"],
  delete: ["deleted", "delete"],
  deletecollection: ["deleted all of", "delete of all"],
};

const ENDINGS: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd", other: "th" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

/** `2nd` for the number 2. */
const ordinal = (count: number): string => `${count}${ENDINGS[ordinals.select(count)]}`;

const target = (point: RequestPoint): string =>
  (point.subresource === undefined ? "" : `${point.subresource} of `) + objectText(point);

/** The action of a program: `created ConfigMap default/a`, `updated status of Widget.x.io default/a (the 2nd time)`. */
export const did = (point: RequestPoint): string => {
  const [past] = VERBS[point.verb] ?? [];
  const action = past === undefined ? `called ${point.verb} for ${target(point)}` : `${past} ${target(point)}`;
  return point.occurrence === 0 ? action : `${action} (the ${ordinal(point.occurrence + 1)} time)`;
};

/** A request as a thing: `create of ConfigMap default/a`, `2nd update of status of Widget.x.io default/a`. */
export const requestNoun = (point: RequestPoint): string => {
  const [, noun] = VERBS[point.verb] ?? [];
  const thing = noun === undefined ? `call ${point.verb} for ${target(point)}` : `${noun} of ${target(point)}`;
  return point.occurrence === 0 ? thing : `${ordinal(point.occurrence + 1)} ${thing}`;
};

const CHANGES = { ADDED: "creation", MODIFIED: "change", DELETED: "deletion" } as const;

/** An event of a watch as a thing: `the creation of ConfigMap default/a`, `the 2nd change of Widget.x.io default/a`. */
export const deliveryNoun = (point: DeliveryPoint): string =>
  `the ${point.occurrence === 0 ? "" : `${ordinal(point.occurrence + 1)} `}${CHANGES[point.change]} of ${objectText(point)}`;
