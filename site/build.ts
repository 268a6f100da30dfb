// Builds the site: `npm run site`, or with `--serve` a server of it on this machine that builds again when a page changes.
import { watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite, writePages } from "./generator/site.ts";
import { serveFolder } from "./generator/serve.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const outDir = join(root, "dist/site");
const { pages, missing } = await buildSite(outDir);
for (const link of missing) console.error(`a link leads nowhere: ${link}`);
if (missing.length > 0) process.exitCode = 1;
console.log(`${pages.length} pages in ${outDir}`);

if (process.argv.includes("--serve")) {
  const server = await serveFolder(outDir, 4173);
  console.log(`http://127.0.0.1:${server.port}/`);
  let timer: NodeJS.Timeout | undefined;
  watch(join(root, "docs"), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => writePages(outDir), 100);
  });
}
