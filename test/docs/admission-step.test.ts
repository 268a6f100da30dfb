/**
 * The passage of CONTRIBUTING.md about a new step of admission, followed to the letter in a copy of the sources: its file is
 * written and its line is put into the list, and nothing else is changed.
 *
 * @module
 */
import { basename } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CopiedSources, blocksOf, passageOf } from "./copied-sources.ts";

const [step, line] = blocksOf(passageOf("CONTRIBUTING.md", "Adding a step of admission"));

/** Serves the step of the copy, and prints how a ConfigMap of each greeting is answered. */
const PROGRAM = `
import { ConfigMap } from "./src/client/kinds/index.ts";
import { createCluster } from "./src/testing/index.ts";

await using cluster = await createCluster();
const maps = cluster.client().resource(ConfigMap);
const answers = [];
for (const greeting of ["", "hello"]) {
  const map = { metadata: { namespace: "default", name: "a" }, data: { greeting } };
  answers.push(await maps.create(map).then(({ data }) => data.greeting, ({ message }) => message));
}
process.stdout.write(JSON.stringify(answers));
`;

const copy = new CopiedSources();
afterAll(() => copy.remove());

test("a new step of admission is one file and one line, and refuses what it should", async () => {
  const name = line!.text.trim().replace(",", "");
  copy.write(step!.file, step!.text);
  copy.insert(
    line!.file,
    line!.text,
    "    escalation(parts),\n",
    `import { ${name} } from "./${basename(step!.file)}";\n`,
  );
  const refusal = 'configmaps "a" is forbidden: expected data.greeting to greet somebody, got nothing';
  expect(await copy.run(PROGRAM)).toEqual([expect.stringContaining(refusal), "hello"]);
});
