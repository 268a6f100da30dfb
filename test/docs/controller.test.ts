/**
 * The example of the page about a new controller, followed to the letter in a copy of the sources: its file is written, its
 * lines are put into the two lists, and nothing else is changed.
 *
 * @module
 */
import { afterAll, expect, test } from "vitest";
import { CopiedSources, blocksOf, passageOf } from "./copied-sources.ts";

const [controller, listed, named] = blocksOf(passageOf("docs/contributing/controllers.md", "An example"));

/** Runs all controllers of the copy, and prints the object that the new one makes and the names that an option takes. */
const PROGRAM = `
import { ConfigMap, Namespace } from "./src/client/kinds/index.ts";
import { CONTROLLERS } from "./src/controllers/names.ts";
import { createCluster } from "./src/testing/index.ts";

await using cluster = await createCluster({ controllers: "all" });
const client = cluster.client();
await client.resource(Namespace).create({ metadata: { name: "team" } });
await cluster.settled();
const { data } = await client.resource(ConfigMap).get({ namespace: "team", name: "greeting" });
process.stdout.write(JSON.stringify({ data, about: CONTROLLERS.greeting }));
`;

const copy = new CopiedSources();
afterAll(() => copy.remove());

test("a new controller is one file and a line in two lists, and does its work", async () => {
  copy.write(controller!.file, controller!.text);
  const imported = `import { greeting } from "./${controller!.file.replace("src/controllers/", "")}";\n`;
  copy.insert(listed!.file, listed!.text, "    garbageCollector,\n", imported);
  copy.insert(named!.file, named!.text, '  "leader-election":');
  expect(await copy.run(PROGRAM)).toEqual({ data: { text: "Hello, team!" }, about: "Greets each namespace." });
});
