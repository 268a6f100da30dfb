/**
 * The kit for tests of the console: Chromium, a server, the network between them.
 *
 *     describeInBrowser("the list", () => {
 *       beforeTries(async () => (server = await startServer()));
 *       beforeAll(async () => { browser = await openBrowser(); });
 *       test("shows what there is", async () => {
 *         const { page, problems } = await browser.newPage();
 *         await signIn(page, server, { to: "/console/list/core/v1/configmaps" });
 *         ...
 *
 * @module
 */
export * from "./chromium.ts";
export * from "./cpu.ts";
export * from "./server.ts";
export * from "./tasks.ts";
export * from "./stories.ts";
export { beforeTries } from "../../tries.ts";
export { Proxy } from "../../etcd/proxy.ts";
