/** The table of the guide has every actor whose Events are read, with the reasons that are looked for. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACTORS, type Actor } from "../../src/why/actors.ts";

const guide = readFileSync(new URL("../../docs/guides/why.md", import.meta.url), "utf8");
const rows = guide
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const code = (reasons: readonly string[]): string => reasons.map((reason) => `\`${reason}\``).join(", ");

test.each<[string, Actor]>(Object.entries(ACTORS))(
  "%s stands in the guide",
  (_, { name, about, failed, succeeded }) => {
    expect(rows.find(([actor]) => actor === name)).toEqual([name, `\`${about}\``, code(failed), code(succeeded)]);
  },
);
