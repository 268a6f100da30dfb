// Runs the programs of the directory of `keelson envtest`: `envtest.js kube-apiserver --secure-port=...`.
import { openProgram } from "./program.js";

const { existsSync } = process.getBuiltinModule("node:fs");
const { fileURLToPath } = process.getBuiltinModule("node:url");

const [name, ...args] = process.argv.slice(2);
const program = process.env.NODE_DISABLE_COMPILE_CACHE
  ? undefined
  : openProgram(fileURLToPath(new URL("../", import.meta.url)));
const { main } = program ? program.open("envtest.js", name === "etcd" ? "etcd" : "envtest") : await modules();
await main(name, args);

function modules() {
  // The scripts of the directory set the folder of the compile cache; worker threads read the variable.
  const { NODE_COMPILE_CACHE } = process.env;
  if (NODE_COMPILE_CACHE) process.getBuiltinModule("node:module").enableCompileCache(NODE_COMPILE_CACHE);
  const source = new URL("../src/app/envtest/program.ts", import.meta.url);
  const built = new URL("../dist/app/envtest/program.js", import.meta.url);
  return import((existsSync(source) ? source : built).href);
}
