/**
 * Makes the cluster of the pages from the sources of the server: the same modules, with a browser's parts where they import those
 * of Node, and without what only ports and disks need.
 *
 * @module
 */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../", import.meta.url));
const own = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/** What stands for modules of Node. */
const NODE: Readonly<Record<string, string>> = {
  "node:buffer": own("node/buffer.ts"),
  "node:crypto": own("node/crypto.ts"),
  "node:async_hooks": own("node/async-hooks.ts"),
  "node:process": own("node/process.ts"),
  process: own("node/process.ts"),
  "node:fs": own("node/fs.ts"),
  "node:path": own("node/path.ts"),
  "node:events": own("node/events.ts"),
};
/** Stands for `re2js` where a module imports it, so that it is loaded after the first answer; `import("re2js")` is the real one. */
const EXPRESSIONS = own("cluster/later-expressions.ts");
/** Nothing of these modules is used by a page: an import gets undefined, but for the few functions that are there. */
const ABSENT = own("node/absent.ts");

/** Modules of the server that a page has no use for, by what stands for them. */
const WITHOUT: Readonly<Record<string, string>> = {
  "src/server/http/listeners.ts": own("cluster/without-ports.ts"),
  "src/server/threads/pool.ts": own("cluster/page-jobs.ts"),
  "src/kinds/index.ts": own("cluster/first-kinds.ts"),
  "src/wire/protobuf/numbers/index.ts": own("cluster/without-protobuf.ts"),
  "src/client/kubeconfig/open.ts": own("cluster/without-kubeconfig.ts"),
  "src/hooks/hooks.ts": own("cluster/without-hooks.ts"),
};

/** Resolves imports of Node and of left-out modules to what stands for them. */
const forPages: Plugin = {
  name: "for-pages",
  async resolveId(source, importer, options) {
    if (Object.hasOwn(NODE, source)) return NODE[source]!;
    if (source.startsWith("node:")) return ABSENT;
    if (source === "re2js" && options.kind !== "dynamic-import") return EXPRESSIONS;
    if (source === "undici" || source.startsWith("undici/") || source === "ws") return ABSENT;
    if (!importer || !source.startsWith(".")) return undefined;
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    const path = found?.id.startsWith(root) ? found.id.slice(root.length) : undefined;
    return path !== undefined && Object.hasOwn(WITHOUT, path) ? WITHOUT[path]! : found;
  },
};

/**
 * Puts what an entry imports into one file, and what its parts that are loaded later import beside that into one each. The module of an
 * entry with such parts has a file of its own, which nothing imports: WebKit would run the script of a worker twice.
 */
function together(): { readonly plugin: Plugin; readonly chunkOf: (id: string) => string | undefined } {
  const chunkOf = new Map<string, string>();
  return {
    chunkOf: (id) => chunkOf.get(id),
    plugin: {
      name: "together",
      buildEnd() {
        const visit = (id: string, chunk: string, later: Set<string>): void => {
          const info = chunkOf.has(id) ? null : this.getModuleInfo(id);
          if (!info) return;
          chunkOf.set(id, chunk);
          for (const imported of info.importedIds) visit(imported, chunk, later);
          for (const imported of info.dynamicallyImportedIds) later.add(imported);
        };
        const entries = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry);
        let next = new Set<string>();
        for (const id of entries) visit(id, FIRST, next);
        if (next.size > 0) for (const id of entries) chunkOf.delete(id);
        else chunkOf.clear();
        while (next.size > 0) {
          const later = new Set<string>();
          for (const id of next) visit(id, nameOf(id), later);
          next = new Set([...later].filter((id) => !chunkOf.has(id)));
        }
      },
    },
  };
}

/** The file of what an entry needs at once. */
const FIRST = "first";

/** The name of the file for a module that is loaded later: that of its package, or its own. */
const nameOf = (id: string): string =>
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ??
  basename(id.replace(/\/index\.[jt]s$/, "")).replace(/\.[jt]s$/, "");

/** Builds modules for pages into a folder; resolves to the files that were written. */
export async function buildForPages(
  entries: Readonly<Record<string, string>>,
  outDir: string,
): Promise<readonly (OutputChunk | OutputAsset)[]> {
  const { plugin, chunkOf } = together();
  const bundle = await rolldown({
    input: { ...entries },
    cwd: root,
    platform: "browser",
    tsconfig: false,
    logLevel: "silent",
    plugins: [forPages, plugin],
    preserveEntrySignatures: "allow-extension",
    // What a page never calls is undefined, and not one more name in `node/absent.ts`.
    shimMissingExports: true,
    transform: {
      target: "es2023",
      define: { "process.env.NODE_ENV": '"production"' },
      inject: {
        Buffer: [NODE["node:buffer"]!, "Buffer"],
        process: [NODE["node:process"]!, "process"],
      },
    },
  });
  const { output } = await bundle.write({
    dir: outDir,
    format: "es",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "together", name: (id) => chunkOf(id) ?? null }],
    },
  });
  await bundle.close();
  return output;
}
