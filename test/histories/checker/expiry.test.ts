import { expect, test } from "vitest";
import type { History } from "../history.ts";
import { check } from "./check.ts";

const BEGINNING = 2;

/** A watch from a revision that is told at 6 s that it is too old, after a first change that was made after 4 s. */
function told(from: number): readonly string[] {
  const key = "configmaps/default/a";
  const object = { key, revision: 3, uid: "u", id: "c.0", colour: "red" };
  const history: History = {
    beginnings: [{ scope: "configmaps/", revision: BEGINNING, objects: [] }],
    operations: [
      {
        client: "c",
        server: 0,
        call: 4000,
        return: 4010,
        request: { verb: "create", key, id: "c.0", colour: "red" },
        outcome: { is: "object", status: 201, object },
      },
    ],
    streams: [
      {
        client: "w",
        server: 0,
        scope: "configmaps/",
        from,
        call: 5990,
        frames: [{ type: "ERROR", code: 410, at: 6000 }],
        end: "ended",
      },
    ],
    keptMillis: 3000,
  };
  return check(history).violations.map(({ property }) => property);
}

test("an expiry that is reported too early is found", () => {
  expect(told(BEGINNING)).toEqual(["kept"]);
});

test("what was changed before the beginning may have been old", () => {
  expect(told(BEGINNING - 1)).toEqual([]);
});
