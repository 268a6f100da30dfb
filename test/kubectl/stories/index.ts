/**
 * Everything that people do with kubectl, area by area.
 *
 * @module
 */
import type { Story } from "../story.ts";
import { APPLYING } from "./applying.ts";
import { ASKING } from "./asking.ts";
import { CONTROLLED } from "./controlled.ts";
import { READING } from "./reading.ts";
import { REFUSED } from "./refused.ts";
import { RIGHTS } from "./rights.ts";
import { WORKLOADS } from "./workloads.ts";
import { WRITING } from "./writing.ts";

/** The stories of each area, in the order of the table. */
export const AREAS: Readonly<Record<string, readonly Story[]>> = {
  Reading: READING,
  "Making, changing, removing": WRITING,
  Applying: APPLYING,
  "Asking the server": ASKING,
  "Rights, and in whose name": RIGHTS,
  Workloads: WORKLOADS,
  "What controllers do": CONTROLLED,
  "Refused with a message": REFUSED,
};
