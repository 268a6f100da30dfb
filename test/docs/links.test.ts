/**
 * Every link between the pages leads somewhere: to a file that is there, to a heading that is there, and, from pages that
 * are in the package, to something that is in the package, too.
 *
 * @module
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const read = (page: string): string => readFileSync(join(root, page), "utf8");
const pages = globSync(["*.md", "docs/**/*.md", "examples/**/*.md", "contrib/**/*.md"], { cwd: root }).toSorted();

interface Link {
  readonly page: string;
  readonly file: string;
  readonly anchor: string;
}

/** A page without what is shown as it is typed. */
const prose = (text: string): string => text.replace(/^```[^]*?^```$/gm, "").replace(/`[^`\n]*`/g, "code");

/** The links of a page to files and headings, not those to other sites. */
function linksOf(page: string): Link[] {
  const found = prose(read(page)).matchAll(/\]\(([^)\s]+)\)/g);
  const targets = [...found].map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
  return targets.map((target) => {
    const [path = "", anchor = ""] = target.split("#");
    return { page, file: path === "" ? page : normalize(join(dirname(page), path)), anchor };
  });
}

/** What GitHub makes of the headings of a page, so that they can be linked. */
function anchorsOf(page: string): Set<string> {
  const headings = read(page)
    .replace(/^```[^]*?^```$/gm, "")
    .matchAll(/^#+ (.+)$/gm);
  const seen = new Map<string, number>();
  return new Set(
    [...headings].map(([, heading]) => {
      const plain = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
      const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

const links = pages.flatMap(linksOf);
const tell = ({ page, file, anchor }: Link): string => `${page} -> ${file}${anchor && `#${anchor}`}`;

test("every link leads to a file or a folder that is there", () => {
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ file }) => !existsSync(join(root, file))).map(tell)).toEqual([]);
});

test("every anchor is a heading of its page", () => {
  const anchors = new Map(pages.map((page) => [page, anchorsOf(page)]));
  const lost = links.filter(({ file, anchor }) => anchor !== "" && !anchors.get(file)?.has(anchor));
  expect(lost.map(tell)).toEqual([]);
});

test("what is linked is in the package", () => {
  const { files } = JSON.parse(read("package.json")) as { files: string[] };
  const packed = (file: string): boolean => files.some((entry) => file === entry || file.startsWith(`${entry}/`));
  expect(links.filter(({ page, file }) => packed(page) && !packed(file)).map(tell)).toEqual([]);
});

test("every page can be reached from the README", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached) {
    for (const { file } of links.filter((link) => link.page === page)) {
      for (const next of [file, join(file, "README.md")]) if (pages.includes(next)) reached.add(next);
    }
  }
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});
