// Writes docs/evidence/attacks.md from what came of the attacks. A table that was not played stays on the page as it is.
//
//     npm run attacks && npm run attacks:page
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { RESULTS, type TableResult } from "../test/attacks/results.ts";
import { attacksPage } from "./attacks/page.ts";

const PAGE = new URL("../docs/evidence/attacks.md", import.meta.url).pathname;

const results = globSync(`${RESULTS}*.json`)
  .toSorted()
  .map((file) => JSON.parse(readFileSync(file, "utf8")) as TableResult);
writeFileSync(PAGE, attacksPage(results, existsSync(PAGE) ? readFileSync(PAGE, "utf8") : ""));
