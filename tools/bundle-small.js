// Makes one file of each small program: `node tools/bundle-small.js DIST`, the last step of a build.
//
// A module takes some kilobytes beside its text: a record of it, of each of its names, of where it is. `keelson node`, `keelson csi`
// and `keelson driver` are hundreds of modules, and are to be small. What they share with each other is in files of its own.
//
// A module of Node's own, once it is imported, evaluates all that it has, and loads what is behind that: the whole of WebCrypto,
// worker threads, a line editor. Here only what is used of it is asked for. Packages stay outside, but for the one that reads
// command lines, which imports `node:process` so.
import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const dist = resolve(process.argv[2]);
const inside = "commander";
const packages = fileURLToPath(new URL("../node_modules", import.meta.url));

/** What is asked for name by name. */
const LARGE = ["node:crypto", "node:process", "node:util"];
const MARK = "\0asked:";

const askedByName = {
  name: "asked-by-name",
  enforce: "pre",
  resolveId: (id) => (LARGE.includes(id) ? MARK + id : undefined),
  load(id) {
    if (!id.startsWith(MARK)) return undefined;
    const module = id.slice(MARK.length);
    const names = Object.keys(process.getBuiltinModule(module)).filter((name) => /^[a-zA-Z]\w*$/.test(name));
    const code = [
      `const all = process.getBuiltinModule(${JSON.stringify(module)});`,
      "export default all;",
      ...names.map((name, at) => `const member${at} = all.${name}; export { member${at} as ${name} };`),
    ];
    return { code: code.join("\n"), moduleSideEffects: false };
  },
};

await build({
  configFile: false,
  publicDir: false,
  logLevel: "warn",
  plugins: [askedByName],
  resolve: { alias: { [inside]: join(packages, inside, "index.js") } },
  build: {
    ssr: join(dist, "app/program/small-main.js"),
    outDir: join(dist, "small"),
    emptyOutDir: true,
    minify: false,
    target: "esnext",
    rolldownOptions: {
      // Whether a name is there is all that is asked of it.
      treeshake: { propertyReadSideEffects: false },
      external: (id) => /^[^./\0]/.test(id) && id !== inside && !LARGE.includes(id),
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        // Neither comments nor indentation; names stay as they are, for whoever reads a stack.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      },
    },
  },
});
cpSync(join(packages, inside, "LICENSE"), join(dist, "small", `LICENSE.${inside}`));
