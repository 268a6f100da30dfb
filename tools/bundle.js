// Makes one program of all modules: `node tools/bundle.js [DIST]`, a step of a build and of `npm ci`.
//
// To find, read and join a thousand modules takes longer than all that a start does with them, and each takes memory beside its
// text. So they are put together to few files, in a folder that is named by what is in it, `dist/program/ID/`; `current.json`
// beside it says which of them is valid. `sources.json` in the folder says for which state of which sources: where they are in
// another state `bin/program.js` lets the sources run. No package has it: two builds of a commit have different times of sources.
//
// What the main thread runs are chunks for `bin/program.js`. Threads and jobs in them are modules, each as small as may be: they
// share nothing with the main thread.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, utimesSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { keepNewest, stateOf, writeWhole } from "../bin/program.js";
import { BUNDLED_PACKAGES } from "./bundled-packages.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const programs = join(resolve(process.argv[2] ?? join(root, "dist")), "program");

const MAIN = {
  main: "src/app/program/main.ts",
  start: "src/app/start/start.ts",
  envtest: "src/app/envtest/program.ts",
};
const THREADS = {
  worker: "src/storage/sqlite/worker.ts",
  "structure-thread": "src/storage/sqlite/structure-thread.ts",
  thread: "src/server/threads/thread.ts",
  "rules-job": "src/kinds/apiextensions/v1/rules-job.ts",
  "configuration-job": "src/kinds/admissionregistration/configuration-job.ts",
  "selectors-job": "src/kinds/resource/v1/selectors-job.ts",
  "yaml-job": "src/server/body/yaml-job.ts",
  "validation-job": "src/extension/validation-job.ts",
  "policy-job": "src/admission/policies/policy-job.ts",
  "laboratory-thread": "src/testing/explore/laboratory-thread.ts",
};
/** What is read together: by every command, by a server before its store opens, and while it does. */
const TOGETHER = {
  base: ["src/app/program/main.ts"],
  server: ["src/app/start/server.ts", "src/storage/sqlite/store.ts"],
  cluster: ["src/cluster/index.ts"],
};

/** Says which chunk a module belongs to, once all are known; undefined for those that are read by themselves. */
const together = () => {
  const chunkOf = new Map();
  return {
    name: "together",
    chunkOf: (id) => chunkOf.get(id),
    buildEnd() {
      const add = (id, chunk) => {
        const found = chunkOf.has(id) ? undefined : this.getModuleInfo(id);
        if (!found || !isAbsolute(id)) return;
        chunkOf.set(id, chunk);
        for (const imported of found.importedIds) add(imported, chunk);
      };
      for (const [chunk, entries] of Object.entries(TOGETHER))
        for (const entry of entries) add(join(root, entry), chunk);
    },
  };
};

/**
 * Makes chunks cheap: text of one byte for each character takes half of the memory, and what a chunk has of another one is a
 * variable, since exports do not change once they are made.
 */
const cheap = {
  name: "cheap",
  generateBundle({ format }, chunks) {
    for (const chunk of Object.values(chunks)) {
      chunk.code = chunk.code.replace(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      if (format === "cjs") chunk.code = withVariables(chunk.code);
    }
  },
};

const EXPORT = /Object\.defineProperty\(exports,"(\w+)",\{enumerable:true,get:function\(\)\{return ([\w$.]+)\}\}\)/g;
const IMPORT = /const (require_[\w$]+)=require\("(\.\/[^"]+)"\);/g;

function withVariables(code) {
  const imports = [...code.matchAll(IMPORT)].map(([statement, variable, file]) => {
    const use = new RegExp(`(?<![\\w$])${variable.replaceAll("$", "\\$")}\\.(\\w+)(?![\\w$])`, "g");
    const names = [...new Set(Array.from(code.matchAll(use), ([, name]) => name))];
    return { statement, use, variable, file, names };
  });
  for (const { statement, use, variable, file, names } of imports) {
    const parts = names.map((name) => `${name}:${variable}$${name}`).join(",");
    code = code
      .replace(use, (_, name) => `${variable}$${name}`)
      .replace(statement, () => `const ${variable}=require("${file}"),{${parts}}=${variable};`);
  }
  return code.replace(EXPORT, "exports.$1=$2");
}

/** Writes one half of the program, and returns the names of the files in it. */
async function bundle(outDir, input, format, plugins = []) {
  const [moved] = plugins;
  const { output } = await build({
    configFile: false,
    publicDir: false,
    logLevel: "error",
    root,
    plugins: [...plugins, cheap],
    ssr: { noExternal: BUNDLED_PACKAGES },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      minify: false,
      target: "esnext",
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(input).map(([name, file]) => [name, join(root, file)])),
        external: (id) => /^[^./\0]/.test(id) && !BUNDLED_PACKAGES.includes(id),
        output: {
          format,
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          keepNames: true,
          comments: false,
          // Neither comments nor indentation; names stay as they are, for whoever reads a stack.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
          ...(moved ? { codeSplitting: { groups: [{ name: moved.chunkOf }] } } : {}),
        },
      },
    },
  });
  return output.flatMap(({ moduleIds = [] }) => moduleIds).filter((id) => isAbsolute(id));
}

mkdirSync(programs, { recursive: true });
const began = Date.now();
const making = mkdtempSync(join(programs, `making-${process.pid}-`));
try {
  const files = [
    ...(await bundle(making, MAIN, "cjs", [together()])),
    ...(await bundle(making, THREADS, "es")),
    ...BUNDLED_PACKAGES.map((name) => join(root, "node_modules", name, "package.json")),
    ...["package.json", "tools/bundle.js", "tools/bundled-packages.ts", "bin/program.js"].map((file) =>
      join(root, file),
    ),
  ];
  const hash = createHash("sha256");
  for (const name of readdirSync(making).sort()) hash.update(name).update(readFileSync(join(making, name)));
  const id = hash.digest("hex").slice(0, 16);
  // Packages are put there whole, with what says which version it is.
  const read = new Set(files.filter((file) => !file.includes("/node_modules/") || file.endsWith("/package.json")));
  const states = [...read].map((file) => [relative(root, file), stateOf(file)]);
  // Who was written to meanwhile may have been read before.
  if (states.every(([, state]) => Number(state.split(" ")[1]) < began)) {
    const program = join(programs, id);
    const isNew = !existsSync(program);
    writeWhole(join(isNew ? making : program, "sources.json"), JSON.stringify(Object.fromEntries(states)));
    if (isNew) renameSync(making, program);
    else utimesSync(program, new Date(), new Date());
    writeWhole(join(programs, "current.json"), JSON.stringify({ id }));
  }
} finally {
  rmSync(making, { recursive: true, force: true });
}
keepNewest(programs);
