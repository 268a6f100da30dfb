import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** Builds the console into the package; the server serves the files below `/console/`. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    alias: {
      // What src/ imports of Node, and what is not needed of it here.
      "node:async_hooks": fileURLToPath(new URL("src/shims/async-hooks.ts", import.meta.url)),
      "node:buffer": fileURLToPath(new URL("src/shims/buffer.ts", import.meta.url)),
    },
  },
  worker: { format: "es" },
  build: {
    outDir: fileURLToPath(new URL("../dist/page", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    // Nothing inline: the content security policy of the server permits only files of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
