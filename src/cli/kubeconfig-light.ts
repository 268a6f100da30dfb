/**
 * Kubeconfig files for programs that are to be small: the whole of YAML is loaded only where a file needs it.
 *
 * @module
 */
import { simpleYaml } from "../value/simple-yaml.ts";
import { type ChosenContext, type Decode, type KubeconfigChoice, contextOf } from "./kubeconfig-context.ts";

/** As `readKubeconfig`. @throws CliError that names the file and the member */
export async function readKubeconfigLightly(choice: KubeconfigChoice): Promise<ChosenContext> {
  try {
    return contextOf(choice, decode);
  } catch {
    // What is wrong, if anything is, is told by who reads everything.
    const { readKubeconfig } = await import("./kubeconfig-file.ts");
    return readKubeconfig(choice);
  }
}

const decode: Decode = (text) => {
  const value = simpleYaml(new TextDecoder("utf-8", { fatal: true }).decode(text));
  if (value === undefined) throw new Error("it is not simple");
  return value;
};
