/**
 * `keelson completion`: a script that completes commands and flags in a shell.
 *
 * @module
 */
import { Argument, Command } from "commander";

interface Words {
  readonly command: string;
  readonly flags: readonly string[];
}

/** The command `completion`; the words come from the program itself. */
export function completionCommand(program: Command, print: (text: string) => void): Command {
  return new Command("completion")
    .description("print a completion script: source <(keelson completion bash)")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .action((shell: "bash" | "zsh" | "fish") => {
      const words = program.commands.map((command) => ({
        command: command.name(),
        flags: command.options.map((option) => option.long ?? "").filter((flag) => flag !== ""),
      }));
      print(SCRIPTS[shell](words));
    });
}

const names = (words: readonly Words[]): string => words.map((w) => w.command).join(" ");

const SCRIPTS = {
  bash: (words: readonly Words[]): string =>
    [
      "_keelson() {",
      '  local word="${COMP_WORDS[COMP_CWORD]}"',
      '  if [ "$COMP_CWORD" -eq 1 ]; then',
      `    COMPREPLY=($(compgen -W "${names(words)}" -- "$word"))`,
      "    return",
      "  fi",
      '  case "${COMP_WORDS[1]}" in',
      ...words.map(
        ({ command, flags }) => `    ${command}) COMPREPLY=($(compgen -W "${flags.join(" ")}" -- "$word")) ;;`,
      ),
      "  esac",
      "}",
      "complete -o default -F _keelson keelson",
    ].join("\n"),
  zsh: (words: readonly Words[]): string =>
    [
      "#compdef keelson",
      "_keelson() {",
      "  if (( CURRENT == 2 )); then",
      `    compadd ${names(words)}`,
      "    return",
      "  fi",
      '  case "${words[2]}" in',
      ...words.map(({ command, flags }) => `    ${command}) compadd -- ${flags.join(" ")} ;;`),
      "  esac",
      "  _files",
      "}",
      "compdef _keelson keelson",
    ].join("\n"),
  fish: (words: readonly Words[]): string =>
    [
      `complete -c keelson -n __fish_use_subcommand -a "${names(words)}"`,
      ...words.flatMap(({ command, flags }) =>
        flags.map((flag) => `complete -c keelson -n "__fish_seen_subcommand_from ${command}" -l ${flag.slice(2)}`),
      ),
    ].join("\n"),
};
