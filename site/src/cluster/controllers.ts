/** The controllers and the nodes of a cluster in a page, which are loaded while it responds to its first requests. */
export { builtInControllers, chooseControllers } from "../../../src/controllers/index.ts";
export { createSimulation } from "../../../src/simulation/index.ts";
