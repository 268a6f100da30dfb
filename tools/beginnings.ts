/**
 * Writes anew what clusters of the kit begin with; a test compares it with how they begin in the ordinary way.
 *
 *     npm run beginnings
 */
import { writeFileSync } from "node:fs";
import { DIALECTS, recordsFile, usualRecords } from "./beginnings/records.ts";

const beginnings = await Promise.all(DIALECTS.map(async (dialect) => [dialect, await usualRecords(dialect)] as const));
writeFileSync(new URL("../src/testing/usual-records.ts", import.meta.url), recordsFile(beginnings));
