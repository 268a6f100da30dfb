/**
 * Writes the files with the initial state of clusters of the kit; a test compares them with an ordinary start.
 *
 *     npm run beginnings
 */
import { writeFileSync } from "node:fs";
import { DIALECTS, recordsFile, usualRecords } from "./beginnings/records.ts";

const beginnings = await Promise.all(DIALECTS.map(async (dialect) => [dialect, await usualRecords(dialect)] as const));
writeFileSync(new URL("../src/testing/usual-records.ts", import.meta.url), recordsFile(beginnings));
