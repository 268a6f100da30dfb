import { expect, test } from "vitest";
import { digestOf } from "./opaque-tokens.ts";
import { readTokens } from "./token-file.ts";

test("AUTHN-19: each line has a token, a user, a uid and perhaps groups", () => {
  const users = readTokens('t1,pat,7,"team-a, team-b"\n\n t2 , kim , , ops\r\nt3,"Doe, ""Jo""",9\n', "tokens.csv");
  expect(users.size).toBe(3);
  expect(users.get(digestOf("t1"))).toEqual({ user: "pat", uid: "7", groups: ["team-a", "team-b"] });
  expect(users.get(digestOf("t2"))).toEqual({ user: "kim", uid: "", groups: ["ops"] });
  expect(users.get(digestOf("t3"))).toEqual({ user: 'Doe, "Jo"', uid: "9", groups: [] });
});

test.each(["t1", "t1,pat", ",pat,7", "t1,,7"])("the line %j is refused", (line) => {
  expect(() => readTokens(`a,b,c\n${line}\n`, "tokens.csv")).toThrow(
    "expected line 2 of tokens.csv to have a token, a user and a uid with commas between them",
  );
});
