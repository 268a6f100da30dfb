/**
 * The passage of CONTRIBUTING.md about a new kind, followed to the letter in a copy of the sources: its file is written, its
 * line is put into the list, and nothing else is changed.
 *
 * @module
 */
import { afterAll, expect, test } from "vitest";
import { CopiedSources, blocksOf, passageOf } from "./copied-sources.ts";

const [kind, line] = blocksOf(passageOf("CONTRIBUTING.md", "Adding a kind"));

/** Serves the kind of the copy, and prints the results of a good object with an unknown field, and of a wrong one. */
const PROGRAM = `
import { createCluster } from "./src/testing/index.ts";

await using cluster = await createCluster();
const Greeting = { group: "greetings.example", version: "v1", kind: "Greeting", plural: "greetings", scope: "Namespaced" };
const greetings = cluster.client().resource(Greeting);
const named = (name, spec) => ({ metadata: { namespace: "default", name }, spec });
const made = await greetings.create(named("a", { text: "hello", tone: "unknown" }));
const wrong = await greetings.create(named("b", { text: "" })).catch(({ message }) => message);
process.stdout.write(JSON.stringify({ spec: made.spec, owned: made.metadata.managedFields[0].fieldsV1, wrong }));
`;

const copy = new CopiedSources();
afterAll(() => copy.remove());

test("a new kind is one file and one line, and is served", async () => {
  copy.write(kind!.file, kind!.text);
  const imported = `import { greetingsGroup } from "./${kind!.file.replace("src/kinds/", "")}";\n`;
  copy.insert(line!.file, line!.text, "  schedulingGroup,\n", imported);
  expect(await copy.run(PROGRAM)).toEqual({
    spec: { text: "hello", times: 1 },
    owned: { "f:spec": { "f:text": {}, "f:times": {} } },
    wrong: expect.stringContaining("spec.text: Required value"),
  });
});
