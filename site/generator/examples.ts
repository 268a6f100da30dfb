/**
 * What can be typed on a page: its files, its commands with what they print, and which of them the terminal of a page can run.
 *
 * What a command lacks in a page follows from the command: a program, a flag or a subcommand that is not there. A page names no
 * exceptions.
 *
 * @module
 */

/** A fenced block of a page. */
export interface Fence {
  readonly language: string;
  readonly text: string;
  /** The commands of the comment `<!-- setup ... -->` before the block; undefined where there is none. */
  readonly setup?: string | undefined;
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

/** What a command needs that a page does not have. */
export type Lack =
  | "background"
  | "cluster"
  | "flow control"
  | "keyboard"
  | "kubectl"
  | "machine"
  | "port"
  | "program"
  | "server"
  | "shell"
  | "user"
  | "version";

/** What a command lacks, and the word of it that needs it. */
export interface Missing {
  readonly lack: Lack;
  readonly what: string;
}

/** A fenced block, and what the terminal of a page does with it. */
export interface Example {
  readonly fence: Fence;
  /** What the terminal runs before the first run of the block. */
  readonly setup: readonly string[];
  /** The commands that the terminal runs. */
  readonly commands: readonly ExampleCommand[];
  /** The commands that it does not run. */
  readonly left: readonly (Missing & { readonly command: string })[];
}

const SAYS: Readonly<Record<Lack, (what: string) => string>> = {
  background: () => "it starts programs in the background",
  cluster: (what) => `\`${what}\` names a cluster, and the terminal has one of its own`,
  "flow control": (what) => `the server of this page has no flow control, so no \`${what}\``,
  keyboard: (what) => `\`${what}\` asks questions`,
  kubectl: (what) => `the kubectl of this page has no \`${what}\``,
  machine: (what) => `\`${what}\` is about a machine: its disk, its programs`,
  port: (what) => `\`${what}\` listens on a port; the terminal has a cluster of its own`,
  program: (what) => `the terminal has no \`${what}\``,
  server: (what) => `it needs what \`${what}\` has started`,
  shell: (what) => `the shell of this page has no \`${what}\``,
  user: (what) => `the terminal has one user, and no \`${what}\``,
  version: (what) => `\`${what}\` is a version of another server; \`keelson history\` prints those of this one`,
};

/** Says in half a sentence what a command lacks. */
export const sayMissing = ({ lack, what }: Missing): string => SAYS[lack](what);

const NAMED = /^(?:\/\/|#) ([\w./-]+\.\w+)\n/;

/** The file that a block is; undefined for other blocks. */
export function fileOf({ language, text }: Fence): ExampleFile | undefined {
  const name = language === "console" ? undefined : NAMED.exec(text)?.[1];
  return name === undefined ? undefined : { file: name, text };
}

const SETUP = /^<!-- setup\n([^]*?)^-->\n/gm;

/** A page without the comments that prepare its examples. */
export const withoutSetups = (markdown: string): string => markdown.replace(SETUP, "");

/** The fenced blocks of a page in their order, each with the setup before it. */
export function fencesOf(markdown: string): readonly Fence[] {
  const parts = /^<!-- setup\n([^]*?)^-->\n|^```([^\n]*)\n([^]*?)^```$/gm;
  const found: Fence[] = [];
  let setup: string | undefined;
  for (const [, commands, info, text = ""] of markdown.matchAll(parts)) {
    if (info === undefined) setup = commands;
    else {
      found.push({ language: info.trim().split(/\s/)[0] ?? "", text, setup });
      setup = undefined;
    }
  }
  return found;
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
  return language === "sh" ? linesOf(text).map((command) => ({ command, says: undefined })) : [];
}

/** The commands of a script, each with its lines after a backslash, and with its text after `<<`. */
function linesOf(script: string): readonly string[] {
  const found: string[] = [];
  let end: string | undefined;
  for (const line of script.replace(/ *\\\n\s*/g, " ").split("\n")) {
    if (end !== undefined) {
      found.push(`${found.pop()}\n${line}`);
      if (line === end) end = undefined;
    } else if (/^[^\s#]/.test(line)) {
      found.push(line);
      end = /<<-?\s*['"]?(\w+)/.exec(line)?.[1];
    }
  }
  return found;
}

/** Programs of the terminal of a page. */
const PROGRAMS = new Set([
  "cat",
  "echo",
  "grep",
  "head",
  "keelson",
  "kubectl",
  "ls",
  "mkdir",
  "rm",
  "sed",
  "sleep",
  "sort",
  "tail",
  "wc",
]);
/** What a shell has and that of a page has not. */
const SHELL_WORDS = new Set(["case", "eval", "exec", "exit", "for", "if", "until", "while"]);
/** Commands of keelson that the terminal of a page does not run, by what they need. */
const ELSEWHERE: ReadonlyMap<string, Lack> = new Map([
  ...["audit", "backup", "certs", "check", "completion", "csi", "doctor", "driver", "envtest", "explore", "info"].map(
    (name) => [name, "machine"] as const,
  ),
  ...[
    "kubeconfig",
    "mount",
    "node",
    "policy test",
    "rebind",
    "repair",
    "restore",
    "run",
    "types",
    "upgrade",
    "user",
  ].map((name) => [name, "machine"] as const),
  ["console", "port"],
  ["serve", "port"],
  ["resolve", "keyboard"],
]);
/** Options of `keelson serve` that the cluster of a page stands for. */
const SERVED_HERE = /^--(?:data-dir|dev|dialect|insecure-http|kubeconfig-out|nodes|port)(?:=|$)/;
/** Commands of keelson whose server or driver the commands after them need. */
const STARTERS = new Set(["csi", "driver", "envtest", "explore", "node", "run"]);
/** Commands of kubectl that the small one does not have. */
const NOT_HERE = new Set(["attach", "certificate", "cp", "debug", "kustomize", "port-forward", "proxy"]);

const withoutTexts = (command: string): string =>
  command.replace(/(<<-?\s*['"]?\w+['"]?[^\n]*)\n[^]*$/, "$1").replace(/'[^']*'|"[^"]*"/g, "''");

/** The programs of a command, each with its words. */
const programsOf = (command: string): readonly (readonly string[])[] =>
  withoutTexts(command)
    .split(/&&|\|\||;|\||\n/)
    .map((part) =>
      part
        .trim()
        .replace(/^(?:[A-Za-z_]\w*=\S* +)+/, "")
        .split(/\s+/),
    )
    .map(([first, ...rest]) => (first === "npx" && rest[0] === "keelson" ? rest : [first ?? "", ...rest]));

/** What a command lacks in the terminal of a page; undefined where it runs. */
export function missingFor(command: string): Missing | undefined {
  const text = withoutTexts(command);
  for (const [program = "", first = "", second = ""] of programsOf(command)) {
    if (SHELL_WORDS.has(program)) return { lack: "shell", what: program };
    if (program === "export") return { lack: "machine", what: "export" };
    if (!PROGRAMS.has(program)) return { lack: "program", what: program.replace("''", "$NAME") };
    if (program === "keelson") {
      const name = first === "policy" && second === "test" ? "policy test" : first;
      const lack = ELSEWHERE.get(name);
      if (lack) return { lack, what: `keelson ${name}` };
    }
    if (program !== "kubectl") continue;
    if (NOT_HERE.has(first)) return { lack: "kubectl", what: `kubectl ${first}` };
    if (first === "version") return { lack: "machine", what: "kubectl version" };
    if (first === "create" && second === "token") return { lack: "kubectl", what: "kubectl create token" };
  }
  if (/&\s*$/.test(text)) return { lack: "background", what: "&" };
  const substitution = /`|\$\(|<\(/.exec(text)?.[0];
  if (substitution !== undefined) return { lack: "shell", what: `${substitution})` };
  const flow = /\b(?:flowschemas|prioritylevelconfigurations|api_priority_and_fairness|x-kubernetes-pf)\b/i.exec(
    text,
  )?.[0];
  if (flow !== undefined) return { lack: "flow control", what: flow };
  const version = /^keelson (?:diff|history|undelete|blame) .*(@\d+)/.exec(text)?.[1];
  if (version !== undefined) return { lack: "version", what: version };
  const flag = /--(?:context|kubeconfig|server|token)(?=[= ])/.exec(text)?.[0];
  if (flag !== undefined) return { lack: "cluster", what: flag };
  const user = /^kubectl (?!auth can-i).*(--as(?:-group)?)[= ]/.exec(text)?.[1];
  return user === undefined ? undefined : { lack: "user", what: user };
}

/** What has started the server or the driver that the commands after it need; "here" for a server as that of a page. */
function startedBy(command: string): string | undefined {
  for (const [program, first = "", ...rest] of programsOf(command)) {
    if (program === "exit") return "here";
    if (program !== "keelson") continue;
    if (STARTERS.has(first)) return `keelson ${first}`;
    if (first !== "serve") continue;
    const option = rest.find((word) => word.startsWith("--") && !SERVED_HERE.test(word));
    return option === undefined ? "here" : `keelson serve ${option}`;
  }
  return undefined;
}

/** The fenced blocks of a page, with what its terminal runs of them. */
export function examplesOf(markdown: string): readonly Example[] {
  let started = "here";
  return fencesOf(markdown).map((fence) => {
    const commands: ExampleCommand[] = [];
    const left: Example["left"][number][] = [];
    // What a file of the page says is no command, but a script that other programs run.
    for (const one of fileOf(fence) ? [] : commandsOf(fence)) {
      const missing =
        missingFor(one.command) ?? (started === "here" ? undefined : { lack: "server" as const, what: started });
      if (missing) left.push({ ...missing, command: one.command });
      else commands.push(one);
      started = startedBy(one.command) ?? started;
    }
    const setup = commands.length === 0 ? [] : linesOf(fence.setup ?? "");
    return { fence, setup, commands, left };
  });
}

/** Says in one sentence which commands of a block the terminal does not run; undefined where it runs all. */
export function sayLeft({ commands, left }: Example): string | undefined {
  const [first] = left;
  if (!first) return undefined;
  return `${commands.length === 0 ? "Not in the terminal of this page" : "The terminal leaves out a part"}: ${sayMissing(first)}.`;
}
