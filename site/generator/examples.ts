/**
 * What can be typed on a page: its files, and its commands with what they print.
 *
 * @module
 */

/** A fenced block of a page. */
export interface Fence {
  readonly language: string;
  readonly text: string;
}

/** A file that a page shows: its first line is a comment with its name. */
export interface ExampleFile {
  readonly file: string;
  readonly text: string;
}

/** A command of a page. */
export interface ExampleCommand {
  readonly command: string;
  /** What the page says that it prints; undefined where it says nothing. */
  readonly says: string | undefined;
}

const NAMED = /^(?:\/\/|#) ([\w./-]+\.\w+)\n/;

/** The file that a block is; undefined for other blocks. */
export function fileOf({ language, text }: Fence): ExampleFile | undefined {
  const name = language === "console" ? undefined : NAMED.exec(text)?.[1];
  return name === undefined ? undefined : { file: name, text };
}

/** The commands of a block: lines after `$` with their output, or the lines of a script. */
export function commandsOf({ language, text }: Fence): readonly ExampleCommand[] {
  if (language === "console") {
    return text
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf("\n");
        return { command: part.slice(0, end), says: part.slice(end + 1) };
      });
  }
  if (language !== "sh") return [];
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines.filter((line) => /^\w/.test(line)).map((command) => ({ command, says: undefined }));
}

/** Programs of the terminal of a page. */
const PROGRAMS = new Set(["kubectl", "keelson", "sed", "cat", "echo", "grep", "head", "tail", "sort", "wc"]);
/** Commands of keelson that need a disk, a port, or other processes. */
const ELSEWHERE = new Set([
  "audit",
  "backup",
  "certs",
  "check",
  "completion",
  "csi",
  "driver",
  "envtest",
  "explore",
  "info",
  "kubeconfig",
  "mount",
  "node",
  "policy",
  "rebind",
  "repair",
  "resolve",
  "restore",
  "run",
  "serve",
  "types",
  "user",
  "cel",
]);
/** Commands of kubectl that the small one does not have. */
const NOT_HERE = new Set([
  "attach",
  "certificate",
  "config",
  "cp",
  "debug",
  "drain",
  "edit",
  "exec",
  "kustomize",
  "port-forward",
  "proxy",
]);

/** Whether a command runs in the terminal of a page. */
export function runsInPage(command: string): boolean {
  if (/[`(]|&\s*$|<\(/.test(command.replace(/'[^']*'|"[^"]*"/g, ""))) return false;
  return command.split(/&&|\|\||;|\|/).every((part) => {
    const [program = "", first = ""] = part.trim().split(/\s+/);
    if (!PROGRAMS.has(program)) return false;
    if (program === "keelson") return !ELSEWHERE.has(first);
    return (
      program !== "kubectl" ||
      (!NOT_HERE.has(first) && !/--as[= ]|--kubeconfig[= ]|--server[= ]|--token[= ]/.test(part))
    );
  });
}
