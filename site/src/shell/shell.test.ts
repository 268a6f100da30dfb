import { describe, expect, test } from "vitest";
import { MAX_SCRIPT, ShellError, UnfinishedError, parseScript } from "./parse.ts";
import { SMALL_PROGRAMS } from "./programs.ts";
import { type Files, Shell } from "./shell.ts";

/** A shell with files, and what a text prints in it. */
function newShell(files: Record<string, string> = {}): {
  readonly files: Map<string, string>;
  run(text: string): Promise<string>;
} {
  const kept = new Map(Object.entries(files));
  const own: Files = {
    read: (path) => kept.get(path),
    write: (path, text) => void kept.set(path, text),
    remove: (path) => kept.delete(path),
    list: () => [...kept.keys()].map((name) => `/${name}`).toSorted(),
  };
  const shell = new Shell(own, SMALL_PROGRAMS);
  return {
    files: kept,
    async run(text) {
      let printed = "";
      const code = await shell.run(text, (part) => (printed += part), new AbortController().signal);
      return `${printed}[${code}]`;
    },
  };
}

describe("what is typed", () => {
  test.each([
    ["echo a  b 'c  d' \"e f\"", "a b c  d e f\n[0]"],
    ["echo 'it''s' \"a\\\"b\" a\\ b", 'its a"b a b\n[0]'],
    ["COLOUR=red; echo $COLOUR ${COLOUR}dish '$COLOUR'", "red reddish $COLOUR\n[0]"],
    ["export A=1 B=2; echo $A$B$NONE.", "12.\n[0]"],
    ["echo a # a comment\necho b#c", "a\nb#c\n[0]"],
    ["false && echo a || echo b; true && echo c", "b\nc\n[0]"],
    ["false; echo $?", "1\n[0]"],
    ["echo red | sed s/red/blue/", "blue\n[0]"],
    ["echo a-a | sed 's/a/&&/g'", "aa-aa\n[0]"],
    ["echo /a/b | sed 's#/a#/c#'", "/c/b\n[0]"],
    ["cat <<EOF | grep b\na\nb $HOME\nEOF", "b /home\n[0]"],
    ["cat <<'EOF'\n$HOME\nEOF", "$HOME\n[0]"],
    ["echo a > f; echo b >> f; cat f; cat < f | wc -l", "a\nb\n2\n[0]"],
    ["cat missing 2> /dev/null || echo none", "none\n[0]"],
    ["cat missing 2>&1 | head -1", "cat: missing: No such file or directory\n[0]"],
    ["echo one \\\n  two", "one two\n[0]"],
    ["printf x", "sh: printf: not found; type help for what is here\n[127]"],
    ["", "[0]"],
  ])("%s", async (text, printed) => {
    expect(await newShell().run(text)).toBe(printed);
  });

  test("what a shell has beside that is named", async () => {
    for (const [text, what] of [
      ["for a in b; do echo $a; done", "this terminal has no for"],
      ["echo $(date)", "runs no commands in words"],
      ["sleep 1 &", "runs nothing in the background"],
      ["(echo a)", "has no ( )"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await newShell().run(text)).toContain(what);
    }
  });

  test("an open quote and a text without its end ask for more", () => {
    expect(() => parseScript("echo 'a")).toThrow(UnfinishedError);
    expect(() => parseScript('echo "a')).toThrow(UnfinishedError);
    expect(() => parseScript("cat <<EOF\na")).toThrow(UnfinishedError);
    expect(() => parseScript("echo |")).toThrow("expected a command, found");
  });

  test("files are there for the next command", async () => {
    const shell = newShell({ "web.yaml": "colour: red\n" });
    expect(await shell.run("sed s/red/blue/ web.yaml > blue.yaml; ls; rm web.yaml; cat web.yaml")).toBe(
      "blue.yaml\nweb.yaml\ncat: web.yaml: No such file or directory\n[1]",
    );
    expect(shell.files.get("blue.yaml")).toBe("colour: blue\n");
  });
});

describe("bounds", () => {
  test("a text that is too long is refused", () => {
    expect(() => parseScript("a".repeat(MAX_SCRIPT + 1))).toThrow(ShellError);
  });

  test("a value that doubles ends at its bound", async () => {
    const double = "A=$A$A;".repeat(30);
    expect(await newShell().run(`A=0123456789abcdef;${double} echo end`)).toContain("expected a value of at most");
  });

  test("parsing takes time that grows with the text alone", () => {
    for (const part of ["'a' ", "\\", "$A", "a;", "<<E ", '"$', "a|", "\n"]) {
      const started = performance.now();
      const parsed = (): unknown => {
        try {
          return parseScript(part.repeat(Math.floor(MAX_SCRIPT / part.length)));
        } catch (error) {
          if (error instanceof ShellError) return error.message;
          throw error;
        }
      };
      expect(parsed()).toBeDefined();
      expect(performance.now() - started).toBeLessThan(2000);
    }
  });

  test("an expression that would run for ever elsewhere ends", async () => {
    const text = `${"a".repeat(5000)}!`;
    expect(await newShell({ long: text }).run("sed 's/(a+)+$/x/' long | wc -c")).toMatch(/\[0\]$/);
  });
});
