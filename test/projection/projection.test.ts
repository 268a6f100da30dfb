import { expect, test } from "vitest";
import { readCases } from "./cases.ts";
import { mayOwn, needsOwners, play } from "./player.ts";

const cases = readCases(new URL("../conformance/projection.json", import.meta.url).pathname);

const RULES = "PROJ-35, PROJ-36, PROJ-37, PROJ-38, PROJ-39, PROJ-40, PROJ-41, PROJ-42, PROJ-43, PROJ-44, PROJ-45";
const MORE = "PROJ-46, PROJ-47, PROJ-48, PROJ-49, PROJ-51, PROJ-52, PROJ-53, VOL-8, VOL-9, VOL-13, CM-2, SEC-2";

test(`${RULES}, ${MORE}: volumes are written as recorded`, { timeout: 60_000 }, async () => {
  const wrong: string[] = [];
  for (const one of cases) for (const line of await play(one)) wrong.push(`${one.name}: ${line}`);
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThanOrEqual(120);
});

test.runIf(mayOwn)("PROJ-39: modes do not depend on the umask", { timeout: 60_000 }, async () => {
  const before = process.umask(0o077);
  try {
    for (const one of cases.filter(needsOwners)) expect(await play(one)).toEqual([]);
    for (const one of cases.filter(({ name }) => /mode|folder/.test(name))) expect(await play(one)).toEqual([]);
  } finally {
    process.umask(before);
  }
});
