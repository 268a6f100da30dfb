/**
 * What pages say of the program holds: messages that they quote are in its sources, kinds that they say are missing are not
 * served, and what there is of a kind is listed and not counted.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serve } from "../rules/api.ts";

const root = new URL("../../", import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const guides = globSync(["README.md", "docs/*.md", "docs/guides/*.md", "docs/reference/limits.md"], {
  cwd: root,
}).toSorted();
const kube = serve({ dialect: "kubernetes" });

/** Texts between backticks of one line. */
const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);

test("messages of the program that pages quote are in its sources", () => {
  const sources = globSync(["src/**/*.ts", "bin/*.js"], { cwd: root })
    .filter((path) => !path.endsWith(".test.ts"))
    .map(read)
    .join("\n");
  const said = guides.flatMap((page) =>
    quoted(read(page))
      .filter((code) => /^(?:[A-Z]\S*: .*)?expected \S/.test(code))
      .map((code) => ({ page, code })),
  );
  expect(said.length).toBeGreaterThan(3);
  const unknown = said.filter(({ code }) =>
    code.split(/\.\.\.|\[|\]/).some((part) => part.trim().length > 8 && !sources.includes(part.trim().split(/\d/)[0]!)),
  );
  expect(unknown).toEqual([]);
});

interface Resources {
  readonly resources: readonly { readonly kind: string; readonly name: string }[];
}
interface Groups {
  readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
}

test("kinds of which pages say that they are not here are not served", async () => {
  const { groups } = (await kube.get("/apis")).body as unknown as Groups;
  const paths = ["/api/v1", ...groups.flatMap(({ versions }) => versions.map((one) => `/apis/${one.groupVersion}`))];
  const lists = await Promise.all(paths.map(async (path) => (await kube.get(path)).body as unknown as Resources));
  const served = new Set(lists.flatMap(({ resources }) => resources.flatMap(({ kind, name }) => [kind, name])));
  expect(served.has("ClusterRole")).toBe(true);
  const lines = guides.flatMap((page) =>
    read(page)
      .split(/\n(?=- |\||\n)/)
      .filter((line) => line.includes("[not here]"))
      .map((line) => ({ page, line })),
  );
  const wrong = lines.filter(({ line }) =>
    [...line.matchAll(/(?:kind|type) "([A-Za-z]+)"/g)].some(([, name]) => served.has(name!)),
  );
  expect([lines.length > 0, wrong]).toEqual([true, []]);
});

test("built-in controllers and plugins are not counted in texts that are not updated", () => {
  const numbers =
    /\b(?:two|three|four|five|six|seven|eight|nine|ten|\d+) (?:small |built-in )*(?:controllers|plugins)\b/i;
  const counted = guides.flatMap((page) =>
    read(page)
      .split("\n")
      .filter((line) => numbers.test(line))
      .map((line) => `${page}: ${line}`),
  );
  expect(counted).toEqual([]);
});
