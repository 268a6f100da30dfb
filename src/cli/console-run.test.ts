import { expect, test } from "vitest";
import { linkOf } from "./console-run.ts";

const SERVER = "https://a.example:6443";
const answer = (url: unknown): string => JSON.stringify({ url });

test("the link of a server is one that opens a page, and has no character that a terminal obeys", () => {
  const link = `${SERVER}/console/login?code=a-_B`;
  expect(linkOf(answer(link), SERVER)).toBe(link);
  const shown = linkOf(answer(`${SERVER}/console/login?code=\u001b[2J\u202e"$(id)`), SERVER);
  expect(shown).toBe(`${SERVER}/console/login?code=%1B[2J%E2%80%AE%22$(id)`);
});

test.each([
  ["a file", answer("file:///console/login")],
  ["a program", answer("javascript:/console/login")],
  ["an option", answer("--help")],
  ["another page", answer("https://evil.example/")],
  ["a path only", answer("/console/login?code=a")],
  ["a link that is too long", answer(`${SERVER}/console/login?code=${"a".repeat(3000)}`)],
  ["a number", answer(5)],
  ["null", "null"],
  ["no JSON", "<html>"],
  ["nothing", ""],
])("%s is no link", (_, text) => {
  expect(() => linkOf(text, SERVER)).toThrow(`expected a link to the console from ${SERVER}, got another response`);
});
