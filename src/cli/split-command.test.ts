import { expect, test } from "vitest";
import { splitCommand } from "./split-command.ts";

test.each([
  ["./manager --kubeconfig {}", ["./manager", "--kubeconfig", "{}"]],
  [`  a  'b c'\t"d \\" e"\n'f\\'g\\ h `, ["a", "b c", 'd " e', "f\\g h"]],
  [`a "" 'x'"y"z`, ["a", "", "xyz"]],
  ["a\\", ["a\\"]],
  ["", undefined],
  ["   ", undefined],
  ["a 'b", undefined],
])("%j is split", (line, words) => {
  expect(splitCommand(line)).toEqual(words);
});
