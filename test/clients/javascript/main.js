// Plays one part with @kubernetes/client-node against the server of KUBECONFIG, and prints what came of it.
import { KubeConfig } from "@kubernetes/client-node";
import { failed } from "./checks.js";

const parts = {
  core: "./core.js",
  storage: "./storage.js",
  patches: "./patches.js",
  objects: "./objects.js",
  watches: "./watches.js",
  informers: "./informers.js",
  expired: "./expired.js",
  errors: "./errors.js",
};

const file = parts[process.argv[2]];
if (file === undefined) {
  console.error(`there is no part ${process.argv[2]}`);
  process.exit(2);
}
const config = new KubeConfig();
config.loadFromDefault();
const { play } = await import(file);
await play(config);
process.exit(failed ? 1 : 0);
