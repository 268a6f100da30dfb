import { Argument, Command } from "commander";
import type { Actions } from "./actions.ts";
import { withExamples } from "./help.ts";

/** Returns the command `completion`, which prints a script that completes words with `keelson complete`. */
export function completionCommand({ print }: Actions): Command {
  const command = new Command("completion")
    .description("Print a script that completes commands, flags, kinds, names and contexts in a shell.")
    .addArgument(new Argument("<shell>", "The shell.").choices(["bash", "zsh", "fish"]))
    .action((shell: "bash" | "zsh" | "fish") => print(SCRIPTS[shell].trim()));
  return withExamples(
    command,
    "completion bash > ~/.local/share/bash-completion/completions/keelson",
    'completion zsh > "${fpath[1]}/_keelson"',
    "completion fish > ~/.config/fish/completions/keelson.fish",
  );
}

// Without completions the shell offers files.
const SCRIPTS = {
  bash: `
_keelson() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _keelson keelson
`,
  zsh: `
#compdef keelson
_keelson() {
  local -a found
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
if [ "$funcstack[1]" = _keelson ]; then _keelson; else compdef _keelson keelson; fi
`,
  fish: `
function __keelson_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c keelson -f -a '(__keelson_complete)'
`,
};
