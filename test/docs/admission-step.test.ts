/**
 * The passage of CONTRIBUTING.md about a new step of admission, followed to the letter in a copy of the sources: its file is
 * written and its line is put into the list, and nothing else is changed.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const passage = /^## Adding a step of admission\n([^]*?)^## /m.exec(contributing)![1]!;
const [step, line] = [...passage.matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm)].map(([, file = "", text = ""]) => ({
  file,
  text,
}));

/** Serves the step of the copy, and says what a ConfigMap of each greeting is answered. */
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

const copy = mkdtempSync(join(tmpdir(), "keelson-step-"));
afterAll(() => rmSync(copy, { recursive: true }));

beforeAll(() => {
  for (const path of ["src", "package.json"]) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(copy, step!.file), step!.text);
  const list = readFileSync(join(copy, line!.file), "utf8");
  const name = line!.text.trim().replace(",", "");
  const place = "    escalation(parts),\n";
  if (!list.includes(place)) throw new Error(`expected ${line!.file} to have the line ${place}`);
  const imported = `import { ${name} } from "./${basename(step!.file)}";\n`;
  writeFileSync(
    join(copy, line!.file),
    list.replace(/^import /m, `${imported}import `).replace(place, `${line!.text}${place}`),
  );
  writeFileSync(join(copy, "program.ts"), PROGRAM);
});

test("a new step of admission is one file and one line, and refuses what it should", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(copy, "program.ts")], { env: { PATH: "" } });
  const refusal = 'configmaps "a" is forbidden: expected data.greeting to greet somebody, got nothing';
  expect(JSON.parse(stdout)).toEqual([expect.stringContaining(refusal), "hello"]);
});
