// The programs of the directory that `keelson envtest` makes: `envtest.js kube-apiserver --secure-port=...`.
import { existsSync } from "node:fs";
import module from "node:module";

// Compiled code is kept between starts, where the directory says; worker threads are told by the variable.
if (process.env.NODE_COMPILE_CACHE) module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
const source = new URL("../src/app/envtest/program.ts", import.meta.url);
const built = new URL("../dist/app/envtest/program.js", import.meta.url);
const { main } = await import((existsSync(source) ? source : built).href);
const [name, ...args] = process.argv.slice(2);
await main(name, args);
